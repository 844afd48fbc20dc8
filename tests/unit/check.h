/* The test helper: TAP lines, no framework.
 *
 *     int main(void)
 *     {
 *         CHECK(str_is(s, "a"), "a span equals the string with its bytes");
 *         CHECK_TEXT(got, "a\\x0a", "a newline is escaped");
 *         return check_end();
 *     }
 *
 * Every check prints "ok N - TEXT" or "not ok N - TEXT (file:line)"; TEXT is a
 * printf format, a sentence of the claim.  check_end prints the plan "1..N"
 * and returns 1 if anything failed or nothing was checked: a program that dies
 * half-way has no plan.  The macros return whether the check held, so that a
 * test can stop where going on makes no sense. */
#ifndef LEMA_TESTS_UNIT_CHECK_H
#define LEMA_TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The condition holds. */
#define CHECK(condition, ...) check_that((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Two NUL-terminated strings, unsigned numbers, signed numbers, or n bytes are
 * equal: what was got first, then what is right; both are shown if not. */
#define CHECK_TEXT(got, want, ...) check_text((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_U64(got, want, ...) check_u64((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_I64(got, want, ...) check_i64((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_BYTES(got, want, n, ...)                                                             \
    check_bytes((got), (want), (n), __FILE__, __LINE__, __VA_ARGS__)

/* A table has as many rows as its test says: a row that is lost is noticed. */
#define CHECK_ROWS(table, count, name)                                                             \
    CHECK_U64(sizeof(table) / sizeof((table)[0]), (count), "%s has %d rows", (name), (int)(count))

/* Something this host cannot show.  It counts as a failure where CHECK_NO_SKIP
 * is set in the environment, as on CI. */
#define CHECK_SKIP(reason, ...) check_skip((reason), __FILE__, __LINE__, __VA_ARGS__)

static unsigned check_count;  /* checks made so far */
static unsigned check_failed; /* of them, failures */

__attribute__((format(printf, 4, 0))) static inline void
check_line(bool held, const char *file, int line, const char *format, va_list args)
{
    check_count++;
    if (!held)
        check_failed++;
    printf("%s %u - ", held ? "ok" : "not ok", check_count);
    vprintf(format, args);
    if (!held)
        printf(" (%s:%d)", file, line);
}

__attribute__((format(printf, 4, 5))) static inline bool
check_that(bool held, const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    check_line(held, file, line, format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    return held;
}

/* "# LABEL: BYTES", with everything but printable ASCII as \xNN. */
static inline void check_show(const char *label, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    printf("# %s: ", label);
    for (size_t i = 0; i < n; i++) {
        if (p[i] >= 0x20 && p[i] < 0x7f)
            putchar(p[i]);
        else
            printf("\\x%02x", p[i]);
    }
    putchar('\n');
}

__attribute__((format(printf, 5, 6))) static inline bool
check_text(const char *got, const char *want, const char *file, int line, const char *format, ...)
{
    bool held = strcmp(got, want) == 0;
    va_list args;
    va_start(args, format);
    check_line(held, file, line, format, args);
    va_end(args);
    putchar('\n');
    if (!held) {
        check_show("got ", got, strlen(got));
        check_show("want", want, strlen(want));
    }
    fflush(stdout);
    return held;
}

__attribute__((format(printf, 5, 6))) static inline bool
check_u64(uint64_t got, uint64_t want, const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    check_line(got == want, file, line, format, args);
    va_end(args);
    putchar('\n');
    if (got != want)
        printf("# got : %" PRIu64 "\n# want: %" PRIu64 "\n", got, want);
    fflush(stdout);
    return got == want;
}

__attribute__((format(printf, 5, 6))) static inline bool
check_i64(int64_t got, int64_t want, const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    check_line(got == want, file, line, format, args);
    va_end(args);
    putchar('\n');
    if (got != want)
        printf("# got : %" PRId64 "\n# want: %" PRId64 "\n", got, want);
    fflush(stdout);
    return got == want;
}

__attribute__((format(printf, 6, 7))) static inline bool check_bytes(const void *got,
                                                                     const void *want, size_t n,
                                                                     const char *file, int line,
                                                                     const char *format, ...)
{
    bool held = n == 0 || memcmp(got, want, n) == 0;
    va_list args;
    va_start(args, format);
    check_line(held, file, line, format, args);
    va_end(args);
    putchar('\n');
    if (!held) {
        check_show("got ", got, n);
        check_show("want", want, n);
    }
    fflush(stdout);
    return held;
}

__attribute__((format(printf, 4, 5))) static inline void
check_skip(const char *reason, const char *file, int line, const char *format, ...)
{
    bool allowed = getenv("CHECK_NO_SKIP") == NULL;
    va_list args;
    va_start(args, format);
    check_line(allowed, file, line, format, args);
    va_end(args);
    printf(" # SKIP %s\n", reason);
    fflush(stdout);
}

/* The plan; the program's exit status. */
static inline int check_end(void)
{
    printf("1..%u\n", check_count);
    if (check_failed > 0)
        printf("# %u of %u failed\n", check_failed, check_count);
    bool said = fflush(stdout) == 0 && !ferror(stdout); /* a line that was lost is a failure */
    return check_failed > 0 || check_count == 0 || !said ? 1 : 0;
}

#endif
