/* LAUNCHER.  Layer: call.  Theory of operation: launch.h. */
#include "call/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/filter.h"
#include "base/sys.h"
#include "call/delegated.h"
#include "call/launch_child.h"
#include "evidence/terms.h"
#include "host/file.h"

#define SOCKET_FD 3 /* LAUNCHER's end of its socket to MONITOR */
#define SELF_FD 4   /* its sealed copy of lema, if it has one */

void launcher_runtime_directory(uid_t uid, char out[static RUNTIME_DIRECTORY_BYTES])
{
    struct text t = text_on(out, RUNTIME_DIRECTORY_BYTES);
    text_adds(&t, "/run/user/");
    text_add_number(&t, uid);
}

static void report(int socket, uint32_t type, pid_t pid, int status)
{
    struct wire_report message;
    struct err ignored;

    memset(&message, 0, sizeof message);
    message.type = type;
    message.pid = pid;
    message.status = status;
    err_clear(&ignored);
    if (wire_send(socket, &message, sizeof message, NULL, 0, &ignored) != 0)
        _exit(1);
}

static void child_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
}

#define RUN_FDS_MIN ((uint32_t)(RUN_SCOPE_FD_FIRST_INNER + INNER_FD_LIBS - INNER_FD_CONTROL))

/* One row for each order: how many descriptors it takes, whether it names a unit, and what
 * its child does. */
static const struct row {
    uint32_t order;
    uint32_t min, max;
    bool unit;
    launch_child *child;
} orders[] = {
    {WIRE_RUN_SCOPE, RUN_FDS_MIN, WIRE_DESCRIPTORS_MAX, true, launch_child_run_scope},
    {WIRE_RUN_CGROUP, RUN_FDS_MIN, WIRE_DESCRIPTORS_MAX, true, launch_child_run_cgroup},
    {WIRE_LIST_UNITS, SYSTEMCTL_FDS, SYSTEMCTL_FDS, false, launch_child_systemctl},
    {WIRE_STOP_UNIT, SYSTEMCTL_FDS, SYSTEMCTL_FDS, true, launch_child_systemctl},
    {WIRE_REMOVE_CGROUP, REMOVE_CGROUP_FDS, REMOVE_CGROUP_FDS, true, launch_child_remove_cgroup},
};

static bool unit_hex_valid(const struct wire_launch *order)
{
    for (size_t i = 0; i < sizeof order->unit_hex; i++)
        if (strchr("0123456789abcdef", order->unit_hex[i]) == NULL || order->unit_hex[i] == '\0')
            return false;
    return true;
}

/* The row of an order, or NULL: out of protocol. */
static const struct row *row_of(const struct wire_launch *order, size_t n)
{
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const struct row *row = &orders[i];
        if (row->order == order->order)
            return n == order->descriptors && n >= row->min && n <= row->max &&
                           (!row->unit || unit_hex_valid(order))
                       ? row
                       : NULL;
    }
    return NULL;
}

/* fork, or a child that begins in a fresh cgroup.  What fails is told.
 * returns  as fork */
static pid_t fork_child(int socket, const struct wire_launch *order, const int *fds)
{
    char unit[UNIT_BYTES];
    struct text t = text_on(unit, sizeof unit);
    struct err err;

    if (order->order != WIRE_RUN_CGROUP) {
        pid_t child = fork();
        if (child < 0)
            wire_fail(socket, "fork", "launcher", errno);
        return child;
    }
    wire_add_unit(&t, order);
    err_clear(&err);
    int cgroup = delegated_make_scope(fds[RUN_SCOPE_FD_WITH], unit, &err);
    if (cgroup < 0) {
        wire_fail(socket, err.op, err.obj, err.sys);
        return -1;
    }
    pid_t child = sys_clone_in_cgroup(cgroup);
    int sys = errno;
    fd_close(&cgroup);
    if (child < 0) {
        (void)delegated_remove_scope(fds[RUN_SCOPE_FD_WITH], unit);
        wire_fail(socket, "clone3", unit, sys);
    }
    return child;
}

static _Noreturn void run_child(const struct row *row, int failed, pid_t launcher,
                                const struct wire_launch *order, int *fds, size_t n)
{
    int pipe_fd = fcntl(failed, F_DUPFD_CLOEXEC, 2 * (int)WIRE_DESCRIPTORS_MAX + 64);

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != launcher || pipe_fd < 0)
        _exit(LAUNCH_FAILED);
    child_signals();
    row->child(pipe_fd, SELF_FD, order, fds, n);
    _exit(LAUNCH_FAILED);
}

/* What a child says before it executes.
 * returns  the length of *failure, 0 for nothing */
static ssize_t hear_child(int failed, struct launch_failure *failure)
{
    ssize_t got;
    do
        got = read(failed, failure, sizeof *failure);
    while (got < 0 && errno == EINTR);
    return got;
}

static void report_end(int socket, pid_t child, ssize_t said, const struct launch_failure *failure)
{
    int status = 0;
    pid_t reaped;
    do
        reaped = waitpid(child, &status, 0);
    while (reaped < 0 && errno == EINTR);
    if (reaped != child)
        wire_fail(socket, "waitpid", "launcher", errno);
    else if (said == 0)
        report(socket, WIRE_ENDED, child, status);
    else if (said == (ssize_t)sizeof *failure)
        wire_fail(socket, failure->step, "launcher", failure->sys);
    else
        wire_fail(socket, "start", "launcher", EPROTO);
}

/* Fork the child of an order and wait for it.  The monitor hears FAILED, or
 * STARTED and then ENDED. */
static void serve(int socket, const struct row *row, const struct wire_launch *order, int *fds,
                  size_t n)
{
    int failed[2];
    struct launch_failure failure;
    pid_t launcher = getpid();

    if (pipe2(failed, O_CLOEXEC) != 0) {
        wire_fail(socket, "pipe2", "launcher", errno);
        return;
    }
    pid_t child = fork_child(socket, order, fds);
    if (child == 0)
        run_child(row, failed[1], launcher, order, fds, n);
    fd_close(&failed[1]);
    ssize_t said = child > 0 ? hear_child(failed[0], &failure) : 0;
    fd_close(&failed[0]);
    if (child < 0)
        return;
    if (said == 0)
        report(socket, WIRE_STARTED, child, 0);
    for (size_t i = 0; i < n; i++)
        fd_close(&fds[i]); /* the log's end must not stay open here */
    report_end(socket, child, said, &failure);
}

static _Noreturn void launcher_main(int socket)
{
    for (;;) {
        struct wire_launch order;
        int fds[WIRE_DESCRIPTORS_MAX];
        size_t n = 0;
        struct err err;

        err_clear(&err);
        if (wire_receive(socket, &order, sizeof order, fds, WIRE_DESCRIPTORS_MAX, &n, true, NULL,
                         &err) != 1)
            _exit(err.sys == ECONNRESET ? 0 : 1);
        const struct row *row = row_of(&order, n);
        if (row == NULL)
            _exit(1); /* out of protocol: MONITOR sees the end */
        serve(socket, row, &order, fds, n);
        for (size_t i = 0; i < n; i++)
            fd_close(&fds[i]);
    }
}

/* Socket and copy at their numbers, nothing else but 0, 1 and 2. */
static bool keep_descriptors(int socket, int self_fd)
{
    int high = self_fd < 0 ? -1 : fcntl(self_fd, F_DUPFD_CLOEXEC, SELF_FD + 1);

    if (dup2(socket, SOCKET_FD) < 0 || fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC) != 0)
        return false;
    if (self_fd < 0)
        return sys_close_range(SELF_FD, ~0U) == 0;
    return high >= 0 && dup2(high, SELF_FD) >= 0 && fcntl(SELF_FD, F_SETFD, FD_CLOEXEC) == 0 &&
           sys_close_range(SELF_FD + 1, ~0U) == 0;
}

int launcher_start(struct launcher *l, int self_fd, struct err *err)
{
    int pair[2];
    pid_t monitor = getpid();

    l->pid = 0;
    l->socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return err_sys(err, ERR_IO, "socketpair", errno, str_span("launcher"), NULL);
    pid_t child = fork();
    if (child < 0) {
        int sys = errno;
        fd_close(&pair[0]);
        fd_close(&pair[1]);
        return err_sys(err, ERR_IO, "fork", sys, str_span("launcher"), NULL);
    }
    if (child == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != monitor)
            _exit(1);
        if (!keep_descriptors(pair[1], self_fd))
            _exit(1);
        if (setsid() < 0) /* a terminal's ^C is MONITOR's to decide */
            _exit(1);
        err_clear(err);
        if (filter_load(FILTER_LAUNCHER, err) != 0)
            _exit(1);
        launcher_main(SOCKET_FD);
    }
    fd_close(&pair[1]);
    l->pid = child;
    l->socket = pair[0];
    return 0;
}

void launcher_stop(struct launcher *l)
{
    fd_close(&l->socket);
    if (l->pid > 0) {
        kill(l->pid, SIGKILL); /* it may be waiting for a child; that one dies with it */
        pid_t reaped;
        do
            reaped = waitpid(l->pid, NULL, 0);
        while (reaped < 0 && errno == EINTR);
    }
    l->pid = 0;
}

int launcher_order(struct launcher *l, const struct wire_launch *order, const int *fds, size_t n,
                   pid_t *pid, struct err *err)
{
    struct wire_report answer;

    if (wire_send(l->socket, order, sizeof *order, fds, n, err) != 0)
        return -1;
    if (wire_receive(l->socket, &answer, sizeof answer, NULL, 0, NULL, true, NULL, err) != 1)
        return -1;
    wire_sanitize(&answer);
    if (answer.type == WIRE_FAILED)
        return err_sys(err, ERR_SETUP, answer.step, answer.sys, str_span(answer.object), NULL);
    if (answer.type != WIRE_STARTED || answer.pid <= 0)
        return err_set(err, ERR_INTERNAL, str_span("launcher"), "answered out of protocol");
    *pid = answer.pid;
    return 0;
}

int launcher_ended(struct launcher *l, bool wait, int *status, struct err *err)
{
    struct wire_report answer;
    int got = wire_receive(l->socket, &answer, sizeof answer, NULL, 0, NULL, wait, NULL, err);
    if (got != 1)
        return got;
    wire_sanitize(&answer);
    if (answer.type == WIRE_FAILED)
        return err_sys(err, ERR_IO, answer.step, answer.sys, str_span(answer.object), NULL);
    if (answer.type != WIRE_ENDED)
        return err_set(err, ERR_INTERNAL, str_span("launcher"), "answered out of protocol");
    *status = answer.status;
    return 1;
}
