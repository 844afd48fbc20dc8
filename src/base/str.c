/* Spans, the builder, the escaper.  Layer: base.
 *
 * The only file that writes a NUL behind text from outside, and the only one
 * that decides which characters may reach a terminal. */
#include "base/str.h"

#include <string.h>

#include "base/num.h"

struct span str_span(const char *s)
{
    return (struct span){(const uint8_t *)s, strlen(s)};
}

bool str_equal(struct span a, struct span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_is(struct span a, const char *s)
{
    return str_equal(a, str_span(s));
}

bool str_starts(struct span a, const char *s)
{
    size_t n = strlen(s);
    return a.n >= n && (n == 0 || memcmp(a.p, s, n) == 0);
}

bool str_number(struct span a, uint64_t min, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (a.n == 0 || (a.n > 1 && a.p[0] == '0'))
        return false;
    for (size_t i = 0; i < a.n; i++) {
        if (a.p[i] < '0' || a.p[i] > '9')
            return false;
        if (!num_mul(value, 10, &value) || !num_add(value, (uint64_t)(a.p[i] - '0'), &value))
            return false;
    }
    if (value < min || value > max)
        return false;
    *out = value;
    return true;
}

bool str_copy(char *to, size_t size, struct span from)
{
    if (size == 0)
        return false;
    to[0] = '\0';
    if (from.n >= size)
        return false;
    if (from.n == 0)
        return true;
    if (memchr(from.p, '\0', from.n) != NULL)
        return false;
    memcpy(to, from.p, from.n);
    to[from.n] = '\0';
    return true;
}

/* --- UTF-8 --------------------------------------------------------------- */

/* RFC 3629 section 4: the first byte gives the length and the range of the
 * second; every later byte is 80..BF. */
static const struct utf8_row {
    uint8_t first_min, first_max;
    uint8_t length;
    uint8_t second_min, second_max;
} utf8_rows[] = {
    {0x00, 0x7f, 1, 0x00, 0x00}, {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

#define UTF8_ROWS (sizeof utf8_rows / sizeof utf8_rows[0])

static const struct utf8_row *utf8_row_of(uint8_t first)
{
    for (size_t i = 0; i < UTF8_ROWS; i++)
        if (first >= utf8_rows[i].first_min && first <= utf8_rows[i].first_max)
            return &utf8_rows[i];
    return NULL;
}

size_t str_utf8_decode(struct span a, uint32_t *code_point)
{
    if (a.n == 0)
        return 0;
    const struct utf8_row *row = utf8_row_of(a.p[0]);
    if (row == NULL || row->length > a.n)
        return 0;
    if (row->length == 1) {
        *code_point = a.p[0];
        return 1;
    }
    if (a.p[1] < row->second_min || a.p[1] > row->second_max)
        return 0;
    /* A first byte of n bytes carries 7 - n bits, each later one six. */
    uint32_t value = a.p[0] & (0x7fu >> row->length);
    for (size_t i = 1; i < row->length; i++) {
        if ((a.p[i] & 0xc0u) != 0x80u)
            return 0;
        value = value << 6 | (a.p[i] & 0x3fu);
    }
    *code_point = value;
    return row->length;
}

size_t str_utf8_length(struct span a)
{
    uint32_t ignored;
    return str_utf8_decode(a, &ignored);
}

bool str_is_utf8(struct span a)
{
    while (a.n > 0) {
        size_t n = str_utf8_length(a);
        if (n == 0)
            return false;
        a = (struct span){a.p + n, a.n - n};
    }
    return true;
}

/* --- what may reach a terminal ------------------------------------------- */

/* What Unicode calls Cc, Cf, Cs, Co, Zs, Zl, Zp, Me, Default_Ignorable or a
 * noncharacter, the blocks of general combining marks, and the blank Braille
 * pattern; ranges in order, both ends included.  Planes 4 to 16 hold nothing
 * that is seen.  Code points that are not assigned among the scripts of planes
 * 0 to 3 are not listed: a terminal draws a box for them. */
static const struct range {
    uint32_t min, max;
} invisible[] = {
    {0x0000, 0x001f},     /* C0 control */
    {0x007f, 0x00a0},     /* DEL, C1 control, no-break space */
    {0x00ad, 0x00ad},     /* soft hyphen */
    {0x0300, 0x036f},     /* combining marks */
    {0x0488, 0x0489},     /* enclosing Cyrillic marks */
    {0x0600, 0x0605},     /* Arabic number signs: they draw over what follows */
    {0x061c, 0x061c},     /* Arabic letter mark (bidirectional) */
    {0x06dd, 0x06dd},     /* end of ayah: encloses */
    {0x070f, 0x070f},     /* Syriac abbreviation mark */
    {0x0890, 0x0891},     /* pound and piastre mark above */
    {0x08e2, 0x08e2},     /* disputed end of ayah */
    {0x115f, 0x1160},     /* Hangul fillers */
    {0x1680, 0x1680},     /* Ogham space */
    {0x17b4, 0x17b5},     /* Khmer inherent vowels */
    {0x180b, 0x180f},     /* Mongolian selectors, vowel separator */
    {0x1ab0, 0x1aff},     /* combining marks, extended */
    {0x1dc0, 0x1dff},     /* combining marks, supplement */
    {0x2000, 0x200f},     /* spaces, zero width, joiners, left/right mark */
    {0x2028, 0x202f},     /* line and paragraph separator, embeddings, overrides, space */
    {0x205f, 0x206f},     /* space, word joiner, isolates, deprecated format */
    {0x20d0, 0x20ff},     /* combining marks for symbols */
    {0x2800, 0x2800},     /* blank Braille pattern */
    {0x3000, 0x3000},     /* ideographic space */
    {0x3164, 0x3164},     /* Hangul filler */
    {0xa670, 0xa672},     /* enclosing Cyrillic marks */
    {0xd800, 0xf8ff},     /* surrogates, private use */
    {0xfdd0, 0xfdef},     /* noncharacters */
    {0xfe00, 0xfe0f},     /* variation selectors */
    {0xfe20, 0xfe2f},     /* combining half marks */
    {0xfeff, 0xfeff},     /* zero width no-break space, byte-order mark */
    {0xffa0, 0xffa0},     /* half-width Hangul filler */
    {0xfff0, 0xfffb},     /* specials: interlinear annotation */
    {0xfffe, 0xffff},     /* noncharacters */
    {0x110bd, 0x110bd},   /* Kaithi number sign */
    {0x110cd, 0x110cd},   /* Kaithi number sign above */
    {0x13430, 0x1343f},   /* hieroglyph joiners */
    {0x1bca0, 0x1bca3},   /* shorthand format */
    {0x1d173, 0x1d17a},   /* musical format */
    {0x1fffe, 0x1ffff},   /* noncharacters */
    {0x2fffe, 0x2ffff},   /* noncharacters */
    {0x3fffe, 0xffffffff} /* noncharacters; tags, selectors, private use, nothing */
};

bool str_is_visible(uint32_t code_point)
{
    size_t i = 0;
    while (code_point > invisible[i].max) /* ends: the last row covers the rest */
        i++;
    return code_point < invisible[i].min;
}

bool str_is_printable(struct span a)
{
    while (a.n > 0) {
        uint32_t code_point;
        size_t n = str_utf8_decode(a, &code_point);
        if (n == 0 || !str_is_visible(code_point))
            return false;
        a = (struct span){a.p + n, a.n - n};
    }
    return true;
}

static char hex_digit(unsigned int value)
{
    return "0123456789abcdef"[value & 15u];
}

size_t str_escape_one(struct span a, char out[static STR_ESCAPED_BYTES_MAX], size_t *out_n)
{
    uint32_t code_point;
    size_t n = str_utf8_decode(a, &code_point);
    if (n > 0 && code_point == '\\') {
        out[0] = out[1] = '\\';
        *out_n = 2;
        return 1;
    }
    if (n > 0 && str_is_visible(code_point)) {
        memcpy(out, a.p, n);
        *out_n = n;
        return n;
    }
    size_t bytes = n > 0 ? n : 1;
    for (size_t i = 0; i < bytes; i++) {
        out[4 * i] = '\\';
        out[4 * i + 1] = 'x';
        out[4 * i + 2] = hex_digit(a.p[i] >> 4);
        out[4 * i + 3] = hex_digit(a.p[i]);
    }
    *out_n = 4 * bytes;
    return bytes;
}

/* --- the builder --------------------------------------------------------- */

struct text text_on(char *buffer, size_t size)
{
    buffer[0] = '\0';
    return (struct text){.p = buffer, .max = size, .n = 0, .overflow = false};
}

void text_add(struct text *t, struct span s)
{
    if (t->overflow || s.n == 0)
        return;
    if (s.n >= t->max - t->n) { /* n < max: the NUL always has its place */
        t->overflow = true;
        return;
    }
    memcpy(t->p + t->n, s.p, s.n);
    t->n += s.n;
    t->p[t->n] = '\0';
}

void text_adds(struct text *t, const char *s)
{
    text_add(t, str_span(s));
}

void text_add_number(struct text *t, uint64_t n)
{
    uint8_t digits[20]; /* 2^64 - 1 has twenty */
    size_t first = sizeof digits;
    do {
        digits[--first] = (uint8_t)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    text_add(t, (struct span){digits + first, sizeof digits - first});
}

/* Undo what was added since the text was start bytes long, if it did not fit. */
static void text_all_or_nothing(struct text *t, size_t start)
{
    if (t->overflow) {
        t->n = start;
        t->p[start] = '\0';
    }
}

void text_add_hex(struct text *t, const uint8_t *bytes, size_t n)
{
    size_t start = t->n;
    for (size_t i = 0; i < n && !t->overflow; i++) {
        uint8_t pair[2] = {(uint8_t)hex_digit(bytes[i] >> 4), (uint8_t)hex_digit(bytes[i])};
        text_add(t, (struct span){pair, sizeof pair});
    }
    text_all_or_nothing(t, start);
}

void text_add_escaped(struct text *t, struct span s)
{
    size_t start = t->n;
    while (s.n > 0 && !t->overflow) {
        char unit[STR_ESCAPED_BYTES_MAX];
        size_t unit_n;
        size_t used = str_escape_one(s, unit, &unit_n);
        text_add(t, (struct span){(const uint8_t *)unit, unit_n});
        s = (struct span){s.p + used, s.n - used};
    }
    text_all_or_nothing(t, start);
}

/* How many bytes at the beginning of s have an escaped form of at most max
 * bytes together; *escaped_n is that form's length. */
static size_t escaped_prefix(struct span s, size_t max, size_t *escaped_n)
{
    size_t taken = 0;
    *escaped_n = 0;
    while (taken < s.n) {
        char unit[STR_ESCAPED_BYTES_MAX];
        size_t unit_n;
        size_t used = str_escape_one((struct span){s.p + taken, s.n - taken}, unit, &unit_n);
        if (unit_n > max - *escaped_n)
            break;
        *escaped_n += unit_n;
        taken += used;
    }
    return taken;
}

void text_add_escaped_within(struct text *t, struct span s, size_t max)
{
    size_t start = t->n;
    size_t total;
    size_t skipped;
    (void)escaped_prefix(s, SIZE_MAX, &total);
    if (total <= max) {
        text_add_escaped(t, s);
        return;
    }
    size_t room = max < 4 ? 0 : max - 4;
    size_t ignored;
    size_t head = escaped_prefix(s, room / 2, &ignored);
    /* The tail begins where what is left needs no more than the rest of the room. */
    size_t cut = total - (room - room / 2);
    size_t tail = escaped_prefix(s, cut, &skipped);
    while (skipped < cut) {
        char unit[STR_ESCAPED_BYTES_MAX];
        size_t unit_n;
        tail += str_escape_one((struct span){s.p + tail, s.n - tail}, unit, &unit_n);
        skipped += unit_n;
    }
    text_add_escaped(t, (struct span){s.p, head});
    text_adds(t, "\\...");
    text_add_escaped(t, (struct span){s.p + tail, s.n - tail});
    text_all_or_nothing(t, start);
}

struct span text_span(const struct text *t)
{
    return (struct span){(const uint8_t *)t->p, t->n};
}
