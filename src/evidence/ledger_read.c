/* Reading a ledger: the worker's duty, and the monitor's side.  Layer: evidence.
 *
 *   monitor                                worker
 *   job {ASK}, struct ledger_question ---> table cleared
 *                                     <--- READY
 *   job {BYTES}, the ledger ------------->
 *                                     <--- LINE, for each one, if asked for
 *                                     <--- END: summary and error
 *
 * A worker serves any number of such rounds.  After a wrong line it takes the
 * rest of the bytes and looks at nothing of them, so that it stays in step. */
#include <string.h>

#include "base/json.h"
#include "evidence/ledger.h"
#include "evidence/ledger_calls.h"

#define LEDGER_NAME "ledger.jsonl"
#define CHUNK_BYTES KIB(64)

enum ledger_job { JOB_ASK = 1, JOB_BYTES = 2 }; /* worker_job.flags */
enum reply_tag { REPLY_READY = 1, REPLY_LINE, REPLY_END };

struct ledger_question {
    char name[104];
    uint64_t want_lines; /* 0 or 1 */
};
_Static_assert(sizeof(struct ledger_question) == 112, "no padding: crosses processes");

struct ledger_end {
    struct ledger_summary summary;
    struct err err;
};

struct ledger_reply {
    uint64_t tag; /* enum reply_tag */
    union {
        struct ledger_line line;
        struct ledger_end end;
    } as;
};
_Static_assert(sizeof(struct ledger_reply) == 8 + sizeof(struct ledger_line),
               "the line is the larger one");

/* --- In the worker --------------------------------------------------------------- */

struct reader {
    int out;
    struct ledger_question question;
    struct ledger_end end;
    uint8_t line[LEDGER_LINE_BYTES_MAX];
    size_t line_n;
    struct ledger_reply reply;
    struct ledger_calls calls;
};

/* Everything of the duty, all zero at first; of its 31 MB a small ledger touches little. */
static struct reader duty_reader;

static int check_chain(const struct reader *r, const struct ledger_line *line, struct err *err)
{
    char expected[DIGEST_HEX_BYTES];
    char found[DIGEST_HEX_BYTES];
    if (digest_equal(&line->prev, &r->end.summary.last))
        return 0;
    digest_hex(&r->end.summary.last, expected);
    digest_hex(&line->prev, found);
    return err_set(err, ERR_LEDGER, str_span("prev"), "broken chain: expected %s, found %s",
                   expected, found);
}

/* The error of a line gets its place: "ledger.jsonl: FIELD", line N. */
static void place_error(struct reader *r)
{
    r->end.err.at = r->end.summary.lines + 1;
    (void)err_wrap(&r->end.err, ERR_LEDGER, str_span(LEDGER_NAME));
}

static void send_line(struct reader *r)
{
    r->reply.tag = REPLY_LINE;
    worker_write(r->out, &r->reply, sizeof r->reply);
}

/* A whole line stands in r->line, newline included. */
static void take_line(struct reader *r)
{
    struct ledger_summary *summary = &r->end.summary;
    struct ledger_line *line = &r->reply.as.line;
    if (ledger_parse_line((struct span){r->line, r->line_n - 1}, line, &r->end.err) != 0 ||
        check_chain(r, line, &r->end.err) != 0 ||
        ledger_calls_apply(&r->calls, line, &r->end.err) != 0) {
        place_error(r);
        return;
    }
    summary->lines++;
    summary->bytes += r->line_n;
    summary->reservations += line->event == LEDGER_RESERVE;
    sha256_of(r->line, r->line_n, &summary->last);
    line->number = summary->lines;
    r->line_n = 0;
    if (r->question.want_lines != 0)
        send_line(r);
}

static void take_bytes(struct reader *r, struct span bytes)
{
    while (bytes.n > 0 && r->end.err.what == ERR_NONE) {
        const uint8_t *newline = memchr(bytes.p, '\n', bytes.n);
        size_t n = newline != NULL ? (size_t)(newline - bytes.p) + 1 : bytes.n;
        if (n > sizeof r->line - r->line_n) {
            err_set(&r->end.err, ERR_LEDGER, str_span(""), "longer than %u bytes with its newline",
                    LEDGER_LINE_BYTES_MAX);
            place_error(r);
            return;
        }
        memcpy(r->line + r->line_n, bytes.p, n);
        r->line_n += n;
        bytes = (struct span){bytes.p + n, bytes.n - n};
        if (newline != NULL)
            take_line(r);
    }
}

static void put_call(char to[static 104], const struct ledger_call *call)
{
    if (call != NULL)
        (void)str_copy(to, 104, str_span(call->name));
}

static void send_end(struct reader *r)
{
    struct ledger_summary *summary = &r->end.summary;
    if (r->end.err.what == ERR_NONE && r->line_n > 0) {
        summary->torn_bytes = r->line_n;
        err_set(&r->end.err, ERR_LEDGER, str_span(""), "the last line has no newline");
        place_error(r);
    }
    const struct ledger_call *faulted = ledger_calls_first(&r->calls, CALL_FAULTED);
    put_call(summary->open_call, ledger_calls_first(&r->calls, CALL_OPEN));
    put_call(summary->fault_call, faulted);
    summary->fault = faulted != NULL ? faulted->fault : FAULT_NONE;
    summary->open_calls = r->calls.open;
    summary->open_faults = r->calls.faulted;
    summary->name_used = ledger_calls_find(&r->calls, r->question.name) != NULL;
    memset(&r->reply, 0, sizeof r->reply);
    r->reply.tag = REPLY_END;
    r->reply.as.end = r->end;
    worker_write(r->out, &r->reply, sizeof r->reply);
}

/* returns 0, or -1 where the input ends */
static int take_question(struct reader *r, int in)
{
    if (worker_read(in, &r->question, sizeof r->question) == 0)
        return -1;
    r->question.name[sizeof r->question.name - 1] = '\0';
    ledger_calls_clear(&r->calls);
    memset(&r->end, 0, sizeof r->end);
    r->line_n = 0;
    memset(&r->reply, 0, sizeof r->reply);
    r->reply.tag = REPLY_READY;
    worker_write(r->out, &r->reply, sizeof r->reply);
    return 0;
}

static int take_ledger(struct reader *r, int in, uint64_t left)
{
    static uint8_t chunk[CHUNK_BYTES];
    while (left > 0) {
        size_t n = left < sizeof chunk ? (size_t)left : sizeof chunk;
        if (worker_read(in, chunk, n) == 0)
            return -1;
        take_bytes(r, (struct span){chunk, n});
        left -= n;
    }
    send_end(r);
    return 0;
}

void ledger_duty(int in, int out)
{
    struct reader *r = &duty_reader;
    struct worker_job job;
    r->out = out;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        bool question = job.flags == JOB_ASK && job.bytes == sizeof r->question;
        if (!question && job.flags != JOB_BYTES)
            return; /* ledger_read sends no such job */
        if ((question ? take_question(r, in) : take_ledger(r, in, job.bytes)) != 0)
            return;
    }
}

/* --- In the monitor -------------------------------------------------------------- */

struct asker {
    uint64_t size;
    uint64_t lines; /* given so far */
    int (*on_line)(void *arg, const struct ledger_line *line, struct err *err);
    void *arg;
    bool gave_up; /* on_line failed: err holds why */
    struct ledger_end end;
    struct err *err;
};

static int out_of_protocol(struct err *err)
{
    return err_set(err, ERR_WORKER, str_span(LEDGER_NAME),
                   "the ledger worker answered out of protocol");
}

static int on_ready(void *arg, const void *bytes)
{
    const struct ledger_reply *reply = bytes;
    struct asker *a = arg;
    return reply->tag == REPLY_READY ? 1 : out_of_protocol(a->err);
}

static int take_reply_line(struct asker *a, const struct ledger_line *line)
{
    struct err ignored;
    err_clear(&ignored);
    a->lines++;
    if (a->on_line == NULL || line->number != a->lines || ledger_check_line(line, &ignored) != 0)
        return out_of_protocol(a->err);
    /* After a failure the worker is listened to until its end, to stay in step. */
    if (!a->gave_up && a->on_line(a->arg, line, a->err) != 0)
        a->gave_up = true;
    return 0;
}

static bool call_holds(const char call[static 104], uint64_t count)
{
    struct span name = {(const uint8_t *)call, strnlen(call, 104)};
    return count > 0 ? call_name_valid(name) : name.n == 0;
}

static bool summary_holds(const struct ledger_summary *s, uint64_t size)
{
    if (s->bytes > size || s->torn_bytes > size - s->bytes ||
        s->torn_bytes > LEDGER_LINE_BYTES_MAX || s->lines > s->bytes ||
        s->reservations > s->lines || s->reservations > LEDGER_CALLS_MAX)
        return false;
    if (s->open_calls > s->reservations || s->open_faults > s->reservations - s->open_calls ||
        s->name_used > 1)
        return false;
    return call_holds(s->open_call, s->open_calls) && call_holds(s->fault_call, s->open_faults) &&
           (s->open_faults > 0 ? s->fault < FAULT_COUNT : s->fault == FAULT_NONE);
}

/* What must go together in an answer: no error means that all was read, an
 * error names a line behind the accepted ones, a torn line is the whole rest. */
static bool end_holds(const struct asker *a)
{
    const struct ledger_summary *s = &a->end.summary;
    const struct err *e = &a->end.err;
    if (!summary_holds(s, a->size) || (a->on_line != NULL && a->lines != s->lines))
        return false;
    if (e->what == ERR_NONE)
        return s->bytes == a->size && s->torn_bytes == 0;
    return e->what == ERR_LEDGER && e->at == s->lines + 1 && s->bytes < a->size &&
           (s->torn_bytes == 0 || s->torn_bytes == a->size - s->bytes);
}

static int on_reply(void *arg, const void *bytes)
{
    const struct ledger_reply *reply = bytes;
    struct asker *a = arg;
    if (reply->tag == REPLY_LINE)
        return take_reply_line(a, &reply->as.line);
    if (reply->tag != REPLY_END)
        return out_of_protocol(a->err);
    a->end = reply->as.end;
    err_sanitize(&a->end.err);
    return end_holds(a) ? 1 : out_of_protocol(a->err);
}

static int ask(struct worker *w, struct asker *a, const char *name)
{
    struct ledger_question question;
    memset(&question, 0, sizeof question);
    question.want_lines = a->on_line != NULL;
    if (!str_copy(question.name, sizeof question.name, str_span(name)))
        return err_set(a->err, ERR_INTERNAL, str_span(name), "asked for as a call name");
    return worker_exchange(w, -1, &question, sizeof question, JOB_ASK, sizeof(struct ledger_reply),
                           on_ready, a, str_span(LEDGER_NAME), a->err);
}

int ledger_read(struct worker *w, int fd, uint64_t size, const char *name,
                struct ledger_summary *summary,
                int (*on_line)(void *arg, const struct ledger_line *line, struct err *err),
                void *arg, struct err *err)
{
    struct asker a = {.size = size, .on_line = on_line, .arg = arg, .err = err};
    memset(summary, 0, sizeof *summary);
    if (ask(w, &a, name) != 0)
        return -1;
    if (worker_exchange(w, fd, NULL, size, JOB_BYTES, sizeof(struct ledger_reply), on_reply, &a,
                        str_span(LEDGER_NAME), err) != 0 ||
        a.gave_up)
        return -1;
    *summary = a.end.summary;
    if (a.end.err.what == ERR_NONE)
        return 0;
    *err = a.end.err;
    return -1;
}
