/* The sandbox without bubblewrap: namespaces, view, confinement.  Layer: call.
 *
 * Specification 10.  Two processes:
 *
 *   OUTER   stays outside, writes the id maps, keeps no descriptor, waits
 *   PID 1   in new user, mount, pid, network, ipc, uts and cgroup namespaces; builds the
 *           view below a detached tmpfs, pivots into it, gives up every capability, and
 *           becomes INIT
 *
 * open_tree(2) refuses descriptors of another mount namespace.  So every source is walked
 * again inside, by the path that the kernel tells of the verified descriptor, without any
 * symlink, and must be the same device and inode.
 *
 * Neither heap nor stdio: PID 1 is a copy of a process that may have been anywhere. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys.h"
#include "call/sandbox.h"
#include "call/wire.h"
#include "host/file.h"
#include "host/walk.h"

#define NAMESPACES                                                                                 \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |     \
     CLONE_NEWCGROUP)
#define SHUT (SYS_MOUNT_NOSUID | SYS_MOUNT_NODEV) /* of everything of the host's */

static int refuse(struct err *err, const char *op, const char *object)
{
    return err_sys(err, ERR_SETUP, op, errno, str_span(object), NULL);
}

/* --- OUTER ----------------------------------------------------------------------- */

static int write_map(pid_t pid, const char *file, const char *contents, struct err *err)
{
    char path[64];
    struct text t = text_on(path, sizeof path);
    text_adds(&t, "/proc/");
    text_add_number(&t, (uint64_t)pid);
    text_adds(&t, "/");
    text_adds(&t, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, contents, strlen(contents));
    int result = n == (ssize_t)strlen(contents) ? 0 : refuse(err, "write", file);
    fd_close(&fd);
    return result;
}

/* One user and one group, called as outside (user_namespaces(7)). */
static int write_maps(pid_t pid, struct err *err)
{
    const struct {
        const char *file;
        uint64_t id;
    } maps[] = {{"uid_map", geteuid()}, {"gid_map", getegid()}};

    if (write_map(pid, "setgroups", "deny", err) != 0)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        char line[64];
        struct text t = text_on(line, sizeof line);
        text_add_number(&t, maps[i].id);
        text_adds(&t, " ");
        text_add_number(&t, maps[i].id);
        text_adds(&t, " 1");
        if (write_map(pid, maps[i].file, line, err) != 0)
            return -1;
    }
    return 0;
}

/* go: its closing without a byte ends PID 1. */
static _Noreturn void outer(pid_t pid, int go, struct err *err)
{
    int status = 0;

    if (write_maps(pid, err) != 0 || write(go, "", 1) != 1) {
        wire_fail(INNER_FD_CONTROL, err->op, err->obj, err->sys);
        kill(pid, SIGKILL);
    }
    sys_close_range(0, ~0U); /* the log's end must not stay open here */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* --- PID 1: the view ------------------------------------------------------------- */

struct build {
    int host; /* "/" of the mount namespace as it was */
    int root; /* the new root, detached until the end */
};

/* Walk to what a descriptor of the host is, inside this mount namespace.
 * returns  a descriptor (O_PATH), or -1 */
static int find_source(const struct build *b, int fd, struct stat *st, struct err *err)
{
    char link[64], path[PATH_BYTES_MAX + 1];
    struct stat verified;
    int sys = 0;
    struct text t = text_on(link, sizeof link);
    text_adds(&t, "/proc/self/fd/");
    text_add_number(&t, (uint64_t)fd);

    if (fstat(fd, &verified) != 0)
        return refuse(err, "fstat", link);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 2 || path[0] != '/')
        return refuse(err, "readlink", link);
    path[n] = '\0';
    int found = walk_below(b->host, path + 1, O_PATH, &sys);
    if (found < 0)
        return err_sys(err, ERR_SETUP, "openat2", sys, str_span(path), NULL);
    if (fstat(found, st) == 0 && walk_id_equal(walk_id_of(st), walk_id_of(&verified)))
        return found;
    fd_close(&found);
    return err_set(err, ERR_SETUP, str_span(path), "is another file inside the mount namespace");
}

/* Make the directories above a path of the new root. */
static int make_parents(const struct build *b, const char *path, struct err *err)
{
    char below[PATH_BYTES_MAX + 1];

    if (!str_copy(below, sizeof below, str_span(path)))
        return err_set(err, ERR_SETUP, str_span(path), "too long");
    for (char *slash = below; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdirat(b->root, below, 0700) != 0 && errno != EEXIST)
            return refuse(err, "mkdirat", below);
        *slash = '/';
    }
    return 0;
}

/* A place to mount on, of the kind of what comes there. */
static int make_place(const struct build *b, const char *path, bool directory, struct err *err)
{
    if (make_parents(b, path, err) != 0)
        return -1;
    if (directory)
        return mkdirat(b->root, path, 0755) == 0 ? 0 : refuse(err, "mkdirat", path);
    int fd = openat(b->root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (fd < 0)
        return refuse(err, "openat", path);
    fd_close(&fd);
    return 0;
}

/* Mount a copy of what source is, alone, with its attributes set before it is seen. */
static int bind(const struct build *b, int source, const char *path, uint64_t attributes,
                struct err *err)
{
    int tree = sys_open_tree(source);
    if (tree < 0)
        return refuse(err, "open_tree", path);
    int result = 0;
    if (sys_mount_attributes(tree, attributes) != 0)
        result = refuse(err, "mount_setattr", path);
    else if (sys_move_mount(tree, b->root, path) != 0)
        result = refuse(err, "move_mount", path);
    fd_close(&tree);
    return result;
}

static int add_bind(const struct build *b, const struct view_row *row, struct err *err)
{
    struct stat st;
    uint64_t attributes = SHUT | (row->kind == VIEW_WRITABLE ? 0 : SYS_MOUNT_RDONLY);
    int source = find_source(b, row->fd, &st, err);

    if (source < 0)
        return -1;
    int result = make_place(b, row->path + 1, S_ISDIR(st.st_mode), err);
    if (result == 0)
        result = bind(b, source, row->path + 1, attributes, err);
    fd_close(&source);
    return result;
}

/* A memory device is written to through a read-only mount as well; its mode is not, which
 * matters to a payload of root's. (bwrap cannot: its --remount-ro adds nodev.) */
static int add_device(const struct build *b, const struct view_row *row, struct err *err)
{
    int sys = 0;
    int source = walk_below(b->host, row->source + 1, O_PATH, &sys);

    if (source < 0)
        return err_sys(err, ERR_SETUP, "openat2", sys, str_span(row->source), NULL);
    int result = make_place(b, row->path + 1, false, err);
    if (result == 0)
        result = bind(b, source, row->path + 1, SYS_MOUNT_NOSUID | SYS_MOUNT_RDONLY, err);
    fd_close(&source);
    return result;
}

/* No user namespace below this one: the limit is its own (namespaces(7)), and without
 * capabilities nothing can raise it again. */
static int forbid_user_namespaces(int proc, struct err *err)
{
    int fd = openat(proc, "sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    int result =
        fd >= 0 && write(fd, "0", 1) == 1 ? 0 : refuse(err, "write", "max_user_namespaces");
    fd_close(&fd);
    return result;
}

/* What /proc shows to root alone (kpageflags, slabinfo and the like) is root's by its mode.
 * A program of root's gets a file of mode 000 there, which without capabilities it cannot
 * open; to an ordinary user the kernel's own modes are enough. */
static int cover_private(const struct build *b, const char *path, struct err *err)
{
    static const char cover[] = "cover"; /* of the new root, until it is bound */
    uint8_t buffer[4096] __attribute__((aligned(8)));
    char place[COMPONENT_BYTES_MAX + 16];
    struct stat st;
    ssize_t n;
    int result = 0, sys = 0;

    int proc = openat(b->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (proc < 0)
        return refuse(err, "openat", path);
    int made = openat(b->root, cover, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
    int source = made < 0 ? -1 : walk_below(b->root, cover, O_PATH, &sys);
    fd_close(&made);
    if (source < 0)
        result = refuse(err, "openat", cover);
    while (result == 0 && (n = sys_getdents64(proc, buffer, sizeof buffer)) != 0) {
        if (n < 0)
            result = refuse(err, "getdents64", path);
        for (ssize_t at = 0; result == 0 && at < n;) {
            const struct dirent *entry = (const struct dirent *)(const void *)(buffer + at);
            at += entry->d_reclen;
            if (fstatat(proc, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
                !S_ISREG(st.st_mode) || (st.st_mode & S_IROTH) != 0)
                continue;
            struct text t = text_on(place, sizeof place);
            text_adds(&t, path);
            text_adds(&t, "/");
            text_adds(&t, entry->d_name);
            result = bind(b, source, place, SHUT | SYS_MOUNT_NOEXEC | SYS_MOUNT_RDONLY, err);
        }
    }
    fd_close(&source);
    fd_close(&proc);
    if (result == 0 && unlinkat(b->root, cover, 0) != 0)
        result = refuse(err, "unlinkat", cover);
    return result;
}

/* The new pid namespace's proc. */
static int add_proc(const struct build *b, const struct view_row *row, struct err *err)
{
    /* Root owns what /proc/1 guards: by this option it does not see /proc/1 at all. */
    const bool root = geteuid() == 0;
    int proc = sys_mount_new("proc", root ? "hidepid" : NULL, root ? "ptraceable" : NULL);

    if (proc < 0)
        return refuse(err, "fsmount", row->path);
    int result = 0;
    if (forbid_user_namespaces(proc, err) != 0 || make_place(b, row->path + 1, true, err) != 0)
        result = -1;
    else if (sys_mount_attributes(proc, SHUT | SYS_MOUNT_NOEXEC | SYS_MOUNT_RDONLY) != 0)
        result = refuse(err, "mount_setattr", row->path);
    else if (sys_move_mount(proc, b->root, row->path + 1) != 0)
        result = refuse(err, "move_mount", row->path);
    else if (root)
        result = cover_private(b, row->path + 1, err);
    fd_close(&proc);
    return result;
}

static int add_symlink(const struct build *b, const struct view_row *row, struct err *err)
{
    if (make_parents(b, row->path + 1, err) != 0)
        return -1;
    if (symlinkat(row->source, b->root, row->path + 1) != 0)
        return refuse(err, "symlinkat", row->path);
    return 0;
}

static int add_row(const struct build *b, const struct view_row *row, struct err *err)
{
    switch (row->kind) {
    case VIEW_READ_ONLY:
    case VIEW_WRITABLE: return add_bind(b, row, err);
    case VIEW_PROC: return add_proc(b, row, err);
    case VIEW_DEVICE: return add_device(b, row, err);
    default: return add_symlink(b, row, err);
    }
}

/* The new root is mounted over the old one first: pivot_root(2) takes attached mounts. */
static int build_view(const struct view *view, struct err *err)
{
    struct build b = {.root = -1};
    int sys = 0;

    umask(0);
    b.host = walk_root(&sys);
    if (b.host < 0)
        return err_sys(err, ERR_SETUP, "open", sys, str_span("/"), NULL);
    b.root = sys_mount_new("tmpfs", "mode", "0755");
    if (b.root < 0)
        return refuse(err, "fsmount", "tmpfs");
    if (sys_move_mount(b.root, AT_FDCWD, "/") != 0)
        return refuse(err, "move_mount", "/");
    for (size_t i = 0; i < view->n; i++)
        if (add_row(&b, &view->row[i], err) != 0)
            return -1;
    if (sys_mount_attributes(b.root, SHUT | SYS_MOUNT_RDONLY) != 0)
        return refuse(err, "mount_setattr", "/");
    if (fchdir(b.root) != 0 || sys_pivot_here() != 0)
        return refuse(err, "pivot_root", "/");
    if (umount2(".", MNT_DETACH) != 0)
        return refuse(err, "umount2", "/");
    if (chdir(VIEW_WORK_DIRECTORY) != 0)
        return refuse(err, "chdir", VIEW_WORK_DIRECTORY);
    fd_close(&b.host);
    fd_close(&b.root);
    umask(077);
    return 0;
}

/* --- PID 1: confinement ---------------------------------------------------------- */

static int drop_capabilities(struct err *err)
{
    for (unsigned long capability = 0; capability < 64; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            if (errno == EINVAL)
                break; /* past the last one that this kernel knows */
            return refuse(err, "prctl", "PR_CAPBSET_DROP");
        }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
        return refuse(err, "prctl", "PR_CAP_AMBIENT_CLEAR_ALL");
    if (sys_capset_none() != 0)
        return refuse(err, "capset", "none");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return refuse(err, "prctl", "PR_SET_NO_NEW_PRIVS");
    return 0;
}

/* Until INIT.  go: readable when the id maps are written. */
static int enter(const struct view *view, int go, struct err *err)
{
    static const char *const argv[] = {"lema", "--init", NULL}, *const nothing[] = {NULL};
    char byte;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return refuse(err, "prctl", "PR_SET_PDEATHSIG");
    if (read(go, &byte, 1) != 1) /* OUTER is gone, or failed and said so */
        _exit(1);
    fd_close(&go);
    if (setsid() < 0)
        return refuse(err, "setsid", "init");
    if (sethostname(VIEW_HOST_NAME, sizeof VIEW_HOST_NAME - 1) != 0)
        return refuse(err, "sethostname", VIEW_HOST_NAME);
    /* From the host no mount comes any more, and none of ours goes there. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return refuse(err, "mount", "MS_PRIVATE");
    if (build_view(view, err) != 0 || drop_capabilities(err) != 0)
        return -1;
    sys_exec_fd(INNER_FD_SELF, argv, nothing);
    return refuse(err, "execveat", "init");
}

int sandbox_direct_enter(const struct view *view, struct err *err)
{
    int go[2];

    if (pipe2(go, O_CLOEXEC) != 0)
        return refuse(err, "pipe2", "direct");
    pid_t pid = sys_clone_into(NAMESPACES);
    if (pid < 0)
        return refuse(err, "clone3", "namespaces");
    if (pid > 0) {
        fd_close(&go[0]);
        outer(pid, go[1], err);
    }
    fd_close(&go[1]);
    return enter(view, go[0], err);
}
