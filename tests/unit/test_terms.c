/* evidence/terms and evidence/boot: the words, names, units, boot ids. */
#include "evidence/boot.h"
#include "evidence/terms.h"

#include "unit/check.h"

/* Specification 4, 6 and 9, typed again from there. */
static const struct {
    enum call_kind kind;
    const char *word;
    uint32_t wall_ms;
} kinds[] = {
    {KIND_CHECK_RUNTIME, "check-runtime", 120000},
    {KIND_ELABORATE, "elaborate", 300000},
    {KIND_REVERIFY, "reverify", 600000},
    {KIND_EXECUTABLE, "executable", 600000},
};

static const struct {
    enum outcome outcome;
    const char *word;
} outcomes[] = {
    {OUTCOME_EXITED, "exited"},
    {OUTCOME_SIGNALED, "signaled"},
    {OUTCOME_KILLED, "killed"},
    {OUTCOME_SETUP_FAILED, "setup-failed"},
};

/* In the order of precedence of specification 6. */
static const struct {
    enum fault fault;
    const char *word;
} faults[] = {
    {FAULT_SCOPE_NOT_GONE, "scope-not-gone"},
    {FAULT_REAP_FAILURE, "reap-failure"},
    {FAULT_SCOPE_MISMATCH, "scope-mismatch"},
    {FAULT_SCOPE_MISSING, "scope-missing"},
    {FAULT_DISTRIBUTION_CHANGED, "distribution-changed"},
    {FAULT_INCOMPLETE_CAPTURE, "incomplete-capture"},
    {FAULT_TIMEOUT, "timeout"},
    {FAULT_LATE_COMPLETION, "late-completion"},
    {FAULT_LOG_OVERFLOW, "log-overflow"},
    {FAULT_WORK_OVERFLOW, "work-overflow"},
};

static void test_words(void)
{
    enum call_kind kind = KIND_COUNT;
    enum outcome outcome = OUTCOME_COUNT;
    CHECK_ROWS(kinds, KIND_COUNT, "kinds");
    for (size_t i = 0; i < KIND_COUNT; i++) {
        CHECK_TEXT(kind_word(kinds[i].kind), kinds[i].word, "a kind is called %s", kinds[i].word);
        CHECK_U64(kind_wall_ms(kinds[i].kind), kinds[i].wall_ms, "%s has its wall time",
                  kinds[i].word);
        CHECK(kind_parse(str_span(kinds[i].word), &kind) && kind == kinds[i].kind,
              "%s is found by its word", kinds[i].word);
    }
    CHECK_ROWS(outcomes, OUTCOME_COUNT, "outcomes");
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        CHECK_TEXT(outcome_word(outcomes[i].outcome), outcomes[i].word, "an outcome is called %s",
                   outcomes[i].word);
        CHECK(outcome_parse(str_span(outcomes[i].word), &outcome) && outcome == outcomes[i].outcome,
              "%s is found by its word", outcomes[i].word);
    }
    CHECK(!kind_parse(str_span("Elaborate"), &kind) && !kind_parse(str_span(""), &kind) &&
              !kind_parse(str_span("elaborate "), &kind),
          "no other word is a kind");
    CHECK(!outcome_parse(str_span("exit"), &outcome) && !outcome_parse(str_span(""), &outcome),
          "no other word is an outcome");
    CHECK_TEXT(kind_word(KIND_COUNT), "invalid", "a kind out of range has a word");
    CHECK_TEXT(outcome_word((enum outcome) - 1), "invalid", "an outcome out of range has a word");
    CHECK_U64(kind_wall_ms((enum call_kind)99), 0, "a kind out of range has no wall time");
}

static void test_faults(void)
{
    enum fault fault = FAULT_NONE;
    fault_set all = 0;
    CHECK_ROWS(faults, FAULT_COUNT, "faults");
    for (unsigned i = FAULT_COUNT; i-- > 0;) {
        CHECK_TEXT(fault_word(faults[i].fault), faults[i].word, "a fault is called %s",
                   faults[i].word);
        CHECK(fault_parse(str_span(faults[i].word), &fault) && fault == faults[i].fault,
              "%s is found by its word", faults[i].word);
        all |= UINT32_C(1) << faults[i].fault;
        CHECK(fault_first(all) == faults[i].fault, "%s goes before all that follow it",
              faults[i].word);
    }
    CHECK(fault_first(0) == FAULT_NONE, "an empty set has no first fault");
    CHECK_TEXT(fault_word(FAULT_NONE), "none", "no fault is called none");
    CHECK(!fault_parse(str_span("none"), &fault), "none is not a fault");
    CHECK(fault_parse(str_span("interrupted"), &fault) && fault == FAULT_INTERRUPTED,
          "interrupted is found, for resolve lines");
    CHECK(!fault_parse(str_span("TIMEOUT"), &fault) && !fault_parse(str_span(""), &fault),
          "no other word is a fault");
    CHECK_TEXT(fault_word((enum fault)(FAULT_INTERRUPTED + 1)), "invalid",
               "a fault out of range has a word");
}

static void test_call_names(void)
{
    char name[102];
    memset(name, 'a', sizeof name);
    CHECK(!call_name_valid((struct span){(const uint8_t *)name, 0}), "an empty name is refused");
    CHECK(call_name_valid((struct span){(const uint8_t *)name, 1}), "a name of 1 byte is taken");
    CHECK(call_name_valid((struct span){(const uint8_t *)name, 100}),
          "a name of 100 bytes is taken");
    CHECK(!call_name_valid((struct span){(const uint8_t *)name, 101}),
          "a name of 101 bytes is refused");
    unsigned wrong = 0;
    for (unsigned c = 0; c < 256; c++) {
        const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
        bool right = c != 0 && strchr(letters, (int)c) != NULL;
        uint8_t byte = (uint8_t)c;
        wrong += call_name_valid((struct span){&byte, 1}) != right;
    }
    CHECK_U64(wrong, 0, "of all bytes exactly [A-Za-z0-9_-] may stand in a name");
    CHECK(!call_name_valid(str_span("a/b")) && !call_name_valid(str_span("../a")) &&
              !call_name_valid(str_span("a.b")),
          "a name is never a path");
}

#define HEX32 "0123456789abcdef0123456789abcdef"

static void test_units(void)
{
    static const char *const bad[] = {
        "",
        "lema-native-.scope",
        "lema-native-" HEX32,
        "lema-native-" HEX32 ".service",
        "lema-native-" HEX32 "0.scope",
        "lema-native-0123456789ABCDEF0123456789ABCDEF.scope",
        "lema-native-0123456789abcdef0123456789abcde.scope",
        "lema-native-0123456789abcdef0123456789abcdeg.scope",
        "Lema-native-" HEX32 ".scope",
        " lema-native-" HEX32 ".scope",
        "lema-native-" HEX32 ".scope\n",
    };
    CHECK(unit_valid(str_span("lema-native-" HEX32 ".scope")), "a unit of lema's is taken");
    CHECK_U64(UNIT_BYTES, sizeof "lema-native-" HEX32 ".scope", "UNIT_BYTES holds it");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!unit_valid(str_span(bad[i])), "\"%s\" is no unit of lema's",
              i == 10 ? "(newline)" : bad[i]);
}

static void test_boot_ids(void)
{
    static const char *const bad[] = {"",
                                      "5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4",
                                      "5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4f0",
                                      "5D1E6C56-1f0a-4f6e-9b7e-0e6d1c2b3a4f",
                                      "5d1e6c5601f0a-4f6e-9b7e-0e6d1c2b3a4f",
                                      "5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a-f",
                                      "5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4g"};
    char first[BOOT_ID_BYTES];
    char second[BOOT_ID_BYTES];
    struct err err;
    err_clear(&err);
    CHECK(boot_id_valid(str_span("5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4f")), "a boot_id is taken");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!boot_id_valid(str_span(bad[i])), "\"%s\" is no boot_id", bad[i]);
    CHECK(boot_id_read(first, &err) == 0 && boot_id_read(second, &err) == 0,
          "the boot_id can be read");
    CHECK(boot_id_valid(str_span(first)), "what was read is a boot_id");
    CHECK_TEXT(second, first, "it is the same when read again");
}

int main(void)
{
    test_words();
    test_faults();
    test_call_names();
    test_units();
    test_boot_ids();
    return check_end();
}
