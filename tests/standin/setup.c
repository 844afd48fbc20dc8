/* The file of lean --setup: see setup.h. */
#include "setup.h"

#define DEPTH_MAX 32u

struct reader {
    struct span rest;
    const char *error; /* the first one; later steps do nothing */
};

static void fail(struct reader *r, const char *error)
{
    if (r->error == NULL)
        r->error = error;
    r->rest.n = 0;
}

/* The next byte that is not blank, or NUL. */
static char peek(struct reader *r)
{
    r->rest = span_trim(r->rest);
    return r->rest.n == 0 ? '\0' : r->rest.p[0];
}

/* Takes the byte if it is the next one. */
static bool accept(struct reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->rest = span_after(r->rest, 1);
    return true;
}

static void expect(struct reader *r, char c, const char *error)
{
    if (!accept(r, c))
        fail(r, error);
}

/* A string. Of the escapes only \" \\ and \/ are known: paths and names need no others. */
static struct span read_string(struct reader *r)
{
    struct text t = {0};
    size_t i = 0;

    expect(r, '"', "expected a string");
    for (; i < r->rest.n && r->rest.p[i] != '"'; i++) {
        if (r->rest.p[i] == '\\')
            i++;
        if (i == r->rest.n || (i > 0 && r->rest.p[i - 1] == '\\' && r->rest.p[i] != '"' &&
                               r->rest.p[i] != '\\' && r->rest.p[i] != '/')) {
            fail(r, "a string with an escape that the stand-in does not know");
            return text_span(&t);
        }
        text_add(&t, (struct span){r->rest.p + i, 1});
    }
    if (i >= r->rest.n)
        fail(r, "a string without an end");
    else
        r->rest = span_after(r->rest, i + 1);
    return (struct span){text_string(&t), t.n};
}

/* After an element: true if another follows. */
static bool more(struct reader *r, char end)
{
    if (accept(r, ','))
        return true;
    expect(r, end, "expected ',' or an end");
    return false;
}

static void skip_value(struct reader *r, unsigned depth)
{
    char c = peek(r);
    char end = c == '{' ? '}' : ']';

    if (depth == 0) {
        fail(r, "nested too deep");
    } else if (c == '"') {
        (void)read_string(r);
    } else if (c == '{' || c == '[') {
        (void)accept(r, c);
        if (accept(r, end))
            return;
        do {
            if (c == '{') {
                (void)read_string(r);
                expect(r, ':', "expected ':'");
            }
            skip_value(r, depth - 1);
        } while (r->error == NULL && more(r, end));
    } else {
        size_t n = 0;

        while (n < r->rest.n &&
               ((r->rest.p[n] >= 'a' && r->rest.p[n] <= 'z') ||
                (r->rest.p[n] >= '+' && r->rest.p[n] <= '9' && r->rest.p[n] != ',')))
            n++;
        if (n == 0)
            fail(r, "expected a value");
        else
            r->rest = span_after(r->rest, n);
    }
}

static void read_import(struct reader *r, struct setup *s)
{
    if (peek(r) == '"') {
        list_add(&s->imports, read_string(r));
        return;
    }
    expect(r, '{', "expected an import");
    do {
        struct span name = read_string(r);

        expect(r, ':', "expected ':'");
        if (span_is(name, "module"))
            list_add(&s->imports, read_string(r));
        else
            skip_value(r, DEPTH_MAX);
    } while (r->error == NULL && more(r, '}'));
}

static void read_imports(struct reader *r, struct setup *s)
{
    if (peek(r) == 'n') {
        skip_value(r, 1);
        return;
    }
    s->has_imports = true;
    expect(r, '[', "imports: expected a list");
    if (accept(r, ']'))
        return;
    do {
        read_import(r, s);
    } while (r->error == NULL && more(r, ']'));
}

static void read_artifacts(struct reader *r, struct setup *s)
{
    expect(r, '{', "importArts: expected an object");
    if (accept(r, '}'))
        return;
    do {
        list_add(&s->artifact_names, read_string(r));
        expect(r, ':', "expected ':'");
        expect(r, '[', "importArts: expected a list of files");
        list_add(&s->artifact_files, read_string(r));
        while (r->error == NULL && more(r, ']'))
            (void)read_string(r);
    } while (r->error == NULL && more(r, '}'));
}

static void read_empty(struct reader *r)
{
    expect(r, '[', "expected a list");
    expect(r, ']', "the stand-in loads no native code: dynlibs and plugins must be empty");
}

static void read_field(struct reader *r, struct setup *s)
{
    struct span name = read_string(r);

    expect(r, ':', "expected ':'");
    if (span_is(name, "name"))
        s->name = read_string(r);
    else if (span_is(name, "imports"))
        read_imports(r, s);
    else if (span_is(name, "importArts"))
        read_artifacts(r, s);
    else if (span_is(name, "dynlibs") || span_is(name, "plugins"))
        read_empty(r);
    else if (span_is(name, "isModule") || span_is(name, "options") || span_is(name, "package"))
        skip_value(r, DEPTH_MAX);
    else
        fail(r, "a field that the stand-in does not know");
}

int setup_parse(struct span text, struct setup *s, struct text *why)
{
    struct reader r = {.rest = text};

    expect(&r, '{', "expected an object");
    do {
        read_field(&r, s);
    } while (r.error == NULL && more(&r, '}'));
    if (r.error == NULL && peek(&r) != '\0')
        fail(&r, "bytes after the object");
    if (r.error == NULL && s->name.n == 0)
        fail(&r, "no name");
    if (r.error == NULL)
        return 0;
    text_add_string(why, r.error);
    return -1;
}
