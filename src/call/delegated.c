/* The delegated cgroup.  Layer: call. */
#include "call/delegated.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/scope.h"
#include "host/file.h"
#include "host/kernel.h"
#include "host/walk.h"

#define LEAF "lema-monitor"
#define ENABLE "+cpu +memory +pids"
#define DISABLE "-cpu -memory -pids"

void delegated_init(struct delegated *d)
{
    d->fd = -1;
    d->moved = false;
    d->path[0] = '\0';
}

static int write_file(int dirfd, const char *name, const char *text, struct err *err)
{
    int sys = 0;
    int fd = walk_below(dirfd, name, O_WRONLY, &sys);

    if (fd < 0)
        return err_sys(err, ERR_IO, "openat2", sys, str_span(name), NULL);
    ssize_t n = write(fd, text, strlen(text));
    sys = errno;
    fd_close(&fd);
    if (n != (ssize_t)strlen(text))
        return err_sys(err, ERR_IO, "write", n < 0 ? sys : EIO, str_span(name), NULL);
    return 0;
}

/* cgroup.procs has one line: this process. */
static int check_alone(const struct delegated *d, struct err *err)
{
    char buffer[4096];
    uint64_t pid = 0;
    ssize_t n = kernel_read(d->fd, "cgroup.procs", buffer, sizeof buffer, NULL, err);
    struct span rest = {(const uint8_t *)buffer, n < 0 ? 0 : (size_t)n}, line = {rest.p, 0};

    if (n < 0)
        return -1;
    if (kernel_next_line(&rest, &line) == 1 && rest.n == 0 &&
        str_number(line, 0, UINT64_MAX, &pid) && pid == (uint64_t)getpid())
        return 0;
    return err_set(err, ERR_UNSUPPORTED, str_span(d->path),
                   "other processes are in this cgroup; start lema alone in a delegated one "
                   "(systemd-run --user --scope -p Delegate=yes lema ...)");
}

static int enter_leaf(struct delegated *d, struct err *err)
{
    int sys = 0;

    if (mkdirat(d->fd, LEAF, 0755) != 0 && errno != EEXIST)
        return err_sys(err, ERR_IO, "mkdirat", errno, str_span(d->path),
                       "this cgroup is not delegated to this user");
    int leaf = walk_below(d->fd, LEAF, O_RDONLY | O_DIRECTORY, &sys);
    if (leaf < 0)
        return err_sys(err, ERR_IO, "openat2", sys, str_span(LEAF), NULL);
    d->moved = true; /* delegated_leave undoes what there is */
    int result = write_file(leaf, "cgroup.procs", "0", err);
    fd_close(&leaf);
    return result;
}

/* Only cgroups below the root have a type (cgroup v2, core interface files). */
static int is_root_of_all(const struct delegated *d, bool *root, struct err *err)
{
    struct stat st;

    *root = fstatat(d->fd, "cgroup.type", &st, AT_SYMLINK_NOFOLLOW) != 0;
    if (*root && errno != ENOENT)
        return err_sys(err, ERR_IO, "fstatat", errno, str_span("cgroup.type"), NULL);
    return 0;
}

static int prepare(struct delegated *d, uid_t uid, struct err *err)
{
    bool root = false;

    if (scope_path_of(getpid(), d->path, err) != 0)
        return -1;
    d->fd = scope_open(d->path, uid, err);
    if (d->fd < 0 || scope_check_words(d->fd, "cgroup.controllers", d->path, err) != 0 ||
        is_root_of_all(d, &root, err) != 0)
        return -1;
    if (!root && (check_alone(d, err) != 0 || enter_leaf(d, err) != 0))
        return -1;
    return write_file(d->fd, "cgroup.subtree_control", ENABLE, err);
}

int delegated_take(struct delegated *d, uid_t uid, struct err *err)
{
    if (prepare(d, uid, err) == 0)
        return 0;
    delegated_leave(d);
    return -1;
}

/* The children's controllers, then the leaf; each step works if an earlier one was done. */
static int restore(int dirfd, bool back)
{
    struct err ignored;

    err_clear(&ignored);
    int result = write_file(dirfd, "cgroup.subtree_control", DISABLE, &ignored);
    if (result == 0 && back)
        result = write_file(dirfd, "cgroup.procs", "0", &ignored);
    return result != 0 || unlinkat(dirfd, LEAF, AT_REMOVEDIR) != 0 ? -1 : 0;
}

void delegated_leave(struct delegated *d)
{
    if (d->moved)
        (void)restore(d->fd, true);
    d->moved = false;
    fd_close(&d->fd);
}

int delegated_check(const struct delegated *d, struct err *err)
{
    if (d->fd < 0)
        return err_set(err, ERR_CONTROLLERS, str_span("cgroup"), "no delegated cgroup was taken");
    return scope_check_words(d->fd, "cgroup.subtree_control", d->path, err);
}

static int write_limits(int fd, struct err *err)
{
    const struct record_limits l = scope_limits(KIND_CHECK_RUNTIME); /* wall time is not its */
    const struct {
        const char *file;
        uint64_t first, second; /* second 0: there is none */
    } rows[] = {{"memory.max", l.memory_bytes, 0},
                {"memory.swap.max", l.swap_bytes, 0},
                {"pids.max", l.tasks, 0},
                {"cpu.max", l.cpu_quota_us, l.cpu_period_us}};
    char text[64];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text t = text_on(text, sizeof text);
        text_add_number(&t, rows[i].first);
        if (rows[i].second != 0) {
            text_adds(&t, " ");
            text_add_number(&t, rows[i].second);
        }
        if (write_file(fd, rows[i].file, text, err) != 0)
            return -1;
    }
    return 0;
}

int delegated_make_scope(int dirfd, const char *unit, struct err *err)
{
    int sys = 0;

    if (mkdirat(dirfd, unit, 0755) != 0)
        return err_sys(err, ERR_IO, "mkdirat", errno, str_span(unit), NULL);
    int fd = walk_below(dirfd, unit, O_RDONLY | O_DIRECTORY, &sys);
    if (fd < 0)
        err_sys(err, ERR_IO, "openat2", sys, str_span(unit), NULL);
    else if (write_limits(fd, err) == 0)
        return fd;
    fd_close(&fd);
    (void)delegated_remove_scope(dirfd, unit);
    return -1;
}

int delegated_remove_scope(int dirfd, const char *unit)
{
    return unlinkat(dirfd, unit, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -1;
}

int delegated_clean(int dirfd, const char *unit)
{
    struct stat st;

    if (delegated_remove_scope(dirfd, unit) != 0)
        return -1;
    if (fstatat(dirfd, LEAF, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : -1;
    return restore(dirfd, false);
}
