/* LAUNCHER's children, from fork to what they execute.  Layer: call.  Theory of
 * operation: launch.h. */
#include "call/launch_child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"
#include "call/delegated.h"
#include "call/launch.h"
#include "evidence/terms.h"
#include "host/pins.h"

#define ARGUMENT_BYTES 96u
#define STEP_DESCRIPTORS "descriptors"
#define STEP_PINNED "compare with the pins"
#define FIRST_FREE_FD (INNER_FD_CONTROL + (int)INNER_FDS_MAX) /* above every place */

_Noreturn void launch_child_fail(int pipe_fd, const char *step, int sys)
{
    struct launch_failure failure;
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
    for (size_t i = 0; i < n; i++) {
        fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
        if (fds[i] < 0)
            launch_child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
    }
    for (size_t i = 0; i < n; i++)
        if (targets[i] >= 0 && dup2(fds[i], targets[i]) < 0)
            launch_child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
}

/* The arguments that put INNER into a fresh scope (specification 9 and 10).
 * Every number is one of limits.h. */
static void exec_systemd_run(int pipe_fd, int program, const struct wire_launch *order)
{
    char unit[ARGUMENT_BYTES], memory[ARGUMENT_BYTES], tasks[ARGUMENT_BYTES], cpu[ARGUMENT_BYTES];
    char self[ARGUMENT_BYTES], runtime[ARGUMENT_BYTES], directory[RUNTIME_DIRECTORY_BYTES];
    struct text t = text_on(unit, sizeof unit);
    text_adds(&t, "--unit=");
    wire_add_unit(&t, order);
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
    launch_child_fail(pipe_fd, "exec systemd-run", errno);
}

static void exec_systemctl(int pipe_fd, int program, const struct wire_launch *order)
{
    char unit[ARGUMENT_BYTES], runtime[ARGUMENT_BYTES], directory[RUNTIME_DIRECTORY_BYTES];
    launcher_runtime_directory(order->uid, directory);
    struct text t = text_on(runtime, sizeof runtime);
    text_adds(&t, "XDG_RUNTIME_DIR=");
    text_adds(&t, directory);
    t = text_on(unit, sizeof unit);
    wire_add_unit(&t, order);
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
    launch_child_fail(pipe_fd, "exec systemctl", errno);
}

/* What is to be executed must be the pinned file of its role, whoever asks: MONITOR hashed
 * the descriptor too, but this process starts nothing on its word. */
static void child_check_pinned(int pipe_fd, int fd, enum host_role role)
{
    struct pins *pins = sys_memory(sizeof *pins);
    struct err err;

    err_clear(&err);
    if (pins == NULL || pins_load(pins, &err) != 0 || pins_check_fd(pins, role, fd, &err) != 0)
        launch_child_fail(pipe_fd, STEP_PINNED, err.sys != 0 ? err.sys : EPERM);
}

/* INNER's descriptors: LAUNCHER's copy of lema first, then what MONITOR sent. */
static void place_for_inner(int pipe_fd, int self_fd, int *fds, size_t n)
{
    int placed[WIRE_DESCRIPTORS_MAX + 1], targets[WIRE_DESCRIPTORS_MAX + 1];

    placed[0] = self_fd;
    targets[0] = INNER_FD_SELF;
    for (size_t i = 0; i < n; i++) {
        placed[i + 1] = fds[i];
        targets[i + 1] = i == RUN_SCOPE_FD_WITH          ? -1
                         : i == RUN_SCOPE_FD_DIAGNOSTICS ? STDERR_FILENO
                         : i == RUN_SCOPE_FD_NULL
                             ? STDIN_FILENO
                             : INNER_FD_CONTROL + (int)(i - RUN_SCOPE_FD_FIRST_INNER);
    }
    child_place(pipe_fd, placed, n + 1, targets);
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        launch_child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
    fds[RUN_SCOPE_FD_WITH] = placed[RUN_SCOPE_FD_WITH + 1];
}

_Noreturn void launch_child_run_scope(int pipe_fd, int self_fd, const struct wire_launch *order,
                                      int *fds, size_t n)
{
    child_check_pinned(pipe_fd, fds[RUN_SCOPE_FD_WITH], HOST_SYSTEMD_RUN);
    place_for_inner(pipe_fd, self_fd, fds, n);
    exec_systemd_run(pipe_fd, fds[RUN_SCOPE_FD_WITH], order);
    _exit(LAUNCH_FAILED);
}

_Noreturn void launch_child_run_cgroup(int pipe_fd, int self_fd, const struct wire_launch *order,
                                       int *fds, size_t n)
{
    static const char *const argv[] = {"lema", "--inner", NULL}, *const nothing[] = {NULL};

    (void)order;
    place_for_inner(pipe_fd, self_fd, fds, n);
    sys_exec_fd(INNER_FD_SELF, argv, nothing);
    launch_child_fail(pipe_fd, "exec lema", errno);
}

_Noreturn void launch_child_remove_cgroup(int pipe_fd, int self_fd, const struct wire_launch *order,
                                          int *fds, size_t n)
{
    char unit[UNIT_BYTES];
    struct text t = text_on(unit, sizeof unit);

    (void)pipe_fd, (void)self_fd, (void)n;
    wire_add_unit(&t, order);
    _exit(delegated_clean(fds[REMOVE_CGROUP_FD_PARENT], unit) == 0 ? 0 : 1);
}

_Noreturn void launch_child_systemctl(int pipe_fd, int self_fd, const struct wire_launch *order,
                                      int *fds, size_t n)
{
    (void)self_fd;
    int targets[WIRE_DESCRIPTORS_MAX] = {0};
    child_check_pinned(pipe_fd, fds[SYSTEMCTL_FD_PROGRAM], HOST_SYSTEMCTL);
    targets[SYSTEMCTL_FD_PROGRAM] = -1;
    targets[SYSTEMCTL_FD_OUT] = STDOUT_FILENO;
    child_place(pipe_fd, fds, n, targets);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
        launch_child_fail(pipe_fd, STEP_DESCRIPTORS, errno);
    exec_systemctl(pipe_fd, fds[SYSTEMCTL_FD_PROGRAM], order);
    _exit(LAUNCH_FAILED);
}
