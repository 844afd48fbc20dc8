/* A loaded configuration: everything that was checked, kept open.  Layer: call.
 *
 * Specification 3.  runtime_start forks LAUNCHER and the WORKERs before any
 * outside byte is read; runtime_load reads. */
#ifndef LEMA_CALL_RUNTIME_H
#define LEMA_CALL_RUNTIME_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/sha256.h"
#include "call/delegated.h"
#include "call/launch.h"
#include "evidence/config.h"
#include "evidence/latch.h"
#include "evidence/ledger.h"
#include "host/dist.h"
#include "host/machine.h"
#include "host/mounts.h"
#include "host/pins.h"
#include "host/walk.h"
#include "host/worker.h"

#define LEMA_VERSION "0.1.0"

enum runtime_depth {
    RUNTIME_PATHS, /* configuration and paths: info, doctor, recover, ledger */
    RUNTIME_WHOLE  /* and every byte of the distribution: what makes native calls */
};

struct runtime {
    uid_t uid;                  /* effective user */
    const struct clock *clock;  /* clock_system, or a test's */
    struct delegated delegated; /* --scope cgroup: taken */
    struct launcher launcher;
    struct worker config_worker, ledger_worker, record_worker;
    struct hash_pool pool;
    struct pins pins;
    struct machine_source machine;

    struct walk config_file, distribution, output, lock;
    char config_path[PATH_BYTES_MAX + 1];
    struct config config;
    struct digest config_sha256;
    struct latch_place latch[LATCHES];
    bool whole;                            /* loaded with RUNTIME_WHOLE */
    struct dist dist;                      /* filled when whole */
    int work_fd, modules_fd, artifacts_fd; /* below the output; -1 unless whole */
    int self_fd;                           /* LAUNCHER's sealed copy of lema; -1: self_err */
    struct err self_err;                   /* why there is none: no native call then */
    struct digest self_sha256;
};

/* Zero a runtime with every descriptor closed.  First of all. */
void runtime_init(struct runtime *rt);

/* For --scope cgroup, before runtime_start: take the cgroup that lema was started in.
 * returns  0, or -1 (delegated_take) */
int runtime_delegate(struct runtime *rt, struct err *err);

/* Seal a copy of lema, fork LAUNCHER with it, then the WORKERs; parse the embedded pins.
 * returns  0, or -1; runtime_close is due either way */
int runtime_start(struct runtime *rt, struct err *err);

/* Load a configuration (specification 3).
 * path     absolute (front makes it so), borrowed
 * progress of the distribution's verification, may be NULL
 * returns  0, or -1 with what was wrong; nothing is left on disk but the
 *          directories work, modules and artifacts of a whole load */
int runtime_load(struct runtime *rt, struct span path, enum runtime_depth depth,
                 const struct dist_progress *progress, struct err *err);

/* Check 4: the configuration's contents are unchanged, every path is still
 * protected, output and lock are the same files (specification 8).
 * returns  0, or -1 with ERR_CHANGED, ERR_PATH or ERR_IO */
int runtime_recheck(struct runtime *rt, struct err *err);

/* Close everything and end LAUNCHER and WORKERs. */
void runtime_close(struct runtime *rt);

#endif
