/* Looking for scopes in the whole cgroup tree.  Layer: call.
 *
 * A scope may stand below the user manager's cgroup or in any delegated one.  Only
 * directories of root's and of this user's are looked into: another user's lema has its
 * own lock and is not this one's business (specification 3). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys.h"
#include "call/scope.h"
#include "host/file.h"
#include "host/walk.h"

#define TREE_DEPTH_MAX 16
#define TREE_ENTRIES_MAX 65536u

/* A bounded search for directories by name. */
struct search {
    const char *name; /* whole name, or NULL: this user's that begin with UNIT_PREFIX */
    bool only_populated;
    uid_t uid;
    uint32_t entries;
    bool found;
    int parent_fd; /* of what was found, -1 before */
    char found_name[COMPONENT_BYTES_MAX + 1];
};

static bool matches(const struct search *s, int dirfd, const struct stat *st, const char *name)
{
    if (s->name != NULL
            ? strcmp(name, s->name) != 0
            : st->st_uid != s->uid || strncmp(name, UNIT_PREFIX, sizeof UNIT_PREFIX - 1) != 0)
        return false;
    if (!s->only_populated)
        return true;
    bool populated = true; /* what cannot be read is not called empty */
    struct err ignored;
    err_clear(&ignored);
    return scope_populated(dirfd, &populated, &ignored) != 0 || populated;
}

static int search_tree(int dirfd, int depth, struct search *s, struct err *err);

/* What was found, and the directory it was found in. */
static int keep_found(int parent, const char *name, struct search *s, struct err *err)
{
    struct text t = text_on(s->found_name, sizeof s->found_name);

    text_adds(&t, name);
    s->found = true;
    s->parent_fd = fcntl(parent, F_DUPFD_CLOEXEC, 0);
    if (s->parent_fd < 0)
        return err_sys(err, ERR_IO, "fcntl", errno, str_span(name), NULL);
    return 0;
}

/* One sub-directory.  One that went away meanwhile is not there. */
static int search_entry(int dirfd, const char *name, int depth, struct search *s, struct err *err)
{
    struct stat st;
    int sys = 0;

    if (++s->entries > TREE_ENTRIES_MAX || depth >= TREE_DEPTH_MAX)
        return err_set(err, ERR_LIVE_SCOPE, str_span(name),
                       "the cgroup tree is larger than lema looks through");
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT || errno == ENODEV)
            return 0;
        return err_sys(err, ERR_IO, "fstatat", errno, str_span(name), NULL);
    }
    if (st.st_uid != 0 && st.st_uid != s->uid)
        return 0;
    int fd = walk_below(dirfd, name, O_RDONLY | O_DIRECTORY, &sys);
    if (fd < 0 && (sys == ENOENT || sys == ENODEV))
        return 0;
    if (fd < 0)
        return err_sys(err, ERR_IO, "openat2", sys, str_span(name), NULL);
    int result = matches(s, fd, &st, name) ? keep_found(dirfd, name, s, err)
                                           : search_tree(fd, depth + 1, s, err);
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

/* The whole tree.  Where there is no cgroup v2 there is no scope. */
static int search(struct search *s, struct err *err)
{
    struct err local;

    s->parent_fd = -1;
    err_clear(&local);
    int fd = scope_open("/", s->uid, &local);
    if (fd < 0 && (local.sys == ENOENT || local.what == ERR_UNSUPPORTED))
        return 0;
    if (fd < 0) {
        *err = local;
        return -1;
    }
    int result = search_tree(fd, 0, s, err);
    fd_close(&fd);
    return result;
}

int scope_search(const char *unit, uid_t uid, bool *found, struct err *err)
{
    struct search s = {.name = unit, .uid = uid};
    int result = search(&s, err);
    *found = s.found;
    fd_close(&s.parent_fd);
    return result;
}

int scope_check_empty(const char *unit, uid_t uid, struct err *err)
{
    struct search s = {.name = unit, .only_populated = true, .uid = uid};
    int result = search(&s, err);

    fd_close(&s.parent_fd);
    if (result == 0 && s.found)
        return err_set(err, ERR_LIVE_SCOPE, str_span(s.found_name),
                       "a cgroup of this name holds processes; wait for it, or stop it");
    return result;
}

int scope_remove_empty(struct launcher *l, uid_t uid, const char *unit, struct err *err)
{
    struct search s = {.name = unit, .uid = uid};
    struct wire_launch order;
    int status = 0;
    pid_t pid;

    if (scope_check_empty(unit, uid, err) != 0 || search(&s, err) != 0)
        return -1;
    if (!s.found)
        return 0;
    memset(&order, 0, sizeof order);
    order.order = WIRE_REMOVE_CGROUP;
    order.descriptors = REMOVE_CGROUP_FDS;
    order.uid = uid;
    memcpy(order.unit_hex, unit + sizeof UNIT_PREFIX - 1, sizeof order.unit_hex);
    int result = launcher_order(l, &order, &s.parent_fd, REMOVE_CGROUP_FDS, &pid, err);
    fd_close(&s.parent_fd);
    if (result != 0 || launcher_ended(l, true, &status, err) != 1)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return err_set(err, ERR_LIVE_SCOPE, str_span(unit), "its empty cgroup cannot be removed");
}
