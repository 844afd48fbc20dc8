/* call/recover: what is open, and what closing it leaves (specification 6). */
#include "call/recover.h"

#include "host/file.h"
#include "unit/check.h"
#include "unit/ledger_sample.h"
#include "unit/scratch.h"

static struct runtime rt;
static struct recover r;
static struct recover_done done;
static struct err err;
static char text[1u << 16];

/* A ledger of the lines given by their letters: R reserve, C complete, T complete with a
 * timeout, G complete with scope-not-gone, V resolve timeout, I resolve interrupted; all
 * of call c1; X reserve of c2; ~ half a line. */
static void begin(const char *lines)
{
    static struct sample_ledger l;

    scratch_begin();
    sample_clear(&l);
    for (const char *c = lines; *c != '\0'; c++) {
        switch (*c) {
        case 'R': sample_append(&l, sample_reserve("c1", KIND_CHECK_RUNTIME)); break;
        case 'X': sample_append(&l, sample_reserve("c2", KIND_CHECK_RUNTIME)); break;
        case 'C': sample_append(&l, sample_complete("c1", OUTCOME_EXITED, 0, FAULT_NONE)); break;
        case 'T':
            sample_append(&l, sample_complete("c1", OUTCOME_KILLED, -1, FAULT_TIMEOUT));
            break;
        case 'G':
            sample_append(&l, sample_complete("c1", OUTCOME_KILLED, -1, FAULT_SCOPE_NOT_GONE));
            break;
        case 'V':
            sample_append(&l, sample_resolve("c1", FAULT_TIMEOUT, RESOLVE_SCOPE_OUTPUT, "seen"));
            break;
        case 'I':
            sample_append(&l,
                          sample_resolve("c1", FAULT_INTERRUPTED, RESOLVE_SCOPE_OUTPUT, "seen"));
            break;
        default: memcpy(l.bytes + l.n, "{\"event\":\"comp", 14), l.n += 14; break;
        }
    }
    scratch_write("ledger.jsonl", l.bytes, l.n);
    rt.output.fd = scratch_fd;
    err_clear(&err);
    if (latch_places(rt.latch, scratch_fd, scratch_fd, "lock", &err) != 0)
        abort();
}

static void halted(const char *name, const char *line)
{
    scratch_write(name, line, strlen(line));
}

static bool there(const char *name)
{
    struct stat st;
    return fstatat(scratch_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int look(const char *call)
{
    recover_close(&r);
    recover_init(&r);
    err_clear(&err);
    return recover_look(&r, &rt, call, &err);
}

static int apply(const char *call, bool host, const char *reason)
{
    if (look(call) != 0)
        return -1;
    err_clear(&err);
    return recover_apply(&r, &rt, host, reason, &done, &err);
}

static const char *ledger_text(void)
{
    ssize_t n = scratch_read("ledger.jsonl", text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static const char *message(void)
{
    static char buffer[ERR_TEXT_BYTES];
    struct text t = text_on(buffer, sizeof buffer);
    err_format(&err, &t);
    return buffer;
}

/* --- Looking ----------------------------------------------------------------------- */

static void test_look(void)
{
    static const struct {
        const char *lines;
        uint32_t open;
        enum recover_state state;
        enum fault fault;
        const char *claim;
    } rows[] = {
        {"R", 1, RECOVER_OPEN, FAULT_INTERRUPTED, "a reservation alone is open"},
        {"RC", 0, RECOVER_DONE, FAULT_NONE, "a completed call is not"},
        {"RT", 1, RECOVER_FAULTED, FAULT_TIMEOUT, "a fault is"},
        {"RTV", 0, RECOVER_RESOLVED, FAULT_TIMEOUT, "a resolved fault is not"},
        {"RI", 0, RECOVER_RESOLVED, FAULT_INTERRUPTED, "nor a resolved reservation"},
        {"R~", 1, RECOVER_OPEN, FAULT_INTERRUPTED, "a torn line leaves what stands before it"},
        {"RX", 2, RECOVER_OPEN, FAULT_INTERRUPTED, "every open call is counted"},
    };
    CHECK_ROWS(rows, 7, "states");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].lines);
        CHECK(look("c1") == 0 && r.known && r.open_n == rows[i].open &&
                  r.call.state == rows[i].state && r.call.fault == rows[i].fault,
              "%s", rows[i].claim);
    }
    CHECK_TEXT(r.open[1].name, "c2", "and named, in the order of the ledger");
    scratch_write("ledger.jsonl", "{}\n", 3);
    CHECK(look("c1") == -1 && err.what == ERR_LEDGER && err.at == 1,
          "a ledger that is wrong in another way is not recovered");
    scratch_begin();
    rt.output.fd = scratch_fd;
    CHECK(latch_places(rt.latch, scratch_fd, scratch_fd, "lock", &err) == 0 && look("c1") == 0 &&
              !r.known && r.open_n == 0,
          "an output without a ledger has nothing open");
}

/* --- Closing ----------------------------------------------------------------------- */

static void test_open_call(void)
{
    begin("R");
    halted("HALTED", "c1: timeout\n");
    halted(".c1-result.json.tmp", "");
    halted(".c1.log.tmp", "so far\n");
    CHECK(apply("c1", false, "looked at it") == 0 && done.resolved && !done.cut &&
              done.latch_removed[LATCH_OUTPUT],
          "an open call with its latch is closed %s", message());
    CHECK(strstr(ledger_text(), "\"fault\":\"interrupted\",\"scope\":\"output\"") != NULL &&
              strstr(text, "\"reason\":\"looked at it\"}\n") != NULL,
          "by a resolve line with the reason");
    CHECK(!there("HALTED") && !there(".c1-result.json.tmp") && !there(".c1.log.tmp"),
          "latch and half-written files are gone");
    CHECK(scratch_read("c1.log", text, sizeof text) == 7, "the log's bytes so far are kept");
    CHECK(look("c1") == 0 && r.open_n == 0 && r.call.state == RECOVER_RESOLVED,
          "the ledger reads, and nothing is open");
    uint64_t bytes = r.ledger.bytes;
    CHECK(apply("c1", false, "again") == 0 && !done.resolved && r.ledger.bytes == bytes,
          "a second time nothing is appended");
    halted("HALTED", "c1: timeout\n");
    CHECK(apply("c1", false, "again") == 0 && !done.resolved && done.latch_removed[LATCH_OUTPUT],
          "a latch whose call is resolved is only removed");
}

static void test_faults(void)
{
    begin("RT");
    halted("HALTED", "c1: timeout\n");
    halted("lock.HALTED", "c9: scope-not-gone\n");
    CHECK(apply("c1", false, "why") == 0 && done.resolved && done.latch_removed[LATCH_OUTPUT] &&
              done.latch_is_other[LATCH_HOST] && there("lock.HALTED"),
          "a host latch of another call stays %s", message());
    CHECK(strstr(ledger_text(), "\"fault\":\"timeout\",\"scope\":\"output\"") != NULL,
          "the resolve line has the fault of the call");
    begin("RG");
    halted("HALTED", "c1: scope-not-gone\n");
    halted("lock.HALTED", "c1: scope-not-gone\n");
    CHECK(apply("c1", false, "why") == 0 && done.latch_removed[LATCH_OUTPUT] &&
              done.latch_removed[LATCH_HOST],
          "scope-not-gone takes both latches along %s", message());
    CHECK(strstr(ledger_text(), "\"fault\":\"scope-not-gone\",\"scope\":\"host\"") != NULL,
          "and its resolve line has the scope host");
    begin("RT");
    halted("HALTED", "");
    CHECK(apply("c1", false, "why") == 0 && done.latch_removed[LATCH_OUTPUT],
          "an empty latch goes with the last thing that was open");
    begin("RTX");
    halted("HALTED", "");
    CHECK(apply("c1", false, "why") == 0 && !done.latch_removed[LATCH_OUTPUT] && there("HALTED"),
          "and stays while something else is open");
    begin("RT");
    halted("HALTED", "c2: timeout\n");
    CHECK(apply("c1", false, "why") == 0 && !done.latch_removed[LATCH_OUTPUT] && there("HALTED"),
          "a latch of another call stays");
    begin("RT");
    if (mkdirat(scratch_fd, "HALTED", 0700) != 0)
        abort();
    CHECK(apply("c1", false, "why") == -1 && err.what == ERR_LATCHED && there("HALTED"),
          "a directory of that name is not removed");
}

static void test_torn(void)
{
    begin("R~");
    CHECK(apply("c1", false, "power went") == 0 && done.cut && done.resolved,
          "a torn line is cut %s", message());
    CHECK(scratch_read("ledger.torn-1", text, sizeof text) == 14 &&
              memcmp(text, "{\"event\":\"comp", 14) == 0,
          "and kept, byte for byte");
    /* printf '{"event":"comp' | sha256sum */
    CHECK(strstr(ledger_text(),
                 "(a torn last line was cut, sha256 "
                 "702a84fda6514d70401e8133079376a6b41d60ca76df5717125eca38bf0c1ab7)\"}\n") != NULL,
          "the resolve line has its digest");
    CHECK(look("c1") == 0 && r.summary.torn_bytes == 0 && r.open_n == 0,
          "the ledger is whole again");
    begin("RC~");
    CHECK(apply("c5", false, "power went") == 0 && done.cut && done.resolved &&
              strstr(ledger_text(), "\"call\":\"c5\"") != NULL &&
              strstr(text, "\"fault\":\"interrupted\",\"scope\":\"host\"") != NULL,
          "a torn reservation of a call that the ledger does not hold has the scope host %s",
          message());
    begin("RI~");
    CHECK(apply("c1", false, "power went") == 0 && look("c1") == 0 && r.summary.lines == 3,
          "a torn line behind a resolved call is cut too %s", message());
}

static void test_host(void)
{
    begin("RC");
    halted("lock.HALTED", "far: scope-not-gone\n");
    CHECK(apply("far", false, "why") == -1 && err.what == ERR_USAGE,
          "a call of another output needs --host");
    CHECK(apply("c1", true, "why") == -1 && err.what == ERR_LATCHED && there("lock.HALTED"),
          "--host with another call than the latch's is refused");
    CHECK(apply("far", true, "its output is gone") == 0 && done.resolved &&
              done.latch_removed[LATCH_HOST] && !there("lock.HALTED"),
          "--host closes it %s", message());
    CHECK(strstr(ledger_text(), "\"call\":\"far\"") != NULL &&
              strstr(text, "\"fault\":\"scope-not-gone\",\"scope\":\"host\"") != NULL,
          "by a resolve line of scope host");
    CHECK(look("far") == 0, "which the ledger's reader takes");
}

/* lema was killed before it reserved: no line, only half-written files. */
static void test_unreserved(void)
{
    begin("RC");
    halted(".c9-reserved.json.tmp", "");
    halted(".c9-result.json.tmp", "");
    halted(".c9.log.tmp", "");
    halted("c8-reserved.json", "{}");
    CHECK_I64(apply("c9", false, "killed early"), 0, "half-written files alone are cleaned");
    CHECK(!there(".c9-reserved.json.tmp") && !there(".c9-result.json.tmp") &&
              !there(".c9.log.tmp") && !there("c9.log"),
          "none of them is left, and no log is made of them");
    CHECK(!done.resolved && strstr(ledger_text(), "c9") == NULL, "the ledger says nothing of it");
    CHECK(there("c8-reserved.json"), "a record without a line stays");
    CHECK_I64(apply("c9", false, "again"), -1, "then nothing is left of that name");
    CHECK_TEXT(err_word(err.what), "usage", "which is a usage error");
    CHECK_I64(apply("c8", false, "again"), -1, "and a whole record is nothing to clean");
    scratch_end();
}

static void test_refusals(void)
{
    static char reason[1024];

    begin("RC");
    CHECK(apply("c1", false, "why") == -1 && err.what == ERR_USAGE && !there("ledger.torn-1"),
          "a complete call is not recovered");
    CHECK(apply("c7", false, "why") == -1 && err.what == ERR_USAGE, "nor an unknown one");
    begin("R");
    CHECK(apply("", false, "why") == -1 && err.what == ERR_CALL_NAME, "a name is needed");
    CHECK(apply("c1", false, "") == -1 && err.what == ERR_USAGE, "and a reason");
    CHECK(apply("c1", false, "\xff") == -1 && err.what == ERR_USAGE, "in UTF-8");
    memset(reason, 'x', 901);
    CHECK(apply("c1", false, reason) == -1 && err.what == ERR_USAGE, "of no more than 900 bytes");
    CHECK_U64(r.summary.lines, 1, "a refusal appends nothing");
    reason[900] = '\0';
    CHECK(apply("c1", false, reason) == 0, "900 bytes are taken %s", message());
}

/* --- Gone -------------------------------------------------------------------------- */

static void test_gone(void)
{
    struct recover_call call;

    memset(&call, 0, sizeof call);
    sample_chars(call.unit, sizeof call.unit, "lema-native-0123456789abcdef0123456789abcdef.scope");
    sample_chars(call.boot_id, sizeof call.boot_id, "5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4f");
    CHECK(recover_check_gone(&rt, &call, &err) == 0, "after another boot a scope is gone");
    err_clear(&err);
    if (boot_id_read(call.boot_id, &err) != 0)
        abort();
    rt.uid = 4000000000u; /* nobody's manager */
    CHECK(recover_check_gone(&rt, &call, &err) == 0,
          "in this boot, if there is no cgroup of its name and no manager");
    rt.uid = geteuid();
}

int main(void)
{
    runtime_init(&rt);
    rt.uid = geteuid();
    rt.clock = &clock_system;
    err_clear(&err);
    if (worker_start(&rt.ledger_worker, ledger_duty, &err) != 0)
        return 1;
    recover_init(&r);
    test_look();
    test_open_call();
    test_faults();
    test_torn();
    test_host();
    test_unreserved();
    test_refusals();
    test_gone();
    recover_close(&r);
    scratch_end();
    return check_end();
}
