/* base/str: what may reach a terminal, and the escaped form of the rest. */
#include "base/str.h"

#include "check.h"

#define BYTES(literal) ((struct span){(const uint8_t *)(literal), sizeof(literal) - 1})

static void check_table(void)
{
    static const struct {
        struct span bytes;
        const char *escaped;
        const char *claim;
    } rows[] = {
        {BYTES(" azAZ09~!\"'$`"), " azAZ09~!\"'$`", "printable ASCII stays"},
        {BYTES("a\\b"), "a\\\\b", "a backslash becomes two"},
        {BYTES("\\x41"), "\\\\x41", "what looks like an escape is escaped"},
        {BYTES("\n\t\r\b\x1b[2J"), "\\x0a\\x09\\x0d\\x08\\x1b[2J", "control bytes are escaped"},
        {BYTES("a\0b\x7f"), "a\\x00b\\x7f", "NUL and DEL are escaped"},
        {BYTES("\xc3\xa9\xc3\x9f"), "\xc3\xa9\xc3\x9f", "Latin letters stay"},
        {BYTES("\xce\xb1 \xd0\xb6 \xd7\xa9 \xd8\xb9"), "\xce\xb1 \xd0\xb6 \xd7\xa9 \xd8\xb9",
         "Greek, Cyrillic, Hebrew and Arabic letters stay"},
        {BYTES("\xe0\xa4\x95\xe0\xa4\xbf"), "\xe0\xa4\x95\xe0\xa4\xbf",
         "a Devanagari letter with its vowel sign stays"},
        {BYTES("\xe6\x97\xa5\xed\x95\x9c\xf0\xa3\x8e\xb4"),
         "\xe6\x97\xa5\xed\x95\x9c\xf0\xa3\x8e\xb4", "Han and Hangul stay"},
        {BYTES("\xe2\x88\x80\xe2\x86\x92\xe2\x9f\xa8\xf0\x9d\x94\xb8"),
         "\xe2\x88\x80\xe2\x86\x92\xe2\x9f\xa8\xf0\x9d\x94\xb8", "Lean's symbols stay"},
        {BYTES("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80", "an emoji stays"},
        {BYTES("\xc2\x9b[2J"), "\\xc2\\x9b[2J", "U+009B, a control of C1, is escaped"},
        {BYTES("\xe2\x80\xae"), "\\xe2\\x80\\xae", "the right-to-left override is escaped"},
        {BYTES("\xe2\x81\xa6"), "\\xe2\\x81\\xa6", "a bidirectional isolate is escaped"},
        {BYTES("\xe2\x80\x8b\xef\xbb\xbf"), "\\xe2\\x80\\x8b\\xef\\xbb\\xbf",
         "zero-width spaces are escaped"},
        {BYTES("\xe2\x80\xa8"), "\\xe2\\x80\\xa8", "the line separator is escaped"},
        {BYTES("e\xcc\x81"), "e\\xcc\\x81", "a general combining mark is escaped"},
        {BYTES("\xc2\xa0"), "\\xc2\\xa0", "the no-break space is escaped"},
        {BYTES("\xf3\xa0\x81\xa1"), "\\xf3\\xa0\\x81\\xa1", "a tag is escaped"},
        {BYTES("\xff\xfe"), "\\xff\\xfe", "bytes that are no UTF-8 are escaped"},
        {BYTES("\xe2\x82"), "\\xe2\\x82", "a sequence cut short is escaped"},
        {BYTES("\xe2\x82z"), "\\xe2\\x82z", "a letter after one cut short stays"},
        {BYTES("\xed\xa0\x80"), "\\xed\\xa0\\x80", "a surrogate is escaped"},
        {BYTES("\xc0\xaf"), "\\xc0\\xaf", "an overlong slash is escaped"},
    };
    CHECK_ROWS(rows, 24, "the table of escapes");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char buffer[128];
        struct text t = text_on(buffer, sizeof buffer);
        text_add_escaped(&t, rows[i].bytes);
        CHECK_TEXT(buffer, rows[i].escaped, "%s", rows[i].claim);
    }
}

/* Code points by their names in the Unicode standard. */
static const struct {
    uint32_t min, max;
    bool visible;
    const char *claim;
} code_points[] = {
    {0x20, 0x7e, true, "printable ASCII"},
    {0xa1, 0xac, true, "Latin-1 punctuation"},
    {0xae, 0x2ff, true, "Latin letters"},
    {0x370, 0x3ff, true, "Greek"},
    {0x400, 0x481, true, "Cyrillic"},
    {0x5d0, 0x5ea, true, "Hebrew letters"},
    {0x621, 0x64a, true, "Arabic letters"},
    {0x904, 0x939, true, "Devanagari letters"},
    {0x2010, 0x2027, true, "general punctuation"},
    {0x2070, 0x2071, true, "superscripts"},
    {0x2080, 0x2089, true, "subscript digits"},
    {0x2100, 0x22ff, true, "letter-like symbols, arrows, operators"},
    {0x2500, 0x27ff, true, "box drawing, dingbats"},
    {0x3041, 0x3096, true, "Hiragana"},
    {0x4e00, 0x9fff, true, "Han"},
    {0xac00, 0xd7a3, true, "Hangul"},
    {0xfffc, 0xfffd, true, "replacement characters"},
    {0x1d400, 0x1d454, true, "mathematical letters"},
    {0x1f600, 0x1f64f, true, "emoticons"},
    {0x20000, 0x2a6df, true, "Han of plane 2"},
    {0x30000, 0x3134a, true, "Han of plane 3"},
    {0x00, 0x1f, false, "C0 controls"},
    {0x7f, 0x9f, false, "DEL and C1 controls"},
    {0xad, 0xad, false, "the soft hyphen"},
    {0x300, 0x36f, false, "combining diacritical marks"},
    {0x61c, 0x61c, false, "the Arabic letter mark"},
    {0x180e, 0x180e, false, "the Mongolian vowel separator"},
    {0x2000, 0x200a, false, "spaces of many widths"},
    {0x200b, 0x200d, false, "zero width space and joiners"},
    {0x200e, 0x200f, false, "left-to-right and right-to-left mark"},
    {0x2028, 0x2029, false, "line and paragraph separator"},
    {0x202a, 0x202e, false, "bidirectional embeddings and overrides"},
    {0x2060, 0x2064, false, "word joiner, invisible operators"},
    {0x2066, 0x2069, false, "bidirectional isolates"},
    {0x20dd, 0x20e0, false, "enclosing marks"},
    {0x3164, 0x3164, false, "the Hangul filler"},
    {0xd800, 0xdfff, false, "surrogates"},
    {0xe000, 0xf8ff, false, "private use"},
    {0xfdd0, 0xfdef, false, "noncharacters"},
    {0xfe00, 0xfe0f, false, "variation selectors"},
    {0xfeff, 0xfeff, false, "the byte-order mark"},
    {0xfff9, 0xfffb, false, "interlinear annotation"},
    {0xfffe, 0xffff, false, "noncharacters at the end of plane 0"},
    {0x1d173, 0x1d17a, false, "musical format"},
    {0x1fffe, 0x1ffff, false, "noncharacters at the end of plane 1"},
    {0xe0000, 0xe0fff, false, "tags and selectors"},
    {0xf0000, 0x10ffff, false, "private planes"},
    {0x110000, 0x110010, false, "what is beyond Unicode"},
    {UINT32_MAX, UINT32_MAX, false, "2^32 - 1"},
};

static void check_visible(void)
{
    CHECK_ROWS(code_points, 49, "the table of code points");
    for (size_t i = 0; i < sizeof code_points / sizeof code_points[0]; i++) {
        uint32_t wrong = 0;
        for (uint64_t c = code_points[i].min; c <= code_points[i].max; c++)
            wrong += c != 0x2800 && str_is_visible((uint32_t)c) != code_points[i].visible;
        CHECK_U64(wrong, 0, "%s: %s", code_points[i].claim,
                  code_points[i].visible ? "visible" : "not visible");
    }
    CHECK(!str_is_visible(0x2800), "the blank Braille pattern: not visible");
}

/* xorshift64*: the same numbers on every run. */
static uint32_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 32);
}

/* Bytes that make valid, invalid and invisible sequences likely. */
static size_t random_bytes(uint64_t *state, uint8_t *out, size_t max)
{
    static const uint8_t favourites[] = {'\\', 'x',  '.',  0xe2, 0x80, 0xae, 0xc3, 0xa9, 0xf0,
                                         0x9f, 0x98, 0x8b, 0xed, 0xa0, 0x00, 0x1b, 'a',  '0'};
    size_t n = next_random(state) % (max + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t r = next_random(state);
        out[i] = r & 1 ? favourites[(r >> 8) % sizeof favourites] : (uint8_t)(r >> 8);
    }
    return n;
}

static uint8_t hex(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Read an escaped form back.  Returns its length, SIZE_MAX if it is none. */
static size_t unescape(const char *s, uint8_t *out)
{
    size_t n = 0;
    while (*s != '\0') {
        if (*s != '\\') {
            out[n++] = (uint8_t)*s++;
        } else if (s[1] == '\\') {
            out[n++] = '\\';
            s += 2;
        } else if (s[1] == 'x') {
            out[n++] = (uint8_t)(hex(s[2]) * 16 + hex(s[3]));
            s += 4;
        } else {
            return SIZE_MAX;
        }
    }
    return n;
}

#define ROUNDS 20000
#define RANDOM_BYTES_MAX 40

static void check_round_trip(void)
{
    uint64_t state = UINT64_C(0x1234567890abcdef);
    unsigned lost = 0;
    unsigned unprintable = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t bytes[RANDOM_BYTES_MAX];
        uint8_t back[4 * RANDOM_BYTES_MAX];
        char escaped[4 * RANDOM_BYTES_MAX + 1];
        size_t n = random_bytes(&state, bytes, sizeof bytes);
        struct text t = text_on(escaped, sizeof escaped);
        text_add_escaped(&t, (struct span){bytes, n});
        lost += t.overflow || unescape(escaped, back) != n || memcmp(back, bytes, n) != 0;
        unprintable += !str_is_printable(text_span(&t));
    }
    CHECK_U64(lost, 0, "of %u random texts each is read back from its escaped form", ROUNDS);
    CHECK_U64(unprintable, 0, "and each escaped form is printable");
}

/* True if short_form is head "\..." tail of the whole escaped form. */
static bool is_shortened(const char *short_form, const char *whole)
{
    uint8_t back[4 * RANDOM_BYTES_MAX];
    const char *dots = strstr(short_form, "\\...");
    while (dots != NULL && unescape(dots + 4, back) == SIZE_MAX)
        dots = strstr(dots + 1, "\\...");
    if (dots == NULL)
        return false;
    size_t head = (size_t)(dots - short_form);
    size_t tail = strlen(dots + 4);
    return strncmp(short_form, whole, head) == 0 &&
           strcmp(dots + 4, whole + strlen(whole) - tail) == 0;
}

static void check_within(void)
{
    uint64_t state = 42;
    unsigned wrong = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t bytes[RANDOM_BYTES_MAX];
        char whole[4 * RANDOM_BYTES_MAX + 1];
        char part[4 * RANDOM_BYTES_MAX + 1];
        size_t n = random_bytes(&state, bytes, sizeof bytes);
        size_t max = 4 + next_random(&state) % 60;
        struct text w = text_on(whole, sizeof whole);
        struct text p = text_on(part, sizeof part);
        text_add_escaped(&w, (struct span){bytes, n});
        text_add_escaped_within(&p, (struct span){bytes, n}, max);
        bool good = w.n <= max ? strcmp(part, whole) == 0
                               : p.n <= max && p.n + 32 > max && is_shortened(part, whole);
        wrong += p.overflow || !good || !str_is_printable(text_span(&p));
    }
    CHECK_U64(wrong, 0, "of %u random texts each keeps within its bound, whole or as both ends",
              ROUNDS);
}

static void check_within_examples(void)
{
    char buffer[16];
    struct text t = text_on(buffer, sizeof buffer);
    text_add_escaped_within(&t, str_span("0123456789abc"), 13);
    CHECK_TEXT(buffer, "0123456789abc", "what fits its bound is whole");
    t = text_on(buffer, sizeof buffer);
    text_add_escaped_within(&t, str_span("0123456789abcd"), 13);
    CHECK_TEXT(buffer, "0123\\...9abcd", "what does not loses its middle");
    t = text_on(buffer, sizeof buffer);
    text_add_escaped_within(&t, str_span("0123456789abcd"), 4);
    CHECK_TEXT(buffer, "\\...", "a bound of four leaves the mark alone");
    t = text_on(buffer, sizeof buffer);
    text_adds(&t, "12345");
    text_add_escaped_within(&t, str_span("0123456789abcd"), 13);
    CHECK(t.overflow && strcmp(buffer, "12345") == 0, "what does not fit the text adds nothing");
    t = text_on(buffer, sizeof buffer);
    text_adds(&t, "12345678");
    text_add_escaped(&t, BYTES("a\xff\xff"));
    CHECK(t.overflow && strcmp(buffer, "12345678") == 0,
          "an escaped form is added whole or not at all");
}

static void check_printable(void)
{
    CHECK(str_is_printable(BYTES("a\\b \xc3\xa9")), "letters and a backslash are printable");
    CHECK(!str_is_printable(BYTES("a\n")), "a newline is not");
    CHECK(!str_is_printable(BYTES("\xff")), "a byte that is no UTF-8 is not");
    CHECK(!str_is_printable(BYTES("\xe2\x80\xae")), "an override is not");
    CHECK(str_is_printable(BYTES("")), "nothing is");
}

int main(void)
{
    check_table();
    check_visible();
    check_round_trip();
    check_within();
    check_within_examples();
    check_printable();
    return check_end();
}
