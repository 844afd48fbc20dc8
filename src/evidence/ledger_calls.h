/* The calls of a ledger while it is read: names and states.  Layer: evidence.
 *
 * Lives in a worker.  No heap: the arrays are as long as LEDGER_CALLS_MAX says,
 * and a page of them that no call reaches is never touched. */
#ifndef LEMA_EVIDENCE_LEDGER_CALLS_H
#define LEMA_EVIDENCE_LEDGER_CALLS_H

#include <stdint.h>

#include "base/err.h"
#include "evidence/ledger.h"
#include "limits.h"

/*
 *   (no such call) --reserve--> OPEN --complete, fault null------> DONE
 *                                 |----complete, a fault---------> FAULTED
 *                                 `----resolve interrupted-------> RESOLVED
 *   FAULTED --resolve of that fault--> RESOLVED
 *
 * Anything else makes the ledger unreadable, but for a resolve of scope host:
 * it may name a call of another output, and then changes nothing here. */
enum call_state { CALL_OPEN, CALL_DONE, CALL_FAULTED, CALL_RESOLVED };

struct ledger_call {
    char name[CALL_NAME_BYTES_MAX + 1];
    uint8_t state;  /* enum call_state */
    uint16_t fault; /* enum fault, of a FAULTED call */
    uint32_t slot;  /* its place in the index */
};

#define LEDGER_SLOTS (2u * LEDGER_CALLS_MAX) /* a power of two, never more than half full */
_Static_assert((LEDGER_SLOTS & (LEDGER_SLOTS - 1)) == 0, "an index by the low bits of a hash");

struct ledger_calls {
    uint32_t n;
    uint64_t open;                             /* calls in state OPEN */
    uint64_t faulted;                          /* calls in state FAULTED */
    struct ledger_call call[LEDGER_CALLS_MAX]; /* in the order of their reservations */
    uint32_t index[LEDGER_SLOTS];              /* open addressing: place in call + 1, 0 = free */
};

/* Forget every call.  One never used must be all zero. */
void ledger_calls_clear(struct ledger_calls *c);

/* A call by its name, or NULL. */
const struct ledger_call *ledger_calls_find(const struct ledger_calls *c, const char *name);

/* The first call in a state in the order of reservations, or NULL. */
const struct ledger_call *ledger_calls_first(const struct ledger_calls *c, enum call_state state);

/* Let a line, which ledger_check_line passed, happen.
 * returns  0, or -1 with ERR_LEDGER, obj "call" or "fault", and nothing changed */
int ledger_calls_apply(struct ledger_calls *c, const struct ledger_line *line, struct err *err);

#endif
