/* Cuts a source into commands and directives: see source.h. */
#include "source.h"

#include <string.h>

enum state { CODE, STRING, LINE_COMMENT, BLOCK_COMMENT };

struct cleaner {
    enum state state;
    unsigned depth; /* of block comments */
    size_t opened;  /* where the open comment or string began */
};

static bool two(const char *p, size_t i, size_t n, const char *pair)
{
    return i + 1 < n && p[i] == pair[0] && p[i + 1] == pair[1];
}

/* Handles the byte at i outside of strings and comments; returns how many bytes it took. */
static size_t clean_code(struct cleaner *c, char *p, size_t i, size_t n)
{
    if (two(p, i, n, "--"))
        c->state = LINE_COMMENT;
    else if (two(p, i, n, "/-"))
        c->state = BLOCK_COMMENT;
    else if (p[i] == '"')
        c->state = STRING;
    if (c->state == CODE)
        return 1;
    c->opened = i;
    if (c->state == STRING)
        return 1;
    c->depth = c->state == BLOCK_COMMENT;
    p[i] = p[i + 1] = ' ';
    return 2;
}

static size_t clean_block(struct cleaner *c, char *p, size_t i, size_t n)
{
    size_t took = 1;

    if (two(p, i, n, "/-")) {
        c->depth++;
        took = 2;
    } else if (two(p, i, n, "-/")) {
        c->depth--;
        took = 2;
    }
    for (size_t k = i; k < i + took; k++) {
        if (p[k] != '\n')
            p[k] = ' ';
    }
    if (c->depth == 0)
        c->state = CODE;
    return took;
}

static size_t clean_step(struct cleaner *c, char *p, size_t i, size_t n)
{
    switch (c->state) {
    case CODE: return clean_code(c, p, i, n);
    case BLOCK_COMMENT: return clean_block(c, p, i, n);
    case LINE_COMMENT:
        if (p[i] == '\n')
            c->state = CODE;
        else
            p[i] = ' ';
        return 1;
    case STRING:
        if (p[i] == '\\' && i + 1 < n)
            return 2;
        if (p[i] == '"')
            c->state = CODE;
        return 1;
    }
    return 1;
}

static void add_item(struct source *s, enum item_kind kind, struct span text, size_t offset)
{
    struct item item = {.kind = kind, .text = text, .offset = offset};

    s->items = grow(s->items, s->n, &s->room, sizeof *s->items);
    s->items[s->n++] = item;
}

static void add_command(struct source *s, size_t start, size_t end)
{
    struct span text = span_trim((struct span){s->clean + start, end - start});

    if (text.n > 0)
        add_item(s, ITEM_COMMAND, text, (size_t)(text.p - s->clean));
}

static void add_directive(struct source *s, struct span line)
{
    struct span text = span_trim(span_after(span_trim(line), 3));
    enum item_kind kind = ITEM_DIRECTIVE;

    if (span_starts(text, "run-time:")) {
        kind = ITEM_RUN_TIME;
        text = span_trim(span_after(text, 9));
    }
    add_item(s, kind, text, (size_t)(text.p - s->bytes.p));
}

/* Blanks the comments and notes where lines begin outside of strings and comments. */
static enum state clean_all(struct source *s, struct list *lines, size_t *opened)
{
    struct cleaner c = {.state = CODE};
    bool begins = true;

    for (size_t i = 0; i < s->bytes.n;) {
        struct span rest = span_after(s->bytes, i);

        if (begins && c.state == CODE)
            list_add(lines, span_take(&rest, '\n'));
        begins = s->clean[i] == '\n';
        i += clean_step(&c, s->clean, i, s->bytes.n);
    }
    *opened = c.opened;
    return c.state;
}

int source_split(struct span bytes, struct source *s, size_t *at)
{
    struct list lines = {0};
    enum state last;
    size_t command = 0;

    s->bytes = bytes;
    s->clean = span_copy(bytes);
    last = clean_all(s, &lines, at);
    for (size_t i = 0; i < lines.n; i++) {
        size_t start = (size_t)(lines.items[i].p - bytes.p);
        bool directive = span_starts(span_trim(lines.items[i]), "--!");

        if (!directive && span_trim((struct span){s->clean + start, 1}).n == 0)
            continue;
        add_command(s, command, start);
        if (directive)
            add_directive(s, lines.items[i]);
        command = start;
    }
    add_command(s, command, bytes.n);
    return last == STRING || last == BLOCK_COMMENT ? -1 : 0;
}

struct place source_place(const struct source *s, size_t offset)
{
    struct place place = {.line = 1, .column = 0};

    for (size_t i = 0; i < offset && i < s->bytes.n; i++) {
        unsigned char c = (unsigned char)s->bytes.p[i];

        if (c == '\n') {
            place.line++;
            place.column = 0;
        } else if ((c & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

static bool word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c > 127 || (c != '\0' && strchr("_.'!?", c) != NULL);
}

static size_t skip_string(const char *p, size_t i, size_t end)
{
    for (i++; i < end && p[i] != '"'; i++) {
        if (p[i] == '\\')
            i++;
    }
    return i + 1;
}

bool source_word(const struct source *s, size_t *offset, size_t end, struct span *word)
{
    size_t i = *offset;
    size_t start;

    while (i < end && !word_byte(s->clean[i]))
        i = s->clean[i] == '"' ? skip_string(s->clean, i, end) : i + 1;
    if (i >= end)
        return false;
    for (start = i; i < end && word_byte(s->clean[i]); i++)
        continue;
    while (i > start + 1 && s->clean[i - 1] == '.')
        i--;
    *word = (struct span){s->clean + start, i - start};
    *offset = i;
    return true;
}
