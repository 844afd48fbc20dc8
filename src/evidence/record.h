/* CALL-reserved.json and CALL-result.json.  Layer: evidence.
 *
 * Specification 4.  Written by the monitor from checked structures. */
#ifndef LEMA_EVIDENCE_RECORD_H
#define LEMA_EVIDENCE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/sha256.h"
#include "evidence/terms.h"
#include "host/file.h"
#include "host/machine.h"
#include "host/worker.h"
#include "limits.h"

/* The limits of a call: asked for in the reserved record, read back in the result. */
struct record_limits {
    uint64_t wall_ms;      /* 0 in what was read back: no cgroup file holds it */
    uint64_t memory_bytes; /* memory.max */
    uint64_t swap_bytes;   /* memory.swap.max */
    uint64_t tasks;        /* pids.max */
    uint64_t cpu_quota_us; /* cpu.max */
    uint64_t cpu_period_us;
};

struct record_input {
    const char *path; /* relative to work/CALL */
    uint64_t size;
    struct digest sha256;
};

struct record_reserved {
    const char *call;
    enum call_kind kind;
    char time[CLOCK_RFC3339_BYTES];
    const char *unit;
    const char *sandbox;     /* "bwrap" or "direct" */
    const char *scope;       /* "systemd" or "cgroup" */
    const char *const *argv; /* NULL-terminated, bytes escaped if not UTF-8 */
    const char *const *env;  /* NULL-terminated, "NAME=value" */
    struct record_limits limits;
    const struct record_input *input;
    size_t input_n;
    struct digest config_sha256, distribution_id, host_id, profile_id, binary_sha256;
    struct machine host;
    const char *version; /* lema's */
};

enum work_type {
    WORK_FILE,
    WORK_DIRECTORY,
    WORK_SYMLINK,
    WORK_FIFO,
    WORK_SOCKET,
    WORK_DEVICE,
    WORK_OTHER
};
const char *work_type_word(enum work_type type);

/* One entry below work/CALL. */
struct record_output {
    struct span path; /* any bytes: written escaped */
    enum work_type type;
    uint64_t size;
    bool has_sha256; /* regular files, once for each inode */
    struct digest sha256;
};

/* A deny-probe: what it met, an errno, or 0 where it was not refused. */
struct record_probe {
    const char *probe; /* borrowed */
    int32_t sys;
};
#define RECORD_PROBES_MAX 16u

#define RECORD_NULL UINT64_MAX /* a number that the kernel did not tell: null */

struct record_result {
    const char *call;
    enum call_kind kind;
    char time[CLOCK_RFC3339_BYTES];
    enum outcome outcome;
    int32_t exit_code; /* -1 = null */
    int32_t signal;    /* -1 = null */
    fault_set faults;  /* first is "fault", the others are "also" */
    bool setup_failed;
    char setup_step[64];    /* "" unless setup_failed */
    char setup_object[264]; /* escaped */
    int32_t setup_errno;
    struct record_probe preflight[RECORD_PROBES_MAX];
    size_t preflight_n; /* 0: the sandbox was not reached, null */
    bool oom_killed;
    bool enforced_known;
    struct record_limits enforced;
    uint64_t wall_ms;    /* from the program's release to its end; RECORD_NULL if never released */
    uint64_t overrun_ms; /* end minus deadline, 0 if before */
    uint64_t gone_ms;    /* from the kill to the cgroup's absence; RECORD_NULL if not proved */
    uint64_t cpu_ms, memory_peak, tasks_peak;
    uint64_t log_bytes;
    struct digest log_sha256;
    bool log_truncated;
    struct digest reserved_sha256;
};

/* Write a reserved record whole into a text, newline included.
 * returns  0, or -1 with ERR_INTERNAL if it does not fit */
int record_write_reserved(struct text *t, const struct record_reserved *r, struct err *err);

/* A result record is written in pieces, because its outputs may be many.
 * next     gives one output: 1 = given, 0 = no more, -1 = failure (err set);
 *          its path is borrowed until the next call
 * f        begun with file_begin; its bytes are also hashed
 * returns  0 with *sha256 of what was written, or -1 (nothing committed) */
int record_write_result(struct file_pending *f, const struct record_result *r,
                        int (*next)(void *arg, struct record_output *output, struct err *err),
                        void *arg, struct digest *sha256, struct err *err);

/* The outer shape of a record for ledger verify, in a worker: it is strict
 * JSON of that schema, and these are its call and kind. */
struct record_head {
    uint64_t is_result; /* lema.call-result/v1, else lema.call-reserved/v1 */
    char call[104];
    uint32_t kind;
    uint32_t unused;
};
void record_duty(int in, int out);

/* Judge a whole record's text (worker side).  The grammar of all of it; of its
 * top level, that it has exactly the fields that record.c writes, in that order.
 * head     all zero on failure
 * returns  0, or -1 with ERR_EVIDENCE: obj = the field or "" */
int record_parse_head(struct span text, struct record_head *head, struct err *err);

/* The monitor's side.
 * fd       the record, open for reading; size: its bytes (fstat)
 * returns  0, or -1 with ERR_EVIDENCE (obj = "SHOWN: FIELD"; also more than
 *          JSON_BYTES_MAX bytes), ERR_CHANGED or ERR_WORKER */
int record_read_head(struct worker *w, int fd, uint64_t size, struct span shown,
                     struct record_head *head, struct err *err);

#endif
