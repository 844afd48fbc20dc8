/* The state of one native call, and its parts.  Layer: call; used by call.c,
 * start.c and finish.c alone. */
#ifndef LEMA_CALL_NATIVE_H
#define LEMA_CALL_NATIVE_H

#include "call/attend.h"
#include "call/call.h"
#include "call/checks.h"
#include "evidence/latch.h"

struct native {
    struct runtime *rt;                 /* borrowed */
    const struct call_request *request; /* borrowed */
    struct checks checks;
    struct scope scope;
    struct attend attend;
    struct capture log;
    struct file_pending result_file;
    struct file_pending latch_file[LATCHES];
    struct wire_task task; /* the program and its arguments */
    int call_fd;           /* work/CALL */
    struct record_input input[INPUTS_MAX];
    char boot_id[40];
    struct digest reserved_sha256;

    bool lock_held;
    bool work_made;
    bool reserved;                     /* the reserve line is durable */
    bool scope_found;                  /* its cgroup is open */
    bool timed_out;                    /* the deadline came while it ran */
    uint64_t released_ns, deadline_ns; /* CLOCK_BOOTTIME; 0 before the release */
    uint64_t killed_ns;                /* cgroup.kill was written; 0 = not */
    uint64_t gone_ns;                  /* proved gone; 0 = not */
    fault_set faults;
    struct record_result result;
    struct err detail; /* of the first fault or setup failure */
};

/* Note a fault; the first detail stays (why may be NULL: detail is set by the caller). */
void native_fault(struct native *n, enum fault fault, const char *why);

/* The call could not be started: step, object, errno (specification 9). */
void native_setup_failed(struct native *n, const char *step, const char *object, int sys);

/* start.c: from the order to LAUNCHER to the release of the program.
 * returns  0; -1 with err only for what is no answer about the call itself
 *          (a broken invariant); faults and setup failures are noted in n */
int native_start(struct native *n, struct err *err);

/* True once nothing more is to be started: a fault or a setup failure was noted. */
bool native_stopped(const struct native *n);

/* finish.c: attend the running program until it ended or must be ended. */
int native_attend(struct native *n, struct err *err);

/* finish.c: read the counters, kill the scope, prove it gone, judge. */
int native_end(struct native *n, struct err *err);

/* finish.c: write CALL-result.json and CALL.log.  returns 0 durable, or -1. */
int native_record_result(struct native *n, struct digest *result_sha256, struct err *err);

#endif
