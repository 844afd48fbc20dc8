/* WORKERs: start, stop, one job.  Layer: host.  The protocol: worker.h. */
#include "host/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdalign.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/filter.h"
#include "base/num.h"
#include "base/sys.h"
#include "host/file.h"

#define WORKER_LOST 1 /* exit status: out of step, or not confined */
#define PADDING_BYTES 4096u

/* --- In the worker --------------------------------------------------------------- */

size_t worker_read(int in, void *buffer, size_t n)
{
    uint8_t *p = buffer;
    size_t done = 0;
    while (done < n) {
        ssize_t got = read(in, p + done, n - done);
        if (got == 0 && done == 0)
            return 0;
        if (got <= 0)
            _exit(WORKER_LOST);
        done += (size_t)got;
    }
    return done;
}

void worker_write(int out, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    size_t done = 0;
    while (done < n) {
        ssize_t put = write(out, p + done, n - done);
        if (put <= 0)
            _exit(WORKER_LOST);
        done += (size_t)put;
    }
}

/* Signals that a person or a terminal sends to the whole group are the
 * monitor's to decide; its end is this process's end (PR_SET_PDEATHSIG).
 * Ignored, not handled: a handler's return would be a call of its own. */
static void ignore_signals(void)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
}

/* Both ends first go above the numbers they are to have, so that neither is
 * overwritten before it was moved. */
static int place_descriptors(int in, int out)
{
    in = fcntl(in, F_DUPFD, WORKER_OUT + 1);
    out = fcntl(out, F_DUPFD, WORKER_OUT + 1);
    if (in < 0 || out < 0 || dup2(in, WORKER_IN) < 0 || dup2(out, WORKER_OUT) < 0)
        return -1;
    return sys_close_range(WORKER_OUT + 1, ~0U);
}

static _Noreturn void worker_main(pid_t monitor, int in, int out, worker_duty *duty)
{
    struct err err;
    err_clear(&err);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != monitor)
        _exit(WORKER_LOST);
    ignore_signals();
    if (place_descriptors(in, out) != 0 || filter_load(FILTER_WORKER, &err) != 0)
        _exit(WORKER_LOST);
    duty(WORKER_IN, WORKER_OUT);
    _exit(0);
}

/* --- Start and stop ------------------------------------------------------------------ */

static void close_pair(int pair[2])
{
    fd_close(&pair[0]);
    fd_close(&pair[1]);
}

/* The monitor's ends do not block: it serves several workers at a time. */
static int set_monitor_ends(struct worker *w, int to, int from)
{
    w->to = to;
    w->from = from;
    /* A smaller pipe than asked for is only slower. */
    (void)fcntl(to, F_SETPIPE_SZ, (int)PIPE_BYTES);
    if (fcntl(to, F_SETFL, O_NONBLOCK) != 0 || fcntl(from, F_SETFL, O_NONBLOCK) != 0)
        return -1;
    return 0;
}

int worker_start(struct worker *w, worker_duty *duty, struct err *err)
{
    int jobs[2] = {-1, -1}, replies[2] = {-1, -1};
    const struct span shown = str_span("worker");
    pid_t monitor = getpid();
    *w = (struct worker){.pid = 0, .to = -1, .from = -1};
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(jobs, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0) {
        err_sys(err, ERR_IO, "pipe2", errno, shown, NULL);
        goto failed;
    }
    pid_t child = fork();
    if (child == 0)
        worker_main(monitor, jobs[0], replies[1], duty);
    if (child < 0) {
        err_sys(err, ERR_IO, "fork", errno, shown, NULL);
        goto failed;
    }
    w->pid = child;
    fd_close(&jobs[0]);
    fd_close(&replies[1]);
    if (set_monitor_ends(w, jobs[1], replies[0]) == 0)
        return 0;
    err_sys(err, ERR_IO, "fcntl", errno, shown, NULL);
    worker_stop(w);
    return -1;
failed:
    close_pair(jobs);
    close_pair(replies);
    return -1;
}

void worker_stop(struct worker *w)
{
    if (w->pid <= 0)
        return;
    fd_close(&w->to);
    fd_close(&w->from);
    /* It has nothing to finish, and one that was taken over need not end by itself. */
    kill(w->pid, SIGKILL);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
}

/* --- One job ------------------------------------------------------------------------------ */

int worker_lost(struct err *err, struct span shown)
{
    return err_set(err, ERR_WORKER, shown, "the worker that looks at it ended");
}

static ssize_t feed_padding(int to, uint64_t left)
{
    static const uint8_t zeros[PADDING_BYTES];
    return write(to, zeros, (size_t)num_min(left, sizeof zeros));
}

static ssize_t feed_file(int to, struct worker_feed *f)
{
    off_t offset = (off_t)f->sent;
    ssize_t n = splice(f->fd, &offset, to, NULL, (size_t)num_min(f->size - f->sent, PIPE_BYTES),
                       SPLICE_F_NONBLOCK);
    int sys = errno;
    if (n > 0 || (n < 0 && (sys == EAGAIN || sys == EINTR || sys == EPIPE)))
        return n;
    f->short_file = true;
    f->sys = n == 0 ? 0 : sys;
    return feed_padding(to, f->size - f->sent);
}

static ssize_t feed_body(int to, struct worker_feed *f)
{
    uint64_t left = f->size - f->sent;
    if (f->fd < 0)
        return write(to, (const uint8_t *)f->memory + f->sent, (size_t)num_min(left, PIPE_BYTES));
    return f->short_file ? feed_padding(to, left) : feed_file(to, f);
}

static ssize_t feed_head(int to, const struct worker_feed *f)
{
    const struct worker_job job = {.bytes = f->size, .flags = f->flags};
    return write(to, (const uint8_t *)&job + f->head_sent, sizeof job - f->head_sent);
}

int worker_feed_on(int to, struct worker_feed *f)
{
    while (!worker_feed_done(f)) {
        bool head = f->head_sent < sizeof(struct worker_job);
        ssize_t n = head ? feed_head(to, f) : feed_body(to, f);
        int sys = errno;
        if (n < 0)
            return sys == EAGAIN || sys == EINTR ? 0 : -1;
        if (head)
            f->head_sent += (size_t)n;
        else
            f->sent += (uint64_t)n;
    }
    return 0;
}

bool worker_feed_done(const struct worker_feed *f)
{
    return f->head_sent == sizeof(struct worker_job) && f->sent == f->size;
}

/* An exchange in progress. */
struct exchange {
    struct worker *w;
    struct worker_feed feed;
    size_t reply_size, got;
    bool last;
    int (*on_reply)(void *arg, const void *reply);
    void *arg;
    struct span shown;
    alignas(max_align_t) uint8_t reply[WORKER_REPLY_BYTES_MAX];
};

/* Read replies until there are none for now. */
static int take_replies(struct exchange *x, struct err *err)
{
    while (!x->last) {
        ssize_t n = read(x->w->from, x->reply + x->got, x->reply_size - x->got);
        int sys = errno;
        if (n < 0 && (sys == EAGAIN || sys == EINTR))
            return 0;
        if (n <= 0)
            return worker_lost(err, x->shown);
        x->got += (size_t)n;
        if (x->got < x->reply_size)
            continue;
        x->got = 0;
        int verdict = x->on_reply(x->arg, x->reply);
        if (verdict < 0)
            return err_set(err, ERR_WORKER, x->shown, "answered what cannot be");
        x->last = verdict > 0;
    }
    return 0;
}

static int exchange_step(struct exchange *x, struct err *err)
{
    struct pollfd ends[2] = {
        {.fd = x->last ? -1 : x->w->from, .events = POLLIN},
        {.fd = worker_feed_done(&x->feed) ? -1 : x->w->to, .events = POLLOUT},
    };
    int ready = poll(ends, 2, WORKER_SILENCE_MS);
    int sys = errno;
    if (ready < 0 && sys != EINTR)
        return err_sys(err, ERR_IO, "poll", sys, x->shown, NULL);
    if (ready == 0)
        return err_set(err, ERR_WORKER, x->shown, "no answer in %d s", WORKER_SILENCE_MS / 1000);
    if (ready > 0 && ends[0].revents != 0 && take_replies(x, err) != 0)
        return -1;
    if (ready > 0 && ends[1].revents != 0 && worker_feed_on(x->w->to, &x->feed) != 0)
        return worker_lost(err, x->shown);
    return 0;
}

static int exchange_end(const struct exchange *x, struct err *err)
{
    if (!x->feed.short_file)
        return 0;
    if (x->feed.sys != 0)
        return err_sys(err, ERR_IO, "splice", x->feed.sys, x->shown, NULL);
    return err_set(err, ERR_CHANGED, x->shown, "became shorter while it was read");
}

int worker_exchange(struct worker *w, int fd, const void *memory, uint64_t size, uint64_t flags,
                    size_t reply_size, int (*on_reply)(void *arg, const void *reply), void *arg,
                    struct span shown, struct err *err)
{
    struct exchange x;
    if (reply_size == 0 || reply_size > WORKER_REPLY_BYTES_MAX)
        return err_set(err, ERR_INTERNAL, shown, "a reply of %zu bytes", reply_size);
    if (w->pid <= 0)
        return err_set(err, ERR_WORKER, shown, "the worker that looks at it is not running");
    x.w = w;
    x.feed = (struct worker_feed){.fd = fd, .memory = memory, .size = size, .flags = flags};
    x.reply_size = reply_size;
    x.got = 0;
    x.last = false;
    x.on_reply = on_reply;
    x.arg = arg;
    x.shown = shown;
    while (!x.last || !worker_feed_done(&x.feed)) {
        if (exchange_step(&x, err) == 0)
            continue;
        worker_stop(w);
        return -1;
    }
    return exchange_end(&x, err);
}
