/* HALTED latches.  Layer: evidence.
 *
 * Specification 6: <output>/HALTED and <shared_lock>.HALTED, one line
 * "CALL: FAULT", written and synced before the completion line.  While either
 * exists every native call is refused. */
#ifndef LEMA_EVIDENCE_LATCH_H
#define LEMA_EVIDENCE_LATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "evidence/terms.h"
#include "host/file.h"

enum latch_where { LATCH_OUTPUT, LATCH_HOST, LATCHES };

/* Where the two latches stand. */
struct latch_place {
    int dirfd; /* borrowed: the output, or the lock's directory */
    char name[COMPONENT_BYTES_MAX + 1];
};

/* The two places.  lock_name is the last component of the shared lock.
 * returns 0, or -1 with ERR_PATH if "<lock>.HALTED" or its temporary name is too long. */
int latch_places(struct latch_place place[static LATCHES], int output_fd, int lock_dir_fd,
                 const char *lock_name, struct err *err);

/* What stands there. A latch of another owner or kind counts as present. */
struct latch_state {
    bool present;
    char line[160]; /* its text, escaped, "" if it is not ours to read */
};
int latch_look(const struct latch_place *place, uid_t uid, struct latch_state *state,
               struct err *err);

/* True if the latch holds exactly "CALL: FAULT" for that call; *fault is set then. */
bool latch_is_of(const struct latch_state *state, const char *call, enum fault *fault);

/* Check 1: refuses with ERR_LATCHED naming the latch and its line. */
int latch_check(const struct latch_place place[static LATCHES], const char *output_shown,
                const char *lock_shown, uid_t uid, struct err *err);

/* Loading proves that a latch could be written: makes and removes a temporary
 * name in that directory (specification 3). */
int latch_probe(const struct latch_place *place, struct err *err);

/* Take the space for a latch before a call (file_begin; file_abandon gives it
 * back).  pending keeps the place even if this fails, so that latch_set can
 * still try. */
int latch_prepare(struct file_pending *pending, const struct latch_place *place, struct err *err);

/* Write the latch into its prepared file and make it durable.  An existing
 * latch of that name is success: it latches just as well.  Where the prepared
 * file fails, a new one is tried, then the name itself, even without its line:
 * an empty latch halts too.
 * pending  given to latch_prepare before; closed after this
 * returns  0: something durable stands there; -1: ERR_IO, nothing may stand there */
int latch_set(struct file_pending *pending, const char *call, enum fault fault, struct err *err);

/* Remove a latch, durable (recover only).  One that is not there is success; one
 * that is not a regular file is refused with ERR_LATCHED. */
int latch_remove(const struct latch_place *place, struct err *err);

#endif
