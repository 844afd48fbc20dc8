/* The one error type.  Layer: base.
 *
 * Caller-owned, fixed-size, without pointers (so that it can cross a process
 * boundary), no heap; the first error stays.  Functions that can fail take a
 * struct err * and return 0 or -1 (or a length); errno is read on the line
 * after the call and nowhere else.  Only front/ prints. */
#ifndef LEMA_BASE_ERR_H
#define LEMA_BASE_ERR_H

#include <stdint.h>

#include "base/str.h"

/* X(name, word, exit code).  The word is what --json calls it; audit/errors.tsv
 * is compared with this table.  Exit codes: specification 12. */
#define ERR_TABLE(X)                                                                               \
    X(ERR_NONE, "none", 0)                                                                         \
    X(ERR_USAGE, "usage", 2)                                                                       \
    X(ERR_INTERNAL, "internal", 1)              /* an invariant of lema's own broke */             \
    X(ERR_IO, "io", 1)                          /* a system call failed */                         \
    X(ERR_UNSUPPORTED, "unsupported", 1)        /* the host lacks what nothing may run without */  \
    X(ERR_WORKER, "worker", 1)                  /* a worker died or answered out of protocol */    \
    X(ERR_JSON, "json", 1)                      /* not JSON, or over a bound */                    \
    X(ERR_CONFIG, "config", 1)                  /* the configuration's contents */                 \
    X(ERR_PATH, "path", 1)                      /* a walk: kind, owner, mode, symlink, absence */  \
    X(ERR_OVERLAP, "overlap", 1)                /* one configured object inside another */         \
    X(ERR_CHANGED, "changed", 1)                /* configuration, output or lock replaced */       \
    X(ERR_DISTRIBUTION, "distribution", 1)      /* differs from manifest or snapshot */            \
    X(ERR_HOST_FILE, "host-file", 1)            /* a pinned host file differs */                   \
    X(ERR_PINS, "pins", 1)                      /* a manifest or profile is malformed */           \
    X(ERR_LEDGER, "ledger", 1)                  /* unreadable ledger */                            \
    X(ERR_LEDGER_IO, "ledger-io", 1)            /* a line may or may not be on disk */             \
    X(ERR_EVIDENCE, "evidence", 1)              /* a record or log differs from the ledger */      \
    X(ERR_OPEN_CALL, "open-call", 1)            /* an open reservation or unresolved fault */      \
    X(ERR_LATCHED, "latched", 1)                /* a HALTED latch exists */                        \
    X(ERR_BUDGET, "budget", 1)                  /* the call budget is used up */                   \
    X(ERR_LIVE_SCOPE, "live-scope", 1)          /* a lema-native-* unit or cgroup is live */       \
    X(ERR_CONTROLLERS, "controllers", 1)        /* cpu, memory or pids not delegated */            \
    X(ERR_SPACE, "space", 1)                    /* too little free disk */                         \
    X(ERR_PRESSURE, "pressure", 1)              /* the host is not quiet and never can be */       \
    X(ERR_PRESSURE_RETRY, "pressure-retry", 75) /* the host is not quiet now */                    \
    X(ERR_LOCK_BUSY, "lock-busy", 75)           /* waited 10 minutes */                            \
    X(ERR_CALL_NAME, "call-name", 1)            /* malformed, or used before in this output */     \
    X(ERR_FAULT, "fault", 1)                    /* the call ended with a fault */                  \
    X(ERR_SETUP, "setup", 1)                    /* the sandbox or program could not be started */

enum err_what {
#define X(name, word, code) name,
    ERR_TABLE(X)
#undef X
        ERR_COUNT
};

struct err {
    uint32_t what; /* enum err_what; ERR_NONE while nothing failed */
    int32_t sys;   /* errno of the failing call, 0 if none */
    uint64_t at;   /* line or byte, counted from 1; 0 = none */
    char op[24];   /* the failing call's literal name, "" if none */
    char obj[264]; /* escaped path, field or name */
    char why[208]; /* expected against found; escaped */
};
_Static_assert(sizeof(struct err) == 4 + 4 + 8 + 24 + 264 + 208 + 0,
               "no padding: crosses processes");

/* No error yet. */
void err_clear(struct err *e);

/* Record an error unless one is there already.  obj is escaped, so give it as
 * it is; why is a printf format whose result is then escaped as a whole.  What
 * is too long loses its middle (text_add_escaped_within).  Returns -1, so
 * that "return err_set(…)" ends a function. */
int err_set(struct err *e, enum err_what what, struct span obj, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with the line or byte where the input is wrong. */
int err_set_at(struct err *e, enum err_what what, struct span obj, uint64_t at, const char *why,
               ...) __attribute__((format(printf, 5, 6)));

/* A failed system call: its literal name and errno.  why may be NULL. */
int err_sys(struct err *e, enum err_what what, const char *op, int sys, struct span obj,
            const char *why);

/* Say where an error was met: what replaces its word, and its obj becomes
 * "OUTER: OBJ", or OUTER if it had none.  Nothing happens while there is no
 * error.  Returns -1. */
int err_wrap(struct err *e, enum err_what what, struct span outer);

/* Make an error that came from another process safe: its arrays are
 * terminated and escaped, an unknown what becomes ERR_WORKER. */
void err_sanitize(struct err *e);

/* The word and the exit code of an error (specification 12). */
const char *err_word(enum err_what what);
int err_exit_code(enum err_what what);

/* The errno's symbolic name, "EACCES"; "errno N" is written to text for one
 * that is not known. */
void err_add_errno_name(struct text *t, int sys);

/* Write "what: why" without a newline: "OBJ: line N: WHY (OP: EACCES)", with
 * "byte N" for ERR_JSON and ERR_CONFIG; parts that are missing are left out.
 * A text of ERR_TEXT_BYTES holds every error. */
#define ERR_TEXT_BYTES 640u
void err_format(const struct err *e, struct text *t);

#endif
