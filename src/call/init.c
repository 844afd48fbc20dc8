/* INIT.  Layer: call.
 *
 * States, in order: confinement read back; deny-probes tried; READY sent; task and GO received;
 * program forked; EXECUTED or FAILED sent; reaping; EXITED sent; gone, and the
 * kernel ends whatever is left of the pid namespace. */
#include "call/init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/filter.h"
#include "base/sys.h"
#include "call/preflight.h"
#include "call/view.h"
#include "call/wire.h"
#include "host/file.h"

static _Noreturn void fail(const char *step, const char *object, int sys)
{
    wire_fail(INNER_FD_STATUS, step, object, sys);
    _exit(1);
}

/* The five sets of capabilities(7), as the kernel tells them. */
static void read_capabilities(uint64_t sets[static 5])
{
    if (sys_capget(&sets[0], &sets[1], &sets[2]) != 0)
        fail("capget", "init", errno);
    for (unsigned long capability = 0; capability < 64; capability++) {
        int bounding = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (bounding < 0 && errno == EINVAL)
            break; /* past the last one that this kernel knows */
        int ambient = prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0);
        if (bounding < 0 || ambient < 0)
            fail("prctl", "capabilities", errno);
        sets[3] |= (uint64_t)bounding << capability;
        sets[4] |= (uint64_t)ambient << capability;
    }
}

/* /dev shows the kernel's memory devices and nothing that only has their names
 * (numbers: Linux Documentation/admin-guide/devices.txt). */
static void check_devices(void)
{
    static const struct {
        const char *path;
        unsigned int minor;
    } devices[] = {{"/dev/null", 3},
                   {"/dev/zero", 5},
                   {"/dev/full", 7},
                   {"/dev/random", 8},
                   {"/dev/urandom", 9}};
    struct stat st;

    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        if (fstatat(AT_FDCWD, devices[i].path, &st, AT_SYMLINK_NOFOLLOW) != 0)
            fail("fstatat", devices[i].path, errno);
        if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, devices[i].minor))
            fail("device number", devices[i].path, ENODEV);
    }
}

static void confine(struct wire_report *ready)
{
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        fail("prctl", "PR_SET_DUMPABLE", errno);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail("prctl", "PR_SET_NO_NEW_PRIVS", errno);
    memset(ready, 0, sizeof *ready);
    ready->type = WIRE_READY;
    read_capabilities(ready->capabilities);
    int set = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    if (set != 1)
        fail("prctl", "PR_GET_NO_NEW_PRIVS", set < 0 ? errno : EPERM);
    ready->no_new_privs = (uint64_t)set;
    for (size_t i = 0; i < 5; i++)
        if (ready->capabilities[i] != 0)
            fail("capabilities", "not empty", EPERM);
    check_devices();
}

/* Turn a task into an argument vector that points into it. */
static void unpack(struct wire_task *task, char *argv[static ARGV_MAX + 1])
{
    size_t at = 0;

    if (task->argc == 0 || task->argc > ARGV_MAX || task->bytes > ARGV_BYTES_MAX)
        fail("task", "bounds", EPROTO);
    for (uint32_t i = 0; i < task->argc; i++) {
        size_t n = strnlen(task->argv + at, task->bytes - at);
        if (n == task->bytes - at)
            fail("task", "argv", EPROTO);
        argv[i] = task->argv + at;
        at += n + 1;
    }
    if (at != task->bytes)
        fail("task", "argv", EPROTO);
    argv[task->argc] = NULL;
}

struct failure {
    int32_t sys;
    char step[28];
};

static _Noreturn void program_fail(const char *step, int sys)
{
    struct failure failure;
    memset(&failure, 0, sizeof failure);
    failure.sys = sys;
    struct text t = text_on(failure.step, sizeof failure.step);
    text_adds(&t, step);
    ssize_t ignored = write(PREFLIGHT_FD_ANSWER, &failure, sizeof failure);
    (void)ignored;
    _exit(1);
}

static void set_limit(int which, uint64_t bytes, const char *name)
{
    if (sys_limit(which, bytes) != 0)
        program_fail(name, errno);
}

/* Of a child of INIT, between fork and exec: the confinement of the program
 * (specification 9 and 10).  What fails goes over answer_fd. */
static void become_program(int answer_fd)
{
    sigset_t none;
    struct err err;

    if (dup2(answer_fd, PREFLIGHT_FD_ANSWER) != PREFLIGHT_FD_ANSWER ||
        fcntl(PREFLIGHT_FD_ANSWER, F_SETFD, FD_CLOEXEC) != 0)
        _exit(1); /* without a word: INIT reports that no program was executed */
    /* The sandbox's own /dev/null: the host's would be on a mount that can be written to. */
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || dup2(INNER_FD_LOG, 1) < 0 || dup2(INNER_FD_LOG, 2) < 0)
        program_fail("descriptors", errno);
    if (sys_close_range(PREFLIGHT_FD_ANSWER + 1, ~0U) != 0)
        program_fail("close_range", errno);
    if (setsid() < 0)
        program_fail("setsid", errno);
    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_DFL); /* fails for SIGKILL, SIGSTOP and reserved ones */
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0)
        program_fail("sigprocmask", errno);
    set_limit(RLIMIT_FSIZE, ONE_FILE_BYTES, "RLIMIT_FSIZE");
    set_limit(RLIMIT_CORE, CORE_BYTES, "RLIMIT_CORE");
    set_limit(RLIMIT_NOFILE, OPEN_FILES, "RLIMIT_NOFILE");
    err_clear(&err);
    if (filter_load(FILTER_PROGRAM, &err) != 0)
        program_fail("seccomp", err.sys);
}

/* Said last before execve: a child that ends without it was never about to execute. */
static const char about_to_execute = '!';

static _Noreturn void program(char *const argv[], int answer_fd)
{
    become_program(answer_fd);
    if (write(PREFLIGHT_FD_ANSWER, &about_to_execute, 1) != 1)
        program_fail("write", errno);
    execve(argv[0], argv, (char *const *)(uintptr_t)view_environment);
    program_fail("execve", errno);
}

/* The deny-probes, in a process of their own that ends before the program is started. */
static _Noreturn void probe(int answer_fd)
{
    struct preflight answers;

    become_program(answer_fd);
    preflight_try(&answers);
    ssize_t ignored = write(PREFLIGHT_FD_ANSWER, &answers, sizeof answers);
    (void)ignored; /* INIT misses them */
    _exit(0);
}

/* Read what a child says before it executes or ends: 0 bytes, a failure or answers.
 * returns  the length */
static size_t hear_child(int fd, void *bytes, size_t size)
{
    size_t n = 0;

    for (;;) {
        ssize_t got = read(fd, (char *)bytes + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail("read", "answer pipe", errno);
        n += (size_t)got;
        if (got == 0 || n == size)
            return n;
    }
}

static _Noreturn void fail_as_child(struct failure *failure, const char *object)
{
    failure->step[sizeof failure->step - 1] = '\0';
    fail(failure->step, object, failure->sys);
}

static pid_t fork_child(int answer_pipe[static 2], const char *what)
{
    if (pipe2(answer_pipe, O_CLOEXEC) != 0)
        fail("pipe2", what, errno);
    pid_t child = fork();
    if (child < 0)
        fail("fork", what, errno);
    return child;
}

static void try_probes(struct preflight *answers)
{
    union {
        struct failure failure;
        struct preflight answers;
    } heard;
    _Static_assert(sizeof heard.failure != sizeof heard.answers, "told apart by their size");
    int pipe_fd[2], status = 0;
    pid_t child = fork_child(pipe_fd, "preflight");

    if (child == 0)
        probe(pipe_fd[1]);
    fd_close(&pipe_fd[1]);
    size_t n = hear_child(pipe_fd[0], &heard, sizeof heard);
    fd_close(&pipe_fd[0]);
    if (waitpid(child, &status, 0) != child)
        fail("waitpid", "preflight", errno);
    if (n == sizeof heard.failure)
        fail_as_child(&heard.failure, "preflight");
    if (n != sizeof heard.answers || status != 0)
        fail("preflight", "no answers", EPROTO);
    *answers = heard.answers;
}

static void tell(const struct wire_report *report)
{
    struct err ignored;
    err_clear(&ignored);
    if (wire_send(INNER_FD_STATUS, report, sizeof *report, NULL, 0, &ignored) != 0)
        _exit(1);
}

/* Did the program's process reach exec?  Its answer pipe then closes behind the word.  (A
 * file that the kernel gives up on past its point of no return, execve(2), ends by SIGSEGV,
 * and is told as a program that did.) */
static void await_exec(int answer_fd, const char *path)
{
    struct heard {
        char word;
        struct failure failure;
    } __attribute__((packed)) heard;
    struct failure failure;
    struct wire_report report;
    size_t n = hear_child(answer_fd, &heard, sizeof heard);

    if (n == sizeof failure || n == sizeof heard) { /* before the word, or by execve */
        memcpy(&failure, (const char *)&heard + (n - sizeof failure), sizeof failure);
        fail_as_child(&failure, path);
    }
    if (n != 1 || heard.word != about_to_execute)
        fail("execve", path, n == 0 ? ECHILD : EPROTO);
    memset(&report, 0, sizeof report);
    report.type = WIRE_EXECUTED;
    tell(&report);
}

/* Reap everything until the program itself was reaped; stamp that moment. */
static _Noreturn void reap(pid_t child)
{
    struct wire_report report;

    memset(&report, 0, sizeof report);
    report.type = WIRE_EXITED;
    for (;;) {
        int status = 0;
        pid_t reaped = waitpid(-1, &status, __WALL);
        uint64_t now = clock_boot_ns();
        if (reaped < 0 && errno == EINTR)
            continue;
        if (reaped < 0)
            fail("waitpid", "program", errno);
        if (reaped != child)
            continue;
        report.status = status;
        report.stamp_ns = now;
        tell(&report);
        _exit(0);
    }
}

static void refuse_by_hand(void)
{
    static const char by_hand[] = "lema: --init: a part of a native call, not a command\n";
    int type = 0;
    socklen_t size = sizeof type;

    if (getpid() == 1 && getsockopt(INNER_FD_STATUS, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
        type == SOCK_SEQPACKET)
        return;
    ssize_t ignored = write(STDERR_FILENO, by_hand, sizeof by_hand - 1);
    (void)ignored;
    _exit(2);
}

static void receive(void *message, size_t size)
{
    struct err err;
    err_clear(&err);
    if (wire_receive(INNER_FD_STATUS, message, size, NULL, 0, NULL, true, NULL, &err) != 1)
        _exit(1); /* MONITOR is gone, or out of protocol */
}

_Noreturn void init_main(void)
{
    static struct wire_task task; /* 64 KiB: not on the stack */
    char *argv[ARGV_MAX + 1];
    struct wire_report ready;
    struct wire_order_inner go;
    int answer_pipe[2];

    refuse_by_hand();
    confine(&ready);
    if (fcntl(INNER_FD_STATUS, F_SETFD, FD_CLOEXEC) != 0)
        fail("fcntl", "status", errno);
    fd_close(&(int){INNER_FD_CONTROL});
    fd_close(&(int){INNER_FD_SELF});
    if (sys_close_range(INNER_FD_LOG + 1, ~0U) != 0)
        fail("close_range", "init", errno);
    try_probes(&ready.preflight);
    tell(&ready);
    receive(&task, sizeof task);
    unpack(&task, argv);
    receive(&go, sizeof go);
    if (go.word != WIRE_GO)
        fail("order", "init", EPROTO);
    pid_t child = fork_child(answer_pipe, "program");
    if (child == 0)
        program(argv, answer_pipe[1]);
    fd_close(&answer_pipe[1]);
    fd_close(&(int){INNER_FD_LOG}); /* the log ends when the program and its children do */
    struct err err;
    err_clear(&err);
    if (filter_load(FILTER_REAPER, &err) != 0)
        fail("seccomp", "reaper", err.sys);
    await_exec(answer_pipe[0], argv[0]);
    fd_close(&answer_pipe[0]);
    reap(child);
}
