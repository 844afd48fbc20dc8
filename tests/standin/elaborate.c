/* Elaborates a source: see elaborate.h. README.md describes the language. */
#include "elaborate.h"

#include <stdio.h>
#include <string.h>

#include "files.h"
#include "version.h"

#define LINE_WIDTH 120u /* Lean breaks a list of axioms that does not fit */

/* A command being elaborated: words are taken from `offset` up to `end`. */
struct command {
    struct elaboration *e;
    size_t offset;
    size_t end;
    struct span keyword;
    size_t keyword_at;
};

static void emit(struct elaboration *e, enum severity severity, const char *kind, size_t at,
                 size_t n, const struct text *data)
{
    struct message message = {
        .severity = severity,
        .kind = kind,
        .from = source_place(&e->source, at),
        .to = source_place(&e->source, at + n),
        .data = text_span(data),
    };

    message_emit(&e->messages, &message);
}

static void emit_string(struct elaboration *e, enum severity severity, const char *kind, size_t at,
                        size_t n, const char *data)
{
    struct text t = {0};

    text_add_string(&t, data);
    emit(e, severity, kind, at, n, &t);
}

static bool next(struct command *c, struct span *word, size_t *at)
{
    if (!source_word(&c->e->source, &c->offset, c->end, word))
        return false;
    *at = c->offset - word->n;
    return true;
}

static const struct decl *find(const struct elaboration *e, struct span name)
{
    const struct decl *found = module_find(&e->module, name);

    return found != NULL ? found : environment_find(&e->environment, name);
}

static void import_one(struct elaboration *e, struct span name, size_t at)
{
    struct text why = {0};

    if (list_has(&e->module.imports, name))
        return;
    list_add(&e->module.imports, name);
    if (environment_import(&e->environment, name, &why) != 0)
        emit(e, ERROR, NULL, at, 0, &why);
}

/* Before the first command that is not part of the header. */
static void finish_header(struct elaboration *e)
{
    if (e->header_done)
        return;
    e->header_done = true;
    if (!e->prelude)
        import_one(e, span_of("Init"), 0);
    for (size_t i = 0; i < e->setup_imports.n; i++)
        import_one(e, e->setup_imports.items[i], 0);
}

static void command_import(struct command *c)
{
    struct span name;
    size_t at;

    if (c->e->header_done) {
        emit_string(c->e, ERROR, NULL, c->keyword_at, c->keyword.n,
                    "invalid 'import' command, it must be used in the beginning of the file");
        return;
    }
    if (!next(c, &name, &at) || !module_name_ok(name)) {
        emit_string(c->e, ERROR, NULL, c->end, 0, "unexpected token; expected identifier");
        return;
    }
    if (!c->e->has_setup_imports)
        import_one(c->e, name, 0);
}

static void command_prelude(struct command *c)
{
    if (c->e->header_done || c->e->module.imports.n > 0)
        emit_string(c->e, ERROR, NULL, c->keyword_at, c->keyword.n,
                    "unexpected 'prelude'; expected command");
    c->e->prelude = true;
}

static void use_axioms(struct decl *d, const struct list *axioms)
{
    for (size_t i = 0; i < axioms->n; i++) {
        if (!list_has(&d->axioms, axioms->items[i]))
            list_add(&d->axioms, axioms->items[i]);
    }
}

static void use_axiom(struct decl *d, struct span name)
{
    if (!list_has(&d->axioms, name))
        list_add(&d->axioms, name);
}

static struct span native_axiom(struct span name)
{
    struct text t = {0};

    text_add(&t, name);
    text_add_string(&t, "._native.native_decide.ax_1_1");
    return text_span(&t);
}

/* What one word of a declaration does to it. Returns false for an error. */
static bool word_meaning(struct elaboration *e, struct decl *d, struct span word, size_t at)
{
    const struct decl *used = find(e, word);
    struct text t = {0};

    if (span_is(word, "fail_here")) {
        emit_string(e, ERROR, NULL, at, word.n, "stand-in: the text says fail_here");
        return false;
    }
    if (span_starts(word, "unknown_")) {
        text_addf(&t, "Unknown identifier `%s`", span_copy(word));
        emit(e, ERROR, "lean.unknownIdentifier", at, word.n, &t);
        return false;
    }
    if (span_is(word, "sorry"))
        use_axiom(d, span_of("sorryAx"));
    else if (span_is(word, "native_decide"))
        use_axiom(d, native_axiom(d->name));
    else if (span_is(word, "kernel_reject"))
        d->reject = true;
    else if (used != NULL)
        use_axioms(d, &used->axioms);
    return true;
}

/* The text after the name: `:=` must be there, or `:` for an axiom. */
static bool has_sign(const struct command *c, const char *sign)
{
    struct span rest = {c->e->source.clean + c->offset, c->end - c->offset};

    for (; rest.n > 0; rest = span_after(rest, 1)) {
        if (span_starts(rest, sign))
            return true;
    }
    return false;
}

static void add_native_axiom(struct elaboration *e, const struct decl *d)
{
    struct decl axiom = {.kind = DECL_AXIOM, .name = native_axiom(d->name), .hash = d->hash};

    if (list_has(&d->axioms, axiom.name)) {
        list_add(&axiom.axioms, axiom.name);
        module_add(&e->module, &axiom);
    }
}

/* The words after the name. Emits errors, or the warning for sorry. */
static void elaborate_words(struct command *c, struct decl *d, size_t name_at, size_t name_n)
{
    bool good = true;
    bool sorry = false;
    struct span word;
    size_t at;

    while (next(c, &word, &at)) {
        good = word_meaning(c->e, d, word, at) && good;
        sorry = sorry || span_is(word, "sorry");
    }
    if (!good)
        use_axiom(d, span_of("sorryAx"));
    else if (sorry)
        emit_string(c->e, WARNING, "hasSorry", name_at, name_n, "declaration uses `sorry`");
}

static void declare(struct command *c, enum decl_kind kind, bool anonymous)
{
    struct elaboration *e = c->e;
    struct decl d = {.kind = kind, .name = span_of("_example")};
    const char *sign = kind == DECL_AXIOM ? ":" : ":=";
    struct text t = {0};
    size_t at = c->keyword_at;
    size_t n = c->keyword.n;

    d.hash = span_hash((struct span){e->source.clean + c->keyword_at, c->end - c->keyword_at});
    if (!anonymous) {
        if (!next(c, &d.name, &at) || !module_name_ok(d.name)) {
            emit_string(e, ERROR, NULL, at, 0, "unexpected token; expected identifier");
            return;
        }
        n = d.name.n;
    }
    if (!has_sign(c, sign)) {
        text_addf(&t, "unexpected end of input; expected '%s'", sign);
        emit(e, ERROR, NULL, c->end, 0, &t);
        return;
    }
    if (!anonymous && find(e, d.name) != NULL) {
        text_addf(&t, "'%s' has already been declared", span_copy(d.name));
        emit(e, ERROR, NULL, at, n, &t);
        return;
    }
    d.reject = span_is(d.name, "kernel_reject") || span_ends(d.name, ".kernel_reject");
    if (kind == DECL_AXIOM)
        use_axiom(&d, d.name);
    elaborate_words(c, &d, at, n);
    if (anonymous)
        return;
    add_native_axiom(e, &d);
    module_add(&e->module, &d);
    e->has_main = e->has_main || (kind == DECL_DEF && span_is(d.name, "main"));
}

static void command_theorem(struct command *c)
{
    declare(c, DECL_THEOREM, false);
}

static void command_def(struct command *c)
{
    declare(c, DECL_DEF, false);
}

static void command_axiom(struct command *c)
{
    declare(c, DECL_AXIOM, false);
}

static void command_example(struct command *c)
{
    declare(c, DECL_THEOREM, true);
}

/* IO.FS.readFile "PATH" >>= IO.print, as Lean would do it. */
static bool eval_file(struct span rest, struct text *t)
{
    static const char before[] = "IO.FS.readFile \"", after[] = "\" >>= IO.print";
    char path[256], bytes[4096];
    size_t n = sizeof before - 1 + sizeof after - 1;
    FILE *f;

    if (rest.n <= n || rest.n - n >= sizeof path ||
        memcmp(rest.p, before, sizeof before - 1) != 0 ||
        memcmp(rest.p + rest.n - (sizeof after - 1), after, sizeof after - 1) != 0)
        return false;
    memcpy(path, rest.p + sizeof before - 1, rest.n - n);
    path[rest.n - n] = '\0';
    f = fopen(path, "r");
    if (f == NULL)
        return false;
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        text_add(t, (struct span){bytes, n});
    fclose(f);
    while (t->n > 0 && t->p[t->n - 1] == '\n')
        t->n--;
    return true;
}

static void command_eval(struct command *c)
{
    struct span rest = {c->e->source.clean + c->offset, c->end - c->offset};
    struct text t = {0};

    rest = span_trim(rest);
    if (span_is(rest, "Lean.versionString"))
        text_addf(&t, "\"%s\"", STANDIN_VERSION_STRING);
    else if (rest.n >= 2 && rest.p[0] == '"' && rest.p[rest.n - 1] == '"')
        text_add(&t, rest);
    else
        eval_file(rest, &t);
    if (t.n > 0) {
        emit(c->e, INFORMATION, NULL, c->keyword_at, c->keyword.n + 1, &t);
        return;
    }
    emit_string(c->e, ERROR, NULL, c->keyword_at, c->keyword.n + 1,
                "stand-in: #eval knows Lean.versionString, one string, and "
                "IO.FS.readFile PATH >>= IO.print");
}

static void print_axioms(struct text *t, const struct decl *d)
{
    const char *between = ", ";
    size_t width;

    text_addf(t, "'%s' ", span_copy(d->name));
    if (d->axioms.n == 0) {
        text_add_string(t, "does not depend on any axioms");
        return;
    }
    text_add_string(t, "depends on axioms: [");
    width = t->n;
    for (size_t i = 0; i < d->axioms.n; i++)
        width += d->axioms.items[i].n + 2;
    if (width > LINE_WIDTH)
        between = ",\n ";
    for (size_t i = 0; i < d->axioms.n; i++) {
        if (i > 0)
            text_add_string(t, between);
        text_add(t, d->axioms.items[i]);
    }
    text_add_string(t, "]");
}

static void command_print(struct command *c)
{
    const struct decl *d;
    struct span word = {NULL, 0};
    struct text t = {0};
    size_t at = c->end;

    if (!next(c, &word, &at) || !span_is(word, "axioms") || !next(c, &word, &at)) {
        emit_string(c->e, ERROR, NULL, c->keyword_at, c->keyword.n + 1,
                    "stand-in: #print knows axioms NAME");
        return;
    }
    d = find(c->e, word);
    if (d == NULL) {
        text_addf(&t, "Unknown constant `%s`", span_copy(word));
        emit(c->e, ERROR, "lean.unknownIdentifier", at, word.n, &t);
        return;
    }
    print_axioms(&t, d);
    emit(c->e, INFORMATION, NULL, c->keyword_at, c->keyword.n + 1, &t);
}

struct command_row {
    const char *keyword;
    bool header;
    void (*run)(struct command *c);
};

static const struct command_row rows[] = {
    {"prelude", true, command_prelude},  {"import", true, command_import},
    {"theorem", false, command_theorem}, {"def", false, command_def},
    {"axiom", false, command_axiom},     {"example", false, command_example},
    {"#eval", false, command_eval},      {"#print", false, command_print},
};

static void run_command(struct elaboration *e, const struct item *item)
{
    struct command c = {.e = e, .offset = item->offset, .end = item->offset + item->text.n};
    bool hash = item->text.p[0] == '#';
    const struct command_row *row = NULL;

    c.keyword_at = c.offset;
    if (source_word(&e->source, &c.offset, c.end, &c.keyword) &&
        c.keyword.p == item->text.p + hash) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0] && row == NULL; i++) {
            if (span_is(c.keyword, rows[i].keyword + hash) && (rows[i].keyword[0] == '#') == hash)
                row = &rows[i];
        }
    }
    if (row == NULL || !row->header)
        finish_header(e);
    if (row == NULL)
        emit_string(e, ERROR, NULL, item->offset, 1, "unexpected token; expected command");
    else
        row->run(&c);
}

/* Every directive must be good before anything happens. */
static int check_directives(struct elaboration *e)
{
    int result = 0;

    for (size_t i = 0; i < e->source.n; i++) {
        const struct item *item = &e->source.items[i];
        struct text why = {0};

        if (item->kind == ITEM_COMMAND || directive_check(item->text, &why) == 0)
            continue;
        text_addf(&why, " (line %u of %s)", source_place(&e->source, item->offset).line,
                  e->messages.file);
        text_add_string(&why, "\n");
        if (fd_write(2, text_span(&why)) != 0)
            return DIRECTIVE_UNKNOWN;
        result = DIRECTIVE_UNKNOWN;
    }
    return result;
}

int elaborate(struct elaboration *e, struct span bytes)
{
    size_t at = 0;
    int broken = source_split(bytes, &e->source, &at);

    if (check_directives(e) != 0)
        return DIRECTIVE_UNKNOWN;
    for (size_t i = 0; i < e->source.n; i++) {
        const struct item *item = &e->source.items[i];

        if (item->kind == ITEM_COMMAND)
            run_command(e, item);
        else if (item->kind == ITEM_DIRECTIVE)
            directive_run(&e->directives, item->text);
        else
            list_add(&e->run_time, item->text);
    }
    finish_header(e);
    if (broken != 0)
        emit_string(e, ERROR, NULL, at, 1, "unterminated comment or string");
    return 0;
}
