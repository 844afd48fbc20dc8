/* base/str: spans, numbers, UTF-8, the builder.  The escaper: test_str_escape.c. */
#include "base/str.h"

#include "check.h"

/* A string literal as a span, NULs inside it included. */
#define BYTES(literal) ((struct span){(const uint8_t *)(literal), sizeof(literal) - 1})

static void check_spans(void)
{
    struct span nothing = {NULL, 0};
    CHECK(str_span("abc").n == 3 && str_span("").n == 0, "a span has the length of its string");
    CHECK(str_equal(BYTES("a\0b"), BYTES("a\0b")), "equal bytes are equal, a NUL inside too");
    CHECK(!str_equal(BYTES("a\0b"), BYTES("a\0c")), "a difference behind a NUL is seen");
    CHECK(!str_equal(BYTES("ab"), BYTES("abc")), "a prefix is not equal");
    CHECK(str_equal(nothing, str_span("")), "no bytes equal an empty string");
    CHECK(str_is(BYTES("abc"), "abc"), "a span is the string with its bytes");
    CHECK(!str_is(BYTES("abc\0"), "abc"), "a trailing NUL makes it another");
    CHECK(str_starts(BYTES("abc"), "ab") && str_starts(nothing, ""), "a prefix begins a span");
    CHECK(!str_starts(BYTES("ab"), "abc"), "what is longer does not begin it");
}

static void check_copy(void)
{
    char to[4];
    memset(to, 'x', sizeof to);
    CHECK(str_copy(to, sizeof to, BYTES("abc")) && strcmp(to, "abc") == 0,
          "three bytes fit into four");
    CHECK(!str_copy(to, sizeof to, BYTES("abcd")) && to[0] == '\0',
          "four do not, and leave an empty string");
    memset(to, 'x', sizeof to);
    CHECK(!str_copy(to, sizeof to, BYTES("a\0b")) && to[0] == '\0',
          "a NUL inside is refused, and leaves an empty string");
    CHECK(str_copy(to, 1, BYTES("")) && to[0] == '\0', "nothing fits into one byte");
    to[0] = 'x';
    CHECK(!str_copy(to, 0, BYTES("")) && to[0] == 'x', "a size of 0 is refused, nothing written");
}

static void check_number(void)
{
    static const struct {
        const char *text;
        uint64_t min, max;
        bool good;
        uint64_t value;
    } rows[] = {
        {"0", 0, UINT64_MAX, true, 0},
        {"7", 0, UINT64_MAX, true, 7},
        {"10", 10, 10, true, 10},
        {"9007199254740991", 0, UINT64_MAX, true, UINT64_C(9007199254740991)},
        {"18446744073709551615", 0, UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", 0, UINT64_MAX, false, 0},
        {"18446744073709551620", 0, UINT64_MAX, false, 0},
        {"99999999999999999999", 0, UINT64_MAX, false, 0},
        {"184467440737095516150", 0, UINT64_MAX, false, 0},
        {"9", 10, 20, false, 0},
        {"21", 10, 20, false, 0},
        {"", 0, 9, false, 0},
        {"00", 0, 9, false, 0},
        {"01", 0, 9, false, 0},
        {"+1", 0, 9, false, 0},
        {"-1", 0, 9, false, 0},
        {"-0", 0, 9, false, 0},
        {" 1", 0, 9, false, 0},
        {"1 ", 0, 9, false, 0},
        {"1\n", 0, 9, false, 0},
        {"1.0", 0, 9, false, 0},
        {"1e0", 0, 9, false, 0},
        {"0x1", 0, 9, false, 0},
        {"1/", 0, 99, false, 0},
        {"1:", 0, 99, false, 0},
        {"\xd9\xa1", 0, 9, false, 0}, /* U+0661, a digit of another script */
    };
    CHECK_ROWS(rows, 26, "the table of numbers");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 12345;
        bool good = str_number(str_span(rows[i].text), rows[i].min, rows[i].max, &value);
        uint64_t want = rows[i].good ? rows[i].value : 12345;
        CHECK(good == rows[i].good && value == want,
              "row %zu, a number from %" PRIu64 " to %" PRIu64 ", is %s", i, rows[i].min,
              rows[i].max, rows[i].good ? "taken" : "refused and leaves the value alone");
    }
}

static void check_utf8_table(void)
{
    static const struct {
        struct span bytes;
        bool good;
        const char *claim;
    } rows[] = {
        {BYTES(""), true, "nothing"},
        {BYTES("A\xe2\x89\xa2\xce\x91."), true, "RFC 3629 section 7, A not identical to Alpha"},
        {BYTES("\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4"), true, "RFC 3629 section 7, Korean"},
        {BYTES("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"), true, "RFC 3629 section 7, Japanese"},
        {BYTES("\xef\xbb\xbf\xf0\xa3\x8e\xb4"), true, "RFC 3629 section 7, U+233B4 with a mark"},
        {BYTES("a\0b"), true, "a NUL inside"},
        {BYTES("\x7f"), true, "U+007F"},
        {BYTES("\xc2\x80"), true, "U+0080"},
        {BYTES("\xdf\xbf"), true, "U+07FF"},
        {BYTES("\xe0\xa0\x80"), true, "U+0800"},
        {BYTES("\xed\x9f\xbf"), true, "U+D7FF"},
        {BYTES("\xee\x80\x80"), true, "U+E000"},
        {BYTES("\xef\xbf\xbf"), true, "U+FFFF"},
        {BYTES("\xf0\x90\x80\x80"), true, "U+10000"},
        {BYTES("\xf4\x8f\xbf\xbf"), true, "U+10FFFF"},
        {BYTES("\xc0\x80"), false, "RFC 3629 section 10's overlong NUL"},
        {BYTES("\x2f\xc0\xae\x2e\x2f"), false, "RFC 3629 section 10's overlong /../"},
        {BYTES("\xc1\xbf"), false, "an overlong form of two bytes"},
        {BYTES("\xe0\x9f\xbf"), false, "an overlong form of three bytes"},
        {BYTES("\xf0\x8f\xbf\xbf"), false, "an overlong form of four bytes"},
        {BYTES("\xed\xa0\x80"), false, "the surrogate U+D800"},
        {BYTES("\xed\xbf\xbf"), false, "the surrogate U+DFFF"},
        {BYTES("\xed\xa1\x8c\xed\xbe\xb4"), false, "a pair of surrogates (CESU-8)"},
        {BYTES("\xf4\x90\x80\x80"), false, "U+110000"},
        {BYTES("\xf5\x80\x80\x80"), false, "a first byte F5"},
        {BYTES("\xf8\x88\x80\x80\x80"), false, "a form of five bytes"},
        {BYTES("\xff"), false, "FF"},
        {BYTES("\x80"), false, "a lone later byte"},
        {BYTES("a\xbf"), false, "a later byte behind a letter"},
        {BYTES("\xc2"), false, "a form of two bytes cut short"},
        {BYTES("\xe2\x89"), false, "a form of three bytes cut short"},
        {BYTES("\xf0\xa3\x8e"), false, "a form of four bytes cut short"},
        {BYTES("\xe2\x41\xa2"), false, "a letter in place of the second byte"},
        {BYTES("\xe2\x89\x41"), false, "a letter in place of the third byte"},
        {BYTES("\xf0\xa3\x8e\xc0"), false, "C0 in place of the fourth byte"},
    };
    CHECK_ROWS(rows, 35, "the table of UTF-8");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(str_is_utf8(rows[i].bytes) == rows[i].good, "%s %s UTF-8", rows[i].claim,
              rows[i].good ? "is" : "is not");
}

/* RFC 3629 section 3, the other way round. */
static size_t encode(uint32_t c, uint8_t out[4])
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xe0 | c >> 12);
        out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | c >> 18);
    out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (c & 0x3f));
    return 4;
}

static void check_utf8_all(void)
{
    uint32_t wrong = 0;
    uint32_t cut_short = 0;
    uint32_t accepted = 0;
    for (uint32_t c = 0; c < 0x110000; c++) {
        uint8_t bytes[4];
        uint32_t decoded = UINT32_MAX;
        bool surrogate = c >= 0xd800 && c <= 0xdfff;
        size_t n = encode(c, bytes);
        size_t length = str_utf8_decode((struct span){bytes, n}, &decoded);
        if (surrogate ? length != 0 || decoded != UINT32_MAX : length != n || decoded != c)
            wrong++;
        for (size_t cut = 0; cut < n; cut++)
            cut_short += str_utf8_length((struct span){bytes, cut}) != 0;
    }
    CHECK_U64(wrong, 0, "every code point is decoded as itself, every surrogate refused");
    CHECK_U64(cut_short, 0, "no sequence is accepted before its last byte");
    for (uint32_t pair = 0; pair < 0x10000; pair++) {
        uint8_t bytes[2] = {(uint8_t)(pair >> 8), (uint8_t)pair};
        accepted += str_is_utf8((struct span){bytes, 2});
    }
    CHECK_U64(accepted, 128 * 128 + 30 * 64, "of all two bytes, two ASCII or one U+0080..07FF");
}

static void check_builder(void)
{
    char buffer[8];
    struct text t = text_on(buffer, sizeof buffer);
    CHECK(strcmp(buffer, "") == 0 && text_span(&t).n == 0, "a text begins empty");
    text_adds(&t, "abcde");
    text_add_number(&t, 67);
    CHECK_TEXT(buffer, "abcde67", "seven bytes fit into eight");
    text_adds(&t, "");
    CHECK(!t.overflow, "and nothing more than nothing does");
    text_adds(&t, "8");
    CHECK(t.overflow && strcmp(buffer, "abcde67") == 0, "an eighth does not, and adds nothing");
    t = text_on(buffer, sizeof buffer);
    text_adds(&t, "abcdefgh");
    text_adds(&t, "a");
    CHECK(t.overflow && t.n == 0, "after an overflow what would fit is not added either");
    t = text_on(buffer, sizeof buffer);
    text_add_hex(&t, (const uint8_t *)"\x00\x9f\xff", 3);
    CHECK_TEXT(buffer, "009fff", "bytes are two lower-case hex digits each");
    text_add_hex(&t, (const uint8_t *)"\x01", 1);
    CHECK(t.overflow && strcmp(buffer, "009fff") == 0, "hex is added whole or not at all");
    t = text_on(buffer, 1);
    text_adds(&t, "");
    CHECK(!t.overflow && buffer[0] == '\0', "a text of one byte holds the empty string");
}

static void check_builder_numbers(void)
{
    char buffer[32];
    struct text t = text_on(buffer, sizeof buffer);
    text_add_number(&t, 0);
    text_adds(&t, " ");
    text_add_number(&t, UINT64_MAX);
    CHECK_TEXT(buffer, "0 18446744073709551615", "0 and 2^64 - 1 are written whole");
    t = text_on(buffer, 20);
    text_add_number(&t, UINT64_MAX);
    CHECK(t.overflow && buffer[0] == '\0', "twenty digits do not fit into twenty bytes");
}

int main(void)
{
    check_spans();
    check_copy();
    check_number();
    check_utf8_table();
    check_utf8_all();
    check_builder();
    check_builder_numbers();
    return check_end();
}
