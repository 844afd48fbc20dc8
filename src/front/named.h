/* Names of files that a ledger's lines name, and what else lies in an output.  Layer: front.
 *
 * Specification 5: a record without its ledger line (a crash between the two) is listed,
 * not an error.  The set holds digests of names, so that its size is fixed. */
#ifndef LEMA_FRONT_NAMED_H
#define LEMA_FRONT_NAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "limits.h"

#define NAMED_MAX (3u * LEDGER_CALLS_MAX) /* reserved, result and log of each call */
#define NAMED_SLOTS (1u << 21)            /* a power of two, never more than half full */
_Static_assert(NAMED_SLOTS >= 2 * NAMED_MAX && (NAMED_SLOTS & (NAMED_SLOTS - 1)) == 0, "half full");

/* It starts all zero. */
struct named {
    uint64_t slot[NAMED_SLOTS]; /* the digest's first bytes; 0 = free */
    uint32_t n;
};

/* Add a name.  One over NAMED_MAX is left out: then it is listed as unnamed. */
void named_add(struct named *set, const char *name);

/* A resolve line whose reason has the digest of a cut line names the ledger.torn-N that
 * holds these bytes, if there is one. */
void named_add_torn(struct named *set, int output_fd, const char *reason);

bool named_has(const struct named *set, const char *name);

/* Every entry of an output that neither the set nor specification 4 names: each is given
 * to on_name.
 * returns  0, or -1 with ERR_IO */
int named_rest(const struct named *set, int output_fd, void (*on_name)(void *arg, const char *name),
               void *arg, struct err *err);

#endif
