/* The stand-in's .olean: see module.h. */
#include "module.h"

static const char magic[] = "lema-stand-in olean v1: text, not made by Lean";

static const char *const kind_words[] = {"theorem", "def", "axiom"};

void module_add(struct module *m, const struct decl *d)
{
    m->decls = grow(m->decls, m->n, &m->room, sizeof *m->decls);
    m->decls[m->n++] = *d;
}

const struct decl *module_find(const struct module *m, struct span name)
{
    for (size_t i = 0; i < m->n; i++) {
        if (span_equal(m->decls[i].name, name))
            return &m->decls[i];
    }
    return NULL;
}

bool module_name_ok(struct span name)
{
    char last = '.';

    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];

        if (c <= 0x20 || c == 0x7f || c == '/' || (c == '.' && last == '.'))
            return false;
        last = name.p[i];
    }
    return last != '.';
}

void module_print(const struct module *m, struct text *out)
{
    text_addf(out, "%s\nmodule ", magic);
    text_add(out, m->name);
    for (size_t i = 0; i < m->imports.n; i++) {
        text_add_string(out, "\nimport ");
        text_add(out, m->imports.items[i]);
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct decl *d = &m->decls[i];

        text_addf(out, "\ndecl %s ", kind_words[d->kind]);
        text_add(out, d->name);
        text_addf(out, " %016llx %s", (unsigned long long)d->hash, d->reject ? "reject" : "ok");
        for (size_t k = 0; k < d->axioms.n; k++) {
            text_add_string(out, " ");
            text_add(out, d->axioms.items[k]);
        }
    }
    text_addf(out, "\nend %zu\n", m->n);
}

static bool hash_parse(struct span word, uint64_t *hash)
{
    *hash = 0;
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        unsigned digit = 16;

        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a' + 10);
        if (digit == 16)
            return false;
        *hash = *hash << 4 | digit;
    }
    return word.n == 16;
}

static bool decl_parse(struct span line, struct decl *d)
{
    struct span kind = span_take(&line, ' ');
    struct span status;
    bool known = false;

    for (unsigned i = 0; i < sizeof kind_words / sizeof kind_words[0]; i++) {
        if (span_is(kind, kind_words[i])) {
            d->kind = (enum decl_kind)i;
            known = true;
        }
    }
    d->name = span_take(&line, ' ');
    if (!known || !module_name_ok(d->name) || !hash_parse(span_take(&line, ' '), &d->hash))
        return false;
    status = span_take(&line, ' ');
    d->reject = span_is(status, "reject");
    if (!d->reject && !span_is(status, "ok"))
        return false;
    while (line.p != NULL) {
        struct span axiom = span_take(&line, ' ');

        if (!module_name_ok(axiom) || list_has(&d->axioms, axiom))
            return false;
        list_add(&d->axioms, axiom);
    }
    return true;
}

/* One line after the first two. Returns 1 for the `end` line, 0 for another, -1 for a bad one. */
static int line_parse(struct span line, struct module *m)
{
    uint64_t count;

    if (span_starts(line, "import ") && m->n == 0) {
        struct span name = span_after(line, 7);

        if (!module_name_ok(name) || list_has(&m->imports, name))
            return -1;
        list_add(&m->imports, name);
        return 0;
    }
    if (span_starts(line, "decl ")) {
        struct decl d = {.kind = DECL_THEOREM};

        if (!decl_parse(span_after(line, 5), &d) || module_find(m, d.name) != NULL)
            return -1;
        module_add(m, &d);
        return 0;
    }
    if (span_starts(line, "end ") && span_number(span_after(line, 4), SIZE_MAX, &count))
        return count == m->n ? 1 : -1;
    return -1;
}

int module_parse(struct span bytes, struct module *m, struct text *why)
{
    struct span rest = bytes;
    struct span line;
    unsigned at = 3;
    int result = 0;

    if (bytes.n == 0 || bytes.p[bytes.n - 1] != '\n' || !span_is(span_take(&rest, '\n'), magic)) {
        text_add_string(why, "line 1: not a file of the stand-in");
        return -1;
    }
    line = span_take(&rest, '\n');
    if (!span_starts(line, "module ") || !module_name_ok(span_after(line, 7))) {
        text_add_string(why, "line 2: no module name");
        return -1;
    }
    m->name = span_after(line, 7);
    for (; rest.n > 0 && result == 0; at++)
        result = line_parse(span_take(&rest, '\n'), m);
    if (result == 1 && rest.n == 0)
        return 0;
    text_addf(why, result < 0 ? "line %u: malformed" : "line %u: no end, or bytes after it",
              at - 1);
    return -1;
}
