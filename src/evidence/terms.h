/* The words of the ledger and the records, each once.  Layer: evidence.
 *
 * Specification 4 to 6.  Code, JSON, documentation and messages use these. */
#ifndef LEMA_EVIDENCE_TERMS_H
#define LEMA_EVIDENCE_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "limits.h"

/* Kinds of native call, with their wall time in milliseconds (specification 9). */
#define KIND_TABLE(X)                                                                              \
    X(KIND_CHECK_RUNTIME, "check-runtime", WALL_CHECK_RUNTIME_MS)                                  \
    X(KIND_ELABORATE, "elaborate", WALL_ELABORATE_MS)                                              \
    X(KIND_REVERIFY, "reverify", WALL_REVERIFY_MS)                                                 \
    X(KIND_EXECUTABLE, "executable", WALL_EXECUTABLE_MS)

/* Outcomes.  killed: lema ended it, or the kernel's out-of-memory killer did. */
#define OUTCOME_TABLE(X)                                                                           \
    X(OUTCOME_EXITED, "exited")                                                                    \
    X(OUTCOME_SIGNALED, "signaled")                                                                \
    X(OUTCOME_KILLED, "killed")                                                                    \
    X(OUTCOME_SETUP_FAILED, "setup-failed")

/* Faults in order of precedence (specification 6): the first of several is the
 * call's fault.  interrupted is no fault of a call: it stands in a resolve line
 * for an open reservation. */
#define FAULT_TABLE(X)                                                                             \
    X(FAULT_SCOPE_NOT_GONE, "scope-not-gone")                                                      \
    X(FAULT_REAP_FAILURE, "reap-failure")                                                          \
    X(FAULT_SCOPE_MISMATCH, "scope-mismatch")                                                      \
    X(FAULT_SCOPE_MISSING, "scope-missing")                                                        \
    X(FAULT_DISTRIBUTION_CHANGED, "distribution-changed")                                          \
    X(FAULT_INCOMPLETE_CAPTURE, "incomplete-capture")                                              \
    X(FAULT_TIMEOUT, "timeout")                                                                    \
    X(FAULT_LATE_COMPLETION, "late-completion")                                                    \
    X(FAULT_LOG_OVERFLOW, "log-overflow")                                                          \
    X(FAULT_WORK_OVERFLOW, "work-overflow")

enum call_kind {
#define X(name, word, wall_ms) name,
    KIND_TABLE(X)
#undef X
        KIND_COUNT
};

enum outcome {
#define X(name, word) name,
    OUTCOME_TABLE(X)
#undef X
        OUTCOME_COUNT
};

enum fault {
#define X(name, word) name,
    FAULT_TABLE(X)
#undef X
        FAULT_COUNT,
    FAULT_NONE = FAULT_COUNT, /* null in JSON */
    FAULT_INTERRUPTED         /* resolve lines only */
};

/* A set of faults of one call: bit i is the fault of value i. */
typedef uint32_t fault_set;

const char *kind_word(enum call_kind kind);
uint32_t kind_wall_ms(enum call_kind kind);
const char *outcome_word(enum outcome outcome);
const char *fault_word(enum fault fault); /* "none" for FAULT_NONE, "interrupted" */

/* Find a value by its word.  returns false for any other word. */
bool kind_parse(struct span word, enum call_kind *kind);
bool outcome_parse(struct span word, enum outcome *outcome);
bool fault_parse(struct span word, enum fault *fault); /* interrupted too, not "none" */

/* The first fault of a set by precedence, FAULT_NONE of an empty one. */
enum fault fault_first(fault_set set);

/* 1 to 100 bytes of [A-Za-z0-9_-] (specification 4). */
bool call_name_valid(struct span name);

/* "lema-native-<32 lower-case hex>.scope" */
#define UNIT_PREFIX "lema-native-"
#define UNIT_BYTES 51u /* with its NUL */
bool unit_valid(struct span unit);

#endif
