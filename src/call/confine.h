/* lema confines itself.  Layer: call.
 *
 * Specification 10.  MONITOR's filter is loaded after LAUNCHER and WORKERs were forked and
 * before any outside byte is read.  A filter cannot see the paths of openat2; so where the
 * kernel has Landlock, writing is bound to the output and the lock's directory as soon as
 * these are known.  Reading is not bound.  LAUNCHER, INNER and INIT load theirs themselves
 * (launch.c, inner.c, init.c). */
#ifndef LEMA_CALL_CONFINE_H
#define LEMA_CALL_CONFINE_H

#include "base/err.h"
#include "call/runtime.h"

/* Load MONITOR's filter into this process: no exec, fork, ptrace or new socket any more.
 * returns  0, or -1 with ERR_UNSUPPORTED: then nothing may go on */
int confine_monitor(struct err *err);

/* From now on this process writes only below the output, in the lock's directory, and to
 * files of the user manager's cgroups or the delegated one's; it makes no device, socket, FIFO or symlink, and
 * executes nothing.  After runtime_load.
 * returns  the kernel's Landlock ABI, 0 if it has none; -1 with ERR_UNSUPPORTED or ERR_IO */
int confine_writes(const struct runtime *rt, struct err *err);

#endif
