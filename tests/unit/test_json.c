/* base/json_gate: RFC 8259, text by text.  Reading: test_json_read.c. */
#include "base/json.h"

#include "check.h"

#define BYTES(literal) ((struct span){(const uint8_t *)(literal), sizeof(literal) - 1})

static bool gate(struct span text, struct err *err)
{
    err_clear(err);
    return json_gate(text, err) == 0;
}

/* What RFC 8259 allows; the comments name its sections. */
static const struct {
    struct span text;
    const char *claim;
} texts_taken[] = {
    /* 2 and 3: any value is a text, with the four bytes of white space around it */
    {BYTES("true"), "a literal alone"},
    {BYTES("false"), "false alone"},
    {BYTES("null"), "null alone"},
    {BYTES("1"), "a number alone"},
    {BYTES("\"a\""), "a string alone"},
    {BYTES(" \t\n\r[ \t\n\r] \t\n\r"), "white space everywhere"},
    {BYTES(" -0 "), "a number with white space around it"},
    /* 4 */
    {BYTES("{}"), "an empty object"},
    {BYTES("{\"a\":1,\"b\":[{}]}"), "an object with members"},
    {BYTES("{\"\":0}"), "an empty name"},
    {BYTES("{ \"a\" : 1 , \"b\" : 2 }"), "white space around colon and comma"},
    {BYTES("{\"a\":1,\"a\":2}"), "a repeated name: only advised against"},
    {BYTES("{\"\\u0061\":1}"), "an escape in a name"},
    /* 5 */
    {BYTES("[]"), "an empty array"},
    {BYTES("[1,\"a\",null,[],{}]"), "an array of several types"},
    /* 6 */
    {BYTES("0"), "zero"},
    {BYTES("-0"), "minus zero"},
    {BYTES("-12"), "a negative number"},
    {BYTES("0.5"), "a fraction"},
    {BYTES("-0.0"), "minus zero with a fraction"},
    {BYTES("1e5"), "an exponent"},
    {BYTES("1E+05"), "an exponent with sign and leading zero"},
    {BYTES("0e0"), "zero with an exponent"},
    {BYTES("0.10e-12"), "fraction and exponent"},
    {BYTES("1e999999999999999999999"), "an exponent too great for any machine"},
    {BYTES("123456789012345678901234567890"), "an integer too great for any machine"},
    /* 7 */
    {BYTES("\"\""), "an empty string"},
    {BYTES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "all short escapes"},
    {BYTES("\"\\u0000\\u001f\\uFFFF\\uabcd\""), "four hex digits of either case"},
    {BYTES("\"\\ud834\\udd1e\""), "a pair of surrogates: RFC 8259's clef"},
    {BYTES("\"\\ud834\""), "an unpaired surrogate: the grammar has it"},
    {BYTES("\"\\udead\""), "RFC 8259 section 8.2's example"},
    {BYTES("\"\\udd1e\\ud834\""), "surrogates in the wrong order"},
    {BYTES("\" /\x7f\""), "solidus and DEL as they are"},
    /* 8.1 */
    {BYTES("\"\xc3\xa9\xe6\x97\xa5\xf0\xa3\x8e\xb4\""), "UTF-8 of two, three, four bytes"},
    {BYTES("\"\xe2\x80\xa8\xe2\x80\xa9\""), "the separators that JavaScript once refused"},
    {BYTES("\"\xef\xbf\xbf\xef\xbb\xbf\""), "a noncharacter, and a mark that is not first"},
    /* 13: the examples */
    {BYTES("{\"Image\":{\"Width\":800,\"Height\":600,\"Title\":\"View from 15th Floor\","
           "\"Thumbnail\":{\"Url\":\"http://www.example.com/image/481989943\",\"Height\":125,"
           "\"Width\":100},\"Animated\":false,\"IDs\":[116,943,234,38793]}}"),
     "the RFC's object"},
    {BYTES("[{\"precision\":\"zip\",\"Latitude\":37.7668,\"Longitude\":-122.3959}]"),
     "the RFC's array"},
};

static void check_taken(void)
{
    CHECK_ROWS(texts_taken, 39, "the table of what is taken");
    for (size_t i = 0; i < sizeof texts_taken / sizeof texts_taken[0]; i++) {
        struct err err;
        CHECK(gate(texts_taken[i].text, &err), "taken: %s", texts_taken[i].claim);
    }
}

/* What is refused, and the byte (from 1) at which it stops being JSON. */
static const struct {
    struct span text;
    uint64_t at;
    const char *claim;
} texts_refused[] = {
    /* what jsmn takes in strict mode, alone or as part of a text */
    {BYTES("{\"a\":1,}"), 8, "a comma before }"},
    {BYTES("[1 2]"), 4, "no comma between values"},
    {BYTES("{\"a\"}"), 5, "a name without a value"},
    {BYTES("{\"a\"::1}"), 6, "two colons"},
    {BYTES("01"), 2, "a leading zero"},
    {BYTES("tru"), 4, "a literal cut short"},
    {BYTES("[tru]"), 5, "a literal cut short by a bracket"},
    {BYTES("{} {}"), 4, "two values"},
    {BYTES("\"\x01\""), 2, "a raw control byte"},
    {BYTES("\"\xff\""), 2, "a byte that is no UTF-8"},
    {BYTES(""), 1, "an empty text"},
    {BYTES("[1,]"), 4, "a comma before ]"},
    {BYTES("[,1]"), 2, "a comma after ["},
    {BYTES("[1,,2]"), 4, "two commas"},
    {BYTES("{\"a\":1 \"b\":2}"), 8, "no comma between members"},
    {BYTES("{\"a\" 1}"), 6, "no colon"},
    {BYTES("{\"a\",\"b\"}"), 5, "a comma for a colon"},
    {BYTES("[\"a\":1]"), 5, "a colon in an array"},
    {BYTES("[1.]"), 4, "a point without digits"},
    {BYTES("[1e]"), 4, "an exponent without digits"},
    {BYTES("[--1]"), 3, "two signs"},
    {BYTES("[\"\\u12\"]"), 7, "an escape of two hex digits"},
    /* structure */
    {BYTES(" \n"), 3, "white space alone"},
    {BYTES("["), 2, "an array that is not closed"},
    {BYTES("[1"), 3, "an array cut after a value"},
    {BYTES("{\"a\":"), 6, "an object cut after a colon"},
    {BYTES("]"), 1, "a closing bracket alone"},
    {BYTES("[}"), 2, "an array closed as an object"},
    {BYTES("{]"), 2, "an object closed as an array"},
    {BYTES("[[]}"), 4, "a second level closed wrongly"},
    {BYTES("[]]"), 3, "one bracket too many"},
    {BYTES("[]x"), 3, "a letter after the value"},
    {BYTES("1,"), 2, "a comma after the value"},
    {BYTES("{a:1}"), 2, "a name without quotes"},
    {BYTES("{'a':1}"), 2, "a name in single quotes"},
    {BYTES("{1:1}"), 2, "a number as a name"},
    {BYTES("{null:1}"), 2, "a literal as a name"},
    {BYTES("{[]:1}"), 2, "an array as a name"},
    {BYTES("{,}"), 2, "a comma after {"},
    {BYTES("{\"a\":}"), 6, "a colon before }"},
    {BYTES("{:1}"), 2, "a colon after {"},
    {BYTES("/*x*/1"), 1, "a comment before"},
    {BYTES("1//x"), 2, "a comment after"},
    {BYTES("1#x"), 2, "a shell comment"},
    {BYTES("\xef\xbb\xbf{}"), 1, "a byte-order mark"},
    {BYTES("\xff\xfe{\0}\0"), 1, "UTF-16 with a mark"},
    {BYTES("{\0}\0"), 2, "UTF-16 without a mark"},
    {BYTES("1\0"), 2, "a NUL after the value"},
    {BYTES("\0"), 1, "a NUL alone"},
    {BYTES("[\f]"), 2, "a form feed as white space"},
    {BYTES("[\v]"), 2, "a vertical tab as white space"},
    {BYTES("[\xc2\xa0]"), 2, "a no-break space as white space"},
    {BYTES("[\xe2\x81\xa0]"), 2, "a word joiner as white space"},
    {BYTES("<html>"), 1, "another format"},
    /* literals */
    {BYTES("True"), 1, "a capital literal"},
    {BYTES("nul"), 4, "null cut short"},
    {BYTES("truex"), 5, "a literal with a letter behind it"},
    {BYTES("NaN"), 1, "NaN"},
    {BYTES("Infinity"), 1, "Infinity"},
    {BYTES("undefined"), 1, "undefined"},
    /* numbers */
    {BYTES("+1"), 1, "a plus sign"},
    {BYTES("-"), 2, "a minus sign alone"},
    {BYTES("- 1"), 2, "a space after the sign"},
    {BYTES("-01"), 3, "a leading zero after the sign"},
    {BYTES("00"), 2, "two zeros"},
    {BYTES(".5"), 1, "no digit before the point"},
    {BYTES("-.5"), 2, "a sign before the point"},
    {BYTES("1.e1"), 3, "an exponent after the point"},
    {BYTES("1e+"), 4, "a sign without an exponent"},
    {BYTES("1e1.5"), 4, "a fraction in an exponent"},
    {BYTES("1.2.3"), 4, "two points"},
    {BYTES("0x1"), 2, "a hexadecimal number"},
    {BYTES("1_000"), 2, "digits in groups"},
    {BYTES("1a"), 2, "a letter behind a number"},
    {BYTES("-Infinity"), 2, "minus infinity"},
    {BYTES("\xef\xbc\x91"), 1, "a full-width digit"},
    /* strings */
    {BYTES("\""), 2, "a quote alone"},
    {BYTES("\"a"), 3, "a string that is not closed"},
    {BYTES("\"a\\\""), 5, "a string whose end is escaped"},
    {BYTES("\"\\"), 3, "a backslash at the end"},
    {BYTES("'a'"), 1, "single quotes"},
    {BYTES("\"\\a\""), 3, "an escape that does not exist"},
    {BYTES("\"\\x41\""), 3, "a hexadecimal escape"},
    {BYTES("\"\\0\""), 3, "an octal escape"},
    {BYTES("\"\\U0041\""), 3, "a capital U"},
    {BYTES("\"\\\0\""), 3, "an escaped NUL byte"},
    {BYTES("\"\\\xc3\xa9\""), 3, "an escaped letter of two bytes"},
    {BYTES("\"\\u00g0\""), 6, "a hex digit that is none"},
    {BYTES("\"\\u"), 4, "an escape cut short"},
    {BYTES("\"\\u123\""), 7, "an escape of three hex digits"},
    {BYTES("\"\\u+123\""), 4, "a sign in a hex escape"},
    {BYTES("\"\t\""), 2, "a raw tab"},
    {BYTES("\"a\nb\""), 3, "a raw newline"},
    {BYTES("\"a\0b\""), 3, "a raw NUL"},
    {BYTES("\"\x1f\""), 2, "the last control byte"},
    {BYTES("\"\x80\""), 2, "a lone later byte"},
    {BYTES("\"\xc3\""), 2, "a sequence cut short by the quote"},
    {BYTES("\"\xc0\xaf\""), 2, "an overlong slash"},
    {BYTES("\"\xed\xa0\x80\""), 2, "a surrogate as bytes"},
    {BYTES("\"\xf4\x90\x80\x80\""), 2, "a code point above U+10FFFF"},
    {BYTES("\"ab\xe9\""), 4, "Latin-1"},
    {BYTES("\"\xe2\x82"), 2, "a sequence cut short by the end"},
    {BYTES("{\"\xff\":1}"), 3, "bad UTF-8 in a name"},
};

static void check_refused(void)
{
    CHECK_ROWS(texts_refused, 103, "the table of what is refused");
    for (size_t i = 0; i < sizeof texts_refused / sizeof texts_refused[0]; i++) {
        struct err err;
        bool good = gate(texts_refused[i].text, &err);
        CHECK(!good && err.what == ERR_JSON && err.at == texts_refused[i].at && err.why[0] != '\0',
              "refused at byte %" PRIu64 ": %s", texts_refused[i].at, texts_refused[i].claim);
    }
}

static void check_messages(void)
{
    static const struct {
        struct span text;
        const char *line;
    } rows[] = {
        {BYTES(""), "byte 1: expected a value, found the end"},
        {BYTES("[1 2]"), "byte 4: expected a comma or ], found '2'"},
        {BYTES("{\"a\":1,}"), "byte 8: expected a name, found '}'"},
        {BYTES("{} x"), "byte 4: expected nothing more, found 'x'"},
        {BYTES("\"\n"), "byte 2: expected a character or \" (control bytes must be escaped), "
                        "found byte 0x0a"},
        {BYTES("\"\xff"), "byte 2: expected UTF-8, found byte 0xff"},
        {BYTES("\\"), "byte 1: expected a value, found '\\\\'"},
        {BYTES("\xef\xbb\xbf"), "byte 1: begins with a byte-order mark"},
    };
    CHECK_ROWS(rows, 8, "the table of messages");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        char line[ERR_TEXT_BYTES];
        struct text t = text_on(line, sizeof line);
        (void)gate(rows[i].text, &err);
        err_format(&err, &t);
        CHECK_TEXT(line, rows[i].line, "a refusal says \"%s\"", rows[i].line);
    }
}

/* Fill text with depth openings, then as many closings; returns its length. */
static size_t nest(uint8_t *text, size_t depth, const char *open, char close)
{
    size_t n = 0;
    for (size_t i = 0; i < depth; i++)
        for (const char *c = open; *c != '\0'; c++)
            text[n++] = (uint8_t)*c;
    for (size_t i = 0; i < depth && close != '\0'; i++)
        text[n++] = (uint8_t)close;
    return n;
}

static void check_bounds(void)
{
    static uint8_t text[JSON_BYTES_MAX + 1];
    struct err err;
    uint64_t tokens = 0;
    CHECK_U64(JSON_DEPTH_MAX, 512, "the depth is 512");
    CHECK(gate((struct span){text, nest(text, 512, "[", ']')}, &err), "512 arrays are taken");
    CHECK(!gate((struct span){text, nest(text, 513, "[", ']')}, &err) && err.at == 513,
          "513 are refused at the last bracket");
    CHECK(!gate((struct span){text, nest(text, 100000, "[", '\0')}, &err) && err.at == 513,
          "100000 open brackets are refused at the 513th");
    CHECK(!gate((struct span){text, nest(text, 513, "{\"a\":", '}')}, &err) &&
              err.at == 512 * 5 + 1,
          "513 objects are refused");
    size_t n = nest(text, 512, "[", ']');
    text[n - 1] = '}';
    CHECK(!gate((struct span){text, n}, &err) && err.at == n, "the outermost closing must match");

    memset(text, ' ', sizeof text);
    text[sizeof text - 2] = '1';
    CHECK(gate((struct span){text, sizeof text - 1}, &err), "64 MiB are taken");
    CHECK(!gate((struct span){text, sizeof text}, &err) && err.at == sizeof text,
          "one byte more is refused");
    err_clear(&err);
    CHECK(json_gate_count(BYTES("{\"a\":[1,{}],\"b\":null}"), &tokens, &err) == 0 && tokens == 7,
          "the gate counts values and names");
    CHECK(json_gate((struct span){NULL, 0}, &err) == -1, "no bytes at no address are refused");
}

int main(void)
{
    check_taken();
    check_refused();
    check_messages();
    check_bounds();
    return check_end();
}
