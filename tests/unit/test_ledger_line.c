/* evidence/ledger_line and ledger_write: one line, text to structure and back.
 *
 * A refusal is a sample line with one piece of its text replaced. */
#include "base/json.h"
#include "evidence/ledger.h"

#include "unit/check.h"
#include "unit/ledger_sample.h"

enum { RESERVE = 0, COMPLETE = 1, FAULTED = 3, RESOLVE = 4 };

/* --- The samples ----------------------------------------------------------------- */

static void test_samples(void)
{
    char text[LEDGER_LINE_BYTES_MAX];
    for (size_t i = 0; i < SAMPLE_LINES; i++) {
        struct ledger_line want = sample_line(i);
        struct ledger_line line;
        struct err err;
        struct text t = text_on(text, sizeof text);
        err_clear(&err);
        CHECK(ledger_parse_line(str_span(sample_text[i]), &line, &err) == 0,
              "line %zu of the sample is taken", i + 1);
        want.prev = line.prev;
        CHECK(memcmp(&line, &want, sizeof line) == 0, "line %zu says what was put there", i + 1);
        ledger_write_line(&t, &line);
        CHECK_TEXT(text, sample_text[i], "line %zu is written byte for byte as printf wrote it",
                   i + 1);
        CHECK(ledger_check_line(&line, &err) == 0, "line %zu passes the check", i + 1);
    }
}

/* --- Refusals -------------------------------------------------------------------- */

static const struct refusal {
    const char *claim;
    int line; /* of the sample */
    const char *from, *to;
    const char *field; /* err.obj */
    const char *why;   /* NULL: the grammar's own words */
} refusals[] = {
    {"another event", RESERVE, "\"reserve\"", "\"reserved\"", "event", "not an event of a ledger"},
    {"an empty event", RESERVE, "\"reserve\"", "\"\"", "event", "not an event of a ledger"},
    {"an event that is a number", RESERVE, "\"reserve\"", "1", "event", "not an event of a ledger"},
    {"an event with the fields of another", RESERVE, "\"reserve\"", "\"complete\"", "kind",
     "unknown field"},
    {"a missing event", RESERVE, "\"event\":\"reserve\",", "", "event", "missing field"},
    {"an unknown field", RESERVE, "{\"event\"", "{\"x\":1,\"event\"", "x", "unknown field"},
    {"a repeated field", COMPLETE, "{\"event\"", "{\"log_bytes\":1,\"event\"", "log_bytes",
     "repeated name"},
    {"a field repeated by escapes", COMPLETE, "{\"event\"", "{\"\\u0063all\":\"c1\",\"event\"",
     "call", "repeated name"},
    {"a repeated event", RESERVE, "{\"event\"", "{\"event\":\"resolve\",\"event\"", "event",
     "repeated name"},
    {"an array", RESERVE, "{\"event\":\"reserve\",", "[{\"event\":\"reserve\",", "", NULL},
    {"an empty time", RESERVE, "2026-01-02T03:04:05.678Z", "", "time", "not a time"},
    {"a time without milliseconds", RESERVE, "05.678Z", "05Z", "time", "not a time"},
    {"a time with another zone", RESERVE, "05.678Z", "05.678+00:00", "time", "not a time"},
    {"a day that does not exist", RESERVE, "2026-01-02", "2026-02-29", "time", "not a time"},
    {"a time that is null", RESERVE, "\"2026-01-02T03:04:05.678Z\"", "null", "time",
     "expected a string, found null"},
    {"an empty call", RESERVE, "\"c1\"", "\"\"", "call", "not a call name"},
    {"a call with a dot", RESERVE, "\"c1\"", "\"c.1\"", "call", "not a call name"},
    {"a call with U+0000", RESERVE, "\"c1\"", "\"c\\u0000\"", "call", "not a call name"},
    {"a prev that is too short", RESERVE, "\"prev\":\"00", "\"prev\":\"0", "prev",
     "expected 64 lower-case hex digits"},
    {"a prev that is too long", RESERVE, "\"prev\":\"00", "\"prev\":\"000", "prev",
     "expected 64 lower-case hex digits"},
    {"a digest in upper case", RESERVE, "\"a1a1", "\"A1a1", "reserved_sha256",
     "expected 64 lower-case hex digits"},
    {"a config digest of other letters", RESERVE, "\"b2b2", "\"g2b2", "config_sha256",
     "expected 64 lower-case hex digits"},
    {"an empty distribution id", RESERVE, "\"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3", "\"",
     "distribution_id", "expected 64 lower-case hex digits"},
    {"a missing digest", RESERVE, "\"config_sha256\"", "\"config\"", "config", "unknown field"},
    {"another kind", RESERVE, "check-runtime", "check", "kind", "not a kind of call"},
    {"a kind longer than any", RESERVE, "check-runtime",
     "check-runtime-check-runtime-check-runtime", "kind", "not a kind of call"},
    {"a unit of another name", RESERVE, "lema-native-0", "lema-nativ-00", "unit",
     "not a unit of lema's"},
    {"a unit with upper case", RESERVE, "native-0123456789abcdef", "native-0123456789ABCDEF",
     "unit", "not a unit of lema's"},
    {"a unit that is longer", RESERVE, "cdef.scope", "cdef.scope.scope", "unit",
     "not a unit of lema's"},
    {"a boot_id with an upper-case digit", RESERVE, "5d1e6c56-1f0a", "5D1e6c56-1f0a", "boot_id",
     "not a boot_id"},
    {"a boot_id without hyphens", RESERVE, "5d1e6c56-1f0a", "5d1e6c5601f0a", "boot_id",
     "not a boot_id"},
    {"a host that is null", RESERVE, "\"host\":{", "\"host\":null,\"h\":{", "host",
     "expected an object, found null"},
    {"an unknown field of host", RESERVE, "{\"host_kind\"", "{\"x\":0,\"host_kind\"", "x",
     "unknown field"},
    {"a missing field of host", RESERVE, "\"mem_total\":16777216000,", "", "mem_total",
     "missing field"},
    {"another kind of host", RESERVE, "\"vm\"", "\"VM\"", "host_kind", "not a kind of host"},
    {"a negative memory", RESERVE, ":16777216000", ":-1", "mem_total",
     "expected an integer from 0 to 9007199254740991"},
    {"a memory of 2^53", RESERVE, ":9000000000", ":9007199254740992", "mem_available",
     "expected an integer from 0 to 9007199254740991"},
    {"a pressure without decimals", RESERVE, ":0.05", ":0", "memory_pressure_some_avg10",
     "expected a percentage with one or two decimals"},
    {"a pressure of three decimals", RESERVE, ":0.05", ":0.050", "memory_pressure_some_avg10",
     "expected a percentage with one or two decimals"},
    {"a pressure with an exponent", RESERVE, ":12.50", ":1.2e1", "cpu_pressure_some_avg10",
     "expected a percentage with one or two decimals"},
    {"a negative pressure", RESERVE, ":12.50", ":-0.10", "cpu_pressure_some_avg10",
     "expected a percentage with one or two decimals"},
    {"a pressure over 100", RESERVE, ":12.50", ":100.01", "cpu_pressure_some_avg10",
     "more than 100 percent"},
    {"a pressure as a string", RESERVE, ":12.50", ":\"12.50\"", "cpu_pressure_some_avg10",
     "expected a number, found a string"},
    {"a pressure with a leading zero", RESERVE, ":12.50", ":012.50", "", NULL},
    {"another outcome", COMPLETE, "exited", "exit", "outcome", "not an outcome"},
    {"an exit code of 256", COMPLETE, ":3,", ":256,", "exit_code",
     "expected an integer from 0 to 255"},
    {"an exit code of -1", COMPLETE, ":3,", ":-1,", "exit_code",
     "expected an integer from 0 to 255"},
    {"exited without an exit code", COMPLETE, ":3,", ":null,", "exit_code",
     "expected 0 to 255 where the outcome is exited"},
    {"exited with a signal", COMPLETE, "\"signal\":null", "\"signal\":9", "signal",
     "expected null where nothing was signaled"},
    {"signaled with an exit code", COMPLETE, "exited", "signaled", "exit_code",
     "expected null where the outcome is not exited"},
    {"signaled without a signal", FAULTED, "killed", "signaled", "signal",
     "expected 1 to 64 where the outcome is signaled"},
    {"killed with an exit code", FAULTED, "\"exit_code\":null", "\"exit_code\":0", "exit_code",
     "expected null where the outcome is not exited"},
    {"killed with signal 0", FAULTED, "\"signal\":null", "\"signal\":0", "signal",
     "expected null or 1 to 64 where the outcome is killed"},
    {"killed with signal 65", FAULTED, "\"signal\":null", "\"signal\":65", "signal",
     "expected null or 1 to 64 where the outcome is killed"},
    {"setup-failed with an exit code", COMPLETE, "exited", "setup-failed", "exit_code",
     "expected null where the outcome is not exited"},
    {"setup-failed with a signal", FAULTED, "\"killed\",\"exit_code\":null,\"signal\":null",
     "\"setup-failed\",\"exit_code\":null,\"signal\":9", "signal",
     "expected null where nothing was signaled"},
    {"another fault", FAULTED, "\"timeout\"", "\"Timeout\"", "fault", "not a fault"},
    {"a fault called none", FAULTED, "\"timeout\"", "\"none\"", "fault", "not a fault"},
    {"a completion that was interrupted", FAULTED, "\"timeout\"", "\"interrupted\"", "fault",
     "not a fault of a call"},
    {"a fault that is false", FAULTED, "\"timeout\"", "false", "fault",
     "expected a string or null, found a boolean"},
    {"a missing exit code", COMPLETE, "\"exit_code\":3,", "", "exit_code", "missing field"},
    {"a result digest of null", COMPLETE,
     "\"d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4\"", "null",
     "result_sha256", "expected a string, found null"},
    {"a log of more than 16 MiB", COMPLETE, ":1234", ":16777217", "log_bytes",
     "expected an integer from 0 to 16777216"},
    {"a log size with a fraction", COMPLETE, ":1234", ":1234.0", "log_bytes",
     "expected an integer from 0 to 16777216"},
    {"a resolved fault of null", RESOLVE, "\"timeout\"", "null", "fault",
     "expected a string, found null"},
    {"another scope", RESOLVE, "\"output\"", "\"Host\"", "scope",
     "expected \"output\" or \"host\""},
    {"an operator of 2^32", RESOLVE, ":1000", ":4294967296", "operator",
     "expected an integer from 0 to 4294967295"},
    {"an operator by name", RESOLVE, ":1000", ":\"root\"", "operator",
     "expected a number, found a string"},
    {"an empty reason", RESOLVE, "looked at it; \\\"quoted\\\", \\\\ and \xc3\xa9", "", "reason",
     "expected 1 to 1024 bytes of UTF-8"},
    {"a reason with U+0000", RESOLVE, "looked", "\\u0000looked", "reason",
     "expected 1 to 1024 bytes without U+0000"},
    {"a reason with half a surrogate", RESOLVE, "looked", "\\udc00looked", "reason", NULL},
    {"a byte that is not UTF-8", RESOLVE, "looked", "\xfflooked", "", NULL},
    {"a raw control byte", RESOLVE, "looked", "\tlooked", "", NULL},
    {"an open object", RESERVE, "12.50}}", "12.50}", "", NULL},
    {"trailing bytes", RESERVE, "12.50}}", "12.50}}{}", "", NULL},
    {"a byte-order mark", RESERVE, "{\"event\"", "\xef\xbb\xbf{\"event\"", "", NULL},
};

/* The sample line with the first from replaced by to. */
static struct span replaced(char *buffer, size_t size, const char *text, const char *from,
                            const char *to)
{
    const char *at = strstr(text, from);
    struct text t = text_on(buffer, size);
    if (at == NULL)
        return (struct span){NULL, 0};
    text_add(&t, (struct span){(const uint8_t *)text, (size_t)(at - text)});
    text_adds(&t, to);
    text_adds(&t, at + strlen(from));
    return text_span(&t);
}

static void test_refused(void)
{
    char buffer[LEDGER_LINE_BYTES_MAX];
    struct ledger_line zero;
    memset(&zero, 0, sizeof zero);
    CHECK_ROWS(refusals, 76, "refusals");
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *row = &refusals[i];
        struct ledger_line line;
        struct err err;
        err_clear(&err);
        struct span text =
            replaced(buffer, sizeof buffer, sample_text[row->line], row->from, row->to);
        if (!CHECK(text.p != NULL, "the piece of %s stands in the sample", row->claim))
            continue;
        CHECK(ledger_parse_line(text, &line, &err) == -1 && err.what == ERR_LEDGER, "%s is refused",
              row->claim);
        CHECK_TEXT(err.obj, row->field, "%s is refused by its field", row->claim);
        if (row->why != NULL)
            CHECK_TEXT(err.why, row->why, "%s is refused with its reason", row->claim);
        CHECK(err.at == 0 && err.why[0] != '\0', "%s: at is left for the line", row->claim);
        CHECK(memcmp(&line, &zero, sizeof line) == 0, "%s leaves nothing behind", row->claim);
    }
}

/* --- Taken ----------------------------------------------------------------------- */

static const struct accepted {
    const char *claim;
    int line;
    const char *from, *to;
} accepted[] = {
    {"an event written with escapes", RESERVE, "\"reserve\"", "\"\\u0072eserve\""},
    {"white space between", RESERVE, "{\"event\":", " { \"event\" : "},
    {"a pressure of 100", RESERVE, ":12.50", ":100.00"},
    {"a pressure of one decimal", RESERVE, ":12.50", ":12.5"},
    {"a host of unknown kind", RESERVE, "\"vm\"", "\"unknown\""},
    {"memory of 0", RESERVE, ":9000000000", ":0"},
    {"an exit code of 0", COMPLETE, ":3,", ":0,"},
    {"an exit code of 255", COMPLETE, ":3,", ":255,"},
    {"killed by a signal", FAULTED, "\"signal\":null", "\"signal\":9"},
    {"signaled with signal 1", FAULTED, "\"killed\",\"exit_code\":null,\"signal\":null",
     "\"signaled\",\"exit_code\":null,\"signal\":1"},
    {"signaled with signal 64", FAULTED, "\"killed\",\"exit_code\":null,\"signal\":null",
     "\"signaled\",\"exit_code\":null,\"signal\":64"},
    {"setup-failed", FAULTED, "killed", "setup-failed"},
    {"an empty log", COMPLETE, ":1234", ":0"},
    {"a log of 16 MiB", COMPLETE, ":1234", ":16777216"},
    {"an operator of 0", RESOLVE, ":1000", ":0"},
    {"an operator of 2^32 - 1", RESOLVE, ":1000", ":4294967295"},
    {"an escaped newline in a reason", RESOLVE, "looked", "\\nlooked"},
    {"a resolution of scope host", RESOLVE, "\"output\"", "\"host\""},
};

static void test_accepted(void)
{
    char buffer[LEDGER_LINE_BYTES_MAX];
    char again[LEDGER_LINE_BYTES_MAX];
    CHECK_ROWS(accepted, 18, "accepted");
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        const struct accepted *row = &accepted[i];
        struct ledger_line line;
        struct ledger_line second;
        struct err err;
        struct text t = text_on(again, sizeof again);
        err_clear(&err);
        struct span text =
            replaced(buffer, sizeof buffer, sample_text[row->line], row->from, row->to);
        if (!CHECK(text.p != NULL && ledger_parse_line(text, &line, &err) == 0, "%s is taken",
                   row->claim))
            continue;
        ledger_write_line(&t, &line);
        CHECK(ledger_parse_line(text_span(&t), &second, &err) == 0 &&
                  memcmp(&line, &second, sizeof line) == 0,
              "%s, written again, says the same", row->claim);
    }
}

/* --- Bounds ---------------------------------------------------------------------- */

/* The sample resolution with white space behind it, size bytes without newline. */
static int parse_padded(size_t size, struct err *err)
{
    static char buffer[LEDGER_LINE_BYTES_MAX + 1];
    struct ledger_line line;
    err_clear(err);
    memset(buffer, ' ', sizeof buffer);
    memcpy(buffer, sample_text[RESOLVE], strlen(sample_text[RESOLVE]));
    return ledger_parse_line((struct span){(const uint8_t *)buffer, size}, &line, err);
}

static void test_bounds(void)
{
    char buffer[LEDGER_LINE_BYTES_MAX];
    char name[CALL_NAME_BYTES_MAX + 2];
    struct ledger_line line;
    struct err err;
    CHECK(parse_padded(8191, &err) == 0, "8,191 bytes, 8,192 with the newline, are taken");
    CHECK(parse_padded(8192, &err) == -1 && err.what == ERR_LEDGER, "one byte more is refused");
    CHECK_TEXT(err.why, "longer than 8192 bytes with its newline", "with the bound");
    memset(name, 'n', sizeof name);
    name[100] = '\0';
    err_clear(&err);
    CHECK(ledger_parse_line(replaced(buffer, sizeof buffer, sample_text[0], "c1", name), &line,
                            &err) == 0,
          "a call name of 100 bytes is taken");
    name[100] = 'n';
    name[101] = '\0';
    CHECK(ledger_parse_line(replaced(buffer, sizeof buffer, sample_text[0], "c1", name), &line,
                            &err) == -1,
          "a call name of 101 bytes is refused");
    CHECK_TEXT(err.obj, "call", "by its field");
}

/* A reason of n times the bytes of unit. */
static int reason_round_trip(const char *unit, size_t n, size_t *written, struct err *err)
{
    char text[LEDGER_LINE_BYTES_MAX];
    struct ledger_line line = sample_line(RESOLVE);
    struct ledger_line again;
    struct text reason = text_on(line.reason, sizeof line.reason);
    struct text t = text_on(text, sizeof text);
    err_clear(err);
    memset(line.reason, 0, sizeof line.reason);
    for (size_t i = 0; i < n; i++)
        text_adds(&reason, unit);
    if (ledger_check_line(&line, err) != 0)
        return -1;
    ledger_write_line(&t, &line);
    *written = t.overflow ? 0 : t.n;
    if (ledger_parse_line(text_span(&t), &again, err) != 0)
        return -1;
    return memcmp(&line, &again, sizeof line) == 0 ? 0 : -1;
}

static void test_reason(void)
{
    struct err err;
    size_t written = 0;
    CHECK(reason_round_trip("a", 1024, &written, &err) == 0, "a reason of 1,024 bytes is taken");
    CHECK(reason_round_trip("a", 1025, &written, &err) == -1 && strcmp(err.obj, "reason") == 0,
          "one of 1,025 bytes is refused");
    CHECK(reason_round_trip("", 1, &written, &err) == -1, "an empty one is refused");
    CHECK(reason_round_trip("\x01", 1024, &written, &err) == 0,
          "a reason of control bytes only fits in a line");
    CHECK(written > 6144 && written < 8192, "with every byte escaped");
    CHECK(reason_round_trip("\xc2\xa0", 512, &written, &err) == 0 && written > 0,
          "so does one of spaces that are not seen");
    CHECK(reason_round_trip("\xff", 1, &written, &err) == -1 && strcmp(err.obj, "reason") == 0,
          "one that is not UTF-8 is refused");
}

/* --- The check of a structure ---------------------------------------------------- */

static bool refused(const struct ledger_line *line, const char *field)
{
    struct err err;
    err_clear(&err);
    return ledger_check_line(line, &err) == -1 && err.what == ERR_LEDGER &&
           strcmp(err.obj, field) == 0;
}

static void test_check_reserve(void)
{
    struct ledger_line line = sample_line(RESERVE);
    memset(line.time, '2', sizeof line.time);
    CHECK(refused(&line, "time"), "a time without an end is refused");
    line = sample_line(RESERVE);
    memset(line.call, 'a', sizeof line.call);
    CHECK(refused(&line, "call"), "a call name without an end is refused");
    line = sample_line(RESERVE);
    line.event = LEDGER_EVENTS;
    CHECK(refused(&line, "event"), "an event out of range is refused");
    line = sample_line(RESERVE);
    line.kind = KIND_COUNT;
    CHECK(refused(&line, "kind"), "a kind out of range is refused");
    line = sample_line(RESERVE);
    memset(line.unit, 'u', sizeof line.unit);
    CHECK(refused(&line, "unit"), "a unit without an end is refused");
    line = sample_line(RESERVE);
    memset(line.boot_id, '0', sizeof line.boot_id);
    CHECK(refused(&line, "boot_id"), "a boot_id without an end is refused");
    line = sample_line(RESERVE);
    line.host.kind = MACHINE_UNKNOWN + 1;
    CHECK(refused(&line, "host_kind"), "a kind of host out of range is refused");
    line = sample_line(RESERVE);
    line.host.mem_total = UINT64_C(1) << 53;
    CHECK(refused(&line, "mem_total"), "a memory of 2^53 is refused");
    line = sample_line(RESERVE);
    line.host.mem_available = UINT64_MAX;
    CHECK(refused(&line, "mem_available"), "available memory of 2^64 - 1 is refused");
    line = sample_line(RESERVE);
    line.host.memory_pressure_centi = 10001;
    CHECK(refused(&line, "memory_pressure_some_avg10"), "a memory pressure over 100 is refused");
}

static void test_check_others(void)
{
    struct ledger_line line = sample_line(COMPLETE);
    line.outcome = OUTCOME_COUNT;
    CHECK(refused(&line, "outcome"), "an outcome out of range is refused");
    line = sample_line(COMPLETE);
    line.exit_code = 256;
    CHECK(refused(&line, "exit_code"), "an exit code of 256 is refused");
    line = sample_line(COMPLETE);
    line.exit_code = -2;
    CHECK(refused(&line, "exit_code"), "an exit code of -2 is refused");
    line = sample_line(FAULTED);
    line.exit_code = -2;
    CHECK(refused(&line, "exit_code"), "-2 is not null");
    line = sample_line(FAULTED);
    line.signal = -2;
    CHECK(refused(&line, "signal"), "a signal of -2 is refused");
    line = sample_line(COMPLETE);
    line.fault = FAULT_INTERRUPTED;
    CHECK(refused(&line, "fault"), "a completion is never interrupted");
    line = sample_line(COMPLETE);
    line.log_bytes = LOG_BYTES_MAX + 1;
    CHECK(refused(&line, "log_bytes"), "a log of more than 16 MiB is refused");
    line = sample_line(RESOLVE);
    line.fault = FAULT_NONE;
    CHECK(refused(&line, "fault"), "a resolution of no fault is refused");
    line = sample_line(RESOLVE);
    line.fault = FAULT_INTERRUPTED + 1;
    CHECK(refused(&line, "fault"), "a fault out of range is refused");
    line = sample_line(RESOLVE);
    line.scope = RESOLVE_SCOPES;
    CHECK(refused(&line, "scope"), "a scope out of range is refused");
    line = sample_line(RESOLVE);
    memset(line.reason, 'r', sizeof line.reason);
    CHECK(refused(&line, "reason"), "a reason without an end is refused");
}

static void test_no_room(void)
{
    char text[64];
    struct ledger_line line = sample_line(RESERVE);
    struct text t = text_on(text, sizeof text);
    ledger_write_line(&t, &line);
    CHECK(t.overflow, "a line that does not fit is not cut short silently");
}

int main(void)
{
    test_samples();
    test_refused();
    test_accepted();
    test_bounds();
    test_reason();
    test_check_reserve();
    test_check_others();
    test_no_room();
    return check_end();
}
