/* The ways into a sandbox.  Layer: call.
 *
 * Specification 10.  Each runs in a child of INNER that has the descriptors of
 * wire.h, and ends by executing INIT as pid 1 of the new namespaces, with the
 * view of view.h. */
#ifndef LEMA_CALL_SANDBOX_H
#define LEMA_CALL_SANDBOX_H

#include <stdbool.h>

#include "base/err.h"
#include "call/view.h"

enum sandbox_kind { SANDBOX_BWRAP, SANDBOX_DIRECT, SANDBOX_KINDS };

/* "bwrap", "direct"; "" for none of them */
const char *sandbox_word(enum sandbox_kind kind);
bool sandbox_parse(const char *word, enum sandbox_kind *kind);

/* Become the sandbox.  Does not return on success.
 * returns  -1 with ERR_SETUP */
int sandbox_enter(enum sandbox_kind kind, const struct view *view, struct err *err);

/* sandbox_bwrap.c: execute bwrap from INNER_FD_SANDBOX. */
int sandbox_bwrap_enter(const struct view *view, struct err *err);

/* sandbox_direct.c: make the namespaces and the view without bwrap, and execute INIT. */
int sandbox_direct_enter(const struct view *view, struct err *err);

/* sandbox_bwrap.c: the arguments it is executed with, NULL-terminated, in
 * caller-owned memory; the tests look at them too. */
#define SANDBOX_BWRAP_WORDS_MAX ((size_t)4 * VIEW_ROWS_MAX + 64)
#define SANDBOX_BWRAP_NUMBERS_BYTES ((size_t)12 * VIEW_ROWS_MAX)
struct sandbox_bwrap_arguments {
    const char *word[SANDBOX_BWRAP_WORDS_MAX];
    size_t n;
    char numbers[SANDBOX_BWRAP_NUMBERS_BYTES]; /* descriptor numbers as text */
    size_t numbers_n;
};
int sandbox_bwrap_arguments(struct sandbox_bwrap_arguments *a, const struct view *view,
                            struct err *err);

#endif
