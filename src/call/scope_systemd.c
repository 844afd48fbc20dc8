/* The user manager's part of the cgroup tree.  Layer: call.
 *
 * systemd puts a user's manager at user.slice/user-UID.slice/user@UID.service
 * (systemd.special(7), user@.service(5)), and its transient scopes below that. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/sys.h"
#include "call/scope.h"
#include "host/file.h"
#include "host/kernel.h"
#include "host/walk.h"

#define TREE_DEPTH_MAX 16
#define TREE_ENTRIES_MAX 65536u
#define LIST_WAIT_MS 30000
#define LIST_BYTES_MAX 4096u
#define HOLDS_PROCESSES "a cgroup of this name holds processes; wait for it, or stop it"

static void manager_path(uid_t uid, struct text *t)
{
    text_adds(t, "/sys/fs/cgroup/user.slice/user-");
    text_add_number(t, uid);
    text_adds(t, ".slice/user@");
    text_add_number(t, uid);
    text_adds(t, ".service");
}

static int open_manager(struct walk *w, uid_t uid, char *path, size_t size, struct err *err)
{
    struct text t = text_on(path, size);
    manager_path(uid, &t);
    walk_init(w);
    return walk_path(w, text_span(&t), WALK_DIRECTORY, O_RDONLY, uid, err);
}

static bool has_word(struct span line, const char *word)
{
    struct span found;
    while (kernel_next_word(&line, &found) == 1)
        if (str_is(found, word))
            return true;
    return false;
}

int scope_check_controllers(uid_t uid, struct err *err)
{
    static const char *const needed[] = {"cpu", "memory", "pids"};
    char path[128], line[1024];
    struct walk w;
    struct err local;

    err_clear(&local);
    if (open_manager(&w, uid, path, sizeof path, &local) != 0)
        return err_set(err, ERR_CONTROLLERS, str_span(path),
                       "the user manager has no cgroup v2 directory here (%s)",
                       local.sys == 0 ? local.why : strerror(local.sys));
    ssize_t n = kernel_read(w.fd, "cgroup.controllers", line, sizeof line, NULL, err);
    walk_close(&w);
    if (n < 0)
        return -1;
    struct span rest = {(const uint8_t *)line, (size_t)n}, words = {rest.p, 0};
    kernel_next_line(&rest, &words);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!has_word(words, needed[i]))
            return err_set(err, ERR_CONTROLLERS, str_span(path),
                           "the %s controller is not delegated to the user manager", needed[i]);
    return 0;
}

/* A bounded search of a cgroup tree for directories by name. */
struct search {
    const char *name; /* whole name, or NULL: any that begins with UNIT_PREFIX */
    bool only_populated;
    uid_t uid;
    uint32_t entries;
    bool found;
    char found_name[COMPONENT_BYTES_MAX + 1];
};

static bool matches(const struct search *s, int dirfd, const char *name)
{
    if (s->name != NULL ? strcmp(name, s->name) != 0
                        : strncmp(name, UNIT_PREFIX, sizeof UNIT_PREFIX - 1) != 0)
        return false;
    if (!s->only_populated)
        return true;
    bool populated = true; /* what cannot be read is not called empty */
    struct err ignored;
    err_clear(&ignored);
    return scope_populated(dirfd, &populated, &ignored) != 0 || populated;
}

static int search_tree(int dirfd, int depth, struct search *s, struct err *err);

/* One sub-directory.  One that went away meanwhile is not there. */
static int search_entry(int dirfd, const char *name, int depth, struct search *s, struct err *err)
{
    struct stat st;
    struct err local;
    bool missing = false;

    if (++s->entries > TREE_ENTRIES_MAX || depth >= TREE_DEPTH_MAX)
        return err_set(err, ERR_LIVE_SCOPE, str_span(name),
                       "the cgroup tree is larger than lema looks through");
    err_clear(&local);
    int fd = walk_component(dirfd, name, WALK_DIRECTORY, O_RDONLY, s->uid, false, str_span(name),
                            &st, &missing, &local);
    if (fd < 0 && (missing || local.sys == ENODEV))
        return 0;
    if (fd < 0) {
        *err = local;
        return -1;
    }
    int result = 0;
    if (matches(s, fd, name)) {
        s->found = true;
        struct text t = text_on(s->found_name, sizeof s->found_name);
        text_adds(&t, name);
    } else {
        result = search_tree(fd, depth + 1, s, err);
    }
    fd_close(&fd);
    return result;
}

static int search_tree(int dirfd, int depth, struct search *s, struct err *err)
{
    uint8_t buffer[8192] __attribute__((aligned(8)));

    for (;;) {
        ssize_t n = sys_getdents64(dirfd, buffer, sizeof buffer);
        if (n < 0 && (errno == ENOENT || errno == ENODEV))
            return 0;
        if (n < 0)
            return err_sys(err, ERR_IO, "getdents64", errno, str_span("cgroup"), NULL);
        if (n == 0)
            return 0;
        for (ssize_t at = 0; at < n && !s->found;) {
            const struct dirent *entry = (const struct dirent *)(const void *)(buffer + at);
            at += entry->d_reclen;
            if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
                strcmp(entry->d_name, "..") == 0)
                continue;
            if (search_entry(dirfd, entry->d_name, depth, s, err) != 0)
                return -1;
        }
        if (s->found)
            return 0;
    }
}

int scope_open_manager(uid_t uid, bool *missing, struct err *err)
{
    char path[128];
    struct walk w;
    struct err local;

    err_clear(&local);
    *missing = false;
    if (open_manager(&w, uid, path, sizeof path, &local) != 0) {
        *missing = local.sys == ENOENT;
        if (!*missing)
            *err = local;
        return -1;
    }
    int fd = w.fd;
    w.fd = -1;
    walk_close(&w);
    return fd;
}

static int search_manager(struct search *s, struct err *err)
{
    bool missing;
    int fd = scope_open_manager(s->uid, &missing, err);

    if (fd < 0)
        return missing ? 0 : -1; /* no manager, no scope of it */
    int result = search_tree(fd, 0, s, err);
    fd_close(&fd);
    return result;
}

int scope_search(const char *unit, uid_t uid, bool *found, struct err *err)
{
    struct search s = {.name = unit, .only_populated = false, .uid = uid};
    int result = search_manager(&s, err);
    *found = s.found;
    return result;
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

/* Have LAUNCHER run systemctl; it must end with status 0.
 * unit     the one to stop, or NULL: list the live ones
 * returns  the length of its answer, or -1 */
static ssize_t run_systemctl(struct launcher *l, int systemctl_fd, uid_t uid, const char *unit,
                             char answer[static LIST_BYTES_MAX], struct err *err)
{
    struct wire_launch order;
    int ends[2], fds[SYSTEMCTL_FDS], status = 0;
    pid_t pid;

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
    if (n < 0 || launcher_ended(l, true, &status, err) != 1)
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
    struct search s = {.name = NULL, .only_populated = true, .uid = uid};
    char answer[LIST_BYTES_MAX] = {0};
    size_t word = 0;

    if (search_manager(&s, err) != 0)
        return -1;
    if (s.found)
        return err_set(err, ERR_LIVE_SCOPE, str_span(s.found_name), HOLDS_PROCESSES);
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
    struct search s = {.name = unit, .only_populated = true, .uid = uid};
    char answer[LIST_BYTES_MAX] = {0};

    if (search_manager(&s, err) != 0)
        return -1;
    if (s.found)
        return err_set(err, ERR_LIVE_SCOPE, str_span(unit), HOLDS_PROCESSES);
    return run_systemctl(l, systemctl_fd, uid, unit, answer, err) < 0 ? -1 : 0;
}
