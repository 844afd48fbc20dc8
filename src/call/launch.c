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
#include "evidence/terms.h"
#include "host/file.h"
#include "host/pins.h"

#define ARGUMENT_BYTES 96u
#define STEP_DESCRIPTORS "descriptors"
#define STEP_PINNED "compare with the pins"

/* Exit status of a child that could not execute; the step went over its pipe. */
#define LAUNCH_FAILED 125

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

/* A child's first failure, sent to LAUNCHER over a close-on-exec pipe. */
struct failure {
    int32_t sys;
    char step[28];
};

static _Noreturn void child_fail(int pipe_fd, const char *step, int sys)
{
    struct failure failure;
    memset(&failure, 0, sizeof failure);
    failure.sys = sys;
    struct text t = text_on(failure.step, sizeof failure.step);
    text_adds(&t, step);
    ssize_t ignored = write(pipe_fd, &failure, sizeof failure);
    (void)ignored;
    _exit(LAUNCH_FAILED);
}

/* Move the descriptors to their numbers: first all of them above every target,
 * then down, so that none is overwritten before it was moved. */
static void child_place(int pipe_fd, int *fds, size_t n, const int *targets)
{
    if (n > WIRE_DESCRIPTORS_MAX)
        child_fail(pipe_fd, STEP_DESCRIPTORS, E2BIG);
    for (size_t i = 0; i < n; i++) {
        fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, INNER_FD_CONTROL + (int)WIRE_DESCRIPTORS_MAX);
        if (fds[i] < 0)
            child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
    }
    for (size_t i = 0; i < n; i++)
        if (targets[i] >= 0 && dup2(fds[i], targets[i]) < 0)
            child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
}

static void child_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
}

static void add_unit(struct text *t, const struct wire_launch *order)
{
    text_adds(t, UNIT_PREFIX);
    text_add(t, (struct span){(const uint8_t *)order->unit_hex, sizeof order->unit_hex});
    text_adds(t, ".scope");
}

/* The arguments that put INNER into a fresh scope (specification 9 and 10).
 * Every number is one of limits.h. */
static void exec_systemd_run(int pipe_fd, int program, const struct wire_launch *order)
{
    char unit[ARGUMENT_BYTES], memory[ARGUMENT_BYTES], tasks[ARGUMENT_BYTES], cpu[ARGUMENT_BYTES];
    char self[ARGUMENT_BYTES], runtime[ARGUMENT_BYTES], directory[RUNTIME_DIRECTORY_BYTES];
    struct text t = text_on(unit, sizeof unit);
    text_adds(&t, "--unit=");
    add_unit(&t, order);
    t = text_on(memory, sizeof memory);
    text_adds(&t, "--property=MemoryMax=");
    text_add_number(&t, SCOPE_MEMORY_BYTES);
    t = text_on(tasks, sizeof tasks);
    text_adds(&t, "--property=TasksMax=");
    text_add_number(&t, SCOPE_TASKS);
    t = text_on(cpu, sizeof cpu);
    text_adds(&t, "--property=CPUQuota=");
    text_add_number(&t, SCOPE_CPU_PERCENT);
    text_adds(&t, "%");
    t = text_on(self, sizeof self);
    text_adds(&t, "/proc/self/fd/");
    text_add_number(&t, INNER_FD_SELF);
    launcher_runtime_directory(order->uid, directory);
    t = text_on(runtime, sizeof runtime);
    text_adds(&t, "XDG_RUNTIME_DIR=");
    text_adds(&t, directory);

    const char *const argv[] = {"systemd-run",
                                "--user",
                                "--scope",
                                "--no-ask-password",
                                "--quiet",
                                "--collect",
                                unit,
                                memory,
                                "--property=MemorySwapMax=0",
                                tasks,
                                cpu,
                                "--property=OOMPolicy=continue",
                                "--",
                                self,
                                "--inner",
                                NULL};
    const char *const envp[] = {runtime, NULL};
    sys_exec_fd(program, argv, envp);
    child_fail(pipe_fd, "exec systemd-run", errno);
}

static void exec_systemctl(int pipe_fd, int program, const struct wire_launch *order)
{
    char unit[ARGUMENT_BYTES], runtime[ARGUMENT_BYTES], directory[RUNTIME_DIRECTORY_BYTES];
    launcher_runtime_directory(order->uid, directory);
    struct text t = text_on(runtime, sizeof runtime);
    text_adds(&t, "XDG_RUNTIME_DIR=");
    text_adds(&t, directory);
    t = text_on(unit, sizeof unit);
    add_unit(&t, order);
    const char *const pattern = UNIT_PREFIX "*";
    const char *const stop[] = {"systemctl", "--user", "--no-ask-password", "--no-pager", "stop",
                                unit,        NULL};
    const char *const list[] = {
        "systemctl",  "--user",  "--no-ask-password",
        "--no-pager", "--plain", "--no-legend",
        "--full",     "--all",   "--state=active,reloading,activating,deactivating",
        "list-units", pattern,   NULL};
    const char *const envp[] = {runtime, NULL};
    sys_exec_fd(program, order->order == WIRE_STOP_UNIT ? stop : list, envp);
    child_fail(pipe_fd, "exec systemctl", errno);
}

/* What is to be executed must be the pinned file of its role, whoever asks: MONITOR hashed
 * the descriptor too, but this process starts nothing on its word. */
static void child_check_pinned(int pipe_fd, int fd, enum host_role role)
{
    struct pins *pins = sys_memory(sizeof *pins);
    struct err err;

    err_clear(&err);
    if (pins == NULL || pins_load(pins, &err) != 0 || pins_check_fd(pins, role, fd, &err) != 0)
        child_fail(pipe_fd, STEP_PINNED, err.sys != 0 ? err.sys : EPERM);
}

static bool unit_hex_valid(const struct wire_launch *order)
{
    for (size_t i = 0; i < sizeof order->unit_hex; i++)
        if (strchr("0123456789abcdef", order->unit_hex[i]) == NULL || order->unit_hex[i] == '\0')
            return false;
    return true;
}

static _Noreturn void child_run_scope(int pipe_fd, const struct wire_launch *order, int *fds,
                                      size_t n)
{
    int targets[WIRE_DESCRIPTORS_MAX] = {0};
    child_check_pinned(pipe_fd, fds[RUN_SCOPE_FD_SYSTEMD_RUN], HOST_SYSTEMD_RUN);
    if (!unit_hex_valid(order))
        child_fail(pipe_fd, STEP_PINNED, EINVAL);
    targets[RUN_SCOPE_FD_SYSTEMD_RUN] = -1;
    targets[RUN_SCOPE_FD_DIAGNOSTICS] = STDERR_FILENO;
    targets[RUN_SCOPE_FD_NULL] = STDIN_FILENO;
    for (size_t i = RUN_SCOPE_FD_FIRST_INNER; i < n; i++)
        targets[i] = INNER_FD_CONTROL + (int)(i - RUN_SCOPE_FD_FIRST_INNER);
    child_place(pipe_fd, fds, n, targets);
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
    exec_systemd_run(pipe_fd, fds[RUN_SCOPE_FD_SYSTEMD_RUN], order);
    _exit(LAUNCH_FAILED);
}

static _Noreturn void child_systemctl(int pipe_fd, const struct wire_launch *order, int *fds,
                                      size_t n)
{
    int targets[WIRE_DESCRIPTORS_MAX] = {0};
    child_check_pinned(pipe_fd, fds[SYSTEMCTL_FD_PROGRAM], HOST_SYSTEMCTL);
    if (order->order == WIRE_STOP_UNIT && !unit_hex_valid(order))
        child_fail(pipe_fd, STEP_PINNED, EINVAL);
    targets[SYSTEMCTL_FD_PROGRAM] = -1;
    targets[SYSTEMCTL_FD_OUT] = STDOUT_FILENO;
    child_place(pipe_fd, fds, n, targets);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
        child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
    exec_systemctl(pipe_fd, fds[SYSTEMCTL_FD_PROGRAM], order);
    _exit(LAUNCH_FAILED);
}

/* One row for each order: how many descriptors it takes, and what its child does. */
static const struct {
    uint32_t order;
    uint32_t min, max;
    void (*child)(int pipe_fd, const struct wire_launch *order, int *fds, size_t n);
} orders[] = {
    {WIRE_RUN_SCOPE, RUN_SCOPE_FD_FIRST_INNER + INNER_FD_LIBS - INNER_FD_CONTROL,
     WIRE_DESCRIPTORS_MAX, child_run_scope},
    {WIRE_LIST_UNITS, SYSTEMCTL_FDS, SYSTEMCTL_FDS, child_systemctl},
    {WIRE_STOP_UNIT, SYSTEMCTL_FDS, SYSTEMCTL_FDS, child_systemctl},
};

/* Fork the child of an order and wait for it.  The monitor hears FAILED, or
 * STARTED and then ENDED. */
static void serve(int socket, const struct wire_launch *order, int *fds, size_t n, size_t row)
{
    int failed[2];
    struct failure failure;
    pid_t launcher = getpid();

    if (pipe2(failed, O_CLOEXEC) != 0) {
        wire_fail(socket, "pipe2", "launcher", errno);
        return;
    }
    pid_t child = fork();
    if (child < 0) {
        wire_fail(socket, "fork", "launcher", errno);
    } else if (child == 0) {
        int pipe_fd = fcntl(failed[1], F_DUPFD_CLOEXEC, 2 * (int)WIRE_DESCRIPTORS_MAX + 64);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != launcher || pipe_fd < 0)
            _exit(LAUNCH_FAILED);
        child_signals();
        orders[row].child(pipe_fd, order, fds, n);
        _exit(LAUNCH_FAILED);
    }
    fd_close(&failed[1]);
    ssize_t got = 0;
    if (child > 0) {
        do
            got = read(failed[0], &failure, sizeof failure);
        while (got < 0 && errno == EINTR);
    }
    fd_close(&failed[0]);
    if (child < 0)
        return;
    if (got == 0)
        report(socket, WIRE_STARTED, child, 0);
    for (size_t i = 0; i < n; i++)
        fd_close(&fds[i]); /* the log's end must not stay open here */
    int status = 0;
    pid_t reaped;
    do
        reaped = waitpid(child, &status, 0);
    while (reaped < 0 && errno == EINTR);
    if (reaped != child)
        wire_fail(socket, "waitpid", "launcher", errno);
    else if (got == 0)
        report(socket, WIRE_ENDED, child, status);
    else if (got == (ssize_t)sizeof failure)
        wire_fail(socket, failure.step, "launcher", failure.sys);
    else
        wire_fail(socket, "start", "launcher", EPROTO);
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
        size_t row = 0;
        while (row < sizeof orders / sizeof orders[0] && orders[row].order != order.order)
            row++;
        if (row == sizeof orders / sizeof orders[0] || n != order.descriptors ||
            n < orders[row].min || n > orders[row].max)
            _exit(1); /* out of protocol: MONITOR sees the end */
        serve(socket, &order, fds, n, row);
        for (size_t i = 0; i < n; i++)
            fd_close(&fds[i]);
    }
}

int launcher_start(struct launcher *l, struct err *err)
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
        if (dup2(pair[1], 3) < 0 || sys_close_range(4, ~0U) != 0 || fcntl(3, F_SETFD, FD_CLOEXEC))
            _exit(1);
        if (setsid() < 0) /* a terminal's ^C is MONITOR's to decide */
            _exit(1);
        err_clear(err);
        if (filter_load(FILTER_LAUNCHER, err) != 0)
            _exit(1);
        launcher_main(3);
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
