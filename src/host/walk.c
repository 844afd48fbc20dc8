/* Strict walks.  Layer: host.
 *
 * Every open of lema but that of "/" passes through open_below: it follows no
 * symlink, does not leave the directory it is given, does not wait for a FIFO's
 * other end.  What a name stands for is looked at before the open (fstatat), so
 * that a FIFO or a device is not touched at all, and again after it (fstat of
 * the descriptor): both must be one object. */
#include "host/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"
#include "host/file.h"

#define RESOLVE_STRICT (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH)
#define OPEN_ALWAYS ((uint64_t)(O_CLOEXEC | O_NOCTTY | O_NONBLOCK))

/* What is asked of one object on the way. */
struct rule {
    enum walk_kind kind;
    uint64_t flags;   /* of the open */
    uint64_t resolve; /* beyond RESOLVE_STRICT */
    bool on_the_way;  /* a directory owned by root with the sticky bit may be writable */
    uid_t uid;
};

/* --- Opening --------------------------------------------------------------- */

static int open_below(int dirfd, const char *path, uint64_t flags, mode_t mode, uint64_t resolve)
{
    uint64_t always = (flags & O_PATH) != 0 ? (uint64_t)O_CLOEXEC : OPEN_ALWAYS;
    return sys_openat2(dirfd, path, flags | always | O_NOFOLLOW, mode, RESOLVE_STRICT | resolve);
}

int walk_root(int *sys)
{
    int fd = sys_openat2(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
    *sys = fd < 0 ? errno : 0;
    return fd;
}

int walk_below(int dirfd, const char *path, uint64_t flags, int *sys)
{
    int fd = open_below(dirfd, path, flags, 0, 0);
    *sys = fd < 0 ? errno : 0;
    return fd;
}

int walk_create(int dirfd, const char *name, mode_t mode, struct span shown, struct err *err)
{
    int fd = open_below(dirfd, name, O_RDWR | O_CREAT | O_EXCL, mode, 0);
    int sys = errno;
    if (fd >= 0)
        return fd;
    if (sys == ENOSYS)
        return err_sys(err, ERR_UNSUPPORTED, "openat2", sys, shown, "this kernel lacks it");
    bool space = sys == ENOSPC || sys == EDQUOT;
    return err_sys(err, space ? ERR_SPACE : ERR_IO, "openat2", sys, shown, "cannot be made");
}

/* --- Rules ----------------------------------------------------------------- */

static const char *kind_word(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG: return "a regular file";
    case S_IFDIR: return "a directory";
    case S_IFLNK: return "a symbolic link";
    case S_IFIFO: return "a FIFO";
    case S_IFSOCK: return "a socket";
    case S_IFBLK: return "a block device";
    case S_IFCHR: return "a character device";
    default: return "an object of unknown kind";
    }
}

static int check_kind(const struct stat *st, enum walk_kind kind, struct span shown,
                      struct err *err)
{
    mode_t want = kind == WALK_FILE ? S_IFREG : S_IFDIR;
    if ((st->st_mode & S_IFMT) == want)
        return 0;
    return err_set(err, ERR_PATH, shown, "expected %s, found %s", kind_word(want),
                   kind_word(st->st_mode));
}

int walk_check_protected(const struct stat *st, uid_t uid, struct span shown, struct err *err)
{
    if (st->st_uid != 0 && st->st_uid != uid)
        return err_set(err, ERR_PATH, shown, "expected owner root or uid %lu, found uid %lu",
                       (unsigned long)uid, (unsigned long)st->st_uid);
    if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return err_set(err, ERR_PATH, shown, "writable by group or others (mode %04o)",
                       (unsigned)(st->st_mode & 07777));
    return 0;
}

static int check_rule(const struct stat *st, const struct rule *rule, struct span shown,
                      struct err *err)
{
    if (check_kind(st, rule->kind, shown, err) != 0)
        return -1;
    if (rule->on_the_way && st->st_uid == 0 && (st->st_mode & S_ISVTX) != 0)
        return 0;
    return walk_check_protected(st, rule->uid, shown, err);
}

struct walk_id walk_id_of(const struct stat *st)
{
    return (struct walk_id){(uint64_t)st->st_dev, (uint64_t)st->st_ino};
}

bool walk_id_equal(struct walk_id a, struct walk_id b)
{
    return a.dev == b.dev && a.ino == b.ino;
}

/* --- One component ----------------------------------------------------------- */

static int refuse_open(int sys, struct span shown, struct err *err)
{
    switch (sys) {
    case ENOSYS:
        return err_sys(err, ERR_UNSUPPORTED, "openat2", sys, shown, "this kernel lacks it");
    case EXDEV: return err_sys(err, ERR_PATH, "openat2", sys, shown, "is a mount point");
    case ELOOP: return err_sys(err, ERR_PATH, "openat2", sys, shown, "is a symbolic link");
    default: return err_sys(err, ERR_PATH, "openat2", sys, shown, "cannot be opened");
    }
}

/* Look, open, look again. */
static int open_component(int dirfd, const char *name, const struct rule *rule, struct span shown,
                          struct stat *st, bool *missing, struct err *err)
{
    struct stat before;
    if (fstatat(dirfd, name, &before, AT_SYMLINK_NOFOLLOW) != 0) {
        int sys = errno;
        *missing = sys == ENOENT;
        return err_sys(err, ERR_PATH, "fstatat", sys, shown,
                       *missing ? "does not exist" : "cannot be looked at");
    }
    if (check_kind(&before, rule->kind, shown, err) != 0)
        return -1;
    int fd = open_below(dirfd, name, rule->flags, 0, rule->resolve);
    if (fd < 0)
        return refuse_open(errno, shown, err);
    if (fstat(fd, st) != 0) {
        err_sys(err, ERR_PATH, "fstat", errno, shown, NULL);
        goto refused;
    }
    if (!walk_id_equal(walk_id_of(&before), walk_id_of(st))) {
        err_set(err, ERR_PATH, shown, "was replaced while it was opened");
        goto refused;
    }
    if (check_rule(st, rule, shown, err) == 0)
        return fd;
refused:
    fd_close(&fd);
    return -1;
}

static uint64_t open_flags(enum walk_kind kind, int access)
{
    return (uint64_t)access | (kind == WALK_DIRECTORY ? O_DIRECTORY : 0);
}

int walk_component(int dirfd, const char *name, enum walk_kind kind, int access, uid_t uid,
                   bool no_xdev, struct span shown, struct stat *st, bool *missing, struct err *err)
{
    const struct rule rule = {kind, open_flags(kind, access), no_xdev ? RESOLVE_NO_XDEV : 0, false,
                              uid};
    bool absent = false;
    int fd = open_component(dirfd, name, &rule, shown, st, &absent, err);
    if (missing != NULL)
        *missing = absent;
    return fd;
}

/* --- Whole paths --------------------------------------------------------------- */

void walk_init(struct walk *w)
{
    memset(w, 0, sizeof *w);
    w->fd = -1;
    w->parent_fd = -1;
}

void walk_close(struct walk *w)
{
    fd_close(&w->fd);
    fd_close(&w->parent_fd);
}

/* The component that begins at offset at, which is behind a "/". */
static struct span component_at(struct span path, size_t at)
{
    size_t end = at;
    while (end < path.n && path.p[end] != '/')
        end++;
    return (struct span){path.p + at, end - at};
}

static int check_component(struct span path, struct span name, struct err *err)
{
    if (name.n == 0)
        return err_set(err, ERR_PATH, path, "has an empty component");
    if (str_is(name, ".") || str_is(name, ".."))
        return err_set(err, ERR_PATH, path, "has a component \"%s\"", name.n == 1 ? "." : "..");
    if (name.n > COMPONENT_BYTES_MAX)
        return err_set(err, ERR_PATH, path, "has a component of %zu bytes, more than %u", name.n,
                       COMPONENT_BYTES_MAX);
    return 0;
}

int walk_check_text(struct span path, struct err *err)
{
    if (path.n == 0 || path.p[0] != '/')
        return err_set(err, ERR_PATH, path, "is not an absolute path");
    if (path.n > PATH_BYTES_MAX)
        return err_set(err, ERR_PATH, path, "has %zu bytes, more than %u", path.n, PATH_BYTES_MAX);
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] < 0x20 || path.p[i] == 0x7f)
            return err_set(err, ERR_PATH, path, "holds the control byte 0x%02x at %zu", path.p[i],
                           i + 1);
    for (size_t at = 1; at <= path.n;) {
        struct span name = component_at(path, at);
        if (check_component(path, name, err) != 0)
            return -1;
        at += name.n + 1;
    }
    return 0;
}

/* Enter the next component: what was the object becomes its parent. */
static int descend(struct walk *w, struct span name, const struct rule *rule, struct span shown,
                   struct err *err)
{
    bool missing = false;
    if (!str_copy(w->name, sizeof w->name, name) || w->chain_n >= PATH_COMPONENTS_MAX + 1)
        return err_set(err, ERR_PATH, shown, "is too long");
    fd_close(&w->parent_fd);
    w->parent_fd = w->fd;
    w->fd = open_component(w->parent_fd, w->name, rule, shown, &w->st, &missing, err);
    if (w->fd < 0)
        return -1;
    w->chain[w->chain_n++] = walk_id_of(&w->st);
    return 0;
}

/* "/" itself: nothing is above it, so it is opened by its name. */
static int open_root(struct walk *w, const struct rule *rule, struct err *err)
{
    const struct span shown = str_span("/");
    w->fd = sys_openat2(AT_FDCWD, "/", rule->flags | O_CLOEXEC, 0,
                        RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
    if (w->fd < 0)
        return refuse_open(errno, shown, err);
    if (fstat(w->fd, &w->st) != 0)
        return err_sys(err, ERR_PATH, "fstat", errno, shown, NULL);
    w->chain[w->chain_n++] = walk_id_of(&w->st);
    return check_rule(&w->st, rule, shown, err);
}

/* How a directory on the way is opened.  Only its search permission is needed
 * (O_PATH), but the last one is kept, and to make or sync a file in it it must
 * be open for reading. */
static struct rule way_rule(bool last, uid_t uid)
{
    uint64_t access = last ? O_RDONLY : O_PATH;
    return (struct rule){WALK_DIRECTORY, access | O_DIRECTORY, 0, true, uid};
}

static size_t components(struct span path)
{
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++)
        n += path.p[i] == '/';
    return n;
}

static int walk_all(struct walk *w, struct span path, const struct rule *object, struct err *err)
{
    size_t left = components(path);
    struct rule rule = way_rule(left == 1, object->uid);
    if (open_root(w, &rule, err) != 0)
        return -1;
    for (size_t at = 1; at <= path.n; left--) {
        struct span name = component_at(path, at);
        at += name.n;
        rule = left == 1 ? *object : way_rule(left == 2, object->uid);
        if (descend(w, name, &rule, (struct span){path.p, at}, err) != 0)
            return -1;
        at++;
    }
    return 0;
}

int walk_path(struct walk *w, struct span path, enum walk_kind kind, int access, uid_t uid,
              struct err *err)
{
    const struct rule object = {kind, open_flags(kind, access), 0, false, uid};
    walk_init(w);
    if (walk_check_text(path, err) == 0 && walk_all(w, path, &object, err) == 0)
        return 0;
    walk_close(w);
    return -1;
}

bool walk_is_inside(const struct walk *w, struct walk_id id)
{
    for (size_t i = 0; i < w->chain_n; i++)
        if (walk_id_equal(w->chain[i], id))
            return true;
    return false;
}
