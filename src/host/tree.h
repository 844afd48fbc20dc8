/* A descent through the distribution's directories in the manifest's order.
 * Layer: host.
 *
 * Bytewise order keeps all that is below a directory together, but not next to
 * the directory's own row ("bin", "bin-x", "bin/lean").  So a directory is
 * opened when its first entry comes and left when the first one comes that is
 * not below it.  When it is opened, its entries are counted; when it is left,
 * that many rows must have been looked at: every row was found, so an equal
 * number means that nothing else is there. */
#ifndef LEMA_HOST_TREE_H
#define LEMA_HOST_TREE_H

#include <stddef.h>

#include "base/err.h"
#include "host/dist.h"
#include "limits.h"

struct tree_level {
    int fd;
    struct span path; /* of the directory, "" for the root */
    size_t listed;    /* entries it has */
    size_t seen;      /* rows of it that were looked at */
};

struct tree {
    const struct dist *d; /* borrowed: its manifest, root_fd, uid and the snapshot so far */
    size_t depth;         /* open levels; level[0] is the root, whose fd is d's */
    struct tree_level level[DISTRIBUTION_DEPTH_MAX + 1];
};

/* Start at the root.  returns  0, or -1 */
int tree_open(struct tree *t, const struct dist *d, struct err *err);

/* Go to the directory that holds row i (in order, each row once).  Every directory that
 * is entered has the metadata of the snapshot.
 * name     out: the last component of the row's path
 * returns  the directory's descriptor, borrowed, or -1 with ERR_DISTRIBUTION or ERR_UNSUPPORTED */
int tree_go(struct tree *t, size_t i, char name[static COMPONENT_BYTES_MAX + 1], struct err *err);

/* Look into the directory of row i, which has no entries, at its own row. */
int tree_check_empty(struct tree *t, size_t i, struct err *err);

/* Leave every level.  returns  0, or -1 */
int tree_finish(struct tree *t, struct err *err);

/* Close what is open, at any time. */
void tree_close(struct tree *t);

/* What the snapshot holds of an object. */
struct dist_metadata tree_metadata(const struct stat *st);

/* Compare the metadata of an object with the snapshot's.
 * returns  0, or -1 with ERR_DISTRIBUTION and the first field that differs */
int tree_compare(const struct dist_metadata *want, const struct stat *st, struct span shown,
                 struct err *err);

#endif
