/* The index over jsmn, the two stricter rules, the typed getters.  Layer: base.
 *
 * Every index into a text comes from jsmn, which only sees what the gate let
 * through, and whose count of values must be the gate's own. */

/* The one place where jsmn's code is compiled: static, so that no other file
 * can call it.  These two must stand in json.h with the same words. */
#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include <string.h>

#include "base/json.h"

/* --- tokens -------------------------------------------------------------- */

static const jsmntok_t *token_at(const struct json *j, size_t value)
{
    return value < j->n ? &j->tokens[value] : NULL;
}

/* The bytes of a token; of a string, those between its quotes. */
static struct span token_span(const struct json *j, size_t value)
{
    const jsmntok_t *token = token_at(j, value);
    if (token == NULL)
        return (struct span){NULL, 0};
    return (struct span){j->text.p + token->start, (size_t)(token->end - token->start)};
}

/* The byte, from 1, at which a token begins; of a string, that of its quote. */
static uint64_t token_byte(const struct json *j, size_t value)
{
    const jsmntok_t *token = token_at(j, value);
    if (token == NULL)
        return 0;
    return (uint64_t)token->start + (token->type == JSMN_STRING ? 0 : 1);
}

static size_t token_parent(const struct json *j, size_t value)
{
    const jsmntok_t *token = token_at(j, value);
    return token == NULL || token->parent < 0 ? JSON_ABSENT : (size_t)token->parent;
}

static bool token_is(const struct json *j, size_t value, jsmntype_t type)
{
    const jsmntok_t *token = token_at(j, value);
    return token != NULL && token->type == type;
}

static bool token_is_name(const struct json *j, size_t value)
{
    return token_is(j, value, JSMN_STRING) && token_is(j, token_parent(j, value), JSMN_OBJECT);
}

/* The name under which a value stands in its object, or nothing. */
static struct span name_of(const struct json *j, size_t value)
{
    size_t parent = token_parent(j, value);
    return token_is_name(j, parent) ? token_span(j, parent) : (struct span){NULL, 0};
}

/* --- strings ------------------------------------------------------------- */

/* The number that four hex digits spell; the gate saw that they are. */
static uint32_t hex4(const uint8_t *p)
{
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t c = p[i];
        uint32_t digit = c <= '9' ? c - '0' : (c | 0x20u) - 'a' + 10;
        value = value << 4 | digit;
    }
    return value;
}

static bool is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c <= 0xdfff;
}

/* The character at the beginning of a string that passed the gate (RFC 8259
 * section 7).  An unpaired surrogate gives itself.
 * returns  the bytes it takes, 1 to 12 */
static size_t next_character(struct span s, uint32_t *character)
{
    static const char from[] = "bfnrt";
    static const char to[] = "\b\f\n\r\t";
    if (s.p[0] != '\\')
        return str_utf8_decode(s, character);
    if (s.p[1] != 'u') {
        const char *short_form = strchr(from, s.p[1]);
        *character = short_form == NULL ? s.p[1] : (uint8_t)to[short_form - from];
        return 2;
    }
    uint32_t high = hex4(s.p + 2);
    *character = high;
    if (high < 0xd800 || high > 0xdbff || s.n < 12 || s.p[6] != '\\' || s.p[7] != 'u')
        return 6;
    uint32_t low = hex4(s.p + 8);
    if (low < 0xdc00 || low > 0xdfff)
        return 6;
    *character = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

static struct span rest_of(struct span s, size_t used)
{
    return (struct span){s.p + used, s.n - used};
}

static bool same_string(struct span a, struct span b)
{
    while (a.n > 0 && b.n > 0) {
        uint32_t in_a;
        uint32_t in_b;
        a = rest_of(a, next_character(a, &in_a));
        b = rest_of(b, next_character(b, &in_b));
        if (in_a != in_b)
            return false;
    }
    return a.n == 0 && b.n == 0;
}

/* Write a character, not a surrogate, as UTF-8 (RFC 3629 section 3). */
static size_t put_utf8(uint32_t c, char out[static 4])
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[5] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80u | (c & 0x3fu));
        c >>= 6;
    }
    out[0] = (char)(lead[n] | c);
    return n;
}

/* --- reading ------------------------------------------------------------- */

static int check_string(const struct json *j, size_t value, struct err *err)
{
    struct span s = token_span(j, value);
    if (token_is_name(j, value) && s.n > JSON_NAME_BYTES_MAX)
        return err_set_at(err, ERR_JSON, s, token_byte(j, value), "a name of more than %u bytes",
                          JSON_NAME_BYTES_MAX);
    while (s.n > 0) {
        uint32_t character;
        size_t n = next_character(s, &character);
        if (is_surrogate(character))
            return err_set_at(err, ERR_JSON, name_of(j, value), (uint64_t)(s.p - j->text.p) + 1,
                              "unpaired surrogate \\u%04x", character);
        s = rest_of(s, n);
    }
    return 0;
}

/* No name of an object is the same as an earlier one. */
static int check_names(const struct json *j, size_t object, struct err *err)
{
    for (size_t a = json_first(j, object); a != JSON_ABSENT; a = json_next(j, a)) {
        struct span name = token_span(j, a);
        for (size_t b = json_next(j, a); b != JSON_ABSENT; b = json_next(j, b))
            if (same_string(name, token_span(j, b)))
                return err_set_at(err, ERR_JSON, token_span(j, b), token_byte(j, b),
                                  "repeated name");
    }
    return 0;
}

/* jsmn takes a bare number or literal only with a delimiter behind it, so a
 * text that is nothing else gets its one token here. */
static bool index_bare_root(struct json *j)
{
    size_t start = 0;
    size_t end = j->text.n;
    while (strchr(" \t\n\r", j->text.p[start]) != NULL)
        start++;
    if (strchr("{[\"", j->text.p[start]) != NULL)
        return false;
    while (strchr(" \t\n\r", j->text.p[end - 1]) != NULL)
        end--;
    j->tokens[0] = (jsmntok_t){JSMN_PRIMITIVE, (int)start, (int)end, 0, -1};
    j->n = 1;
    return true;
}

static int index_text(struct json *j, uint64_t tokens, struct err *err)
{
    const struct span nothing = {NULL, 0};
    jsmn_parser parser;
    if (tokens > JSON_TOKENS_MAX)
        return err_set(err, ERR_JSON, nothing, "more than %u values and names", JSON_TOKENS_MAX);
    if (index_bare_root(j))
        return 0;
    jsmn_init(&parser);
    int n = jsmn_parse(&parser, (const char *)j->text.p, j->text.n, j->tokens, JSON_TOKENS_MAX);
    if (n < 0 || (uint64_t)n != tokens)
        return err_set(err, ERR_INTERNAL, nothing, "the JSON index has %d values, the gate %llu", n,
                       (unsigned long long)tokens);
    j->n = (size_t)n;
    return 0;
}

int json_read(struct json *j, struct span text, struct err *err)
{
    uint64_t tokens;
    j->text = text;
    j->n = 0;
    if (json_gate_count(text, &tokens, err) != 0 || index_text(j, tokens, err) != 0)
        return -1;
    for (size_t i = 0; i < j->n; i++) {
        if (token_is(j, i, JSMN_STRING) && check_string(j, i, err) != 0)
            return -1;
        if (token_is(j, i, JSMN_OBJECT) && check_names(j, i, err) != 0)
            return -1;
    }
    return 0;
}

/* --- walking ------------------------------------------------------------- */

enum json_type json_type_of(const struct json *j, size_t value)
{
    const jsmntok_t *token = token_at(j, value);
    if (token == NULL)
        return JSON_NULL;
    if (token->type == JSMN_OBJECT)
        return JSON_OBJECT;
    if (token->type == JSMN_ARRAY)
        return JSON_ARRAY;
    if (token->type == JSMN_STRING)
        return JSON_STRING;
    uint8_t first = j->text.p[token->start];
    if (first == 'n')
        return JSON_NULL;
    return first == 't' || first == 'f' ? JSON_BOOL : JSON_NUMBER;
}

const char *json_type_word(enum json_type type)
{
    static const char *const words[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_NUMBER] = "a number",  [JSON_BOOL] = "a boolean", [JSON_NULL] = "null",
    };
    return words[type];
}

size_t json_count(const struct json *j, size_t container)
{
    if (token_is(j, container, JSMN_OBJECT) || token_is(j, container, JSMN_ARRAY))
        return (size_t)j->tokens[container].size;
    return 0;
}

size_t json_first(const struct json *j, size_t container)
{
    return json_count(j, container) > 0 ? container + 1 : JSON_ABSENT;
}

/* Tokens stand in the order of the text, so a sibling is the first later token
 * with the same parent; none begins after the parent's end. */
size_t json_next(const struct json *j, size_t element)
{
    size_t parent = token_parent(j, element);
    if (parent == JSON_ABSENT)
        return JSON_ABSENT;
    for (size_t i = element + 1; i < j->n && j->tokens[i].start < j->tokens[parent].end; i++)
        if (token_parent(j, i) == parent)
            return i;
    return JSON_ABSENT;
}

size_t json_member_value(const struct json *j, size_t name)
{
    return token_is_name(j, name) ? name + 1 : JSON_ABSENT;
}

/* --- fields -------------------------------------------------------------- */

static int bind_field(const struct json *j, size_t name, struct json_field *field,
                      enum err_what what, struct err *err)
{
    size_t value = json_member_value(j, name);
    enum json_type type = json_type_of(j, value);
    if (type != field->type && !(field->nullable && type == JSON_NULL))
        return err_set_at(err, what, token_span(j, name), token_byte(j, value),
                          "expected %s%s, found %s", json_type_word(field->type),
                          field->nullable ? " or null" : "", json_type_word(type));
    field->value = value;
    return 0;
}

int json_fields(const struct json *j, size_t object, struct json_field *fields, size_t n,
                enum err_what what, struct err *err)
{
    if (!token_is(j, object, JSMN_OBJECT))
        return err_set_at(err, what, name_of(j, object), token_byte(j, object),
                          "expected an object, found %s", json_type_word(json_type_of(j, object)));
    for (size_t i = 0; i < n; i++)
        fields[i].value = JSON_ABSENT;
    for (size_t name = json_first(j, object); name != JSON_ABSENT; name = json_next(j, name)) {
        size_t i = 0;
        while (i < n && !json_string_is(j, name, fields[i].name))
            i++;
        if (i == n)
            return err_set_at(err, what, token_span(j, name), token_byte(j, name), "unknown field");
        if (bind_field(j, name, &fields[i], what, err) != 0)
            return -1;
    }
    for (size_t i = 0; i < n; i++)
        if (fields[i].value == JSON_ABSENT && !fields[i].optional)
            return err_set_at(err, what, str_span(fields[i].name), token_byte(j, object),
                              "missing field");
    return 0;
}

/* --- values -------------------------------------------------------------- */

/* Refuse a value that is not of the type asked for. */
static int mistyped(const struct json *j, size_t value, const char *wanted, struct err *err)
{
    const char *found = value < j->n ? json_type_word(json_type_of(j, value)) : "no value";
    return err_set_at(err, ERR_JSON, name_of(j, value), token_byte(j, value),
                      "expected %s, found %s", wanted, found);
}

int json_string(const struct json *j, size_t value, char *out, size_t size, struct err *err)
{
    struct span s = token_span(j, value);
    size_t n = 0;
    out[0] = '\0';
    if (!token_is(j, value, JSMN_STRING))
        return mistyped(j, value, "a string", err);
    while (s.n > 0) {
        uint32_t character;
        char utf8[4];
        s = rest_of(s, next_character(s, &character));
        size_t more = put_utf8(character, utf8);
        if (character == 0 || more >= size - n) {
            out[0] = '\0';
            return err_set_at(err, ERR_JSON, name_of(j, value), token_byte(j, value),
                              "a string with U+0000 or of more than %zu bytes", size - 1);
        }
        memcpy(out + n, utf8, more);
        n += more;
        out[n] = '\0';
    }
    return (int)n;
}

bool json_string_is(const struct json *j, size_t value, const char *s)
{
    struct span a = token_span(j, value);
    struct span b = str_span(s);
    if (!token_is(j, value, JSMN_STRING))
        return false;
    while (a.n > 0 && b.n > 0) {
        uint32_t in_a;
        uint32_t in_b;
        size_t used = str_utf8_decode(b, &in_b);
        a = rest_of(a, next_character(a, &in_a));
        if (used == 0 || in_a != in_b)
            return false;
        b = rest_of(b, used);
    }
    return a.n == 0 && b.n == 0;
}

int json_u64(const struct json *j, size_t value, uint64_t min, uint64_t max, uint64_t *out,
             struct err *err)
{
    if (value >= j->n || json_type_of(j, value) != JSON_NUMBER)
        return mistyped(j, value, "a number", err);
    if (str_number(token_span(j, value), min, max, out))
        return 0;
    return err_set_at(err, ERR_JSON, name_of(j, value), token_byte(j, value),
                      "expected an integer from %llu to %llu", (unsigned long long)min,
                      (unsigned long long)max);
}

bool json_is_null(const struct json *j, size_t value)
{
    return value < j->n && json_type_of(j, value) == JSON_NULL;
}

bool json_is_true(const struct json *j, size_t value)
{
    return str_is(token_span(j, value), "true") && token_is(j, value, JSMN_PRIMITIVE);
}
