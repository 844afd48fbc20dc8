/* The nine checks before every call.  Layer: call.
 *
 * Specification 8: under the lock, before the reservation, in this order. */
#ifndef LEMA_CALL_CHECKS_H
#define LEMA_CALL_CHECKS_H

#include "base/err.h"
#include "call/runtime.h"
#include "call/sandbox.h"
#include "call/scope.h"

/* What the checks found and the call then uses. */
struct checks {
    const char *call;          /* the name it asks for; borrowed */
    enum sandbox_kind sandbox; /* that it asks for: bwrap is looked at only where it is used */
    enum scope_kind scope;
    struct ledger ledger; /* open; chain end as read */
    struct ledger_summary summary;
    struct machine machine;
    int host_fd[HOST_FILES_MAX]; /* the files that were hashed, -1 = none */
};

void checks_init(struct checks *c);
void checks_close(struct checks *c);

/* All nine in order.  The ledger is made if it is missing.
 * returns  0, or -1 with the first refusal */
int checks_run(struct runtime *rt, struct checks *c, struct err *err);

/* For doctor and the tests: one check by number, 1 to CHECKS, and its title. */
#define CHECKS 9u
int checks_run_one(struct runtime *rt, struct checks *c, size_t number, struct err *err);
const char *checks_title(size_t number);

#endif
