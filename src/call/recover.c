/* Recovery.  Layer: call. */
#include "call/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/scope.h"
#include "host/file.h"

#define OPERATOR_REASON_BYTES_MAX 900u /* leaves room for a digest in REASON_BYTES_MAX */

void recover_init(struct recover *r)
{
    memset(r, 0, sizeof *r);
    r->asked = "";
    r->ledger.fd = -1;
}

void recover_close(struct recover *r)
{
    ledger_close(&r->ledger);
}

/* --- Looking --------------------------------------------------------------------- */

static bool is_open(const struct recover_call *call)
{
    return call->state == RECOVER_OPEN || call->state == RECOVER_FAULTED;
}

/* A call's state after a line of it. */
static void follow(struct recover_call *call, const struct ledger_line *line)
{
    if (line->event == LEDGER_COMPLETE) {
        call->state = line->fault == FAULT_NONE ? RECOVER_DONE : RECOVER_FAULTED;
        call->fault = (enum fault)line->fault;
    } else if (line->event == LEDGER_RESOLVE && is_open(call) &&
               (enum fault)line->fault == call->fault) {
        call->state = RECOVER_RESOLVED;
    }
}

static void begin_call(struct recover_call *call, const struct ledger_line *line)
{
    memset(call, 0, sizeof *call);
    str_copy(call->name, sizeof call->name, str_span(line->call));
    str_copy(call->unit, sizeof call->unit, str_span(line->unit));
    str_copy(call->boot_id, sizeof call->boot_id, str_span(line->boot_id));
    call->state = RECOVER_OPEN;
    call->fault = FAULT_INTERRUPTED;
}

/* Keep the list of open calls short: one that is closed leaves it. */
static void follow_open(struct recover *r, const struct ledger_line *line)
{
    uint32_t listed = r->open_n < RECOVER_CALLS_MAX ? r->open_n : RECOVER_CALLS_MAX;

    if (line->event == LEDGER_RESERVE) {
        if (listed < RECOVER_CALLS_MAX)
            begin_call(&r->open[listed], line);
        r->open_n++;
        return;
    }
    for (uint32_t i = 0; i < listed; i++) {
        if (strcmp(r->open[i].name, line->call) != 0)
            continue;
        follow(&r->open[i], line);
        if (is_open(&r->open[i]))
            return;
        memmove(&r->open[i], &r->open[i + 1], (listed - i - 1) * sizeof r->open[0]);
        r->open_n--;
        return;
    }
}

static int on_line(void *arg, const struct ledger_line *line, struct err *err)
{
    struct recover *r = arg;

    (void)err;
    follow_open(r, line);
    if (strcmp(line->call, r->asked) != 0)
        return 0;
    if (line->event == LEDGER_RESERVE) {
        r->known = true;
        begin_call(&r->call, line);
    } else if (r->known) {
        follow(&r->call, line);
    }
    return 0;
}

int recover_look(struct recover *r, struct runtime *rt, const char *asked, struct err *err)
{
    bool missing = false;
    struct err why;

    r->asked = asked;
    err_clear(&why);
    if (ledger_open(&r->ledger, rt->output.fd, rt->uid, false, &missing, err) != 0)
        return -1;
    if (ledger_load(&r->ledger, &rt->ledger_worker, "", &r->summary, on_line, r, &why) != 0 &&
        r->summary.torn_bytes == 0) {
        *err = why;
        return -1;
    }
    for (size_t i = 0; i < LATCHES; i++)
        if (latch_look(&rt->latch[i], rt->uid, &r->latch[i], err) != 0)
            return -1;
    return 0;
}

/* --- Gone ------------------------------------------------------------------------ */

/* Is a user manager there?  Its socket says so (systemd(1), user manager). */
static bool manager_answers(const struct runtime *rt)
{
    char path[RUNTIME_DIRECTORY_BYTES + 32];
    struct stat st;

    launcher_runtime_directory(rt->uid, path);
    struct text t = {path, sizeof path, strlen(path), false};
    text_adds(&t, "/systemd/private");
    return lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* Ask it for live units, or have it stop one that holds no process. */
static int ask_manager(struct runtime *rt, const char *stop, struct err *err)
{
    int fd[HOST_FILES_MAX];
    size_t systemctl = pins_find_host(&rt->pins, HOST_SYSTEMCTL);

    if (systemctl == SIZE_MAX)
        return err_set(err, ERR_HOST_FILE, str_span("systemctl"), "not pinned by this build");
    for (size_t i = 0; i < HOST_FILES_MAX; i++)
        fd[i] = -1;
    int result = pins_check_host(&rt->pins, rt->uid, &rt->pool, fd, err);
    if (result == 0 && stop == NULL)
        result = scope_check_none_live(&rt->launcher, fd[systemctl], rt->uid, err);
    else if (result == 0)
        result = scope_stop_empty(&rt->launcher, fd[systemctl], rt->uid, stop, err);
    pins_close_host(fd);
    return result;
}

int recover_check_gone(struct runtime *rt, const struct recover_call *call, struct err *err)
{
    char boot_id[BOOT_ID_BYTES];
    bool found = false;

    if (boot_id_read(boot_id, err) != 0)
        return -1;
    if (call->boot_id[0] != '\0' && strcmp(call->boot_id, boot_id) != 0)
        return 0;
    if (call->unit[0] != '\0' && scope_search(call->unit, rt->uid, &found, err) != 0)
        return -1;
    if (found)
        return err_set(err, ERR_LIVE_SCOPE, str_span(call->unit),
                       "the cgroup of this call is still there");
    /* A unit that it is still starting has no cgroup yet. */
    return manager_answers(rt) ? ask_manager(rt, NULL, err) : 0;
}

/* A scope can outlive its processes (scope_stop_empty); then it is stopped, or removed. */
static int make_gone(struct runtime *rt, const struct recover_call *call, struct err *err)
{
    if (recover_check_gone(rt, call, err) == 0)
        return 0;
    if (err->what != ERR_LIVE_SCOPE || strcmp(err->obj, call->unit) != 0)
        return -1;
    struct err ignored; /* whether it is gone is what counts */
    err_clear(&ignored);
    if (manager_answers(rt))
        (void)ask_manager(rt, call->unit, &ignored);
    err_clear(err);
    if (scope_remove_empty(&rt->launcher, rt->uid, call->unit, err) != 0)
        return -1;
    return recover_check_gone(rt, call, err);
}

/* --- Closing --------------------------------------------------------------------- */

/* What a resolve line would say. */
struct target {
    struct recover_call call; /* its unit and boot_id are "" if this ledger does not hold it */
    enum resolve_scope scope; /* host: names what this ledger does not ask for */
    bool due;                 /* something is to be resolved */
    bool unreserved;          /* only half-written files, of a call that was never reserved */
};

static const char *const behind[] = {"-reserved.json", "-result.json", ".log"};
#define BEHIND (sizeof behind / sizeof behind[0])

/* CALL and what follows it in a file's name. */
#define FILE_NAME_BYTES (CALL_NAME_BYTES_MAX + 32u)
static void name_of(char name[static FILE_NAME_BYTES], const char *call, size_t which)
{
    struct text t = text_on(name, FILE_NAME_BYTES);
    text_adds(&t, call);
    text_adds(&t, behind[which]);
}

static bool has_half_written(const struct runtime *rt, const char *call)
{
    char name[FILE_NAME_BYTES];

    for (size_t i = 0; i < BEHIND; i++) {
        name_of(name, call, i);
        if (file_has_temporary(rt->output.fd, name))
            return true;
    }
    return false;
}

/* A call that is open or was resolved here. */
static void choose_own(const struct recover *r, struct target *target)
{
    target->call = r->call;
    target->due = is_open(&r->call);
    if (r->call.fault == FAULT_SCOPE_NOT_GONE)
        target->scope = RESOLVE_SCOPE_HOST;
}

/* What is to be resolved: the call as the ledger has it, what a host latch says, or
 * the torn line of a call that the ledger does not hold yet or has closed. */
static int choose(const struct recover *r, const struct runtime *rt, bool host,
                  struct target *target, struct err *err)
{
    const struct latch_state *latch = &r->latch[LATCH_HOST];

    memset(target, 0, sizeof *target);
    target->scope = RESOLVE_SCOPE_OUTPUT;
    if (r->known && r->call.state != RECOVER_DONE)
        choose_own(r, target);
    if (target->due || (target->call.name[0] != '\0' && r->summary.torn_bytes == 0))
        return 0;
    str_copy(target->call.name, sizeof target->call.name, str_span(r->asked));
    target->scope = RESOLVE_SCOPE_HOST;
    target->due = true;
    if (host && latch->present) {
        target->call.fault = FAULT_SCOPE_NOT_GONE;
        if (latch->line[0] == '\0' || latch_is_of(latch, r->asked, &target->call.fault))
            return 0;
        return err_set(err, ERR_LATCHED, str_span(r->asked), "the host latch says %s", latch->line);
    }
    target->call.fault = FAULT_INTERRUPTED;
    if (r->summary.torn_bytes > 0)
        return 0;
    target->due = false;
    target->unreserved = !r->known && has_half_written(rt, r->asked);
    if (target->unreserved)
        return 0;
    return err_set(err, ERR_USAGE, str_span(r->asked), "%s",
                   r->known ? "this call is complete, without a fault: nothing of it is open"
                            : "no call of this name stands in the ledger");
}

static int append_resolve(struct recover *r, const struct runtime *rt, const struct target *target,
                          const char *reason, const struct recover_done *done, struct err *err)
{
    static struct ledger_line line;
    char hex[DIGEST_HEX_BYTES];

    memset(&line, 0, sizeof line);
    line.event = LEDGER_RESOLVE;
    clock_now_utc(line.time);
    str_copy(line.call, sizeof line.call, str_span(target->call.name));
    line.fault = target->call.fault;
    line.scope = target->scope;
    line.operator_uid = rt->uid;
    struct text t = text_on(line.reason, sizeof line.reason);
    text_adds(&t, reason);
    if (done->cut) {
        digest_hex(&done->cut_sha256, hex);
        text_adds(&t, " (a torn last line was cut, sha256 ");
        text_adds(&t, hex);
        text_adds(&t, ")");
    }
    return ledger_append(&r->ledger, &line, err);
}

static int check_reason(const char *reason, struct err *err)
{
    struct span s = str_span(reason);

    if (s.n == 0 || s.n > OPERATOR_REASON_BYTES_MAX || !str_is_utf8(s))
        return err_set(err, ERR_USAGE, str_span("--reason"), "expected 1 to %u bytes of UTF-8",
                       OPERATOR_REASON_BYTES_MAX);
    return 0;
}

/* Records that were never committed say nothing that the ledger knows of; the log's bytes
 * so far are kept under the log's name, as evidence of an interrupted call. */
static int clean_files(const struct runtime *rt, const struct target *target, struct err *err)
{
    char name[FILE_NAME_BYTES];

    for (size_t i = 0; i < BEHIND; i++) {
        bool keep = strcmp(behind[i], ".log") == 0 && !target->unreserved;
        name_of(name, target->call.name, i);
        if ((keep ? file_keep_temporary(rt->output.fd, name, rt->uid, err)
                  : file_drop_temporary(rt->output.fd, name, err)) != 0)
            return -1;
    }
    return 0;
}

/* Does a latch go with this call?  One without a line that can be read goes with the
 * last thing that was open. */
static bool latch_goes(const struct recover *r, enum latch_where where, bool host)
{
    const struct latch_state *state = &r->latch[where];
    enum fault fault;
    bool own = r->known && r->call.state != RECOVER_DONE;

    if (where == LATCH_HOST && !host && !(own && r->call.fault == FAULT_SCOPE_NOT_GONE))
        return false;
    if (latch_is_of(state, r->asked, &fault))
        return true;
    return strstr(state->line, ": ") == NULL && r->open_n <= (own && is_open(&r->call) ? 1u : 0u);
}

static int remove_latches(const struct recover *r, const struct runtime *rt, bool host,
                          struct recover_done *done, struct err *err)
{
    for (size_t i = 0; i < LATCHES; i++) {
        if (file_drop_temporary(rt->latch[i].dirfd, rt->latch[i].name, err) != 0)
            return -1;
        if (!r->latch[i].present)
            continue;
        if (!latch_goes(r, (enum latch_where)i, host)) {
            done->latch_is_other[i] = true;
            continue;
        }
        if (latch_remove(&rt->latch[i], err) != 0)
            return -1;
        done->latch_removed[i] = true;
    }
    return 0;
}

int recover_apply(struct recover *r, struct runtime *rt, bool host, const char *reason,
                  struct recover_done *done, struct err *err)
{
    struct target target;

    memset(done, 0, sizeof *done);
    if (!call_name_valid(str_span(r->asked)))
        return err_set(err, ERR_CALL_NAME, str_span(r->asked), "not a call name");
    if (check_reason(reason, err) != 0 || choose(r, rt, host, &target, err) != 0 ||
        make_gone(rt, &target.call, err) != 0)
        return -1;
    if (r->summary.torn_bytes > 0) {
        if (ledger_cut_torn(&r->ledger, rt->output.fd, &r->summary, &done->cut_sha256, err) != 0)
            return -1;
        done->cut = true;
    }
    if (target.due) {
        if (append_resolve(r, rt, &target, reason, done, err) != 0)
            return -1;
        done->resolved = true;
    }
    if (clean_files(rt, &target, err) != 0)
        return -1;
    return remove_latches(r, rt, host, done, err);
}
