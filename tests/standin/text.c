/* Bytes, words and lists: see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *resized(void *old, size_t bytes)
{
    static const char why[] = "stand-in: out of memory\n";
    void *new = realloc(old, bytes);

    if (new == NULL) {
        if (write(2, why, sizeof why - 1) < 0)
            _exit(70);
        _exit(70);
    }
    return new;
}

void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    while (*room <= count)
        *room = *room == 0 ? 16 : *room * 2;
    return resized(array, *room * size);
}

void text_add(struct text *t, struct span s)
{
    size_t need = t->n + s.n + 1;

    if (need > t->room) {
        t->room = need < 256 ? 256 : need * 2;
        t->p = resized(t->p, t->room);
    }
    if (s.n > 0)
        memcpy(t->p + t->n, s.p, s.n);
    t->n += s.n;
    t->p[t->n] = '\0';
}

void text_add_string(struct text *t, const char *s)
{
    text_add(t, span_of(s));
}

void text_addf(struct text *t, const char *format, ...)
{
    va_list args;
    va_list again;
    int length;
    char *made;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0) {
        made = resized(NULL, (size_t)length + 1);
        length = vsnprintf(made, (size_t)length + 1, format, again);
        text_add(t, (struct span){made, (size_t)length});
        free(made);
    }
    va_end(again);
}

void text_add_escaped(struct text *t, struct span s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c < 0x20 || c > 0x7e || c == '\\')
            text_addf(t, "\\x%02x", c);
        else
            text_add(t, (struct span){s.p + i, 1});
    }
}

void text_add_json(struct text *t, struct span s)
{
    text_add_string(t, "\"");
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c == '"' || c == '\\')
            text_addf(t, "\\%c", c);
        else if (c == '\n')
            text_add_string(t, "\\n");
        else if (c < 0x20 || c == 0x7f)
            text_addf(t, "\\u%04x", c);
        else
            text_add(t, (struct span){s.p + i, 1});
    }
    text_add_string(t, "\"");
}

struct span text_span(const struct text *t)
{
    return (struct span){t->p, t->n};
}

const char *text_string(struct text *t)
{
    text_add(t, (struct span){NULL, 0});
    return t->p;
}

struct span span_of(const char *s)
{
    return (struct span){s, strlen(s)};
}

bool span_equal(struct span a, struct span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool span_is(struct span a, const char *s)
{
    return span_equal(a, span_of(s));
}

bool span_starts(struct span a, const char *s)
{
    size_t n = strlen(s);

    return a.n >= n && memcmp(a.p, s, n) == 0;
}

bool span_ends(struct span a, const char *s)
{
    size_t n = strlen(s);

    return a.n >= n && memcmp(a.p + a.n - n, s, n) == 0;
}

struct span span_after(struct span a, size_t n)
{
    return (struct span){a.p + n, a.n - n};
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct span span_trim(struct span a)
{
    while (a.n > 0 && blank(a.p[0]))
        a = span_after(a, 1);
    while (a.n > 0 && blank(a.p[a.n - 1]))
        a.n--;
    return a;
}

struct span span_take(struct span *rest, char end)
{
    const char *at = rest->n == 0 ? NULL : memchr(rest->p, end, rest->n);
    struct span taken = *rest;

    if (at == NULL) {
        *rest = (struct span){NULL, 0};
        return taken;
    }
    taken.n = (size_t)(at - rest->p);
    *rest = span_after(*rest, taken.n + 1);
    return taken;
}

char *span_copy(struct span a)
{
    char *copy = resized(NULL, a.n + 1);

    if (a.n > 0)
        memcpy(copy, a.p, a.n);
    copy[a.n] = '\0';
    return copy;
}

bool span_number(struct span a, uint64_t max, uint64_t *value)
{
    uint64_t sum = 0;

    if (a.n == 0 || (a.n > 1 && a.p[0] == '0'))
        return false;
    for (size_t i = 0; i < a.n; i++) {
        if (a.p[i] < '0' || a.p[i] > '9')
            return false;
        if (__builtin_mul_overflow(sum, (uint64_t)10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(a.p[i] - '0'), &sum))
            return false;
    }
    *value = sum;
    return sum <= max;
}

uint64_t span_hash(struct span a)
{
    uint64_t hash = 0xcbf29ce484222325U;

    for (size_t i = 0; i < a.n; i++) {
        hash ^= (unsigned char)a.p[i];
        hash *= 0x100000001b3U;
    }
    return hash;
}

void list_add(struct list *l, struct span s)
{
    l->items = grow(l->items, l->n, &l->room, sizeof *l->items);
    l->items[l->n++] = s;
}

bool list_has(const struct list *l, struct span s)
{
    for (size_t i = 0; i < l->n; i++) {
        if (span_equal(l->items[i], s))
            return true;
    }
    return false;
}

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left;
    const struct span *b = right;
    size_t n = a->n < b->n ? a->n : b->n;
    int order = n == 0 ? 0 : memcmp(a->p, b->p, n);

    if (order != 0)
        return order;
    return a->n < b->n ? -1 : a->n > b->n;
}

void list_sort(struct list *l)
{
    if (l->n > 1)
        qsort(l->items, l->n, sizeof *l->items, compare_spans);
}
