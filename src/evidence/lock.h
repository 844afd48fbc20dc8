/* The shared lock.  Layer: evidence.
 *
 * Specification 7: an exclusive flock(2) on the lock file's descriptor. */
#ifndef LEMA_EVIDENCE_LOCK_H
#define LEMA_EVIDENCE_LOCK_H

#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

/* Take the lock, waiting LOCK_WAIT_MS at most by clock.
 * fd       the walked lock file
 * waiting  called once a second or less often while another holds it, may be
 *          NULL; holder is the process id from /proc/locks, 0 if not found
 * returns  0, or -1 with ERR_LOCK_BUSY ("native lock busy") */
int lock_take(int fd, const struct clock *clock, void (*waiting)(void *arg, int holder), void *arg,
              struct span shown, struct err *err);

/* Give it back. */
void lock_release(int fd);

/* Who holds the lock on an open file, by /proc/locks (proc_locks(5)); for a
 * message only.
 * returns  a process id of this pid namespace, or 0 if none is found */
int lock_holder(int fd);

/* The same from the text of /proc/locks and the file's device and inode. */
int lock_holder_in(struct span locks, uint64_t dev, uint64_t ino);

#endif
