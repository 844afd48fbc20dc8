/* Where an object lies on its own file system, whatever it is mounted as.
 * Layer: host.
 *
 * A walk sees that one object lies inside another only if it passes through it.
 * Through a bind mount it need not, so overlap (specification 3) is also
 * decided by the place on the file system: the mount's root, as
 * /proc/self/mountinfo gives it (proc_pid_mountinfo(5)), and the path below the
 * mount point.  Which mount it is, the descriptor says (mnt_id in
 * proc_pid_fdinfo(5)).  Not seen: an overlay over the same files. */
#ifndef LEMA_HOST_MOUNTS_H
#define LEMA_HOST_MOUNTS_H

#include <stdbool.h>

#include "base/err.h"
#include "host/walk.h"

struct mounts_place {
    uint64_t dev;                  /* of the file system, by mountinfo: st_dev may be a part's */
    char path[2 * PATH_BYTES_MAX]; /* from the root of that file system, "/" first */
};

/* Find the place of a walked object.
 * path     the path it was walked by (borrowed)
 * returns  0, or -1 with ERR_IO (the walk's path is not below its mount point) or
 *          ERR_UNSUPPORTED (no /proc, or no mount id in its fdinfo) */
int mounts_place_of(const struct walk *w, struct span path, struct mounts_place *place,
                    struct err *err);

/* True if a is b or lies inside b. */
bool mounts_is_inside(const struct mounts_place *a, const struct mounts_place *b);

#endif
