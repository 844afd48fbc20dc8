/* evidence/ledger_read: whole ledgers through a worker, and the duty itself. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "evidence/ledger.h"
#include "host/file.h"

#include "unit/check.h"
#include "unit/ledger_sample.h"

static struct worker worker;
static struct sample_ledger built;

/* --- Helpers --------------------------------------------------------------------- */

static int file_of(const void *bytes, size_t n)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
        abort();
    return fd;
}

static int read_bytes(const char *bytes, size_t n, const char *name, struct ledger_summary *summary,
                      struct err *err)
{
    int fd = file_of(bytes, n);
    err_clear(err);
    int result = ledger_read(&worker, fd, n, name, summary, NULL, NULL, err);
    close(fd);
    return result;
}

/* The first n lines of the sample. */
static void build_sample(size_t n)
{
    sample_clear(&built);
    for (size_t i = 0; i < n; i++)
        sample_append_text(&built, sample_text[i]);
}

static int read_built(const char *name, struct ledger_summary *summary, struct err *err)
{
    return read_bytes(built.bytes, built.n, name, summary, err);
}

/* Unreadable at a line, for a reason that begins so. */
static void check_unreadable(uint64_t line, const char *obj, const char *why, const char *claim)
{
    struct ledger_summary s;
    struct err err;
    int result = read_built("", &s, &err);
    CHECK(result == -1 && err.what == ERR_LEDGER, "%s makes it unreadable", claim);
    CHECK_U64(err.at, line, "%s: the line is named", claim);
    CHECK_TEXT(err.obj, obj, "%s: the file and the field are named", claim);
    CHECK(strncmp(err.why, why, strlen(why)) == 0, "%s: the reason is %s", claim, why);
    CHECK(s.lines == line - 1 && s.torn_bytes == 0, "%s: the lines before it count", claim);
}

/* --- What is read ---------------------------------------------------------------- */

static void test_sample(void)
{
    struct ledger_summary s;
    struct err err;
    char hex[DIGEST_HEX_BYTES];
    build_sample(SAMPLE_LINES);
    CHECK(read_built("c1", &s, &err) == 0, "the sample is read");
    digest_hex(&s.last, hex);
    CHECK_TEXT(hex, sample_sha256[SAMPLE_LINES - 1], "the chain ends as sha256sum says");
    CHECK(s.bytes == built.n && s.lines == 8 && s.torn_bytes == 0, "all of it");
    CHECK(s.reservations == 3 && s.open_calls == 0 && s.open_faults == 0, "nothing is open");
    CHECK(s.open_call[0] == '\0' && s.fault_call[0] == '\0' && s.fault == FAULT_NONE,
          "nothing is named");
    CHECK(s.name_used == 1, "c1 is used");
    CHECK(read_built("c9", &s, &err) == 0 && s.name_used == 0, "c9 is not");
    CHECK(read_built("other", &s, &err) == 0 && s.name_used == 0,
          "a call of another output is not used here");
    CHECK(read_built("", &s, &err) == 0 && s.name_used == 0, "no name is not used");
}

static const struct prefix_row {
    uint64_t reservations;
    const char *open_call, *fault_call;
} prefixes[SAMPLE_LINES + 1] = {
    {0, "", ""}, {1, "c1", ""}, {1, "", ""}, {2, "c2", ""}, {2, "", "c2"},
    {2, "", ""}, {3, "c3", ""}, {3, "", ""}, {3, "", ""},
};

static void test_prefixes(void)
{
    struct ledger_summary s;
    struct err err;
    char hex[DIGEST_HEX_BYTES];
    for (size_t n = 0; n <= SAMPLE_LINES; n++) {
        const struct prefix_row *row = &prefixes[n];
        build_sample(n);
        CHECK(read_built("c2", &s, &err) == 0, "the first %zu lines are read", n);
        CHECK_U64(s.reservations, row->reservations, "%zu lines: native_calls_used", n);
        CHECK_TEXT(s.open_call, row->open_call, "%zu lines: the open call", n);
        CHECK_TEXT(s.fault_call, row->fault_call, "%zu lines: the faulted call", n);
        CHECK(s.open_calls == (row->open_call[0] != '\0') &&
                  s.open_faults == (row->fault_call[0] != '\0'),
              "%zu lines: how many", n);
        CHECK(s.fault == (row->fault_call[0] != '\0' ? FAULT_TIMEOUT : FAULT_NONE),
              "%zu lines: which fault", n);
        CHECK(s.name_used == (n >= 3), "%zu lines: whether c2 is used", n);
        digest_hex(&s.last, hex);
        CHECK_TEXT(hex,
                   n == 0 ? "0000000000000000000000000000000000000000000000000000000000000000"
                          : sample_sha256[n - 1],
                   "%zu lines: the chain's end", n);
    }
}

static void test_several_open(void)
{
    struct ledger_summary s;
    struct err err;
    sample_clear(&built);
    for (int i = 0; i < 5; i++) {
        const char *const names[] = {"a", "b", "c", "d", "e"};
        sample_append(&built, sample_reserve(names[i], KIND_REVERIFY));
    }
    sample_append(&built, sample_complete("a", OUTCOME_EXITED, 0, FAULT_NONE));
    sample_append(&built, sample_complete("d", OUTCOME_EXITED, 0, FAULT_LATE_COMPLETION));
    sample_append(&built, sample_complete("c", OUTCOME_KILLED, -1, FAULT_WORK_OVERFLOW));
    CHECK(read_built("", &s, &err) == 0, "several open calls are no reason not to read");
    CHECK(s.open_calls == 2 && s.open_faults == 2, "they are counted");
    CHECK_TEXT(s.open_call, "b", "the first reserved of the open ones is named");
    CHECK_TEXT(s.fault_call, "c", "the first reserved of the faulted ones is named");
    CHECK(s.fault == FAULT_WORK_OVERFLOW, "with its fault");
}

/* --- Lines, one by one ----------------------------------------------------------- */

struct seen {
    size_t n;
    size_t right;
    size_t fail_at; /* 0: never */
    size_t kill_at;
};

static int see(void *arg, const struct ledger_line *line, struct err *err)
{
    struct seen *seen = arg;
    struct ledger_line want = sample_line(seen->n);
    want.number = ++seen->n;
    want.prev = line->prev;
    seen->right += memcmp(&want, line, sizeof want) == 0;
    if (seen->n == seen->kill_at)
        kill(worker.pid, SIGKILL);
    if (seen->n == seen->fail_at)
        return err_set(err, ERR_EVIDENCE, str_span("c1"), "a reason of the caller's");
    return 0;
}

static int see_sample(struct seen *seen, struct ledger_summary *s, struct err *err)
{
    int fd = file_of(built.bytes, built.n);
    err_clear(err);
    int result = ledger_read(&worker, fd, built.n, "", s, see, seen, err);
    close(fd);
    return result;
}

static void test_lines(void)
{
    struct seen seen = {0, 0, 0, 0};
    struct ledger_summary s;
    struct err err;
    build_sample(SAMPLE_LINES);
    CHECK(see_sample(&seen, &s, &err) == 0, "every line can be asked for");
    CHECK(seen.n == 8 && seen.right == 8, "each comes once, in order, with its number");
    seen = (struct seen){0, 0, 3, 0};
    CHECK(see_sample(&seen, &s, &err) == -1 && err.what == ERR_EVIDENCE,
          "the caller can give up, with its own error");
    CHECK(seen.n == 3 && s.lines == 0, "no line comes after that, and no summary");
    seen = (struct seen){0, 0, 0, 0};
    CHECK(see_sample(&seen, &s, &err) == 0 && seen.right == 8, "the worker is still in step");
    built.bytes[built.n - 10] = 'X';
    built.n -= 1;
    seen = (struct seen){0, 0, 0, 0};
    CHECK(see_sample(&seen, &s, &err) == -1 && seen.right == 7 && s.torn_bytes > 0,
          "of a torn ledger the whole lines come");
}

/* --- Torn ------------------------------------------------------------------------ */

static void test_torn(void)
{
    struct ledger_summary s;
    struct err err;
    unsigned right = 0;
    size_t whole = 0;
    uint64_t lines = 0;
    build_sample(SAMPLE_LINES);
    for (size_t n = 1; n <= built.n; n++) {
        bool at_end = built.bytes[n - 1] == '\n';
        int result = read_bytes(built.bytes, n, "", &s, &err);
        whole = at_end ? n : whole;
        lines += at_end;
        bool good = at_end ? result == 0
                           : result == -1 && err.what == ERR_LEDGER && err.at == lines + 1 &&
                                 strcmp(err.why, "the last line has no newline") == 0;
        right += good && s.bytes == whole && s.lines == lines && s.torn_bytes == n - whole;
    }
    CHECK_U64(right, built.n, "cut at any byte, a ledger is whole, or torn with its place known");
    build_sample(2);
    memset(built.bytes + built.n, 0, 100);
    CHECK(read_bytes(built.bytes, built.n + 100, "", &s, &err) == -1 && s.torn_bytes == 100,
          "zeros behind the last line are a torn line");
}

/* --- The chain ------------------------------------------------------------------- */

static const struct change_row {
    const char *field;
    size_t line;
    const char *from, *to;
} changes[] = {
    {"time", 0, "03:04:05", "03:04:06"},
    {"call", 1, "\"c1\"", "\"c2\""},
    {"kind", 0, "check-runtime", "elaborate"},
    {"unit", 0, "native-0", "native-1"},
    {"boot_id", 0, "5d1e", "5d1f"},
    {"reserved_sha256", 0, "a1a1", "a1a2"},
    {"config_sha256", 0, "b2b2", "b2b3"},
    {"distribution_id", 0, "c3c3", "c3c4"},
    {"host_kind", 0, "\"vm\"", "\"wsl\""},
    {"mem_total", 0, "16777216000", "16777216001"},
    {"mem_available", 0, "9000", "9001"},
    {"a pressure", 0, "0.05", "0.06"},
    {"outcome", 3, "killed", "setup-failed"},
    {"exit_code", 1, ":3", ":0"},
    {"signal", 3, "\"signal\":null", "\"signal\":9"},
    {"fault", 1, "\"fault\":null", "\"fault\":\"timeout\""},
    {"result_sha256", 1, "d4d4", "d4d5"},
    {"log_sha256", 1, "e5e5", "e5e6"},
    {"log_bytes", 1, "1234", "1235"},
    {"scope", 4, "\"output\"", "\"host\""},
    {"operator", 4, "1000", "1001"},
    {"reason", 4, "looked", "Looked"},
};

static void change(size_t line, const char *from, const char *to)
{
    char text[LEDGER_LINE_BYTES_MAX];
    struct text t = text_on(text, sizeof text);
    const char *at = strstr(sample_text[line], from);
    text_add(&t,
             (struct span){(const uint8_t *)sample_text[line], (size_t)(at - sample_text[line])});
    text_adds(&t, to);
    text_adds(&t, at + strlen(from));
    sample_clear(&built);
    for (size_t i = 0; i < SAMPLE_LINES; i++)
        sample_append_text(&built, i == line ? text : sample_text[i]);
}

static void test_changes(void)
{
    struct ledger_summary s;
    struct err err;
    CHECK_ROWS(changes, 22, "changes");
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct change_row *row = &changes[i];
        change(row->line, row->from, row->to);
        /* another call's name is out of state in its own line already */
        uint64_t line = row->line + (strcmp(row->field, "call") == 0 ? 1 : 2);
        CHECK(read_built("", &s, &err) == -1 && err.what == ERR_LEDGER && err.at == line,
              "a %s changed later is found at line %d", row->field, (int)line);
    }
    change(2, "\"prev\":\"10d6", "\"prev\":\"10d7");
    check_unreadable(3, "ledger.jsonl: prev",
                     "broken chain: expected 10d6cbfdf74c99029414600c05206109b92627309f6cff50617cd3"
                     "ee21b5cfd2, found 10d7cbfdf74c99029414600c05206109b92627309f6cff50617cd3ee21b"
                     "5cfd2",
                     "a changed prev");
    change(0, "\"prev\":\"00", "\"prev\":\"01");
    check_unreadable(1, "ledger.jsonl: prev", "broken chain: expected 000", "a first prev not 0");
}

static void test_order(void)
{
    static const struct {
        const char *claim;
        size_t n;
        size_t line[9];
        uint64_t wrong;
    } rows[] = {
        {"two lines that changed places", 8, {0, 1, 3, 2, 4, 5, 6, 7}, 3},
        {"a line twice", 9, {0, 1, 1, 2, 3, 4, 5, 6, 7}, 3},
        {"the last line twice", 9, {0, 1, 2, 3, 4, 5, 6, 7, 7}, 9},
        {"a missing line", 7, {0, 1, 2, 3, 4, 6, 7}, 6},
        {"a missing first line", 7, {1, 2, 3, 4, 5, 6, 7}, 1},
        {"a whole ledger behind itself", 9, {0, 1, 2, 3, 4, 5, 6, 7, 0}, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sample_clear(&built);
        for (size_t k = 0; k < rows[i].n; k++)
            sample_append_text(&built, sample_text[rows[i].line[k]]);
        check_unreadable(rows[i].wrong, "ledger.jsonl: prev", "broken chain", rows[i].claim);
    }
}

/* --- Calls out of state, chained correctly --------------------------------------- */

static void test_states(void)
{
    build_sample(2);
    sample_append(&built, sample_reserve("c1", KIND_ELABORATE));
    check_unreadable(3, "ledger.jsonl: call", "c1 is reserved a second time", "a name used twice");
    build_sample(2);
    sample_append(&built, sample_line(1));
    check_unreadable(3, "ledger.jsonl: call", "completion of c1, which is completed already",
                     "a second completion");
    build_sample(2);
    sample_append(&built, sample_complete("c9", OUTCOME_EXITED, 0, FAULT_NONE));
    check_unreadable(3, "ledger.jsonl: call", "completion of c9, which is not reserved",
                     "a completion without reservation");
    build_sample(5);
    sample_append(&built, sample_line(4));
    check_unreadable(6, "ledger.jsonl: call", "resolution of c2, which is resolved already",
                     "a second resolution");
    build_sample(4);
    sample_append(&built, sample_resolve("c2", FAULT_LOG_OVERFLOW, RESOLVE_SCOPE_OUTPUT, "r"));
    check_unreadable(5, "ledger.jsonl: fault", "c2 has the fault timeout, not log-overflow",
                     "a resolution of another fault");
    build_sample(4);
    sample_append(&built, sample_resolve("c2", FAULT_INTERRUPTED, RESOLVE_SCOPE_OUTPUT, "r"));
    check_unreadable(5, "ledger.jsonl: fault", "c2 has the fault timeout, not interrupted",
                     "interrupted for a completed call");
    build_sample(1);
    sample_append(&built, sample_resolve("c1", FAULT_TIMEOUT, RESOLVE_SCOPE_OUTPUT, "r"));
    check_unreadable(2, "ledger.jsonl: call", "resolution of c1, which has no completion",
                     "a fault resolved before its completion");
    build_sample(1);
    sample_append(&built, sample_resolve("other", FAULT_INTERRUPTED, RESOLVE_SCOPE_OUTPUT, "r"));
    check_unreadable(2, "ledger.jsonl: call", "resolution of other, which is not reserved",
                     "a resolution of a call that is not there");
    build_sample(7);
    sample_append(&built, sample_complete("c3", OUTCOME_EXITED, 0, FAULT_NONE));
    check_unreadable(8, "ledger.jsonl: call", "completion of c3, which is resolved already",
                     "a completion after interrupted");
}

/* --- Lines that are none --------------------------------------------------------- */

/* Two lines of the sample, then the third with white space before its newline:
 * n bytes in all. */
static void build_long(size_t n)
{
    static char text[2 * LEDGER_LINE_BYTES_MAX];
    size_t have = strlen(sample_text[2]);
    build_sample(2);
    memcpy(text, sample_text[2], have);
    memset(text + have, ' ', n - 1 - have);
    text[n - 1] = '\0';
    sample_append_text(&built, text);
}

static void test_no_lines(void)
{
    struct ledger_summary s;
    struct err err;
    build_long(8192);
    CHECK(read_built("", &s, &err) == 0 && s.lines == 3, "a line of 8,192 bytes is read");
    build_long(8193);
    check_unreadable(3, "ledger.jsonl", "longer than 8192 bytes with its newline",
                     "a line of 8,193 bytes");
    build_sample(2);
    memset(built.bytes + built.n, 'x', 300000);
    built.n += 300000;
    check_unreadable(3, "ledger.jsonl", "longer than 8192 bytes with its newline",
                     "much without a newline");
    build_sample(2);
    sample_append_text(&built, "");
    check_unreadable(3, "ledger.jsonl", "byte 1: expected a value, found the end", "an empty line");
    build_sample(2);
    sample_append_text(&built, "{\"event\":\"note\"}");
    check_unreadable(3, "ledger.jsonl: event", "not an event of a ledger", "any other event");
    build_sample(2);
    sample_append_text(&built, "[]");
    check_unreadable(3, "ledger.jsonl", "expected an object", "an array");
    sample_clear(&built);
    sample_append_text(&built, "\xef\xbb\xbf{}");
    check_unreadable(1, "ledger.jsonl", "byte 1: begins with a byte-order mark",
                     "a byte-order mark");
    build_sample(2);
    memset(built.bytes + built.n, 0, 100);
    built.bytes[built.n + 99] = '\n';
    built.n += 100;
    check_unreadable(3, "ledger.jsonl", "byte 1: expected a value, found byte 0x00",
                     "a line of zeros");
}

static void test_message(void)
{
    struct ledger_summary s;
    struct err err;
    char message[ERR_TEXT_BYTES];
    struct text t = text_on(message, sizeof message);
    build_sample(2);
    sample_append_text(&built, "{\"event\":\"note\"}");
    (void)read_built("", &s, &err);
    err_format(&err, &t);
    CHECK_TEXT(message, "ledger.jsonl: event: line 3: not an event of a ledger",
               "a message names the file, the field, the line and the reason");
}

/* --- Size, rounds, and files that change ----------------------------------------- */

static void test_large(void)
{
    struct ledger_summary s;
    struct err err;
    sample_clear(&built);
    for (unsigned i = 0; i < 700; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "call_%u", i);
        sample_append(&built, sample_reserve(name, KIND_EXECUTABLE));
        sample_append(&built, sample_complete(name, OUTCOME_EXITED, 0, FAULT_NONE));
    }
    CHECK(built.n > 10 * KIB(64), "a ledger of many pieces");
    CHECK(read_built("call_699", &s, &err) == 0 && s.lines == 1400 && s.reservations == 700 &&
              s.name_used == 1 && s.bytes == built.n,
          "is read whole");
    CHECK(digest_equal(&s.last, &built.last), "to the end of its chain");
}

static void test_rounds(void)
{
    struct ledger_summary s;
    struct err err;
    unsigned right = 0;
    for (unsigned i = 0; i < 60; i++) {
        build_sample(i % 9);
        if (i % 3 == 1)
            built.bytes[built.n++] = 'x';
        int result = read_built("c1", &s, &err);
        right += result == (i % 3 == 1 ? -1 : 0) && s.lines == i % 9 && s.name_used == (i % 9 > 0);
    }
    CHECK_U64(right, 60, "one worker serves sixty ledgers, and none leaves a trace in the next");
}

static void test_shorter(void)
{
    struct ledger_summary s;
    struct err err;
    build_sample(SAMPLE_LINES);
    int fd = file_of(built.bytes, built.n);
    err_clear(&err);
    CHECK(ledger_read(&worker, fd, built.n + 1000, "", &s, NULL, NULL, &err) == -1 &&
              err.what == ERR_CHANGED && s.lines == 0,
          "a ledger that became shorter is refused");
    err_clear(&err);
    CHECK(ledger_read(&worker, fd, built.n, "", &s, NULL, NULL, &err) == 0,
          "the worker is still in step");
    CHECK(write(fd, "half a li", 9) == 9, "a writer goes on");
    err_clear(&err);
    CHECK(ledger_read(&worker, fd, built.n, "", &s, NULL, NULL, &err) == 0 && s.lines == 8,
          "what was there when its size was asked for is read");
    close(fd);
}

/* --- Workers that end, or lie ---------------------------------------------------- */

static void start(worker_duty *duty)
{
    struct err err;
    err_clear(&err);
    if (worker_start(&worker, duty, &err) != 0)
        abort();
}

static void test_killed(void)
{
    struct seen seen = {0, 0, 0, 4};
    struct ledger_summary s;
    struct err err;
    sample_clear(&built);
    for (unsigned i = 0; i < 700; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "call_%u", i);
        sample_append(&built, sample_reserve(name, KIND_EXECUTABLE));
    }
    CHECK(see_sample(&seen, &s, &err) == -1 && err.what == ERR_WORKER,
          "a worker killed in the middle is an error, not an answer");
    CHECK(s.lines == 0, "and leaves no summary");
    CHECK(read_built("", &s, &err) == -1 && err.what == ERR_WORKER, "it stays one");
    worker_stop(&worker);
    start(ledger_duty);
    kill(worker.pid, SIGKILL);
    CHECK(read_built("", &s, &err) == -1 && err.what == ERR_WORKER,
          "so is one killed before it was asked");
    worker_stop(&worker);
}

/* ledger_read.c's reply, typed again: tag, then a line, or a summary and an error. */
struct reply {
    uint64_t tag;
    union {
        struct ledger_line line;
        struct {
            struct ledger_summary summary;
            struct err err;
        } end;
    } as;
};

static struct reply lies[4];
static size_t lies_n;

static void lying_duty(int in, int out)
{
    static uint8_t bytes[4096];
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        (void)worker_read(in, bytes, (size_t)job.bytes);
        const struct reply ready = {.tag = 1};
        if (job.flags == 1)
            worker_write(out, &ready, sizeof ready);
        else
            worker_write(out, lies, lies_n * sizeof lies[0]);
    }
}

/* An answer that would be right for the first two lines of the sample. */
static void honest(void)
{
    memset(lies, 0, sizeof lies);
    build_sample(2);
    for (size_t i = 0; i < 2; i++) {
        lies[i].tag = 2;
        lies[i].as.line = sample_line(i);
        lies[i].as.line.number = i + 1;
    }
    lies[2].tag = 3;
    lies[2].as.end.summary = (struct ledger_summary){
        .bytes = built.n, .lines = 2, .reservations = 1, .fault = FAULT_NONE};
    lies_n = 3;
}

static int ask_liar(void)
{
    struct seen seen = {0, 0, 0, 0};
    struct ledger_summary s;
    struct err err;
    start(lying_duty);
    int result = see_sample(&seen, &s, &err);
    CHECK(result == 0 || (err.what == ERR_WORKER && s.lines == 0), "what is no answer is an error");
    worker_stop(&worker);
    return result;
}

/* A lie is told by changing an honest answer; e is its end. */
#define LIE(statement, ...)                                                                        \
    do {                                                                                           \
        honest();                                                                                  \
        struct ledger_summary *s = &lies[2].as.end.summary;                                        \
        struct err *e = &lies[2].as.end.err;                                                       \
        (void)s;                                                                                   \
        (void)e;                                                                                   \
        statement;                                                                                 \
        CHECK(ask_liar() == -1, __VA_ARGS__);                                                      \
    } while (0)

static void test_lies(void)
{
    honest();
    CHECK(ask_liar() == 0, "an honest answer is taken");
    LIE(lies[0].tag = 1, "a second READY is no answer");
    LIE(lies[0].tag = 9, "an unknown tag is no answer");
    LIE(lies[1].as.line.number = 1, "a line's number twice is no answer");
    LIE(memset(lies[0].as.line.call, 'x', 104), "a call name without an end is no answer");
    LIE(lies[0].as.line.event = 7, "an unknown event is no answer");
    LIE(lies[0] = lies[2], "an end before the lines is no answer");
    LIE(s->bytes = 1, "less than the file, without an error, is no answer");
    LIE(s->bytes = UINT64_MAX, "more than the file is no answer");
    LIE(s->lines = 3, "more lines than were shown is no answer");
    LIE(s->torn_bytes = 1, "a torn line without an error is no answer");
    LIE(s->reservations = 3, "more reservations than lines is no answer");
    LIE(s->open_calls = 1, "an open call without a name is no answer");
    LIE(sample_chars(s->open_call, 104, "c1"), "an open name without a count is no answer");
    LIE((s->open_calls = 2, sample_chars(s->open_call, 104, "c1")),
        "more open calls than reservations is no answer");
    LIE((s->open_calls = 1, memset(s->open_call, 'a', 104)), "an open name without an end");
    LIE((s->open_calls = 1, sample_chars(s->open_call, 104, "c/1")), "an open name with a slash");
    LIE(s->open_faults = 1, "a fault without a call is no answer");
    LIE((s->open_faults = 1, sample_chars(s->fault_call, 104, "c1")),
        "a faulted call without fault");
    LIE(s->fault = FAULT_TIMEOUT, "a fault of no call is no answer");
    LIE(s->name_used = 2, "a flag of 2 is no answer");
    LIE(e->what = ERR_LEDGER, "an error behind the end is no answer");
    LIE((e->what = ERR_LATCHED, e->at = 3, s->bytes = 1), "an error of another kind is no answer");
    LIE((e->what = ERR_LEDGER, e->at = 1, s->bytes = 1), "an error of an accepted line");
    LIE((e->what = 4711, e->at = 3, s->bytes = 1), "an error that does not exist");
    LIE((e->what = ERR_LEDGER, e->at = 3, s->bytes = 1, s->torn_bytes = 1),
        "a torn line with more behind it is no answer");
}

/* --- The duty without a worker --------------------------------------------------- */

static void test_duty(void)
{
    struct {
        char name[104];
        uint64_t want_lines;
    } question = {"c3", 1};
    struct worker_job job = {sizeof question, 1};
    struct reply reply;
    build_sample(SAMPLE_LINES);
    int in = file_of(&job, sizeof job);
    int out = memfd_create("replies", MFD_CLOEXEC);
    CHECK(write(in, &question, sizeof question) == sizeof question, "a question");
    job = (struct worker_job){built.n, 2};
    CHECK(write(in, &job, sizeof job) == sizeof job &&
              write(in, built.bytes, built.n) == (ssize_t)built.n && lseek(in, 0, SEEK_SET) == 0,
          "and a ledger");
    ledger_duty(in, out);
    CHECK(lseek(out, 0, SEEK_END) == 10 * (off_t)sizeof reply,
          "give one READY, eight lines and one end");
    CHECK(pread(out, &reply, sizeof reply, 8 * (off_t)sizeof reply) == sizeof reply &&
              reply.tag == 2 && reply.as.line.number == 8,
          "the last line is the eighth");
    CHECK(pread(out, &reply, sizeof reply, 9 * (off_t)sizeof reply) == sizeof reply &&
              reply.tag == 3 && reply.as.end.err.what == ERR_NONE &&
              reply.as.end.summary.name_used == 1,
          "the end says that c3 is used");
    close(in);
    job = (struct worker_job){8, 3};
    in = file_of(&job, sizeof job);
    CHECK(lseek(in, 0, SEEK_SET) == 0 && ftruncate(out, 0) == 0, "a job of no kind");
    ledger_duty(in, out);
    CHECK(lseek(out, 0, SEEK_END) == 0, "ends the duty without a word");
    close(in);
    close(out);
}

int main(void)
{
    start(ledger_duty);
    test_sample();
    test_prefixes();
    test_several_open();
    test_lines();
    test_torn();
    test_changes();
    test_order();
    test_states();
    test_no_lines();
    test_message();
    test_large();
    test_rounds();
    test_shorter();
    test_killed();
    test_lies();
    test_duty();
    return check_end();
}
