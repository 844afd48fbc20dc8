/* The distribution: its manifest, the verification of the whole tree, the
 * snapshot of its metadata.  Layer: host.
 *
 * Specification 2 (manifest), 3 (loading), 8 check 7 (snapshot). */
#ifndef LEMA_HOST_DIST_H
#define LEMA_HOST_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"
#include "host/walk.h"
#include "host/worker.h"
#include "limits.h"

/* A manifest as text with an index of its rows.  Borrowed bytes: the text is
 * the embedded one, or what lema-pin is about to print. */
struct manifest {
    struct span text;
    char name[DISTRIBUTION_NAME_BYTES_MAX + 1];
    size_t n;
    uint32_t
        row_at[DISTRIBUTION_ENTRIES_MAX + 1]; /* byte offset of each row, and behind the last */
};

struct manifest_row {
    char type;            /* 'd', 'f' or 'l' */
    bool executable;      /* 'f' only: any of the mode's three x bits */
    uint64_t size;        /* 'f' only */
    struct digest sha256; /* 'f' only */
    struct span target;   /* 'l' only */
    struct span path;     /* relative, canonical */
};

/* Parse a whole manifest: first line "lema-manifest v1 NAME" (NAME of
 * [A-Za-z0-9._+-], not beginning with a dot), rows of
 * "TYPE MODE SIZE DIGEST-OR-TARGET PATH" as in specification 2, LF, sorted bytewise by
 * path without duplicates, every parent listed as a directory, no control byte,
 * "//", "." or ".." in a path, at most DISTRIBUTION_DEPTH_MAX components.
 *
 * A symlink's target is relative, without spaces and empty components, and
 * stays inside the tree; its ".." stand at its beginning, no more of them than
 * the link has directories above it.  So whatever links it passes through, no
 * target leads outside: each is resolved from the real directory it lies in.
 * returns  0, or -1 with ERR_PINS and the line number */
int manifest_parse(struct manifest *m, struct span text, struct err *err);

/* Row i (0 to n - 1) of a parsed manifest. */
void manifest_row(const struct manifest *m, size_t i, struct manifest_row *row);

/* Type and path of row i alone, which is much faster. */
char manifest_type(const struct manifest *m, size_t i);
struct span manifest_path(const struct manifest *m, size_t i);

/* The row of a path, or SIZE_MAX. */
size_t manifest_find(const struct manifest *m, struct span path);

/* Does anything stand below the directory of row i? */
bool manifest_has_entries(const struct manifest *m, size_t i);

/* Is this a distribution's name (see manifest_parse)? */
bool manifest_is_name(struct span name);

/* Is this a target that a symlink at path may have (see manifest_parse)? */
bool manifest_target_stays(struct span path, struct span target);

/* What check 7 compares (specification 8): device, inode, size, mtime, ctime, mode, link
 * count, owner of every entry, the tree's root as well. */
struct dist_metadata {
    uint64_t dev, ino, size;
    int64_t mtime_ns, ctime_ns;
    uint32_t mode, nlink, uid, gid;
};

struct dist {
    int root_fd; /* borrowed: the walked distribution directory */
    uid_t uid;
    const struct manifest *manifest; /* borrowed */
    struct dist_metadata root;
    struct dist_metadata entry[DISTRIBUTION_ENTRIES_MAX]; /* by row */
};

/* Progress of a verification, for a terminal; may be NULL. */
struct dist_progress {
    void (*step)(void *arg, uint64_t bytes_done, uint64_t bytes_all);
    void *arg;
};

/* Verify the whole tree: every row is there with its type, executable bit, size, target and
 * digest, nothing else is there, every entry is owned by root or uid and (but
 * for a symlink, whose mode means nothing) not writable by group or others, no
 * entry is a mount point, and nothing changes from when it is looked at to the
 * end (dist_compare comes last).  Fills the snapshot.
 * uid      who may own entries besides root
 * root_fd  borrowed, and kept in d: the walked directory
 * returns  0, or -1 with ERR_DISTRIBUTION: obj = the first wrong path bytewise as far as
 *          one pass can tell (relative, "." is the root), why = expected against found;
 *          ERR_UNSUPPORTED, or ERR_WORKER.  d is then not to be compared with. */
int dist_verify(struct dist *d, const struct manifest *m, int root_fd, uid_t uid,
                struct hash_pool *pool, const struct dist_progress *progress, struct err *err);

/* Compare the metadata of every entry with the snapshot, and find additions.
 * returns  0, or -1 with ERR_DISTRIBUTION naming the first path that differs and the field */
int dist_compare(const struct dist *d, struct err *err);

/* True if id is the distribution's root or any directory inside it. */
bool dist_holds_directory(const struct dist *d, struct walk_id id);

#endif
