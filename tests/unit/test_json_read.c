/* base/json: the stricter rules, the index, the getters.  The gate: test_json.c. */
#include "base/json.h"

#include "check.h"

#define BYTES(literal) ((struct span){(const uint8_t *)(literal), sizeof(literal) - 1})

static struct json j; /* 10 KB: kept off the stack */

static bool read(struct span text, struct err *err)
{
    err_clear(err);
    return json_read(&j, text, err) == 0;
}

static bool read_chars(const char *text)
{
    struct err err;
    return read(str_span(text), &err);
}

static void check_strict_rules(void)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t at;
        const char *obj;
        const char *claim;
    } rows[] = {
        {"{\"a\":1,\"b\":1}", true, 0, "", "two names"},
        {"{\"a\":1,\"a\":1}", false, 8, "a", "a name twice"},
        {"{\"a\":1,\"b\":2,\"\\u0061\":3}", false, 14, "\\\\u0061", "a name twice, once escaped"},
        {"{\"\\/\":1,\"/\":2}", false, 9, "/", "a short escape against the character"},
        {"{\"\\n\":1,\"\\u000A\":2}", false, 9, "\\\\u000A", "a short escape against a long one"},
        {"{\"\xf0\x9d\x84\x9e\":1,\"\\ud834\\uDD1E\":2}", false, 11, "\\\\ud834\\\\uDD1E",
         "a pair of surrogates against its character"},
        {"{\"\":1,\"\":2}", false, 7, "", "the empty name twice"},
        {"{\"a\":1,\"A\":2}", true, 0, "", "names that differ in case"},
        {"{\"a\":1,\"ab\":2,\"\":3}", true, 0, "", "names that begin alike"},
        {"{\"\xc3\xa9\":1,\"e\xcc\x81\":2}", true, 0, "", "names that only look alike (NFC, NFD)"},
        {"{\"a\\u0000\":1,\"a\":2}", true, 0, "", "names that differ behind a NUL"},
        {"[{\"a\":1},{\"a\":1}]", true, 0, "", "a name in two objects"},
        {"{\"a\":{\"a\":{\"a\":1}}}", true, 0, "", "a name at three depths"},
        {"{\"a\":{\"b\":1,\"c\":[{}],\"b\":2}}", false, 22, "b", "a name twice inside"},
        {"{\"a\":{\"b\":{\"c\":1}},\"d\":2,\"a\":3}", false, 26, "a", "a name twice around others"},
        {"[\"a\",\"a\"]", true, 0, "", "a string twice in an array"},
        {"{\"a\":\"a\"}", true, 0, "", "a name and a value alike"},
        {"\"\\ud834\\udd1e\"", true, 0, "", "a pair of surrogates"},
        {"\"\\ud834\"", false, 2, "", "a high surrogate alone"},
        {"\"ab\\udd1e\"", false, 4, "", "a low surrogate alone"},
        {"\"\\udd1e\\ud834\"", false, 2, "", "a pair the wrong way round"},
        {"\"\\ud834\\ud834\\udd1e\"", false, 2, "", "a high surrogate before a pair"},
        {"\"\\udd1e\\udd1e\"", false, 2, "", "two low surrogates"},
        {"\"\\ud834\\n\"", false, 2, "", "a high surrogate before another escape"},
        {"\"\\ud834x\\udd1e\"", false, 2, "", "a pair with a letter between"},
        {"\"\\ud834\\u0041\"", false, 2, "", "a high surrogate before a letter's escape"},
        {"\"\\ud834\\\\udd1e\"", false, 2, "", "a high surrogate before an escaped backslash"},
        {"{\"f\":[\"\\ud800\"]}", false, 8, "", "a surrogate deep inside"},
        {"{\"f\":\"\\ud800\"}", false, 7, "f", "a surrogate in a field"},
        {"{\"\\udfff\":1}", false, 3, "", "a surrogate in a name"},
        {"\"\\ud7ff\\ue000\"", true, 0, "", "the neighbours of the surrogates"},
        {"\"\\\\ud800\"", true, 0, "", "a backslash before the letters of a surrogate"},
    };
    CHECK_ROWS(rows, 32, "the table of strict reading");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        bool good = read(str_span(rows[i].text), &err);
        CHECK(good == rows[i].good && err.at == rows[i].at && strcmp(err.obj, rows[i].obj) == 0,
              "%s: %s", rows[i].good ? "read" : "refused", rows[i].claim);
    }
}

/* An array of n ones, as text; returns its length. */
static size_t ones(char *text, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        text[at++] = i == 0 ? '[' : ',';
        text[at++] = '1';
    }
    text[at++] = ']';
    return at;
}

static void check_bounds(void)
{
    static char text[4096];
    struct err err;
    CHECK_U64(JSON_TOKENS_MAX, 512, "an index holds 512 values and names");
    CHECK(read((struct span){(uint8_t *)text, ones(text, 511)}, &err) && j.n == 512,
          "an array of 511 values is read");
    CHECK(!read((struct span){(uint8_t *)text, ones(text, 512)}, &err) && err.what == ERR_JSON,
          "an array of 512 is refused");
    (void)snprintf(text, sizeof text, "{\"%0256d\":1}", 0);
    CHECK(read(str_span(text), &err), "a name of 256 bytes is read");
    (void)snprintf(text, sizeof text, "{\"%0257d\":1}", 0);
    CHECK(!read(str_span(text), &err) && err.at == 2, "a name of 257 is refused");
    CHECK(!read_chars("{\"a\":1,}"), "what the gate refuses is refused");
}

static void check_bare_roots(void)
{
    static const char *const texts[] = {"1",      " 1",    "1 ",      "\n-0.5e3\t", "true",
                                        " null ", "\"a\"", " \"a\" ", "[]",         "{}"};
    CHECK_ROWS(texts, 10, "the table of texts with one value");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        CHECK(read_chars(texts[i]) && j.n == 1, "text %zu of one value has one token", i);
    CHECK(read_chars("\n-0.5e3\t") && j.tokens[0].start == 1 && j.tokens[0].end == 7,
          "a bare number's token ends before the white space");
}

static void check_walk(void)
{
    char name[8] = "";
    struct err err;
    CHECK(read_chars(" {\"a\":[1,[2,3],{\"x\":4}],\"b\":{},\"c\":\"s\"} "), "an object is read");
    size_t a = json_first(&j, 0);
    size_t list = json_member_value(&j, a);
    size_t b = json_next(&j, a);
    size_t c = json_next(&j, b);
    CHECK_U64(json_count(&j, 0), 3, "it has three members");
    CHECK(json_string_is(&j, a, "a") && json_string_is(&j, b, "b") && json_string_is(&j, c, "c"),
          "its names come in order");
    CHECK(json_next(&j, c) == JSON_ABSENT, "nothing follows the last");
    CHECK(json_type_of(&j, list) == JSON_ARRAY && json_count(&j, list) == 3, "a is an array of 3");
    size_t one = json_first(&j, list);
    size_t pair = json_next(&j, one);
    size_t inner = json_next(&j, pair);
    CHECK(json_type_of(&j, one) == JSON_NUMBER && json_type_of(&j, pair) == JSON_ARRAY &&
              json_type_of(&j, inner) == JSON_OBJECT && json_next(&j, inner) == JSON_ABSENT,
          "its elements come in order, what they hold is passed over");
    CHECK(json_string(&j, json_first(&j, inner), name, sizeof name, &err) == 1 &&
              strcmp(name, "x") == 0,
          "an object inside an array has its name");
    CHECK(json_first(&j, json_member_value(&j, b)) == JSON_ABSENT &&
              json_count(&j, json_member_value(&j, b)) == 0,
          "an empty object has no first member");
    CHECK(json_next(&j, list) == JSON_ABSENT && json_next(&j, 0) == JSON_ABSENT,
          "a member's value and the root have no sibling");
    CHECK(json_first(&j, one) == JSON_ABSENT && json_count(&j, one) == 0 &&
              json_member_value(&j, one) == JSON_ABSENT &&
              json_member_value(&j, list) == JSON_ABSENT,
          "a number has no members and is no name, nor is an array");
}

static void check_absent(void)
{
    char out[4] = "x";
    uint64_t n = 7;
    struct err err;
    err_clear(&err);
    CHECK(read_chars("[null,true,false]"), "an array of literals is read");
    CHECK(json_type_of(&j, 0) == JSON_ARRAY && json_type_of(&j, 1) == JSON_NULL &&
              json_type_of(&j, 2) == JSON_BOOL && json_type_of(&j, 3) == JSON_BOOL,
          "literals have their types");
    CHECK(json_is_null(&j, 1) && !json_is_null(&j, 2), "null is null");
    CHECK(json_is_true(&j, 2) && !json_is_true(&j, 3) && !json_is_true(&j, 1), "true is true");
    CHECK(!json_is_null(&j, JSON_ABSENT) && !json_is_true(&j, 4) &&
              json_type_of(&j, 4) == JSON_NULL && json_first(&j, 4) == JSON_ABSENT &&
              json_next(&j, JSON_ABSENT) == JSON_ABSENT && json_count(&j, 4) == 0 &&
              !json_string_is(&j, 4, ""),
          "an index that is no value gives nothing");
    CHECK(json_string(&j, JSON_ABSENT, out, sizeof out, &err) == -1 && out[0] == '\0' &&
              strcmp(err.why, "expected a string, found no value") == 0,
          "and no string");
    CHECK(json_u64(&j, JSON_ABSENT, 0, 9, &n, &err) == -1 && n == 7, "and no number");
    CHECK(read_chars("\"true\"") && !json_is_true(&j, 0), "the string true is not true");
    CHECK_TEXT(json_type_word(JSON_OBJECT), "an object", "a type has a word");
}

static void check_strings(void)
{
    static const struct {
        const char *text;
        size_t size;
        int length;
        const char *value;
        const char *claim;
    } rows[] = {
        {"\"\"", 1, 0, "", "an empty string fits into one byte"},
        {"\"abc\"", 4, 3, "abc", "three bytes fit into four"},
        {"\"abc\"", 3, -1, "", "three bytes do not fit into three"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", 16, 8, "\"\\/\b\f\n\r\t", "short escapes are decoded"},
        {"\"\\u0041\\u00e9\\u65E5\"", 16, 6, "A\xc3\xa9\xe6\x97\xa5", "long escapes become UTF-8"},
        {"\"\\ud834\\udd1e\"", 8, 4, "\xf0\x9d\x84\x9e", "RFC 8259's clef is U+1D11E"},
        {"\"\\udbff\\udfff\"", 8, 4, "\xf4\x8f\xbf\xbf", "the last pair is U+10FFFF"},
        {"\"\\ud800\\udc00\"", 5, 4, "\xf0\x90\x80\x80", "the first pair is U+10000"},
        {"\"\\ud834\\udd1e\"", 4, -1, "", "four bytes do not fit into four"},
        {"\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"", 16, 11,
         "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", "each length of UTF-8 has its bounds"},
        {"\"\xf0\xa3\x8e\xb4\"", 8, 4, "\xf0\xa3\x8e\xb4", "UTF-8 stays"},
        {"\"a\\u0000b\"", 8, -1, "", "U+0000 is refused"},
        {"\"\\\\u0041\"", 8, 6, "\\u0041", "an escaped backslash ends its escape"},
        {"1", 8, -1, "", "a number is no string"},
        {"[\"a\"]", 8, -1, "", "an array is no string"},
    };
    CHECK_ROWS(rows, 15, "the table of strings");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[16];
        struct err err;
        memset(out, 'x', sizeof out);
        int n =
            read(str_span(rows[i].text), &err) ? json_string(&j, 0, out, rows[i].size, &err) : -2;
        CHECK(n == rows[i].length && strcmp(out, rows[i].value) == 0 &&
                  (n >= 0 || err.what == ERR_JSON),
              "%s", rows[i].claim);
        if (n > 0)
            CHECK(json_string_is(&j, 0, rows[i].value) && !json_string_is(&j, 0, "ab") &&
                      !json_string_is(&j, 0, ""),
                  "and json_string_is agrees");
    }
    CHECK(read_chars("\"a\\u0000\"") && !json_string_is(&j, 0, "a"), "a U+0000 is no end");
    CHECK(read_chars("\"\xc3\xbf\"") && !json_string_is(&j, 0, "\xff"), "bad UTF-8 equals nothing");
}

static void check_numbers(void)
{
    static const struct {
        const char *text;
        uint64_t min, max;
        bool good;
    } rows[] = {
        {"0", 0, 0, true},
        {"5", 0, 9, true},
        {"18446744073709551615", 0, UINT64_MAX, true},
        {"18446744073709551616", 0, UINT64_MAX, false},
        {"5", 6, 9, false},
        {"10", 6, 9, false},
        {"-0", 0, 9, false},
        {"-1", 0, 9, false},
        {"1.0", 0, 9, false},
        {"1e0", 0, 9, false},
        {"\"1\"", 0, 9, false},
        {"true", 0, 9, false},
        {"null", 0, 9, false},
        {"[1]", 0, 9, false},
    };
    CHECK_ROWS(rows, 14, "the table of integers");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t n = 77;
        struct err err;
        bool good = read(str_span(rows[i].text), &err) &&
                    json_u64(&j, 0, rows[i].min, rows[i].max, &n, &err) == 0;
        CHECK(good == rows[i].good && (good || (n == 77 && err.what == ERR_JSON)),
              "%s from %" PRIu64 " to %" PRIu64 " is %s", rows[i].text, rows[i].min, rows[i].max,
              rows[i].good ? "an integer" : "refused");
    }
}

int main(void)
{
    check_strict_rules();
    check_bounds();
    check_bare_roots();
    check_walk();
    check_absent();
    check_strings();
    check_numbers();
    return check_end();
}
