/* Text from outside, the one builder, the one escaper.  Layer: base.
 *
 * A span borrows bytes that need not end in NUL and may hold any byte.  A text
 * is a caller-owned buffer that only str.c fills: it always ends in NUL, and
 * an overflow is sticky, so a caller checks once, at the end. */
#ifndef LEMA_BASE_STR_H
#define LEMA_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const uint8_t *p;
    size_t n;
};

struct text {
    char *p;       /* borrowed buffer */
    size_t max;    /* its size, NUL included; at least 1 */
    size_t n;      /* bytes written, without the NUL */
    bool overflow; /* an addition did not fit; nothing was added since */
};

/* A NUL-terminated string as a span, without its NUL. */
struct span str_span(const char *s);

/* Equality of bytes and length. */
bool str_equal(struct span a, struct span b);
bool str_is(struct span a, const char *s);

/* True if a begins with the bytes of s. */
bool str_starts(struct span a, const char *s);

/* Decimal number: digits only, no sign, no leading zero but "0" itself, the
 * whole span, min <= value <= max.  Returns false otherwise, *out untouched. */
bool str_number(struct span a, uint64_t min, uint64_t max, uint64_t *out);

/* Copy a span into a NUL-terminated array of size bytes.  Returns false, and
 * leaves an empty string, if it does not fit or holds a NUL. */
bool str_copy(char *to, size_t size, struct span from);

/* True for well-formed UTF-8 (RFC 3629): no overlong form, no surrogate,
 * nothing above U+10FFFF. */
bool str_is_utf8(struct span a);

/* Bytes of the well-formed UTF-8 sequence (RFC 3629) at the beginning of a:
 * 1 to 4, or 0 if there is none. */
size_t str_utf8_length(struct span a);

/* The same, and the code point it stands for; *code_point untouched on 0. */
size_t str_utf8_decode(struct span a, uint32_t *code_point);

/* True for a code point that may reach a terminal as it is: it takes a place
 * of its own and neither moves, hides nor draws over its neighbours.  False
 * for control and format characters, every space but U+0020, joiners, fillers,
 * general combining marks, private use and noncharacters. */
bool str_is_visible(uint32_t code_point);

/* True if a is well-formed UTF-8 and all of it is visible; a backslash is. */
bool str_is_printable(struct span a);

/* The escaped form (see text_add_escaped) of what stands at the beginning of
 * a, which has at least one byte: one UTF-8 sequence, or one byte that begins none.
 * out      receives 1 to 16 bytes, without a NUL; *out_n says how many
 * returns  the bytes of a it stands for, 1 to 4 */
#define STR_ESCAPED_BYTES_MAX 16u
size_t str_escape_one(struct span a, char out[static STR_ESCAPED_BYTES_MAX], size_t *out_n);

/* Start a text in a buffer of size bytes (at least 1); it is then "". */
struct text text_on(char *buffer, size_t size);

/* Add to a text.  Each does nothing once overflow is set, and adds all or nothing. */
void text_add(struct text *t, struct span s);
void text_adds(struct text *t, const char *s);
void text_add_number(struct text *t, uint64_t n);
void text_add_hex(struct text *t, const uint8_t *bytes, size_t n);

/* Add s so that it can reach a terminal, a log or a message: printable ASCII
 * stays, a backslash becomes two, well-formed UTF-8 of letters stays, and every
 * other byte (control bytes, DEL, C1, bidirectional and zero-width characters,
 * bytes that are not UTF-8) becomes \xNN.  The form is unambiguous: it can be
 * read back. */
void text_add_escaped(struct text *t, struct span s);

/* The same in at most max bytes (at least 4): where s needs more, \... stands
 * for its middle.  No escaped form holds that, so a name cannot imitate it. */
void text_add_escaped_within(struct text *t, struct span s, size_t max);

/* What a text holds. */
struct span text_span(const struct text *t);

#endif
