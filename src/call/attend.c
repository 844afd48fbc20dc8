/* Attending a call.  Layer: call. */
#include "call/attend.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "host/file.h"

#define NS_PER_MS 1000000u
#define POLL_MS_MAX 1000u

void attend_init(struct attend *a)
{
    memset(a, 0, sizeof *a);
    a->control = a->status = a->diagnostics = a->signals = -1;
}

void attend_close(struct attend *a)
{
    fd_close(&a->control);
    fd_close(&a->status);
    fd_close(&a->diagnostics);
    if (a->signals >= 0) {
        fd_close(&a->signals);
        sigprocmask(SIG_SETMASK, &a->mask_before, NULL);
    }
}

int attend_signals(struct attend *a, struct err *err)
{
    sigset_t heard;

    sigemptyset(&heard);
    sigaddset(&heard, SIGINT);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &heard, &a->mask_before) != 0)
        return err_sys(err, ERR_IO, "sigprocmask", errno, str_span("signals"), NULL);
    a->signals = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    if (a->signals < 0) {
        int sys = errno;
        sigprocmask(SIG_SETMASK, &a->mask_before, NULL);
        return err_sys(err, ERR_IO, "signalfd", sys, str_span("signals"), NULL);
    }
    return 0;
}

/* The first failure stays; one that comes once the program runs is no setup failure. */
static void take_failure(struct attend *a, const struct wire_report *report)
{
    if (a->executed) {
        a->protocol = true;
    } else if (!a->failed) {
        a->failed = true;
        a->failure = *report;
    }
}

static void take_control(struct attend *a, const struct wire_report *report, pid_t sender)
{
    switch (report->type) {
    case WIRE_HELLO:
        if (a->hello || sender != a->child)
            a->protocol = true;
        else
            a->hello = true;
        break;
    case WIRE_SANDBOX_ENDED: a->sandbox_ended = true; break;
    case WIRE_FAILED: take_failure(a, report); break;
    default: a->protocol = true;
    }
}

static bool no_capabilities(const struct wire_report *report)
{
    for (size_t i = 0; i < 5; i++)
        if (report->capabilities[i] != 0)
            return false;
    return report->no_new_privs == 1;
}

static void take_status(struct attend *a, const struct wire_report *report)
{
    if (report->type == WIRE_READY && !a->ready && no_capabilities(report)) {
        a->ready = true;
        a->preflight = report->preflight;
    } else if (report->type == WIRE_EXECUTED && a->ready && !a->executed) {
        a->executed = true;
    } else if (report->type == WIRE_EXITED && a->executed && !a->exited) {
        a->exited = true;
        a->wait_status = report->status;
        a->stamp_ns = report->stamp_ns;
    } else if (report->type == WIRE_FAILED) {
        take_failure(a, report);
    } else {
        a->protocol = true;
    }
}

/* Everything that waits on a socket.  At its end, or after nonsense, it is closed. */
static void hear(struct attend *a, int *socket)
{
    while (*socket >= 0) {
        struct wire_report report;
        struct err err;
        pid_t sender = 0;

        err_clear(&err);
        int got =
            wire_receive(*socket, &report, sizeof report, NULL, 0, NULL, false, &sender, &err);
        if (got == 0)
            return;
        if (got < 0) {
            if (err.sys != ECONNRESET)
                a->protocol = true;
            if (socket == &a->control)
                a->inner_ended = true;
            fd_close(socket);
            return;
        }
        wire_sanitize(&report);
        if (socket == &a->control)
            take_control(a, &report, sender);
        else
            take_status(a, &report);
    }
}

static void hear_launcher(struct attend *a)
{
    struct err err;
    int status = 0;

    err_clear(&err);
    int got = launcher_ended(a->launcher, false, &status, &err);
    if (got == 1)
        a->reaped = true;
    else if (got < 0)
        a->reap_failed = true;
}

static void hear_diagnostics(struct attend *a)
{
    char rest[256];
    bool room = a->said_n < sizeof a->said;
    ssize_t n = room ? read(a->diagnostics, a->said + a->said_n, sizeof a->said - a->said_n)
                     : read(a->diagnostics, rest, sizeof rest); /* nobody must block on it */
    if (n > 0 && room)
        a->said_n += (size_t)n;
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        fd_close(&a->diagnostics);
}

static void hear_memory(struct attend *a)
{
    uint64_t kills = 0;
    struct err ignored; /* the counters are read once more before the scope is ended */

    err_clear(&ignored);
    if (scope_oom_kills(a->scope, &kills, &ignored) == 0 && kills > 0)
        a->oom = true;
}

static void hear_signals(struct attend *a)
{
    struct signalfd_siginfo info;
    if (read(a->signals, &info, sizeof info) == (ssize_t)sizeof info)
        a->interrupted = true;
}

enum { LOG, CONTROL, STATUS, LAUNCHER, DIAGNOSTICS, MEMORY, SIGNALS, SOURCES };

int attend_once(struct attend *a, uint64_t end_ns, struct err *err)
{
    struct pollfd fds[SOURCES] = {
        [LOG] = {.fd = a->log->overflow ? -1 : a->log->pipe_fd, .events = POLLIN},
        [CONTROL] = {.fd = a->control, .events = POLLIN},
        [STATUS] = {.fd = a->status, .events = POLLIN},
        [LAUNCHER] = {.fd = a->reaped || a->reap_failed ? -1 : a->launcher->socket,
                      .events = POLLIN},
        [DIAGNOSTICS] = {.fd = a->diagnostics, .events = POLLIN},
        [MEMORY] = {.fd = a->oom ? -1 : a->scope->memory_events_fd, .events = POLLPRI},
        [SIGNALS] = {.fd = a->signals, .events = POLLIN},
    };
    uint64_t now = clock_boot_ns();
    uint64_t ms = end_ns > now ? num_min((end_ns - now) / NS_PER_MS + 1, POLL_MS_MAX) : 0;

    if (poll(fds, SOURCES, (int)ms) < 0)
        return errno == EINTR ? 0 : err_sys(err, ERR_IO, "poll", errno, str_span("call"), NULL);
    if (fds[LOG].revents != 0)
        capture_drain(a->log);
    if (fds[MEMORY].revents != 0)
        hear_memory(a);
    if (fds[DIAGNOSTICS].revents != 0)
        hear_diagnostics(a);
    if (fds[STATUS].revents != 0)
        hear(a, &a->status);
    if (fds[CONTROL].revents != 0)
        hear(a, &a->control);
    if (fds[LAUNCHER].revents != 0)
        hear_launcher(a);
    if (fds[SIGNALS].revents != 0)
        hear_signals(a);
    return 0;
}

int attend_until(struct attend *a, bool (*done)(const struct attend *a), uint64_t end_ns,
                 struct err *err)
{
    while (!done(a)) {
        if (clock_boot_ns() >= end_ns)
            return 0;
        if (attend_once(a, end_ns, err) != 0)
            return -1;
    }
    return 1;
}
