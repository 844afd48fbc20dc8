/* What the parts of lema-pin share.
 *
 * lema-pin looks at trees that its user trusts, on the machine where lema is
 * built: it is not confined, uses the heap, and ends at the first error. */
#ifndef LEMA_PIN_PIN_H
#define LEMA_PIN_PIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"

/* "lema-pin: WHAT: WHY" on standard error, exit status 1. */
_Noreturn void pin_die(const char *what, const char *why, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void pin_die_err(const struct err *err);
_Noreturn void pin_die_errno(const char *what, int sys);
/* The same line, and on it goes. */
void pin_note(const char *what, const char *why);

/* Memory of n times size bytes, with the contents of memory (NULL, or from here) at its
 * beginning; kept until the program ends.  Never NULL. */
void *pin_grow(void *memory, size_t n, size_t size);
char *pin_copy(struct span s);
/* Concatenation of strings. */
#define pin_join(...) pin_join_all((const char *const[]){__VA_ARGS__, NULL})
char *pin_join_all(const char *const *parts);

/* Sort pointers (heap sort: musl's qsort is left out of this build, see vendor/musl.lock). */
void pin_sort(void **pointers, size_t n, int (*compare)(const void *a, const void *b));

/* A growing text. */
struct pin_text {
    char *p;
    size_t n, max;
};
void pin_add(struct pin_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Write it to standard output. */
void pin_print(const struct pin_text *t);

/* A whole file. */
struct span pin_read(const char *path);

/* A path below another root (an image), its symlinks resolved inside that root:
 * canonical and absolute, as seen from there.
 * root     "" for this host
 * returns  the path, or NULL if it does not exist */
char *pin_resolve(const char *root, const char *path);

/* The commands.  returns  exit status */
int pin_distribution(const char *dir, const char *name);
int pin_host(const char *root, char *const *programs, size_t n);
int pin_archive(const char *path);

#endif
