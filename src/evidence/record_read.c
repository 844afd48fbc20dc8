/* The outer shape of a record, for ledger verify.  Layer: evidence.
 *
 * A record may have 65,536 outputs, more than an index of JSON values holds.
 * So the gate judges the grammar of the whole, and a scan by hand checks that
 * the top level has exactly the fields that record.c writes, in its order and
 * without a space between; that the digest is the ledger's is checked by the
 * caller. */
#include <string.h>

#include "base/json.h"
#include "evidence/record.h"

/* In the order of specification 4. */
static const char *const reserved_fields[] = {
    "schema",          "call",    "kind",       "time",   "unit",   "sandbox",
    "scope",           "argv",    "env",        "limits", "inputs", "config_sha256",
    "distribution_id", "host_id", "profile_id", "host",   "lema"};

static const char *const result_fields[] = {
    "schema",  "call",       "kind",        "time",           "outcome",     "exit_code",
    "signal",  "fault",      "setup_error", "preflight",      "oom_killed",  "enforced",
    "wall_ms", "overrun_ms", "gone_ms",     "cpu_ms",         "memory_peak", "tasks_peak",
    "log",     "also",       "outputs",     "reserved_sha256"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- The scan: on a text that passed the gate ------------------------------------ */

struct scan {
    struct span text;
    size_t at;
};

static int next_byte(const struct scan *s)
{
    return s->at < s->text.n ? s->text.p[s->at] : -1;
}

/* Take exactly these bytes. */
static bool take(struct scan *s, const char *bytes)
{
    struct span rest = {s->text.p + s->at, s->text.n - s->at};
    if (!str_starts(rest, bytes))
        return false;
    s->at += strlen(bytes);
    return true;
}

/* A string from its quote to behind the closing one. */
static void skip_string(struct scan *s)
{
    s->at++;
    while (next_byte(s) != '"' && next_byte(s) >= 0)
        s->at += next_byte(s) == '\\' ? 2 : 1;
    s->at++;
}

/* A value up to the comma or brace behind it. */
static struct span take_value(struct scan *s)
{
    size_t start = s->at;
    uint64_t depth = 0;
    for (int c = next_byte(s); c >= 0; c = next_byte(s)) {
        if (depth == 0 && (c == ',' || c == '}'))
            break;
        if (c == '"') {
            skip_string(s);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        s->at++;
    }
    size_t end = s->at < s->text.n ? s->at : s->text.n;
    s->at = end;
    return (struct span){s->text.p + start, end - start};
}

/* The inside of a string value; empty if it is none, or has an escape. */
static struct span inside(struct span value)
{
    if (value.n < 2 || value.p[0] != '"' || memchr(value.p, '\\', value.n) != NULL)
        return (struct span){value.p, 0};
    return (struct span){value.p + 1, value.n - 2};
}

/* --- Judging --------------------------------------------------------------------- */

static int refuse(const char *field, const char *why, struct err *err)
{
    return err_set(err, ERR_EVIDENCE, str_span(field), "%s", why);
}

/* The fields of one kind of record, in order, and nothing else. */
static int take_fields(struct scan *s, const char *const *fields, size_t n,
                       struct record_head *head, struct err *err)
{
    enum call_kind kind;
    for (size_t i = 0; i < n; i++) {
        if (!take(s, i == 0 ? "{\"" : ",\"") || !take(s, fields[i]) || !take(s, "\":"))
            return refuse(fields[i], "expected this field next", err);
        struct span value = take_value(s);
        if (strcmp(fields[i], "call") == 0) {
            if (!call_name_valid(inside(value)))
                return refuse("call", "not a call name", err);
            (void)str_copy(head->call, sizeof head->call, inside(value));
        } else if (strcmp(fields[i], "kind") == 0) {
            if (!kind_parse(inside(value), &kind))
                return refuse("kind", "not a kind of call", err);
            head->kind = kind;
        }
    }
    if (!take(s, "}\n") || s->at != s->text.n)
        return refuse("", "expected the end of the record", err);
    return 0;
}

int record_parse_head(struct span text, struct record_head *head, struct err *err)
{
    struct scan s = {text, 0};
    struct scan schema = {text, 0};
    struct err why;
    memset(head, 0, sizeof *head);
    err_clear(&why);
    if (json_gate(text, &why) != 0)
        return err_set(err, ERR_EVIDENCE, str_span(""), "byte %llu: %s", (unsigned long long)why.at,
                       why.why);
    if (take(&schema, "{\"schema\":\"lema.call-result/v1\","))
        head->is_result = 1;
    else if (!take(&schema, "{\"schema\":\"lema.call-reserved/v1\","))
        return refuse("schema", "not a record's", err);
    int result = head->is_result == 1
                     ? take_fields(&s, result_fields, COUNT(result_fields), head, err)
                     : take_fields(&s, reserved_fields, COUNT(reserved_fields), head, err);
    if (result != 0)
        memset(head, 0, sizeof *head);
    return result;
}

/* --- The worker and its reply ---------------------------------------------------- */

struct record_reply {
    struct err err;
    struct record_head head;
};
_Static_assert(sizeof(struct record_head) == 120, "no padding: crosses processes");

void record_duty(int in, int out)
{
    static uint8_t bytes[JSON_BYTES_MAX]; /* of it, what the largest record needs is touched */
    struct record_reply reply;
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        if (job.bytes > sizeof bytes)
            return; /* record_read_head sends no such job */
        if (job.bytes > 0 && worker_read(in, bytes, (size_t)job.bytes) == 0)
            return;
        memset(&reply, 0, sizeof reply);
        (void)record_parse_head((struct span){bytes, (size_t)job.bytes}, &reply.head, &reply.err);
        worker_write(out, &reply, sizeof reply);
    }
}

/* --- The monitor's side ---------------------------------------------------------- */

static int keep_reply(void *arg, const void *reply)
{
    memcpy(arg, reply, sizeof(struct record_reply));
    return 1;
}

static bool head_holds(const struct record_head *head)
{
    struct span name = {(const uint8_t *)head->call, strnlen(head->call, sizeof head->call)};
    return head->is_result <= 1 && call_name_valid(name) && head->kind < KIND_COUNT &&
           head->unused == 0;
}

int record_read_head(struct worker *w, int fd, uint64_t size, struct span shown,
                     struct record_head *head, struct err *err)
{
    struct record_reply reply;
    memset(head, 0, sizeof *head);
    memset(&reply, 0, sizeof reply);
    if (size > JSON_BYTES_MAX)
        return err_set(err, ERR_EVIDENCE, shown, "a record of more than %llu bytes",
                       (unsigned long long)JSON_BYTES_MAX);
    if (worker_exchange(w, fd, NULL, size, 0, sizeof reply, keep_reply, &reply, shown, err) != 0)
        return -1;
    err_sanitize(&reply.err);
    if (reply.err.what == ERR_EVIDENCE) {
        *err = reply.err;
        return err_wrap(err, ERR_EVIDENCE, shown);
    }
    if (reply.err.what != ERR_NONE || !head_holds(&reply.head))
        return err_set(err, ERR_WORKER, shown, "the record worker answered out of protocol");
    *head = reply.head;
    return 0;
}
