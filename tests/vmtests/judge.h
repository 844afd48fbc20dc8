/* What lema may leave behind when it dies or something fails, and what must hold then:
 * the rows of audit/states.md. */
#ifndef LEMA_TESTS_VMTESTS_JUDGE_H
#define LEMA_TESTS_VMTESTS_JUDGE_H

#include "vmtests/vm.h"

/* What a crash can leave, told from the disk alone. */
enum state { NOTHING, RECORD, OPEN, OPEN_LATCHED, COMPLETE, FAULTED, FAULTED_UNLATCHED, STATES };

static const struct {
    const char *name, *disk;
    const char *next;   /* what the next call says */
    bool recover;       /* recover is due, and after it calls are allowed */
    const char *remark; /* for the table */
} judge_states[STATES] = {
    [NOTHING] = {"nothing", "no record of the call; perhaps temporary files", "none", false,
                 "the name can be used again once `recover --call` removed them"},
    [RECORD] = {"record", "`CALL-reserved.json`, no line of the ledger", "none", false,
                "`ledger verify` lists it; the name stays used"},
    [OPEN] = {"open", "a reserve line, no complete line, no latch", "open-call", true,
              "the program may have run"},
    [OPEN_LATCHED] = {"open, latched", "a reserve line, a latch, no complete line", "latched", true,
                      "the fault is in the latch"},
    [COMPLETE] = {"complete", "a complete line without a fault", "none", false, ""},
    [FAULTED] = {"faulted", "a complete line with a fault, and its latch", "latched", true, ""},
    [FAULTED_UNLATCHED] = {"faulted, unlatched", "a complete line with a fault, no latch",
                           "open-call", true,
                           "left by no crash: the latch comes first and goes last"},
};

static unsigned judge_seen[STATES];

static inline bool judge_ends_with_newline(const char *text)
{
    size_t n = strlen(text);
    return n == 0 || text[n - 1] == '\n';
}

static inline enum state judge_look(const struct vm_case *c, const char *call)
{
    char name[64];
    const char *ledger = vm_ledger(c);
    bool reserved = strstr(ledger, "\"event\":\"reserve\"") != NULL;
    bool complete = strstr(ledger, "\"event\":\"complete\"") != NULL;
    const char *end = strstr(ledger, "\"event\":\"complete\"");
    bool faulted = complete && strstr(end, "\"fault\":null") == NULL;
    bool resolved = strstr(ledger, "\"event\":\"resolve\"") != NULL;
    bool latch = vm_exists(vm_path(c, "out/HALTED"));

    snprintf(name, sizeof name, "out/%s-reserved.json", call);
    if (!reserved)
        return vm_exists(vm_path(c, name)) ? RECORD : NOTHING;
    if (!complete)
        return latch ? OPEN_LATCHED : OPEN;
    if (!faulted || (resolved && !latch))
        return COMPLETE;
    return latch ? FAULTED : FAULTED_UNLATCHED;
}

static inline const char *judge_name(enum state state)
{
    return judge_states[state].name;
}

/* Wait until what the killed lema started is gone. */
static inline void judge_settle(void)
{
    for (unsigned i = 0; i < 400; i++) {
        if (vm_processes("lean", NULL) == 0 &&
            (vm_scopes() == 0 || vm_first_of(vm_found_path) == 0))
            break;
        vm_sleep_ms(25);
    }
}

/* Everything that must hold after a crash. */
static inline void judge_after(struct vm_case *c, const char *what)
{
    enum state state = judge_look(c, "call");

    judge_seen[state]++;
    CHECK(judge_ends_with_newline(vm_ledger(c)), "%s: no half line", what);
    judge_settle();
    vm_check_no_process(what);
    if (!CHECK(vm_load(c), "%s: the configuration loads %s", what, c->text))
        return;
    vm_call(c, "next", "--! exit 0");
    CHECK_TEXT(err_word((enum err_what)c->err.what), judge_states[state].next,
               "%s: %s: the next call is allowed or refused as the table says", what,
               judge_states[state].name);
    if (judge_states[state].recover) {
        vm_recover(c, "call");
        CHECK_TEXT(c->text, "", "%s: %s: recover closes it", what, judge_states[state].name);
        vm_call(c, "after", "--! exit 0");
        CHECK_TEXT(err_word((enum err_what)c->err.what), "none", "%s: %s: then calls are allowed",
                   what, judge_states[state].name);
    } else {
        vm_recover(c, "call"); /* removes what is half written, or has nothing to do */
    }
    vm_check_gone(what);
    CHECK_U64(vm_temporaries(c), 0, "%s: no temporary file is left", what);
    vm_close(c);
}

#endif
