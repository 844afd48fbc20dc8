/* C files, objects and programs of the stand-in: see unit.h. */
#include "unit.h"

#include "module.h"

static const char c_magic[] = "// lema-stand-in C v1: text, not made by Lean";
static const char c_error[] = "#error only the leanc of lema's stand-in toolchain reads this file";
static const char object_magic[] = "lema-stand-in object v1";
static const char program_magic[] = "lema-stand-in program v1 ";

#define PROGRAM_DIGITS 10u
#define PROGRAM_END (sizeof program_magic - 1 + PROGRAM_DIGITS + 1)

static void add_line(struct text *out, const char *prefix, const char *word, struct span value)
{
    text_addf(out, "%s%s", prefix, word);
    text_add(out, value);
    text_add_string(out, "\n");
}

void unit_print(const struct unit *u, bool as_c, struct text *out)
{
    const char *prefix = as_c ? "// " : "";

    if (as_c)
        text_addf(out, "%s\n%s\n", c_magic, c_error);
    else
        text_addf(out, "%s\n", object_magic);
    add_line(out, prefix, "module ", u->module);
    for (size_t i = 0; i < u->imports.n; i++)
        add_line(out, prefix, "import ", u->imports.items[i]);
    if (u->has_main)
        add_line(out, prefix, "main", span_of(""));
    for (size_t i = 0; i < u->run.n; i++)
        add_line(out, prefix, "run ", u->run.items[i]);
    text_addf(out, "%send %zu\n", prefix, 1 + u->imports.n + u->has_main + u->run.n);
}

/* Takes what one line says. Returns 1 for the end line, 0 for another, -1 for a bad one. */
static int line_parse(struct span line, size_t before, struct unit *u)
{
    uint64_t count;

    if (span_starts(line, "module ") && before == 0)
        u->module = span_after(line, 7);
    else if (span_starts(line, "import ") && before > 0)
        list_add(&u->imports, span_after(line, 7));
    else if (span_is(line, "main") && before > 0)
        u->has_main = true;
    else if (span_starts(line, "run ") && before > 0)
        list_add(&u->run, span_after(line, 4));
    else if (span_starts(line, "end ") && span_number(span_after(line, 4), SIZE_MAX, &count))
        return count == before && before > 0 ? 1 : -1;
    else
        return -1;
    return 0;
}

int unit_parse(struct span *rest, struct unit *u, struct text *why)
{
    struct span first = span_take(rest, '\n');
    const char *prefix = "";
    int result = 0;

    if (span_is(first, c_magic) && span_is(span_take(rest, '\n'), c_error)) {
        prefix = "// ";
    } else if (!span_is(first, object_magic)) {
        text_add_string(why, "not made by the stand-in");
        return -1;
    }
    for (size_t before = 0; result == 0 && rest->n > 0; before++) {
        struct span line = span_take(rest, '\n');

        result = -1;
        if (span_starts(line, prefix))
            result = line_parse(span_after(line, prefix[0] == '\0' ? 0 : 3), before, u);
    }
    if (result == 1 && module_name_ok(u->module))
        return 0;
    text_add_string(why, "malformed");
    return -1;
}

void program_end(struct text *out, size_t bytes)
{
    text_addf(out, "%s%0*zu\n", program_magic, (int)PROGRAM_DIGITS, bytes);
}

int program_objects(struct span program, struct span *objects)
{
    struct span end;
    uint64_t bytes = 0;

    if (program.n < PROGRAM_END)
        return -1;
    end = span_after(program, program.n - PROGRAM_END);
    if (!span_starts(end, program_magic) || end.p[end.n - 1] != '\n')
        return -1;
    end = (struct span){end.p + sizeof program_magic - 1, PROGRAM_DIGITS};
    while (end.n > 1 && end.p[0] == '0')
        end = span_after(end, 1);
    if (!span_number(end, program.n - PROGRAM_END, &bytes))
        return -1;
    *objects = (struct span){program.p + program.n - PROGRAM_END - bytes, (size_t)bytes};
    return 0;
}
