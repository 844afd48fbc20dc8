/* Recovery: what is open in an output, and closing it.  Layer: call.
 *
 * Specification 6.  Nothing clears a latch by itself: an operator gives a call and a
 * reason, the reason goes into the ledger, then the latch is removed.  In order, each
 * durable before the next: the call's scope is proved gone, or stopped if no process is
 * left in it; a torn last line is kept and cut; the resolve line; the
 * call's half-written files; the latches.  Every step can be done again
 * after a crash; only that a crash between cut and resolve leaves a ledger.torn-N whose
 * digest is in no line: ledger verify lists it. */
#ifndef LEMA_CALL_RECOVER_H
#define LEMA_CALL_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "call/runtime.h"
#include "evidence/boot.h"
#include "evidence/latch.h"
#include "evidence/ledger.h"

#define RECOVER_CALLS_MAX 16u /* open calls that are listed; a healthy ledger has at most one */

enum recover_state { RECOVER_OPEN, RECOVER_FAULTED, RECOVER_DONE, RECOVER_RESOLVED };

/* A call as its ledger lines tell it. */
struct recover_call {
    char name[CALL_NAME_BYTES_MAX + 1];
    char unit[UNIT_BYTES];
    char boot_id[BOOT_ID_BYTES];
    enum recover_state state;
    enum fault fault; /* of a faulted call; FAULT_INTERRUPTED of an open one */
};

struct recover {
    const char *asked; /* the call asked about, borrowed; "" for none */
    struct ledger ledger;
    struct ledger_summary summary;
    struct recover_call open[RECOVER_CALLS_MAX]; /* OPEN and FAULTED, in order */
    uint32_t open_n;                             /* may be more than RECOVER_CALLS_MAX */
    bool known;                                  /* asked is reserved in this ledger */
    struct recover_call call;                    /* it, if known */
    struct latch_state latch[LATCHES];
};

/* What recover_apply did. */
struct recover_done {
    bool cut;                     /* a torn last line */
    struct digest cut_sha256;     /* of what was cut */
    bool resolved;                /* a resolve line was appended */
    bool latch_removed[LATCHES];  /* it was there, and is not any more */
    bool latch_is_other[LATCHES]; /* it stays: it names another call, or host was not given */
};

/* Nothing is open. */
void recover_init(struct recover *r);
void recover_close(struct recover *r);

/* Read ledger and latches.  A torn last line is no failure: summary.torn_bytes says it.
 * asked    a call's name, or ""
 * returns  0, or -1 with ERR_LEDGER and the line: an unreadable ledger is not recovered */
int recover_look(struct recover *r, struct runtime *rt, const char *asked, struct err *err);

/* Is the scope of a call proved gone: another boot, or no cgroup of its name and, where
 * a user manager answers, no such unit.
 * returns  0, or -1 with ERR_LIVE_SCOPE, or what kept it from being proved */
int recover_check_gone(struct runtime *rt, const struct recover_call *call, struct err *err);

/* Close what is open of r->asked.  The shared lock is held, recover_look was called.
 * host     resolve a host latch whose call this ledger need not hold
 * reason   1 to 900 bytes of UTF-8; the digest of a cut line is put behind it
 * returns  0 (also if nothing was left to do), or -1: ERR_LIVE_SCOPE, ERR_USAGE,
 *          ERR_LEDGER, ERR_LEDGER_IO, ERR_IO, ERR_LATCHED */
int recover_apply(struct recover *r, struct runtime *rt, bool host, const char *reason,
                  struct recover_done *done, struct err *err);

#endif
