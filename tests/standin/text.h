/* Bytes, words and lists for the stand-in programs.
 *
 * The stand-ins are short-lived: memory taken here is never given back, it
 * goes with the process. A failed allocation ends the process with 70. */
#ifndef STANDIN_TEXT_H
#define STANDIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes, without a NUL at the end. */
struct span {
    const char *p;
    size_t n;
};

/* Bytes that grow. Starts as all zeros. */
struct text {
    char *p;
    size_t n;
    size_t room;
};

/* Spans in order. Starts as all zeros. */
struct list {
    struct span *items;
    size_t n;
    size_t room;
};

/* Returns the array, or a larger copy of it, with room for `count` elements of
 * `size` bytes and one more. `room` counts elements and is updated. */
void *grow(void *array, size_t count, size_t *room, size_t size);

void text_add(struct text *t, struct span s);
void text_add_string(struct text *t, const char *s);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Printable ASCII as it is; a backslash and every other byte as \xHH. */
void text_add_escaped(struct text *t, struct span s);
/* A JSON string with its quotes. The bytes are taken to be UTF-8. */
void text_add_json(struct text *t, struct span s);
struct span text_span(const struct text *t);
/* The text with a NUL behind it, valid until the text grows. */
const char *text_string(struct text *t);

struct span span_of(const char *s);
bool span_equal(struct span a, struct span b);
bool span_is(struct span a, const char *s);
bool span_starts(struct span a, const char *s);
bool span_ends(struct span a, const char *s);
struct span span_after(struct span a, size_t n);
struct span span_trim(struct span a);
/* Takes the bytes before the first `end` off `rest`, and the `end` with them. */
struct span span_take(struct span *rest, char end);
/* A copy with a NUL at the end. */
char *span_copy(struct span a);
/* Decimal digits only, no sign, no leading zero, at most `max`. */
bool span_number(struct span a, uint64_t max, uint64_t *value);
/* FNV-1a, 64 bits: tells texts apart, protects nothing. */
uint64_t span_hash(struct span a);

void list_add(struct list *l, struct span s);
bool list_has(const struct list *l, struct span s);
/* Sorts bytewise. */
void list_sort(struct list *l);

#endif
