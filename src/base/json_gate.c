/* The gate: RFC 8259's grammar, before anything else looks at a text.  Layer: base.
 *
 * One pass over the bytes, one state: what may stand next.  The arrays and
 * objects that are open are one byte each in a fixed array, so that depth is
 * a bound and not a stack. */
#include <string.h>

#include "base/json.h"

enum expected {
    VALUE,        /* after a colon, after a comma in an array, at the beginning */
    VALUE_OR_END, /* after [ */
    NAME,         /* after a comma in an object */
    NAME_OR_END,  /* after { */
    COLON,        /* after a name */
    COMMA_OR_END, /* after a value inside an array or object */
    NOTHING       /* after the whole value */
};

struct gate {
    struct span text;
    size_t at; /* the next byte */
    enum expected next;
    uint64_t tokens;              /* values and names so far */
    uint32_t depth;               /* arrays and objects that are open */
    uint8_t open[JSON_DEPTH_MAX]; /* of each, its closing bracket */
    struct err *err;
};

#define END_OF_TEXT (-1)

static int peek(const struct gate *g)
{
    return g->at < g->text.n ? g->text.p[g->at] : END_OF_TEXT;
}

/* Refuse the text at the next byte. */
static int refuse(const struct gate *g, const char *expected)
{
    const struct span nothing = {NULL, 0};
    uint64_t at = (uint64_t)g->at + 1;
    int c = peek(g);
    if (c == END_OF_TEXT)
        return err_set_at(g->err, ERR_JSON, nothing, at, "expected %s, found the end", expected);
    if (c > 0x20 && c < 0x7f)
        return err_set_at(g->err, ERR_JSON, nothing, at, "expected %s, found '%c'", expected, c);
    return err_set_at(g->err, ERR_JSON, nothing, at, "expected %s, found byte 0x%02x", expected,
                      (unsigned int)c);
}

/* The four bytes of RFC 8259 section 2 that stand between tokens. */
static void skip_space(struct gate *g)
{
    int c = peek(g);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        g->at++;
        c = peek(g);
    }
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int take_digits(struct gate *g)
{
    if (!is_digit(peek(g)))
        return refuse(g, "a digit");
    while (is_digit(peek(g)))
        g->at++;
    return 0;
}

/* RFC 8259 section 6: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
 * A digit after a leading 0 is refused by what must follow a value. */
static int take_number(struct gate *g)
{
    if (peek(g) == '-')
        g->at++;
    if (peek(g) == '0')
        g->at++;
    else if (take_digits(g) != 0)
        return -1;
    if (peek(g) == '.') {
        g->at++;
        if (take_digits(g) != 0)
            return -1;
    }
    if (peek(g) == 'e' || peek(g) == 'E') {
        g->at++;
        if (peek(g) == '+' || peek(g) == '-')
            g->at++;
        return take_digits(g);
    }
    return 0;
}

static int take_literal(struct gate *g, const char *literal)
{
    for (size_t i = 0; literal[i] != '\0'; i++) {
        if (peek(g) != literal[i])
            return refuse(g, literal);
        g->at++;
    }
    return 0;
}

/* RFC 8259 section 7: what follows a backslash. */
static int take_escape(struct gate *g)
{
    int c = peek(g);
    if (c == END_OF_TEXT || c == 0 || strchr("\"\\/bfnrtu", c) == NULL)
        return refuse(g, "an escape (\" \\ / b f n r t u)");
    g->at++;
    for (size_t i = 0; c == 'u' && i < 4; i++) {
        if (!is_hex_digit(peek(g)))
            return refuse(g, "a hexadecimal digit");
        g->at++;
    }
    return 0;
}

static int take_string(struct gate *g)
{
    g->at++; /* the quote */
    for (;;) {
        int c = peek(g);
        if (c == '"') {
            g->at++;
            return 0;
        }
        if (c < 0x20) /* and the end of the text */
            return refuse(g, "a character or \" (control bytes must be escaped)");
        if (c == '\\') {
            g->at++;
            if (take_escape(g) != 0)
                return -1;
            continue;
        }
        size_t n = str_utf8_length((struct span){g->text.p + g->at, g->text.n - g->at});
        if (n == 0)
            return refuse(g, "UTF-8");
        g->at += n;
    }
}

/* A value stands complete before the next byte. */
static int after_value(struct gate *g)
{
    g->next = g->depth > 0 ? COMMA_OR_END : NOTHING;
    return 0;
}

static int take_open(struct gate *g, uint8_t closing, enum expected next)
{
    if (g->depth == JSON_DEPTH_MAX)
        return err_set_at(g->err, ERR_JSON, (struct span){NULL, 0}, (uint64_t)g->at + 1,
                          "more than %u arrays and objects inside each other", JSON_DEPTH_MAX);
    g->open[g->depth++] = closing;
    g->next = next;
    g->at++;
    return 0;
}

static int take_close(struct gate *g)
{
    g->depth--;
    g->at++;
    return after_value(g);
}

static int take_value(struct gate *g)
{
    int c = peek(g);
    int result = 0;
    g->tokens++;
    if (c == '{')
        return take_open(g, '}', NAME_OR_END);
    if (c == '[')
        return take_open(g, ']', VALUE_OR_END);
    if (c == '"')
        result = take_string(g);
    else if (c == '-' || is_digit(c))
        result = take_number(g);
    else if (c == 't')
        result = take_literal(g, "true");
    else if (c == 'f')
        result = take_literal(g, "false");
    else if (c == 'n')
        result = take_literal(g, "null");
    else
        return refuse(g, g->next == VALUE_OR_END ? "a value or ]" : "a value");
    return result == 0 ? after_value(g) : -1;
}

static int take_name(struct gate *g)
{
    if (peek(g) != '"')
        return refuse(g, g->next == NAME_OR_END ? "a name or }" : "a name");
    g->tokens++;
    g->next = COLON;
    return take_string(g);
}

static int take_comma_or_end(struct gate *g)
{
    uint8_t closing = g->open[g->depth - 1];
    int c = peek(g);
    if (c == closing)
        return take_close(g);
    if (c != ',')
        return refuse(g, closing == ']' ? "a comma or ]" : "a comma or }");
    g->next = closing == ']' ? VALUE : NAME;
    g->at++;
    return 0;
}

static int take_next(struct gate *g)
{
    int c = peek(g);
    switch (g->next) {
    case VALUE_OR_END: return c == ']' ? take_close(g) : take_value(g);
    case VALUE: return take_value(g);
    case NAME_OR_END: return c == '}' ? take_close(g) : take_name(g);
    case NAME: return take_name(g);
    case COLON:
        if (c != ':')
            return refuse(g, "a colon");
        g->next = VALUE;
        g->at++;
        return 0;
    case COMMA_OR_END: return take_comma_or_end(g);
    case NOTHING: break;
    }
    return refuse(g, "nothing more");
}

int json_gate_count(struct span text, uint64_t *tokens, struct err *err)
{
    struct gate g = {.text = text, .next = VALUE, .err = err};
    const struct span nothing = {NULL, 0};
    if (text.n > JSON_BYTES_MAX)
        return err_set_at(err, ERR_JSON, nothing, JSON_BYTES_MAX + 1, "more than %llu bytes",
                          (unsigned long long)JSON_BYTES_MAX);
    if (str_starts(text, "\xef\xbb\xbf"))
        return err_set_at(err, ERR_JSON, nothing, 1, "begins with a byte-order mark");
    skip_space(&g);
    while (g.next != NOTHING || g.at < text.n) {
        if (take_next(&g) != 0)
            return -1;
        skip_space(&g);
    }
    *tokens = g.tokens;
    return 0;
}

int json_gate(struct span text, struct err *err)
{
    uint64_t ignored;
    return json_gate_count(text, &ignored, err);
}
