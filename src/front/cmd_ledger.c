/* ledger verify, ledger show: the evidence, read again.  Layer: front.
 *
 * Specification 5.  The chain is read strictly by a worker; every record and log
 * that a line names is hashed by workers and compared with the line.  Neither
 * command takes the lock, and neither writes anything. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "evidence/ledger.h"
#include "evidence/lock.h"
#include "evidence/record.h"
#include "evidence/stray.h"
#include "front/command.h"
#include "front/named.h"
#include "host/file.h"
#include "host/walk.h"

#define NAME_BYTES (CALL_NAME_BYTES_MAX + 32)
#define PROBLEMS_SHOWN 100u

/* --- One file that a line names -------------------------------------------------- */

struct verify {
    struct runtime *rt;
    struct out *o;
    uint64_t reservations, completions, resolutions, records, logs, log_bytes;
    uint64_t problems;
    struct err first; /* the first problem */
    struct named *named;
    uint64_t unnamed;
};

static void note_problem(struct verify *v, uint64_t line, const struct err *why)
{
    char buffer[ERR_TEXT_BYTES];
    struct text t = text_on(buffer, sizeof buffer);

    if (v->problems++ == 0)
        v->first = *why;
    if (v->problems > PROBLEMS_SHOWN)
        return;
    err_format(why, &t);
    out_object(v->o, NULL);
    out_u64(v->o, "line", line);
    out_chars(v->o, "what", buffer);
    out_object_end(v->o);
}

/* Open a file of evidence as lema leaves it: owner, kind, mode 0600, one link. */
static int open_evidence(const struct runtime *rt, const char *name, struct stat *st,
                         struct err *err)
{
    int fd = walk_component(rt->output.fd, name, WALK_FILE, O_RDONLY, rt->uid, false,
                            str_span(name), st, NULL, err);
    if (fd < 0)
        return -1;
    if ((st->st_mode & 07777) == EVIDENCE_MODE && st->st_nlink == 1)
        return fd;
    err_set(err, ERR_EVIDENCE, str_span(name), "mode %04o and %lu links, expected 0600 and 1",
            (unsigned)(st->st_mode & 07777), (unsigned long)st->st_nlink);
    fd_close(&fd);
    return -1;
}

static int compare_digest(const struct digest *want, const struct digest *got, const char *name,
                          struct err *err)
{
    char expected[DIGEST_HEX_BYTES], found[DIGEST_HEX_BYTES];

    if (digest_equal(want, got))
        return 0;
    digest_hex(want, expected);
    digest_hex(got, found);
    return err_set(err, ERR_EVIDENCE, str_span(name), "expected sha256 %s, found %s", expected,
                   found);
}

static int check_digest(struct runtime *rt, int fd, const struct stat *st,
                        const struct digest *want, const char *name, struct err *err)
{
    struct digest got;

    if (hash_pool_file(&rt->pool, fd, (uint64_t)st->st_size, str_span(name), &got, err) != 0)
        return -1;
    return compare_digest(want, &got, name, err);
}

/* A record: its digest, that it is one, and that it is of this call. */
static int check_record(struct verify *v, const struct ledger_line *line, const char *name,
                        const struct digest *want, bool is_result, struct err *err)
{
    struct runtime *rt = v->rt;
    struct record_head head;
    struct stat st;
    int fd = open_evidence(rt, name, &st, err);

    if (fd < 0)
        return -1;
    int result = check_digest(rt, fd, &st, want, name, err);
    if (result == 0)
        result = record_read_head(&rt->record_worker, fd, (uint64_t)st.st_size, str_span(name),
                                  &head, err);
    fd_close(&fd);
    if (result != 0)
        return -1;
    v->records++;
    if ((head.is_result != 0) != is_result || strcmp(head.call, line->call) != 0 ||
        (!is_result && head.kind != line->kind))
        return err_set(err, ERR_EVIDENCE, str_span(name), "the record is of another call or kind");
    return 0;
}

static int check_log(struct verify *v, const struct ledger_line *line, const char *name,
                     struct err *err)
{
    struct stat st;
    int fd = open_evidence(v->rt, name, &st, err);

    if (fd < 0)
        return -1;
    int result = 0;
    if ((uint64_t)st.st_size != line->log_bytes)
        result = err_set(err, ERR_EVIDENCE, str_span(name), "expected %llu bytes, found %lld",
                         (unsigned long long)line->log_bytes, (long long)st.st_size);
    if (result == 0)
        result = check_digest(v->rt, fd, &st, &line->log_sha256, name, err);
    fd_close(&fd);
    if (result == 0) {
        v->logs++;
        v->log_bytes += line->log_bytes;
    }
    return result;
}

/* The name of a call's file, noted as named by the ledger. */
static const char *file_name(struct verify *v, char name[static NAME_BYTES], const char *call,
                             const char *suffix)
{
    struct text t = text_on(name, NAME_BYTES);

    text_adds(&t, call);
    text_adds(&t, suffix);
    named_add(v->named, name);
    return name;
}

/* --- verify ---------------------------------------------------------------------- */

/* One accepted line.  What it names is wrong: a problem, and on it goes. */
static int verify_line(void *arg, const struct ledger_line *line, struct err *err)
{
    struct verify *v = arg;
    char name[NAME_BYTES];
    struct err why;

    (void)err;
    err_clear(&why);
    switch ((enum ledger_event)line->event) {
    case LEDGER_RESERVE:
        v->reservations++;
        if (check_record(v, line, file_name(v, name, line->call, "-reserved.json"),
                         &line->reserved_sha256, false, &why) != 0)
            note_problem(v, line->number, &why);
        return 0;
    case LEDGER_COMPLETE:
        v->completions++;
        if (check_record(v, line, file_name(v, name, line->call, "-result.json"),
                         &line->result_sha256, true, &why) != 0)
            note_problem(v, line->number, &why);
        err_clear(&why);
        if (check_log(v, line, file_name(v, name, line->call, ".log"), &why) != 0)
            note_problem(v, line->number, &why);
        return 0;
    default:
        v->resolutions++;
        named_add_torn(v->named, v->rt->output.fd, line->reason);
        return 0;
    }
}

static void note_unnamed(void *arg, const char *name)
{
    struct verify *v = arg;

    if (v->unnamed++ < PROBLEMS_SHOWN)
        out_chars(v->o, NULL, name);
}

/* Listed, not an error: a crash between a record and its line leaves such a file. */
static int put_unnamed(struct verify *v, struct err *err)
{
    out_array(v->o, "unnamed");
    int result = named_rest(v->named, v->rt->output.fd, note_unnamed, v, err);
    out_array_end(v->o);
    out_u64(v->o, "unnamed_count", v->unnamed);
    return result;
}

/* Without the lock half a line may be one that a call is just writing (specification 5). */
static bool in_progress(const struct runtime *rt, const struct ledger_summary *s)
{
    return s->torn_bytes > 0 && lock_holder(rt->lock.fd) > 0;
}

static void put_summary(const struct verify *v, const struct ledger_summary *s, const char *state)
{
    struct out *o = v->o;

    out_chars(o, "ledger", state);
    out_u64(o, "lines", s->lines);
    out_u64(o, "bytes", s->bytes);
    out_digest(o, "chain_end", &s->last);
    out_u64(o, "reservations", v->reservations);
    out_u64(o, "completions", v->completions);
    out_u64(o, "resolutions", v->resolutions);
    out_u64(o, "records", v->records);
    out_u64(o, "logs", v->logs);
    out_u64(o, "log_bytes", v->log_bytes);
    out_u64(o, "open_reservations", s->open_calls);
    out_u64(o, "unresolved_faults", s->open_faults);
    out_u64(o, "problem_count", v->problems);
}

/* Options, configuration and the ledger, open.
 * returns  0 with *missing, or -1 */
static int open_ledger(struct command_line *line, struct ledger *ledger, bool *missing,
                       struct err *err)
{
    struct option option[] = {{"--runtime", false, true, NULL}};
    size_t operands;

    ledger->fd = -1;
    if (options_parse(option, 1, NULL, 0, &operands, line->argc, line->argv, err) != 0 ||
        command_load(line, option[0].value, RUNTIME_PATHS, err) != 0)
        return -1;
    return ledger_open(ledger, line->rt->output.fd, line->rt->uid, false, missing, err);
}

/* Somebody holds the lock, perhaps to write the rest of this line: neither yes nor no.
 * returns  the exit code of "try later" */
static int put_in_progress(const struct verify *v, const struct ledger_summary *s, struct err *err)
{
    err_clear(err);
    put_summary(v, s, "in progress");
    out_null(v->o, "verified");
    return err_exit_code(ERR_LOCK_BUSY);
}

int cmd_ledger_verify(struct command_line *line, struct out *o, struct err *err)
{
    static struct verify v;
    struct err why;
    struct ledger_summary summary;
    struct ledger ledger;
    bool missing = false;

    memset(&v, 0, sizeof v);
    v.rt = line->rt;
    v.o = o;
    err_clear(&v.first);
    err_clear(&why);
    v.named = sys_memory(sizeof *v.named);
    if (v.named == NULL)
        return err_sys(err, ERR_IO, "mmap", errno, str_span("names"), NULL);
    if (open_ledger(line, &ledger, &missing, err) != 0)
        return -1;
    out_array(o, "problems");
    int result = ledger_load(&ledger, &line->rt->ledger_worker, "", &summary, verify_line, &v, err);
    ledger_close(&ledger);
    if (result == 0 && summary.lines == 0 && stray_refuse_results(line->rt->output.fd, &why) != 0)
        note_problem(&v, 0, &why);
    out_array_end(o);
    if (result != 0 && in_progress(line->rt, &summary))
        return put_in_progress(&v, &summary, err);
    if (result == 0)
        result = put_unnamed(&v, err);
    put_summary(&v, &summary, missing ? "missing: no call was made yet" : "read");
    out_bool(o, "verified", result == 0 && v.problems == 0);
    if (result == 0 && v.problems > 0)
        *err = v.first;
    return result == 0 && v.problems == 0 ? 0 : -1;
}

/* --- show ------------------------------------------------------------------------ */

static void put_status(struct out *o, const char *name, int32_t value)
{
    if (value < 0)
        out_null(o, name);
    else
        out_i64(o, name, value);
}

static void put_fault(struct out *o, uint32_t fault)
{
    if (fault == FAULT_NONE)
        out_null(o, "fault");
    else
        out_chars(o, "fault", fault_word((enum fault)fault));
}

static void put_reserve(struct out *o, const struct ledger_line *l)
{
    out_chars(o, "kind", kind_word((enum call_kind)l->kind));
    out_chars(o, "unit", l->unit);
    out_chars(o, "boot_id", l->boot_id);
    out_digest(o, "reserved_sha256", &l->reserved_sha256);
    out_digest(o, "config_sha256", &l->config_sha256);
    out_digest(o, "distribution_id", &l->distribution_id);
    out_object(o, "host");
    out_chars(o, "host_kind", machine_kind_word((enum machine_kind)l->host.kind));
    out_u64(o, "mem_total", l->host.mem_total);
    out_u64(o, "mem_available", l->host.mem_available);
    out_centi(o, "memory_pressure_some_avg10", l->host.memory_pressure_centi);
    out_centi(o, "cpu_pressure_some_avg10", l->host.cpu_pressure_centi);
    out_object_end(o);
}

static void put_complete(struct out *o, const struct ledger_line *l)
{
    out_chars(o, "outcome", outcome_word((enum outcome)l->outcome));
    put_status(o, "exit_code", l->exit_code);
    put_status(o, "signal", l->signal);
    put_fault(o, l->fault);
    out_digest(o, "result_sha256", &l->result_sha256);
    out_digest(o, "log_sha256", &l->log_sha256);
    out_u64(o, "log_bytes", l->log_bytes);
}

static int show_line(void *arg, const struct ledger_line *l, struct err *err)
{
    static const char *const events[LEDGER_EVENTS] = {"reserve", "complete", "resolve"};
    struct out *o = arg;

    (void)err;
    out_object(o, NULL);
    out_u64(o, "line", l->number);
    out_chars(o, "event", events[l->event]);
    out_chars(o, "time", l->time);
    out_chars(o, "call", l->call);
    out_digest(o, "prev", &l->prev);
    if (l->event == LEDGER_RESERVE)
        put_reserve(o, l);
    else if (l->event == LEDGER_COMPLETE)
        put_complete(o, l);
    else {
        put_fault(o, l->fault);
        out_chars(o, "scope", l->scope == RESOLVE_SCOPE_HOST ? "host" : "output");
        out_u64(o, "operator", l->operator_uid);
        out_chars(o, "reason", l->reason);
    }
    out_object_end(o);
    return 0;
}

/* Where the ledger is unreadable, what stands before the first wrong line is shown. */
int cmd_ledger_show(struct command_line *line, struct out *o, struct err *err)
{
    struct ledger_summary summary;
    struct ledger ledger;
    bool missing = false;

    if (open_ledger(line, &ledger, &missing, err) != 0)
        return -1;
    out_array(o, "lines");
    int result = ledger_load(&ledger, &line->rt->ledger_worker, "", &summary, show_line, o, err);
    ledger_close(&ledger);
    out_array_end(o);
    if (result == 0 || !in_progress(line->rt, &summary))
        return result;
    err_clear(err);
    out_chars(o, "ledger", "in progress");
    return 0;
}
