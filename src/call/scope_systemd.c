/* The user manager's part of the cgroup tree.  Layer: call.
 *
 * systemd puts a user's manager at user.slice/user-UID.slice/user@UID.service
 * (systemd.special(7), user@.service(5)), and its transient scopes below that. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "call/scope.h"
#include "host/file.h"

#define PATH_BYTES 96u
#define LIST_WAIT_MS 30000
#define LIST_BYTES_MAX 4096u

static void manager_path(uid_t uid, struct text *t)
{
    text_adds(t, "/user.slice/user-");
    text_add_number(t, uid);
    text_adds(t, ".slice/user@");
    text_add_number(t, uid);
    text_adds(t, ".service");
}

int scope_check_controllers(uid_t uid, struct err *err)
{
    char path[PATH_BYTES], shown[PATH_BYTES];
    struct text t = text_on(path, sizeof path);
    struct err local;

    manager_path(uid, &t);
    t = text_on(shown, sizeof shown);
    text_adds(&t, SCOPE_CGROUP_ROOT);
    text_adds(&t, path);
    err_clear(&local);
    int fd = scope_open(path, uid, &local);
    if (fd < 0)
        return err_set(err, ERR_CONTROLLERS, str_span(shown),
                       "the user manager has no cgroup v2 directory here (%s)",
                       local.sys == 0 ? local.why : strerror(local.sys));
    int result = scope_check_words(fd, "cgroup.controllers", shown, err);
    fd_close(&fd);
    return result;
}

int scope_open_manager(uid_t uid, bool *missing, struct err *err)
{
    char path[PATH_BYTES];
    struct text t = text_on(path, sizeof path);
    struct err local;

    manager_path(uid, &t);
    err_clear(&local);
    int fd = scope_open(path, uid, &local);
    *missing = fd < 0 && (local.sys == ENOENT || local.what == ERR_UNSUPPORTED);
    if (fd < 0 && !*missing)
        *err = local;
    return fd;
}

/* Read systemctl's whole answer, LIST_BYTES_MAX of it at most, within LIST_WAIT_MS. */
static ssize_t read_answer(int fd, char answer[static LIST_BYTES_MAX], struct err *err)
{
    size_t n = 0;
    uint64_t end = clock_boot_ns() + (uint64_t)LIST_WAIT_MS * 1000000u;

    for (;;) {
        uint64_t now = clock_boot_ns();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = now >= end ? 0 : poll(&p, 1, (int)((end - now) / 1000000u) + 1);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return err_sys(err, ERR_LIVE_SCOPE, "poll", ready < 0 ? errno : ETIMEDOUT,
                           str_span("systemctl"), "the user manager does not answer");
        if (n == LIST_BYTES_MAX)
            return (ssize_t)n;
        ssize_t got = read(fd, answer + n, LIST_BYTES_MAX - n);
        if (got < 0 && errno != EINTR)
            return err_sys(err, ERR_LIVE_SCOPE, "read", errno, str_span("systemctl"), NULL);
        if (got == 0)
            return (ssize_t)n;
        n += got > 0 ? (size_t)got : 0;
    }
}

/* Its end, soon after its answer: one that hangs is killed, so that the lock is not held for
 * ever and LAUNCHER takes orders again.
 * returns  0 with its status, or -1 */
static int end_systemctl(struct launcher *l, pid_t pid, int *status, struct err *err)
{
    struct pollfd p = {.fd = l->socket, .events = POLLIN};
    uint64_t end = clock_boot_ns() + (uint64_t)LIST_WAIT_MS * 1000000u;
    int ready = 0;

    for (uint64_t now = clock_boot_ns(); ready == 0 && now < end; now = clock_boot_ns()) {
        ready = poll(&p, 1, (int)((end - now) / 1000000u) + 1);
        if (ready < 0 && errno == EINTR)
            ready = 0;
    }
    if (ready <= 0)
        (void)kill(pid, SIGKILL);
    return launcher_ended(l, true, status, err) == 1 ? 0 : -1;
}

/* Have LAUNCHER run systemctl; it must end with status 0.
 * unit     the one to stop, or NULL: list the live ones
 * returns  the length of its answer, or -1 */
static ssize_t run_systemctl(struct launcher *l, int systemctl_fd, uid_t uid, const char *unit,
                             char answer[static LIST_BYTES_MAX], struct err *err)
{
    struct wire_launch order;
    int ends[2], fds[SYSTEMCTL_FDS], status = 0;
    struct err ignored;
    pid_t pid = 0;

    err_clear(&ignored);

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_sys(err, ERR_IO, "pipe2", errno, str_span("systemctl"), NULL);
    memset(&order, 0, sizeof order);
    order.order = unit == NULL ? WIRE_LIST_UNITS : WIRE_STOP_UNIT;
    order.descriptors = SYSTEMCTL_FDS;
    order.uid = uid;
    if (unit != NULL)
        memcpy(order.unit_hex, unit + sizeof UNIT_PREFIX - 1, sizeof order.unit_hex);
    fds[SYSTEMCTL_FD_PROGRAM] = systemctl_fd;
    fds[SYSTEMCTL_FD_OUT] = ends[1];
    int result = launcher_order(l, &order, fds, SYSTEMCTL_FDS, &pid, err);
    fd_close(&ends[1]);
    ssize_t n = result != 0 ? -1 : read_answer(ends[0], answer, err);
    fd_close(&ends[0]); /* a systemctl that still writes ends by SIGPIPE */
    if (result == 0 && n < 0)
        (void)kill(pid, SIGKILL);
    if ((result == 0 && end_systemctl(l, pid, &status, n < 0 ? &ignored : err) != 0) || n < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return n;
    struct span shown = {(const uint8_t *)answer, (size_t)n};
    while (shown.n > 0 && shown.p[shown.n - 1] == '\n')
        shown.n--;
    return err_set(err, ERR_LIVE_SCOPE, str_span("systemctl --user"),
                   "the user manager cannot be asked: %.*s", (int)num_min(shown.n, 120), answer);
}

int scope_check_none_live(struct launcher *l, int systemctl_fd, uid_t uid, struct err *err)
{
    char answer[LIST_BYTES_MAX] = {0};
    size_t word = 0;

    if (scope_check_empty(NULL, uid, err) != 0)
        return -1;
    ssize_t n = run_systemctl(l, systemctl_fd, uid, NULL, answer, err);
    if (n <= 0)
        return (int)n;
    while (word < (size_t)n && answer[word] != ' ' && answer[word] != '\n')
        word++;
    return err_set(err, ERR_LIVE_SCOPE, (struct span){(const uint8_t *)answer, word},
                   "this unit is live; wait for it, or stop it");
}

int scope_stop_empty(struct launcher *l, int systemctl_fd, uid_t uid, const char *unit,
                     struct err *err)
{
    char answer[LIST_BYTES_MAX] = {0};

    if (scope_check_empty(unit, uid, err) != 0)
        return -1;
    return run_systemctl(l, systemctl_fd, uid, unit, answer, err) < 0 ? -1 : 0;
}
