/* One native call, from its checks to its completion line.  Layer: call.
 *
 * Theory of operation: call.c.  The only way that anything of lema runs a
 * program of the distribution, or a linked executable. */
#ifndef LEMA_CALL_CALL_H
#define LEMA_CALL_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "call/runtime.h"
#include "call/sandbox.h"
#include "call/scope.h"
#include "call/work.h"
#include "evidence/record.h"

struct call_request {
    const char *name; /* borrowed; call_name_valid */
    enum call_kind kind;
    const char *const *argv;        /* NULL-terminated; argv[0] is a path in the sandbox */
    const struct work_input *input; /* put into /call before the start */
    size_t input_n;                 /* at most INPUTS_MAX */
    enum sandbox_kind sandbox;
    enum scope_kind scope; /* SCOPE_CGROUP: runtime_delegate was called, and only then */
    /* Called once a second at most while the lock is held by another; may be NULL. */
    void (*waiting)(void *arg, int holder);
    void *arg;
};

struct call_answer {
    struct record_result result; /* as recorded */
    struct digest result_sha256;
    uint64_t reservations; /* native_calls_used, this call counted */
    char unit[UNIT_BYTES];
    char diagnostics[512]; /* what systemd-run or bwrap said, escaped, "" if nothing */
    struct err detail;     /* of the first fault or setup failure, or clear */
};

/* Make a native call.
 * rt       loaded with RUNTIME_WHOLE
 * returns  0: the call completed without a fault and the program was started;
 *             answer->result says how it ended
 *          -1 with ERR_FAULT or ERR_SETUP: it completed, the evidence is whole,
 *             answer is filled
 *          -1 with another error: refused, nothing was reserved and what was made is
 *             removed; or, ERR_LEDGER_IO and ERR_IO after the reservation, it is left open
 *             and refuses later calls */
int native_call(struct runtime *rt, const struct call_request *request, struct call_answer *answer,
                struct err *err);

#endif
