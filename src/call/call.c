/* One native call, from its checks to its completion line.  Layer: call.
 *
 * Theory of operation
 *
 *  1 lock             waits; until it is held nothing is looked at
 *  2 nine checks      a refusal: nothing was written but an empty ledger
 *  3 evidence begun   CALL.log, CALL-result.json and both latches get their
 *                     space now, so that a full disk cannot keep them from
 *                     being written later
 *  4 work/CALL        made, with the inputs
 *  5 CALL-reserved.json  durable; a crash here leaves a record without a line:
 *                     the name stays used, nothing is refused
 *  6 reserve line     durable; from here on whatever dies leaves an open
 *                     reservation, which refuses every later call
 *  7 start            start.c: scope, limits read back, sandbox, release
 *  8 attend, end      finish.c: until it ended; killed; proved gone; judged
 *  9 latch            if there is a fault: durable before the completion line
 * 10 CALL.log, CALL-result.json  durable
 * 11 complete line    durable; then the lock is released
 *
 * Before 6 a failure undoes what was made.  After 6 nothing is undone. */
#include "call/call.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "call/native.h"
#include "call/view.h"
#include "evidence/boot.h"
#include "evidence/lock.h"
#include "host/file.h"

#define RESERVED_BYTES KIB(256) /* a reserved record: ARGV_BYTES_MAX escaped, and the rest */

void native_fault(struct native *n, enum fault fault, const char *why)
{
    n->faults |= (fault_set)1 << fault;
    if (n->detail.what == ERR_NONE && why != NULL)
        err_set(&n->detail, ERR_FAULT, str_span(fault_word(fault)), "%s", why);
}

void native_setup_failed(struct native *n, const char *step, const char *object, int sys)
{
    struct record_result *r = &n->result;
    struct text t;

    if (r->setup_failed)
        return;
    r->setup_failed = true;
    r->setup_errno = sys;
    t = text_on(r->setup_step, sizeof r->setup_step);
    text_adds(&t, step);
    t = text_on(r->setup_object, sizeof r->setup_object);
    text_adds(&t, object);
    if (n->detail.what != ERR_NONE)
        return;
    if (sys != 0)
        err_sys(&n->detail, ERR_SETUP, step, sys, str_span(object), "could not be started");
    else
        err_set(&n->detail, ERR_SETUP, str_span(object), "could not be started (%s)", step);
}

bool native_stopped(const struct native *n)
{
    return n->result.setup_failed || n->faults != 0;
}

static void native_init(struct native *n, struct runtime *rt, const struct call_request *request)
{
    memset(n, 0, sizeof *n);
    n->rt = rt;
    n->request = request;
    checks_init(&n->checks);
    n->checks.call = request->name;
    n->checks.sandbox = request->sandbox;
    n->checks.scope = request->scope;
    scope_init(&n->scope);
    if (request->scope == SCOPE_CGROUP)
        n->scope.delegated_fd = rt->delegated.fd;
    attend_init(&n->attend);
    n->attend.launcher = &rt->launcher;
    n->attend.log = &n->log;
    n->attend.scope = &n->scope;
    n->log.pipe_fd = -1;
    file_init(&n->log.file);
    file_init(&n->result_file);
    for (size_t i = 0; i < LATCHES; i++)
        file_init(&n->latch_file[i]);
    n->call_fd = -1;
    n->result.call = request->name;
    n->result.kind = request->kind;
    n->result.exit_code = n->result.signal = -1;
    n->result.wall_ms = n->result.gone_ms = RECORD_NULL;
    n->result.cpu_ms = n->result.memory_peak = n->result.tasks_peak = RECORD_NULL;
}

/* A name is used once per output: nothing of it may stand there (specification 4). */
static int refuse_used_name(struct native *n, struct err *err)
{
    static const char *const behind[] = {"-reserved.json", ".log", "-result.json"};
    char name[CALL_NAME_BYTES_MAX + 32];
    struct stat st;

    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        struct text t = text_on(name, sizeof name);
        text_adds(&t, n->request->name);
        text_adds(&t, behind[i]);
        if (fstatat(n->rt->output.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            return err_set(err, ERR_CALL_NAME, str_span(name),
                           "exists already; a call's name is used once");
        if (errno != ENOENT)
            return err_sys(err, ERR_IO, "fstatat", errno, str_span(name), NULL);
    }
    return 0;
}

static int begin_evidence(struct native *n, struct err *err)
{
    char name[CALL_NAME_BYTES_MAX + 32];
    struct text t = text_on(name, sizeof name);

    text_adds(&t, n->request->name);
    text_adds(&t, "-result.json");
    if (capture_begin(&n->log, n->rt->output.fd, n->request->name, err) != 0 ||
        file_begin(&n->result_file, n->rt->output.fd, name, RESERVE_RESULT_BYTES, err) != 0)
        return -1;
    for (size_t i = 0; i < LATCHES; i++)
        if (latch_prepare(&n->latch_file[i], &n->rt->latch[i], err) != 0)
            return -1;
    return ledger_reserve_space(&n->checks.ledger, 2, err);
}

static void fill_reserved(const struct native *n, struct record_reserved *r)
{
    const struct runtime *rt = n->rt;

    memset(r, 0, sizeof *r);
    r->call = n->request->name;
    r->kind = n->request->kind;
    clock_now_utc(r->time);
    r->unit = n->scope.unit;
    r->sandbox = sandbox_word(n->request->sandbox);
    r->scope = scope_word(n->request->scope);
    r->argv = n->request->argv;
    r->env = view_environment;
    r->limits = scope_limits(n->request->kind);
    r->input = n->input;
    r->input_n = n->request->input_n;
    r->config_sha256 = rt->config_sha256;
    r->distribution_id = rt->pins.distribution_id;
    r->host_id = rt->pins.host_id;
    r->profile_id = rt->pins.profile_id;
    r->binary_sha256 = rt->self_sha256;
    r->host = n->checks.machine;
    r->version = LEMA_VERSION;
}

/* Make CALL-reserved.json durable. */
static int record_reserved(struct native *n, struct err *err)
{
    static char buffer[RESERVED_BYTES]; /* not on the stack */
    char name[CALL_NAME_BYTES_MAX + 32];
    struct record_reserved reserved;
    struct file_pending file;
    struct text text = text_on(buffer, sizeof buffer);
    struct text t = text_on(name, sizeof name);

    fill_reserved(n, &reserved);
    if (record_write_reserved(&text, &reserved, err) != 0)
        return -1;
    sha256_of(buffer, text.n, &n->reserved_sha256);
    text_adds(&t, n->request->name);
    text_adds(&t, "-reserved.json");
    if (file_begin(&file, n->rt->output.fd, name, 0, err) != 0)
        return -1;
    if (file_write_all(file.fd, buffer, text.n, str_span(name), err) == 0 &&
        file_commit(&file, err) == 0)
        return 0;
    file_abandon(&file);
    return -1;
}

static int append_reserve(struct native *n, struct err *err)
{
    static struct ledger_line line;

    memset(&line, 0, sizeof line);
    line.event = LEDGER_RESERVE;
    clock_now_utc(line.time);
    str_copy(line.call, sizeof line.call, str_span(n->request->name));
    line.kind = n->request->kind;
    str_copy(line.unit, sizeof line.unit, str_span(n->scope.unit));
    str_copy(line.boot_id, sizeof line.boot_id, str_span(n->boot_id));
    line.reserved_sha256 = n->reserved_sha256;
    line.config_sha256 = n->rt->config_sha256;
    line.distribution_id = n->rt->pins.distribution_id;
    line.host = n->checks.machine;
    return ledger_append(&n->checks.ledger, &line, err);
}

/* Steps 1 to 6.  On failure before the reserve line what was made is undone. */
static int prepare(struct native *n, struct err *err)
{
    const struct call_request *q = n->request;

    if (lock_take(n->rt->lock.fd, n->rt->clock, q->waiting, q->arg,
                  str_span(n->rt->config.shared_lock), err) != 0)
        return -1;
    n->lock_held = true;
    if (checks_run(n->rt, &n->checks, err) != 0 || refuse_used_name(n, err) != 0 ||
        boot_id_read(n->boot_id, err) != 0 || scope_name(&n->scope, err) != 0 ||
        attend_signals(&n->attend, err) != 0) /* before anything is made that must be undone */
        return -1;
    n->call_fd =
        work_make(n->rt->work_fd, q->name, q->input, q->input_n, n->input, n->rt->uid, err);
    if (n->call_fd < 0)
        return -1;
    n->work_made = true;
    if (begin_evidence(n, err) != 0 || record_reserved(n, err) != 0)
        return -1;
    n->reserved = true; /* it may be on disk even if the append says it failed */
    return append_reserve(n, err);
}

/* Step 9.  A latch that cannot be written leaves the reservation open: that
 * refuses every later call of this output as well. */
static int set_latches(struct native *n, struct err *err)
{
    enum fault fault = fault_first(n->faults);

    if (fault == FAULT_NONE)
        return 0;
    if (latch_set(&n->latch_file[LATCH_OUTPUT], n->request->name, fault, err) != 0)
        return -1;
    if ((n->faults & ((fault_set)1 << FAULT_SCOPE_NOT_GONE)) == 0)
        return 0;
    return latch_set(&n->latch_file[LATCH_HOST], n->request->name, FAULT_SCOPE_NOT_GONE, err);
}

static int append_complete(struct native *n, const struct digest *result_sha256, struct err *err)
{
    static struct ledger_line line;
    const struct record_result *r = &n->result;

    memset(&line, 0, sizeof line);
    line.event = LEDGER_COMPLETE;
    clock_now_utc(line.time);
    str_copy(line.call, sizeof line.call, str_span(n->request->name));
    line.outcome = r->outcome;
    line.exit_code = r->exit_code;
    line.signal = r->signal;
    line.fault = fault_first(n->faults);
    line.result_sha256 = *result_sha256;
    line.log_sha256 = r->log_sha256;
    line.log_bytes = r->log_bytes;
    return ledger_append(&n->checks.ledger, &line, err);
}

static void fill_answer(const struct native *n, struct call_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->result = n->result;
    answer->reservations = n->checks.summary.reservations + (n->reserved ? 1 : 0);
    str_copy(answer->unit, sizeof answer->unit, str_span(n->scope.unit));
    struct text t = text_on(answer->diagnostics, sizeof answer->diagnostics);
    struct span said = {(const uint8_t *)n->attend.said, n->attend.said_n};
    while (said.n > 0 && said.p[said.n - 1] == '\n')
        said.n--;
    text_add_escaped(&t, (struct span){said.p, said.n < 120 ? said.n : 120});
    answer->detail = n->detail;
}

/* The call's fault with the first detail: which file, which limit, which errno. */
static int report_fault(const struct native *n, struct err *err)
{
    const char *fault = fault_word(fault_first(n->faults));
    char why[ERR_TEXT_BYTES];
    struct text t = text_on(why, sizeof why);

    err_format(&n->detail, &t);
    if (strcmp(n->detail.obj, fault) == 0)
        return err_set(err, ERR_FAULT, str_span(n->request->name), "%s", why);
    return err_set(err, ERR_FAULT, str_span(n->request->name), "%s: %s", fault, why);
}

/* Which step failed, of what, with which errno, and what bwrap or systemd-run said. */
static int report_setup(const struct native *n, const struct call_answer *answer, struct err *err)
{
    const struct record_result *r = &n->result;
    const bool said = answer->diagnostics[0] != '\0';
    char name[32];
    struct text t = text_on(name, sizeof name);

    if (r->setup_errno != 0)
        err_add_errno_name(&t, r->setup_errno);
    return err_set(err, ERR_SETUP, str_span(n->request->name), "%s of %s failed%s%s%s%s",
                   r->setup_step, r->setup_object, name[0] != '\0' ? ": " : "", name,
                   said ? ": " : "", answer->diagnostics);
}

/* Steps 7 to 11. */
static int perform(struct native *n, struct call_answer *answer, struct err *err)
{
    int result = native_start(n, err);
    if (result == 0 && !native_stopped(n))
        result = native_attend(n, err);
    if (result == 0)
        result = native_end(n, err);
    if (result == 0)
        result = set_latches(n, err);
    if (result == 0)
        result = native_record_result(n, &answer->result_sha256, err);
    struct digest result_sha256 = answer->result_sha256;
    if (result == 0)
        result = append_complete(n, &result_sha256, err);
    fill_answer(n, answer);
    answer->result_sha256 = result_sha256;
    if (result != 0)
        return -1;
    if (n->faults != 0)
        return report_fault(n, err);
    return n->result.setup_failed ? report_setup(n, answer, err) : 0;
}

static void release(struct native *n)
{
    attend_close(&n->attend);
    capture_close(&n->log);
    file_abandon(&n->result_file);
    for (size_t i = 0; i < LATCHES; i++)
        file_abandon(&n->latch_file[i]);
    fd_close(&n->call_fd);
    if (n->work_made && !n->reserved)
        work_unmake(n->rt->work_fd, n->request->name, n->request->input, n->request->input_n);
    scope_close(&n->scope);
    checks_close(&n->checks);
    if (n->lock_held)
        lock_release(n->rt->lock.fd);
}

int native_call(struct runtime *rt, const struct call_request *request, struct call_answer *answer,
                struct err *err)
{
    static struct native n; /* 110 KiB: not on the stack; one call at a time */

    memset(answer, 0, sizeof *answer);
    if (!call_name_valid(str_span(request->name)))
        return err_set(err, ERR_CALL_NAME, str_span(request->name),
                       "a call's name is 1 to 100 of A-Z a-z 0-9 _ -");
    if (request->input_n > INPUTS_MAX || request->sandbox >= SANDBOX_KINDS ||
        request->scope >= SCOPE_KINDS ||
        (request->scope == SCOPE_CGROUP) != (rt->delegated.fd >= 0))
        return err_set(err, ERR_INTERNAL, str_span(request->name), "a request out of bounds");
    if (rt->uid == 0 && request->sandbox == SANDBOX_BWRAP)
        return err_set(
            err, ERR_UNSUPPORTED, str_span("bwrap"),
            "not for an effective user id of 0: a root payload could change the "
            "host's device nodes; take --sandbox direct, or run lema as an ordinary user");
    native_init(&n, rt, request);
    if (wire_pack(&n.task, request->argv, err) != 0)
        return -1;
    int result = prepare(&n, err);
    if (result == 0)
        result = perform(&n, answer, err);
    release(&n);
    return result;
}
