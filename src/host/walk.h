/* Strict walks: how lema reaches every path it was told.  Layer: host.
 *
 * Specification 3: openat2(2) from "/", one component at a time, with
 * RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH, and fstat on
 * the descriptor just opened.  Every directory on the way and the object
 * itself is owned by root or uid and not writable by group or others, except
 * that a directory owned by root with the sticky bit may be writable (not the
 * object itself).  The only file that calls sys_openat2. */
#ifndef LEMA_HOST_WALK_H
#define LEMA_HOST_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"
#include "limits.h"

enum walk_kind { WALK_FILE, WALK_DIRECTORY };

struct walk_id {
    uint64_t dev;
    uint64_t ino;
};

/* An object that was reached and checked.  Both descriptors stay open: what was
 * checked is what is used. */
struct walk {
    int fd;         /* the object, -1 when closed */
    int parent_fd;  /* the directory that holds it, open for reading; -1 when closed */
    struct stat st; /* fstat of fd */
    char name[COMPONENT_BYTES_MAX + 1]; /* its last component */
    size_t chain_n;                     /* ids from "/" to the object, both included */
    struct walk_id chain[PATH_COMPONENTS_MAX + 1];
};

/* A closed walk: every walk starts as this, so that walk_close is always safe. */
void walk_init(struct walk *w);
void walk_close(struct walk *w);

/* Is this a path that lema takes at all (specification 3)?  Absolute, 1 to
 * PATH_BYTES_MAX bytes, no NUL or control byte, no empty, "." or ".."
 * component, every component at most COMPONENT_BYTES_MAX bytes, no "/" at the
 * end.  "/" alone is not.
 * returns  0, or -1 with ERR_PATH */
int walk_check_text(struct span path, struct err *err);

/* Reach path and check it.
 * path     borrowed, checked with walk_check_text first
 * access   O_RDONLY or O_RDWR (directories: O_RDONLY)
 * uid      the user, besides root, who may own it; normally geteuid()
 * returns  0 with w filled, or -1 with w closed and ERR_PATH (obj = path up to
 *          the component that is wrong), ERR_UNSUPPORTED without openat2.
 * A FIFO, device or socket is refused without being opened. */
int walk_path(struct walk *w, struct span path, enum walk_kind kind, int access, uid_t uid,
              struct err *err);

/* Open one component below a checked directory by the same rules.
 * no_xdev  also refuse a mount point (RESOLVE_NO_XDEV)
 * shown    how messages name it (borrowed)
 * returns  a descriptor with *st filled, or -1 with ERR_PATH; *missing (may be
 *          NULL) is set if it does not exist */
int walk_component(int dirfd, const char *name, enum walk_kind kind, int access, uid_t uid,
                   bool no_xdev, struct span shown, struct stat *st, bool *missing,
                   struct err *err);

/* Make a regular file below a directory that was walked, for reading and
 * writing; it must
 * not exist (O_EXCL).
 * mode     less the process's umask
 * shown    how messages name it (borrowed)
 * returns  a descriptor, or -1 with ERR_IO, ERR_SPACE or ERR_UNSUPPORTED */
int walk_create(int dirfd, const char *name, mode_t mode, struct span shown, struct err *err);

/* Open "/" for looking below it (O_PATH), without any rule.
 * returns  a descriptor, or -1 with *sys = errno */
int walk_root(int *sys);

/* Open a path of one or more components below a directory whose contents the
 * kernel makes (proc, cgroup2): no symlinks, nothing above the directory, but
 * no ownership rule, which says nothing there.
 * flags    as open(2); O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added
 * returns  a descriptor, or -1 with *sys = errno */
int walk_below(int dirfd, const char *path, uint64_t flags, int *sys);

/* The ownership and mode rule for one object: owner root or uid, no write bit
 * for group or others.
 * returns  0, or -1 with ERR_PATH */
int walk_check_protected(const struct stat *st, uid_t uid, struct span shown, struct err *err);

struct walk_id walk_id_of(const struct stat *st);
bool walk_id_equal(struct walk_id a, struct walk_id b);

/* True if id stands anywhere in w's chain: w is that object or lies inside it. */
bool walk_is_inside(const struct walk *w, struct walk_id id);

#endif
