/* Attending and ending a call, and judging it.  Layer: call.
 *
 * However a call ended, everything left in the scope is killed and its absence
 * proved (specification 9); only then are the outputs looked at, since nothing
 * can change them any more. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "call/native.h"
#include "host/file.h"
#include "host/walk.h"

#define NS_PER_MS UINT64_C(1000000)
#define GONE_POLL_MS 10u

static bool must_end(const struct attend *a)
{
    return a->exited || a->failed || a->sandbox_ended || a->inner_ended || a->reaped ||
           a->reap_failed || a->protocol || a->oom || a->interrupted || a->log->overflow ||
           a->log->failed;
}

/* Look at work/CALL; what cannot be looked at is not called small. */
static void look_at_work(struct native *n)
{
    struct work_usage usage;
    struct err err;

    err_clear(&err);
    if (work_look(n->call_fd, &usage, &err) != 0) {
        if (n->detail.what == ERR_NONE)
            n->detail = err;
        native_fault(n, FAULT_WORK_OVERFLOW, "work/CALL cannot be looked at");
    } else if (usage.overflow) {
        native_fault(n, FAULT_WORK_OVERFLOW, usage.why);
    }
}

int native_attend(struct native *n, struct err *err)
{
    uint64_t look = n->released_ns + WORK_LOOK_MS * NS_PER_MS;

    for (;;) {
        int got = attend_until(&n->attend, must_end, num_min(look, n->deadline_ns), err);
        if (got < 0)
            return -1;
        if (got == 1)
            break;
        if (clock_boot_ns() >= n->deadline_ns) {
            n->timed_out = true;
            return 0;
        }
        look_at_work(n);
        if (n->faults != 0)
            return 0;
        look = clock_boot_ns() + WORK_LOOK_MS * NS_PER_MS;
    }
    /* A sandbox that ended by itself may have left its last words in the socket. */
    if (!n->attend.exited && n->attend.sandbox_ended)
        return attend_once(&n->attend, clock_boot_ns(), err);
    return 0;
}

/* The counters, while the keeper still holds the cgroup; then the kill. */
static void kill_call(struct native *n)
{
    uint64_t kills = 0;
    struct err err;

    n->killed_ns = clock_boot_ns();
    if (!n->scope_found) {
        /* No cgroup to kill: INNER ends at the end of its socket, systemd-run by this. */
        fd_close(&n->attend.control);
        if (!n->attend.reaped && n->attend.child > 0)
            kill(n->attend.child, SIGKILL);
        return;
    }
    err_clear(&err);
    if (scope_oom_kills(&n->scope, &kills, &err) == 0 && kills > 0)
        n->attend.oom = true;
    scope_read_counters(&n->scope, &n->result);
    fd_close(&n->scope.memory_events_fd); /* a removed cgroup would wake poll for ever */
    err_clear(&err);
    if (scope_kill(&n->scope, &err) == 0)
        return;
    if (n->detail.what == ERR_NONE)
        n->detail = err;
    fd_close(&n->attend.control); /* then INNER kills the scope itself */
}

static int look_for_scope(struct native *n, bool *gone)
{
    struct err err;

    err_clear(&err);
    int result = scope_gone(&n->scope, n->rt->uid, gone, &err);
    if (result != 0 && n->detail.what == ERR_NONE)
        n->detail = err;
    return result;
}

/* Wait, at most SCOPE_GONE_MS, until the child is reaped and the cgroup is gone. */
static int prove_gone(struct native *n, struct err *err)
{
    uint64_t end = n->killed_ns + SCOPE_GONE_MS * NS_PER_MS;
    bool gone = false;

    for (;;) {
        uint64_t now = clock_boot_ns();
        if (!gone && look_for_scope(n, &gone) == 0 && gone)
            n->gone_ns = clock_boot_ns();
        if ((gone && (n->attend.reaped || n->attend.reap_failed)) || now >= end)
            break;
        if (attend_once(&n->attend, now + GONE_POLL_MS * NS_PER_MS, err) != 0)
            return -1;
    }
    if (!gone)
        native_fault(n, FAULT_SCOPE_NOT_GONE, "the scope cannot be confirmed gone");
    if (!n->attend.reaped)
        native_fault(n, FAULT_REAP_FAILURE, "the scope's process was not reaped");
    return 0;
}

/* How the program ended (specification 6): by INIT's stamp, not by when MONITOR woke. */
static void judge_end(struct native *n)
{
    struct attend *a = &n->attend;
    struct record_result *r = &n->result;
    bool stamped = a->exited && a->stamp_ns <= n->killed_ns;
    bool by_itself = stamped && !a->oom;
    bool ended_by_us = a->interrupted || n->log.overflow || n->log.failed || n->faults != 0;

    r->oom_killed = a->oom;
    r->outcome = OUTCOME_KILLED;
    r->exit_code = r->signal = -1;
    if (a->oom)
        r->signal = SIGKILL;
    if (by_itself && WIFEXITED(a->wait_status)) {
        r->outcome = OUTCOME_EXITED;
        r->exit_code = WEXITSTATUS(a->wait_status);
    } else if (by_itself && WIFSIGNALED(a->wait_status)) {
        r->outcome = OUTCOME_SIGNALED;
        r->signal = WTERMSIG(a->wait_status);
    }
    if (stamped && a->stamp_ns > n->deadline_ns)
        native_fault(n, FAULT_LATE_COMPLETION, "it ended by itself, after its deadline");
    else if (!stamped && n->timed_out)
        native_fault(n, FAULT_TIMEOUT, "the wall time was used up");
    else if (!stamped && !a->oom && !ended_by_us)
        native_fault(n, FAULT_REAP_FAILURE, "no status came from the sandbox's init");
}

static uint64_t elapsed_ms(uint64_t from, uint64_t to)
{
    return to > from ? (to - from) / NS_PER_MS : 0;
}

static void judge_times(struct native *n)
{
    struct record_result *r = &n->result;
    uint64_t end = n->attend.exited  ? n->attend.stamp_ns
                   : n->gone_ns != 0 ? n->gone_ns
                                     : clock_boot_ns();

    r->wall_ms = n->released_ns == 0 ? RECORD_NULL : elapsed_ms(n->released_ns, end);
    r->overrun_ms = n->released_ns == 0 ? 0 : elapsed_ms(n->deadline_ns, end);
    r->gone_ms = n->gone_ns == 0 ? RECORD_NULL : elapsed_ms(n->killed_ns, n->gone_ns);
}

static void judge(struct native *n)
{
    /* INIT may have said that the program could not be started after the release. */
    if (n->attend.failed && !n->result.setup_failed)
        native_setup_failed(n, n->attend.failure.step, n->attend.failure.object,
                            n->attend.failure.sys);
    if (!n->result.setup_failed)
        judge_end(n);
    else
        n->result.outcome = OUTCOME_SETUP_FAILED;
    if (n->log.overflow)
        native_fault(n, FAULT_LOG_OVERFLOW, "more than 16 MiB of output");
    if (n->log.failed)
        native_fault(n, FAULT_INCOMPLETE_CAPTURE, "the log could not be read or stored whole");
    judge_times(n);
}

static void compare_distribution(struct native *n)
{
    struct err err;

    err_clear(&err);
    if (dist_compare(&n->rt->dist, &err) == 0)
        return;
    if (n->detail.what == ERR_NONE)
        n->detail = err;
    native_fault(n, FAULT_DISTRIBUTION_CHANGED, NULL);
}

int native_end(struct native *n, struct err *err)
{
    kill_call(n);
    if (prove_gone(n, err) != 0)
        return -1;
    capture_finish(&n->log);
    if (n->released_ns != 0)
        look_at_work(n);
    judge(n);
    compare_distribution(n);
    return 0;
}

/* The outputs, one after the other, for the record. */
struct outputs {
    struct native *n;
    struct work_iterator it;
    struct work_links links;
    struct work_usage usage; /* the list ends where a bound is passed: a fault says so */
};

/* A regular file is hashed through a descriptor that is the entry just met. */
static int hash_output(struct native *n, const struct work_entry *entry,
                       struct record_output *output, struct err *err)
{
    struct stat st;
    int fd = openat(entry->dirfd, entry->name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return 0; /* mode 000: its digest stays null, for everybody to see */
    if (fd < 0)
        return err_sys(err, ERR_IO, "openat", errno, entry->path, NULL);
    int result = -1;
    if (fstat(fd, &st) != 0)
        err_sys(err, ERR_IO, "fstat", errno, entry->path, NULL);
    else if (!walk_id_equal(walk_id_of(&st), walk_id_of(&entry->st)))
        err_set(err, ERR_IO, entry->path, "changed after the scope was gone");
    else
        result = hash_pool_file(&n->rt->pool, fd, (uint64_t)st.st_size, entry->path,
                                &output->sha256, err);
    output->has_sha256 = result == 0;
    fd_close(&fd);
    return result;
}

static int next_output(void *arg, struct record_output *output, struct err *err)
{
    struct outputs *o = arg;
    struct work_entry entry;
    int got = work_next(&o->it, &entry, err);

    if (got != 1)
        return got;
    if (!work_count(&o->usage, &o->links, &o->it, &entry))
        return 0;
    memset(output, 0, sizeof *output);
    output->path = entry.path;
    output->type = work_type_of(&entry.st);
    output->size = output->type == WORK_FILE ? (uint64_t)entry.st.st_size : 0;
    if (output->type == WORK_FILE && entry.first && hash_output(o->n, &entry, output, err) != 0)
        return -1;
    return 1;
}

int native_record_result(struct native *n, struct digest *result_sha256, struct err *err)
{
    static struct outputs outputs; /* 1.2 MiB: not on the stack */
    struct record_result *r = &n->result;

    if (hash_pool_file(&n->rt->pool, n->log.file.fd, n->log.bytes, str_span("log"), &r->log_sha256,
                       err) != 0 ||
        file_commit(&n->log.file, err) != 0)
        return -1;
    r->log_bytes = n->log.bytes;
    r->log_truncated = n->log.overflow || n->log.failed;
    r->faults = n->faults;
    r->reserved_sha256 = n->reserved_sha256;
    clock_now_utc(r->time);
    memset(&outputs, 0, sizeof outputs);
    outputs.usage.free_bytes = UINT64_MAX; /* looked at already */
    outputs.n = n;
    if (work_iterate(&outputs.it, n->call_fd, err) != 0)
        return -1;
    int result = record_write_result(&n->result_file, r, next_output, &outputs, result_sha256, err);
    work_iterate_end(&outputs.it);
    return result != 0 ? -1 : file_commit(&n->result_file, err);
}
