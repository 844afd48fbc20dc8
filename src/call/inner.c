/* INNER.  Layer: call.
 *
 * States, in order: HELLO sent; waiting for ENTER (MONITOR reads the limits
 * back); sandbox running; waiting to be killed with the scope.  At the end of
 * MONITOR's socket, in any state, the whole scope is killed. */
#include "call/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/filter.h"
#include "base/sys.h"
#include "call/sandbox.h"
#include "call/wire.h"
#include "host/file.h"

/* Raised for the sandbox, so that the kernel ends it before its keeper. */
#define SANDBOX_OOM_SCORE "1000"

/* MONITOR is gone: end everything in this scope, this process included.  The
 * cgroup is named by /proc/self/cgroup ("0::/path"), cgroup2 by its usual place. */
static _Noreturn void kill_scope(void)
{
    char line[4096], path[4096 + 64];
    int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (n > 4 && memcmp(line, "0::/", 4) == 0 && memchr(line, '\n', (size_t)n) != NULL) {
        *(char *)memchr(line, '\n', (size_t)n) = '\0';
        struct text t = text_on(path, sizeof path);
        text_adds(&t, "/sys/fs/cgroup");
        text_adds(&t, line + 3);
        text_adds(&t, "/cgroup.kill");
        int kill_fd = t.overflow ? -1 : open(path, O_WRONLY | O_CLOEXEC);
        if (kill_fd >= 0) {
            ssize_t ignored = write(kill_fd, "1", 1);
            (void)ignored;
        }
    }
    _exit(1); /* die-with-parent takes the sandbox along */
}

static _Noreturn void fail(const char *step, const char *object, int sys)
{
    wire_fail(INNER_FD_CONTROL, step, object, sys);
    for (;;) /* the scope stays until MONITOR has looked at it */
        pause();
}

static void raise_oom_score(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, SANDBOX_OOM_SCORE, sizeof SANDBOX_OOM_SCORE - 1);
    int sys = errno;
    fd_close(&fd);
    if (n < 0) {
        wire_fail(INNER_FD_CONTROL, "write", "/proc/self/oom_score_adj", sys);
        _exit(1);
    }
}

/* Does not return on success. */
static int try_sandbox(const struct wire_order_inner *order, struct pins *pins, struct err *err)
{
    static struct view view;

    if (pins_load(pins, err) != 0 || view_make(&view, pins, err) != 0)
        return -1;
    if (order->libs != view_libs(pins) || order->sandbox >= SANDBOX_KINDS)
        return err_set(err, ERR_INTERNAL, str_span("enter"), "an order out of protocol");
    if (order->sandbox == SANDBOX_BWRAP &&
        pins_check_fd(pins, HOST_BWRAP, INNER_FD_SANDBOX, err) != 0)
        return -1;
    if (fcntl(INNER_FD_CONTROL, F_SETFD, FD_CLOEXEC) != 0)
        return err_sys(err, ERR_SETUP, "fcntl", errno, str_span("control"), NULL);
    return sandbox_enter((enum sandbox_kind)order->sandbox, &view, err);
}

/* The child that becomes the sandbox. */
static _Noreturn void enter(const struct wire_order_inner *order, pid_t keeper)
{
    struct pins *pins = sys_memory(sizeof *pins);
    struct err err;

    err_clear(&err);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != keeper)
        _exit(1);
    if (pins == NULL) {
        wire_fail(INNER_FD_CONTROL, "mmap", "pins", errno);
        _exit(1);
    }
    raise_oom_score();
    (void)try_sandbox(order, pins, &err);
    wire_fail(INNER_FD_CONTROL, err.op[0] != '\0' ? err.op : err.why, err.obj, err.sys);
    _exit(1);
}

static void close_inherited(void)
{
    for (int fd = INNER_FD_SELF; fd < INNER_FD_CONTROL + (int)INNER_FDS_MAX; fd++) {
        int copy = fd;
        if (fd != INNER_FD_CONTROL)
            fd_close(&copy);
    }
}

static void report_sandbox_end(int status)
{
    struct wire_report report;
    struct err ignored;

    memset(&report, 0, sizeof report);
    report.type = WIRE_SANDBOX_ENDED;
    report.status = status;
    err_clear(&ignored);
    if (wire_send(INNER_FD_CONTROL, &report, sizeof report, NULL, 0, &ignored) != 0)
        kill_scope();
}

/* Wait for the sandbox's end and for MONITOR's, whichever comes. */
static _Noreturn void keep(pid_t sandbox, int sandbox_fd)
{
    struct pollfd fds[2] = {{.fd = INNER_FD_CONTROL, .events = POLLIN},
                            {.fd = sandbox_fd, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            kill_scope();
        }
        if (fds[0].revents != 0)
            kill_scope(); /* MONITOR says nothing more: this is its end */
        if (fds[1].revents == 0)
            continue;
        int status = 0;
        if (waitpid(sandbox, &status, 0) != sandbox)
            fail("waitpid", "sandbox", errno);
        report_sandbox_end(status);
        fd_close(&fds[1].fd);
    }
}

static void say_hello(void)
{
    struct wire_report report;
    struct err err;

    memset(&report, 0, sizeof report);
    report.type = WIRE_HELLO;
    report.pid = getpid();
    err_clear(&err);
    if (wire_send(INNER_FD_CONTROL, &report, sizeof report, NULL, 0, &err) != 0)
        _exit(1);
}

_Noreturn void inner_main(void)
{
    struct wire_order_inner order;
    struct err err;
    int type = 0;
    socklen_t size = sizeof type;
    static const char by_hand[] = "lema: --inner: a part of a native call, not a command\n";

    if (getsockopt(INNER_FD_CONTROL, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
        type != SOCK_SEQPACKET) {
        ssize_t ignored = write(STDERR_FILENO, by_hand, sizeof by_hand - 1);
        (void)ignored;
        _exit(2);
    }
    /* The parent is LAUNCHER; if it died before this line, MONITOR's socket tells. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        _exit(1);
    err_clear(&err);
    say_hello();
    if (wire_receive(INNER_FD_CONTROL, &order, sizeof order, NULL, 0, NULL, true, NULL, &err) != 1)
        kill_scope();
    if (order.word != WIRE_ENTER)
        fail("order", "inner", EPROTO);
    pid_t keeper = getpid();
    pid_t sandbox = fork();
    if (sandbox < 0)
        fail("fork", "sandbox", errno);
    if (sandbox == 0)
        enter(&order, keeper);
    close_inherited(); /* the log's and the status socket's ends must not stay open here */
    int sandbox_fd = sys_pidfd_open(sandbox);
    if (sandbox_fd < 0)
        fail("pidfd_open", "sandbox", errno);
    if (filter_load(FILTER_KEEPER, &err) != 0)
        fail("seccomp", "keeper", err.sys);
    keep(sandbox, sandbox_fd);
}
