/* The ledger: a hash chain of JSON lines.  Layer: evidence.
 *
 * Specification 5.  Reading happens in a worker (ledger_read.c: strict, the
 * whole file from its first byte); appending in the monitor (ledger.c: one
 * write, fdatasync).  Only call/call.c and call/recover.c append. */
#ifndef LEMA_EVIDENCE_LEDGER_H
#define LEMA_EVIDENCE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/sha256.h"
#include "evidence/boot.h"
#include "evidence/terms.h"
#include "host/machine.h"
#include "host/worker.h"
#include "limits.h"

enum ledger_event { LEDGER_RESERVE, LEDGER_COMPLETE, LEDGER_RESOLVE, LEDGER_EVENTS };
enum resolve_scope { RESOLVE_SCOPE_OUTPUT, RESOLVE_SCOPE_HOST, RESOLVE_SCOPES };

/* One line, fixed-size and pointer-free; a field that the event does not have
 * is zero.  Arrays of char are NUL-terminated. */
struct ledger_line {
    uint64_t number; /* from 1 */
    uint32_t event;  /* enum ledger_event */
    char time[28];   /* CLOCK_RFC3339_BYTES used */
    char call[104];
    struct digest prev;
    /* reserve */
    uint32_t kind; /* enum call_kind */
    char unit[52];
    char boot_id[40];
    struct digest reserved_sha256, config_sha256, distribution_id;
    struct machine host;
    /* complete */
    uint32_t outcome;  /* enum outcome */
    uint32_t fault;    /* enum fault; resolve: may be FAULT_INTERRUPTED */
    int32_t exit_code; /* -1 = null */
    int32_t signal;    /* -1 = null */
    uint64_t log_bytes;
    struct digest result_sha256, log_sha256;
    /* resolve */
    uint32_t scope; /* enum resolve_scope */
    uint32_t operator_uid;
    char reason[REASON_BYTES_MAX + 8];
};
_Static_assert(sizeof(struct ledger_line) == 1528, "no padding: crosses processes");

/* What a call needs to know of a ledger, fixed-size and pointer-free. */
struct ledger_summary {
    uint64_t bytes;        /* of the whole lines that were accepted */
    uint64_t torn_bytes;   /* behind the last newline, 0 if none: the ledger is unreadable then,
                               and this is the only thing wrong with it */
    uint64_t lines;        /* accepted */
    struct digest last;    /* SHA-256 of the last line with its newline; zeros if none */
    uint64_t reservations; /* native_calls_used */
    uint64_t open_calls;   /* reservations with neither completion nor resolution */
    uint64_t open_faults;  /* completions whose fault is not resolved */
    char open_call[104];   /* the first of them, "" if none */
    char fault_call[104];
    uint32_t fault;     /* of fault_call */
    uint32_t name_used; /* 1 if the name asked about was reserved */
};
_Static_assert(sizeof(struct ledger_summary) == 296, "no padding: crosses processes");

/* Strict reading of a whole ledger in a worker.  Any other event, an unknown,
 * missing, repeated or mistyped field, a broken chain, a line longer than
 * LEDGER_LINE_BYTES_MAX, a last line without newline, a call reserved twice, a
 * completion or output resolution of a call that is not in the state for it: ERR_LEDGER
 * with the line number and the reason.
 * The reader is incremental, so that a ledger of any size is read in pieces. */
void ledger_duty(int in, int out);

/* The monitor's side: the first size bytes of a ledger.
 * fd       the ledger, open for reading
 * size     its bytes (fstat)
 * name     asked about ("" for none)
 * on_line  called for each accepted line in order, or NULL; returns 0, or -1 with
 *          err set: no further line is given and the whole fails
 * summary  also filled when the ledger is unreadable: what stands before the
 *          first wrong line; all zero on any other failure
 * returns  0, or -1: ERR_LEDGER ("ledger.jsonl: FIELD", at = the line), ERR_CHANGED (it
 *          became shorter), ERR_WORKER */
int ledger_read(struct worker *w, int fd, uint64_t size, const char *name,
                struct ledger_summary *summary,
                int (*on_line)(void *arg, const struct ledger_line *line, struct err *err),
                void *arg, struct err *err);

/* The open ledger, for appending. */
struct ledger {
    int fd;             /* O_RDWR | O_APPEND, 0600; -1 when closed */
    bool broken;        /* a write or sync failed: no append any more */
    uint64_t bytes;     /* its size as last read or written */
    struct digest last; /* the chain's end */
    uint64_t lines;
};

/* Open (and with create make, durable, mode 0600) ledger.jsonl in an output.
 * Refuses another kind, owner or mode, and more than one link.  Its size is
 * taken; what it holds is not known before ledger_load.
 * returns  0; *missing set and fd -1 if it is not there and create is false; -1 with ERR_LEDGER */
int ledger_open(struct ledger *l, int output_fd, uid_t uid, bool create, bool *missing,
                struct err *err);
void ledger_close(struct ledger *l);

/* ledger_read of an open ledger as it is now; where that succeeds, an append
 * goes behind what was read (before it, only an empty ledger is appended to).
 * A closed ledger (missing) reads as an empty one.
 * returns  as ledger_read, or ERR_LEDGER if its size cannot be told */
int ledger_load(struct ledger *l, struct worker *w, const char *name,
                struct ledger_summary *summary,
                int (*on_line)(void *arg, const struct ledger_line *line, struct err *err),
                void *arg, struct err *err);

/* Take space for n more lines behind the end (fallocate, size unchanged).
 * returns  0, or -1 with ERR_SPACE, ERR_UNSUPPORTED (no fallocate here) or ERR_IO */
int ledger_reserve_space(struct ledger *l, uint32_t lines, struct err *err);

/* Append one line: chained, one write(2), fdatasync, before anything depends on it.
 * line     number and prev are set here; time must be set by the caller
 * returns  0; -1 with ERR_LEDGER_IO: the line may or may not be on disk, the
 *          ledger is broken and refuses every further append; -1 with
 *          ERR_LEDGER and nothing written if the line would not be readable.
 * The file's size is compared with l->bytes first: another writer is ERR_LEDGER. */
int ledger_append(struct ledger *l, struct ledger_line *line, struct err *err);

/* Recover only: the one exception to append-only (specification 6).  The torn
 * last line that ledger_load met is copied to the first free ledger.torn-N,
 * durable, then cut off; the caller appends the resolve line that names cut.
 * summary  of that ledger_load; l need not be loaded
 * cut      out: SHA-256 of what was cut
 * returns  0, l ready for appending; -1 with ERR_LEDGER (changed since), ERR_IO or
 *          ERR_SPACE (nothing cut), ERR_LEDGER_IO (broken) */
int ledger_cut_torn(struct ledger *l, int output_fd, const struct ledger_summary *summary,
                    struct digest *cut, struct err *err);

/* Is every field of a line's event one that the ledger can hold?  Total: any
 * bytes may be in the structure.  The monitor asks it of what a worker says,
 * ledger_append of what it is given, ledger_parse_line of what it parsed.
 * returns  0, or -1 with ERR_LEDGER, obj = the field */
int ledger_check_line(const struct ledger_line *line, struct err *err);

/* A line that ledger_check_line passed as text without its newline: it fits in
 * LEDGER_LINE_BYTES_MAX with its newline, and ledger_parse_line takes it. */
void ledger_write_line(struct text *t, const struct ledger_line *line);

/* One line's text, without newline, as a structure; number stays 0.
 * line     all zero on failure
 * returns  0, or -1 with ERR_LEDGER, obj = the field or "" */
int ledger_parse_line(struct span text, struct ledger_line *line, struct err *err);

#endif
