/* base/json_write: what is written is JSON, the same value, and printable. */
#include "base/json.h"

#include "check.h"

#define BYTES(literal) ((struct span){(const uint8_t *)(literal), sizeof(literal) - 1})

static char buffer[1024];
static struct text text;

static struct json_writer begin(void)
{
    text = text_on(buffer, sizeof buffer);
    return json_writer_on(&text);
}

static void check_structure(void)
{
    struct json_writer w = begin();
    json_begin_object(&w);
    json_key(&w, "a");
    json_begin_array(&w);
    json_put_null(&w);
    json_put_bool(&w, true);
    json_put_bool(&w, false);
    json_begin_object(&w);
    json_end_object(&w);
    json_begin_array(&w);
    json_end_array(&w);
    json_end_array(&w);
    json_key(&w, "b\"");
    json_put_chars(&w, "s");
    json_key(&w, "c");
    json_begin_object(&w);
    json_key(&w, "d");
    json_put_u64(&w, 1);
    json_end_object(&w);
    json_end_object(&w);
    CHECK_TEXT(buffer, "{\"a\":[null,true,false,{},[]],\"b\\\"\":\"s\",\"c\":{\"d\":1}}",
               "members in order, one line, no spaces");
    CHECK(json_writer_ok(&w), "and the writer is content");
    w = begin();
    json_put_null(&w);
    CHECK(json_writer_ok(&w) && strcmp(buffer, "null") == 0, "a bare value is a text");
}

static void check_numbers(void)
{
    struct json_writer w = begin();
    json_begin_array(&w);
    json_put_u64(&w, 0);
    json_put_u64(&w, UINT64_MAX);
    json_put_i64(&w, INT64_MIN);
    json_put_i64(&w, INT64_MAX);
    json_put_i64(&w, -1);
    json_put_i64(&w, 0);
    json_end_array(&w);
    CHECK_TEXT(buffer, "[0,18446744073709551615,-9223372036854775808,9223372036854775807,-1,0]",
               "integers are written whole at both ends");
    w = begin();
    json_begin_array(&w);
    json_put_centi(&w, 0);
    json_put_centi(&w, 5);
    json_put_centi(&w, 60);
    json_put_centi(&w, 1234);
    json_put_centi(&w, 1000);
    json_put_centi(&w, UINT64_MAX);
    json_end_array(&w);
    CHECK_TEXT(buffer, "[0.00,0.05,0.60,12.34,10.00,184467440737095516.15]",
               "hundredths have two digits behind the point");
}

static void check_strings(void)
{
    static const struct {
        struct span bytes;
        const char *written;
        const char *claim;
    } rows[] = {
        {BYTES(""), "\"\"", "nothing"},
        {BYTES("a/b'"), "\"a/b'\"", "what needs no escape"},
        {BYTES("\"\\"), "\"\\\"\\\\\"", "quote and backslash"},
        {BYTES("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"", "control bytes with a short escape"},
        {BYTES("\0\x1f\x7f"), "\"\\u0000\\u001f\\u007f\"", "other control bytes and DEL"},
        {BYTES("\xc3\xa9\xe6\x97\xa5\xf0\xa3\x8e\xb4"), "\"\xc3\xa9\xe6\x97\xa5\xf0\xa3\x8e\xb4\"",
         "letters of two, three and four bytes"},
        {BYTES("\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf"), "\"\\u009b\\u202e\\u2028\\ufeff\"",
         "what may not reach a terminal"},
        {BYTES("\xf3\xa0\x81\xa1\xf4\x8f\xbf\xbf"), "\"\\udb40\\udc61\\udbff\\udfff\"",
         "the same above U+FFFF, as pairs of surrogates"},
    };
    CHECK_ROWS(rows, 8, "the table of written strings");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_writer w = begin();
        json_put_string(&w, rows[i].bytes);
        CHECK_TEXT(buffer, rows[i].written, "written: %s", rows[i].claim);
    }
    struct json_writer w = begin();
    json_put_string(&w, BYTES("ab\xff"));
    CHECK(!json_writer_ok(&w), "a string that is no UTF-8 is refused");
    w = begin();
    json_put_string(&w, BYTES("\xed\xa0\x80"));
    CHECK(!json_writer_ok(&w), "a surrogate as bytes is refused");
    w = begin();
    json_put_escaped(&w, BYTES("a\"b\\c\xff\n\xc3\xa9\xe2\x80\xae"));
    CHECK_TEXT(buffer, "\"a\\\"b\\\\\\\\c\\\\xff\\\\x0a\xc3\xa9\\\\xe2\\\\x80\\\\xae\"",
               "any bytes can be written in their escaped form");
    CHECK(json_writer_ok(&w), "and the writer is content");
}

/* Every code point: written, read again, the same. */
static void check_all_characters(void)
{
    static struct json j;
    uint32_t wrong = 0;
    for (uint32_t c = 1; c < 0x110000; c++) {
        char escape[16];
        char utf8[8];
        char again[8];
        struct err err;
        bool surrogate = c >= 0xd800 && c <= 0xdfff;
        if (c < 0x10000)
            snprintf(escape, sizeof escape, "\"\\u%04x\"", c);
        else
            snprintf(escape, sizeof escape, "\"\\u%04x\\u%04x\"", 0xd800 + ((c - 0x10000) >> 10),
                     0xdc00 + ((c - 0x10000) & 0x3ff));
        err_clear(&err);
        bool read = json_read(&j, str_span(escape), &err) == 0;
        wrong += read == surrogate;
        if (!read)
            continue;
        int n = json_string(&j, 0, utf8, sizeof utf8, &err);
        struct json_writer w = begin();
        json_put_chars(&w, utf8);
        wrong += n < 1 || !json_writer_ok(&w) || !str_is_printable(text_span(&text)) ||
                 json_read(&j, text_span(&text), &err) != 0 ||
                 json_string(&j, 0, again, sizeof again, &err) != n || strcmp(utf8, again) != 0;
    }
    CHECK_U64(wrong, 0,
              "every character read from its escape is written printable and read again the same");
}

/* One letter for each call of the writer. */
static void call_writer(struct json_writer *w, const char *calls)
{
    for (; *calls != '\0'; calls++) {
        switch (*calls) {
        case '{': json_begin_object(w); break;
        case '}': json_end_object(w); break;
        case '[': json_begin_array(w); break;
        case ']': json_end_array(w); break;
        case 'k': json_key(w, "k"); break;
        case 'e': json_put_escaped(w, str_span("e")); break;
        default: json_put_u64(w, 1); break;
        }
    }
}

static void check_misuse(void)
{
    static const struct {
        const char *calls;
        bool good;
        const char *claim;
    } rows[] = {
        {"1", true, "one value"},
        {"{}", true, "an empty object"},
        {"{k1k[1e]}", true, "keys with values"},
        {"[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", true, "16 arrays inside each other"},
        {"", false, "nothing"},
        {"11", false, "two values"},
        {"[]1", false, "a value after the root"},
        {"{}{}", false, "two roots"},
        {"{1}", false, "a value without its key"},
        {"{e}", false, "an escaped value without its key"},
        {"{[]}", false, "an array without its key"},
        {"{k}", false, "a key without its value"},
        {"{kk1}", false, "two keys"},
        {"[k1]", false, "a key in an array"},
        {"k1", false, "a key at the root"},
        {"{]", false, "an object closed as an array"},
        {"[}", false, "an array closed as an object"},
        {"[", false, "an array that is not closed"},
        {"{k{}", false, "an object that is not closed"},
        {"]", false, "a closing bracket alone"},
        {"[]]", false, "one closing bracket too many"},
        {"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", false, "17 arrays inside each other"},
        {"{1k1}", false, "a mistake that was mended"},
    };
    CHECK_ROWS(rows, 23, "the table of calls");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_writer w = begin();
        struct err err;
        call_writer(&w, rows[i].calls);
        err_clear(&err);
        bool good = json_writer_ok(&w);
        CHECK(good == rows[i].good && (!good || json_gate(text_span(&text), &err) == 0), "%s: %s",
              rows[i].good ? "content" : "bad", rows[i].claim);
    }
}

static void check_room(void)
{
    static const char whole[] = "{\"k\":[1,\"e\",{}]}";
    unsigned wrong = 0;
    for (size_t size = 1; size <= sizeof whole; size++) {
        text = text_on(buffer, size);
        struct json_writer w = json_writer_on(&text);
        call_writer(&w, "{k[1e{}]}");
        wrong +=
            json_writer_ok(&w) != (size == sizeof whole) || strncmp(buffer, whole, text.n) != 0;
    }
    CHECK_U64(wrong, 0, "in every buffer that is too small the writer is not content");
    CHECK_TEXT(buffer, whole, "in one that is just large enough it is");
}

static void check_pieces(void)
{
    char whole[64] = "";
    struct json_writer w = begin();
    for (const char *calls = "{k[1e]k1}"; *calls != '\0'; calls++) {
        char one[2] = {*calls, '\0'};
        call_writer(&w, one);
        strncat(whole, buffer, sizeof whole - strlen(whole) - 1);
        text = text_on(buffer, sizeof buffer);
    }
    CHECK(json_writer_ok(&w), "a text may be emptied between two calls");
    CHECK_TEXT(whole, "{\"k\":[1,\"e\"],\"k\":1}", "and the pieces together are the whole");
}

int main(void)
{
    check_structure();
    check_numbers();
    check_strings();
    check_all_characters();
    check_misuse();
    check_room();
    check_pieces();
    return check_end();
}
