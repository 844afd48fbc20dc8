/* evidence/ledger_calls: the states of calls, and how many there can be. */
#include "evidence/ledger_calls.h"

#include "unit/check.h"
#include "unit/ledger_sample.h"

static struct ledger_calls calls;

/* --- Every event in every state -------------------------------------------------- */

enum step {
    RESERVE,
    DONE,
    FAULT,
    INTERRUPTED,
    RESOLVE_TIMEOUT,
    RESOLVE_OTHER,
    HOST_INTERRUPTED,
    HOST_TIMEOUT,
    HOST_OTHER,
    STEPS
};

static struct ledger_line line_of(enum step step)
{
    switch (step) {
    case RESERVE: return sample_reserve("c", KIND_ELABORATE);
    case DONE: return sample_complete("c", OUTCOME_EXITED, 0, FAULT_NONE);
    case FAULT: return sample_complete("c", OUTCOME_KILLED, -1, FAULT_TIMEOUT);
    case INTERRUPTED: return sample_resolve("c", FAULT_INTERRUPTED, RESOLVE_SCOPE_OUTPUT, "r");
    case RESOLVE_TIMEOUT: return sample_resolve("c", FAULT_TIMEOUT, RESOLVE_SCOPE_OUTPUT, "r");
    case RESOLVE_OTHER: return sample_resolve("c", FAULT_LOG_OVERFLOW, RESOLVE_SCOPE_OUTPUT, "r");
    case HOST_INTERRUPTED: return sample_resolve("c", FAULT_INTERRUPTED, RESOLVE_SCOPE_HOST, "r");
    case HOST_TIMEOUT: return sample_resolve("c", FAULT_TIMEOUT, RESOLVE_SCOPE_HOST, "r");
    default: return sample_resolve("c", FAULT_SCOPE_NOT_GONE, RESOLVE_SCOPE_HOST, "r");
    }
}

static const char *const step_words[STEPS] = {"a reservation",
                                              "a completion",
                                              "a faulted completion",
                                              "a resolution of interrupted",
                                              "a resolution of its fault",
                                              "a resolution of another fault",
                                              "a host's interrupted",
                                              "a host's resolution of its fault",
                                              "a host's resolution of another fault"};

#define NO (-1)     /* unreadable */
#define ABSENT (-2) /* taken, and still no such call */

/* Rows: no call, OPEN, DONE, FAULTED by timeout, RESOLVED.  What comes of each step. */
static const struct state_row {
    const char *state;
    enum step reach[3]; /* how to get there */
    size_t reach_n;
    int after[STEPS];
} states[] = {
    {"no call", {RESERVE}, 0, {CALL_OPEN, NO, NO, NO, NO, NO, ABSENT, ABSENT, ABSENT}},
    {"an open call",
     {RESERVE},
     1,
     {NO, CALL_DONE, CALL_FAULTED, CALL_RESOLVED, NO, NO, CALL_RESOLVED, CALL_OPEN, CALL_OPEN}},
    {"a call that is done",
     {RESERVE, DONE},
     2,
     {NO, NO, NO, NO, NO, NO, CALL_DONE, CALL_DONE, CALL_DONE}},
    {"a faulted call",
     {RESERVE, FAULT},
     2,
     {NO, NO, NO, NO, CALL_RESOLVED, NO, CALL_FAULTED, CALL_RESOLVED, CALL_FAULTED}},
    {"a resolved call",
     {RESERVE, FAULT, RESOLVE_TIMEOUT},
     3,
     {NO, NO, NO, NO, NO, NO, CALL_RESOLVED, CALL_RESOLVED, CALL_RESOLVED}},
    {"an interrupted call",
     {RESERVE, INTERRUPTED},
     2,
     {NO, NO, NO, NO, NO, NO, CALL_RESOLVED, CALL_RESOLVED, CALL_RESOLVED}},
};

static void reach(const struct state_row *row)
{
    struct err err;
    err_clear(&err);
    ledger_calls_clear(&calls);
    for (size_t i = 0; i < row->reach_n; i++) {
        struct ledger_line line = line_of(row->reach[i]);
        (void)ledger_calls_apply(&calls, &line, &err);
    }
    CHECK(err.what == ERR_NONE, "%s can be reached", row->state);
}

static void try_step(const struct state_row *row, enum step step)
{
    struct err err;
    err_clear(&err);
    reach(row);
    uint64_t open = calls.open;
    uint64_t faulted = calls.faulted;
    struct ledger_line line = line_of(step);
    int want = row->after[step];
    int result = ledger_calls_apply(&calls, &line, &err);
    const struct ledger_call *call = ledger_calls_find(&calls, "c");
    CHECK(want == NO ? result == -1 && err.what == ERR_LEDGER : result == 0, "%s for %s is %s",
          step_words[step], row->state, want == NO ? "refused" : "taken");
    if (want == NO)
        CHECK(calls.open == open && calls.faulted == faulted && err.obj[0] != '\0',
              "%s for %s changes nothing", step_words[step], row->state);
    else if (want == ABSENT)
        CHECK(call == NULL, "%s does not make a call", step_words[step]);
    else
        CHECK(call != NULL && call->state == want && calls.open == (want == CALL_OPEN) &&
                  calls.faulted == (want == CALL_FAULTED),
              "%s for %s leads to the right state", step_words[step], row->state);
}

static void test_states(void)
{
    CHECK_ROWS(states, 6, "states");
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        for (int step = 0; step < STEPS; step++)
            try_step(&states[i], (enum step)step);
}

/* --- Many ------------------------------------------------------------------------ */

static struct ledger_line numbered(uint32_t i)
{
    static struct ledger_line line;
    char name[32];
    struct text t = text_on(name, sizeof name);
    if (line.call[0] == '\0')
        line = sample_reserve("x", KIND_ELABORATE);
    text_adds(&t, "call-");
    text_add_number(&t, i);
    sample_chars(line.call, sizeof line.call, name);
    return line;
}

static void test_many(void)
{
    struct err err;
    unsigned taken = 0;
    unsigned found = 0;
    err_clear(&err);
    ledger_calls_clear(&calls);
    for (uint32_t i = 0; i < LEDGER_CALLS_MAX; i++) {
        struct ledger_line line = numbered(i);
        taken += ledger_calls_apply(&calls, &line, &err) == 0;
    }
    CHECK_U64(taken, 262144, "a ledger holds 262,144 calls");
    struct ledger_line line = numbered(LEDGER_CALLS_MAX);
    CHECK(ledger_calls_apply(&calls, &line, &err) == -1 && err.what == ERR_LEDGER,
          "one more is refused");
    CHECK_TEXT(err.why, "more than 262144 calls in one ledger", "with the bound");
    for (uint32_t i = 0; i < LEDGER_CALLS_MAX; i += 257) {
        line = numbered(i);
        const struct ledger_call *call = ledger_calls_find(&calls, line.call);
        found += call != NULL && strcmp(call->name, line.call) == 0;
    }
    CHECK_U64(found, 262144 / 257 + 1, "every call asked for is found");
    CHECK(ledger_calls_find(&calls, "call-262144") == NULL, "another is not");
    CHECK_TEXT(ledger_calls_first(&calls, CALL_OPEN)->name, "call-0",
               "the first open one is first");
    CHECK(ledger_calls_first(&calls, CALL_FAULTED) == NULL, "no call is faulted");
    ledger_calls_clear(&calls);
    unsigned used = 0;
    for (uint32_t i = 0; i < LEDGER_SLOTS; i++)
        used += calls.index[i] != 0;
    CHECK(used == 0 && calls.n == 0 && calls.open == 0, "a cleared table has forgotten all");
    CHECK(ledger_calls_find(&calls, "call-0") == NULL, "and finds nothing");
}

int main(void)
{
    test_states();
    test_many();
    return check_end();
}
