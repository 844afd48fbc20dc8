/* toolchain.profile: which programs run with which arguments.  Layer: host. */
#include <string.h>

#include "host/kernel.h"
#include "host/pins.h"

#define HEADER "lema-profile v1 "
#define SHOWN "toolchain.profile"
#define REFUSE(p, ...) (err_set_at((p)->err, ERR_PINS, str_span(SHOWN), (p)->line, __VA_ARGS__), -1)

struct parse {
    struct profile *profile;
    struct err *err;
    uint64_t line;
};

#define AT(step) (1u << (step))

/* The closed list of placeholders and the steps that may use them. */
static const struct {
    const char *name;
    unsigned steps;
} placeholders[] = {
    {"memory", AT(STEP_ELABORATE) | AT(STEP_AXIOMS)},
    {"root", AT(STEP_ELABORATE)},
    {"source", AT(STEP_ELABORATE) | AT(STEP_AXIOMS)},
    {"module", AT(STEP_REPLAY)},
    {"olean", AT(STEP_ELABORATE)},
    {"ilean", AT(STEP_ELABORATE)},
    {"c", AT(STEP_ELABORATE) | AT(STEP_COMPILE) | AT(STEP_LINK)},
    {"exe", AT(STEP_COMPILE) | AT(STEP_LINK)},
};

const char *profile_step_word(enum profile_step step)
{
    static const char *const words[STEP_COUNT] = {
        [STEP_VERSION] = "version", [STEP_ELABORATE] = "elaborate", [STEP_REPLAY] = "replay",
        [STEP_AXIOMS] = "axioms",   [STEP_COMPILE] = "compile",     [STEP_LINK] = "link",
    };
    return words[step];
}

/* --- Words ----------------------------------------------------------------------------- */

static bool is_placeholder(struct span name, enum profile_step step)
{
    for (size_t i = 0; i < sizeof placeholders / sizeof placeholders[0]; i++)
        if (str_is(name, placeholders[i].name))
            return (placeholders[i].steps & AT(step)) != 0;
    return false;
}

static int check_argument(struct parse *p, enum profile_step step, struct span word)
{
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '}')
            return REFUSE(p, "a \"}\" without its \"{\"");
        if (word.p[i] != '{')
            continue;
        size_t begin = ++i;
        while (i < word.n && word.p[i] != '}')
            i++;
        if (i == word.n)
            return REFUSE(p, "a \"{\" without its \"}\"");
        struct span name = {word.p + begin, i - begin};
        if (!is_placeholder(name, step))
            return REFUSE(p, "{%.*s} is not a placeholder of this step", (int)name.n,
                          (const char *)name.p);
    }
    return 0;
}

/* A program is a path below the distribution; that it is there, pins_parse asks the manifest. */
static int check_program(struct parse *p, struct span word)
{
    if (memchr(word.p, '{', word.n) != NULL || memchr(word.p, '}', word.n) != NULL)
        return REFUSE(p, "the program's path holds a placeholder");
    if (word.p[0] == '/')
        return REFUSE(p, "the program's path is not below the distribution");
    return 0;
}

static int add_word(struct parse *p, enum profile_step step, struct span word)
{
    struct profile_line *line = &p->profile->step[step];
    if (word.n == 0)
        return REFUSE(p, "an empty word: one space stands between two words");
    if (line->n == PROFILE_WORDS_MAX)
        return REFUSE(p, "more than %u words", PROFILE_WORDS_MAX);
    if ((line->n == 0 ? check_program(p, word) : check_argument(p, step, word)) != 0)
        return -1;
    line->word[line->n++] = word;
    return 0;
}

static bool is_printable_ascii(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e)
            return false;
    return true;
}

/* --- Lines ----------------------------------------------------------------------------- */

static int parse_step(struct parse *p, enum profile_step step, struct span line)
{
    const size_t n = strlen(profile_step_word(step));
    if (!is_printable_ascii(line))
        return REFUSE(p, "a byte that is not printable ASCII");
    if (!str_starts(line, profile_step_word(step)) || line.n == n || line.p[n] != ' ')
        return REFUSE(p, "expected \"%s PROGRAM ARGUMENT...\"", profile_step_word(step));
    for (size_t at = n + 1; at <= line.n;) {
        size_t end = at;
        while (end < line.n && line.p[end] != ' ')
            end++;
        if (add_word(p, step, (struct span){line.p + at, end - at}) != 0)
            return -1;
        at = end + 1;
    }
    return 0;
}

static int parse_header(struct parse *p, struct span *text)
{
    struct span line;
    p->line = 1;
    if (!kernel_next_line(text, &line) || !str_starts(line, HEADER))
        return REFUSE(p, "expected \"" HEADER "NAME\"");
    const size_t n = strlen(HEADER);
    struct span name = {line.p + n, line.n - n};
    if (!manifest_is_name(name) || !str_copy(p->profile->name, sizeof p->profile->name, name))
        return REFUSE(p, "expected a name of 1 to %u bytes of [A-Za-z0-9._+-]",
                      DISTRIBUTION_NAME_BYTES_MAX);
    return 0;
}

static int parse_lines(struct parse *p, struct span text)
{
    struct span line;
    if (parse_header(p, &text) != 0)
        return -1;
    for (int step = 0; step < STEP_COUNT; step++) {
        p->line++;
        if (!kernel_next_line(&text, &line))
            return REFUSE(p, "the step %s is missing", profile_step_word((enum profile_step)step));
        if (parse_step(p, (enum profile_step)step, line) != 0)
            return -1;
    }
    p->line++;
    return text.n == 0 ? 0 : REFUSE(p, "a line behind the last step");
}

int pins_profile_parse(struct pins *pins, struct span text, struct err *err)
{
    struct parse p = {.profile = &pins->profile, .err = err};
    memset(&pins->profile, 0, sizeof pins->profile);
    pins->profile_text = text;
    if (text.n == 0 || text.p[text.n - 1] != '\n')
        return err_set(err, ERR_PINS, str_span(SHOWN), "has no newline at its end");
    if (parse_lines(&p, text) != 0)
        return -1;
    sha256_of(text.p, text.n, &pins->profile_id);
    return 0;
}
