/* The delegated cgroup of --scope cgroup.  Layer: call.
 *
 * Specification 10: the cgroup v2 directory that lema was started in, never configured.
 * A cgroup with processes of its own cannot give its children limits (cgroups(7), "no
 * internal processes"), and so:
 *
 *   D                      was lema's; now holds no process; cpu, memory, pids enabled
 *   D/lema-monitor         lema's own processes, until it ends
 *   D/lema-native-*.scope  a call's, one after the other
 *
 * At the end the leaf is removed and D is as it was.  The root of all cgroups is under no
 * such rule: there lema stays where it is, and leaves the controllers enabled, since others
 * may use them too. */
#ifndef LEMA_CALL_DELEGATED_H
#define LEMA_CALL_DELEGATED_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "limits.h"

struct delegated {
    int fd;                        /* D, -1: not taken */
    bool moved;                    /* this process stands in the leaf */
    char path[PATH_BYTES_MAX + 1]; /* of D below the cgroup2 root, "/…" */
};

/* Not taken. */
void delegated_init(struct delegated *d);

/* Take the cgroup that this process is in.  Before it forks anything: it must be alone there.
 * returns  0, or -1 and nothing is changed: ERR_UNSUPPORTED (no cgroup v2 here, or not
 *          alone), ERR_CONTROLLERS (a controller is missing), ERR_PATH (not protected),
 *          ERR_IO (not delegated: it cannot be written) */
int delegated_take(struct delegated *d, uid_t uid, struct err *err);

/* Give it back: the processes that this one forked have ended.  What cannot be given back
 * stays as it is; D then ends with the one who made it. */
void delegated_leave(struct delegated *d);

/* Check 5: the three controllers are enabled for its children still.
 * returns  0, or -1 with ERR_CONTROLLERS or ERR_IO */
int delegated_check(const struct delegated *d, struct err *err);

/* LAUNCHER: make the cgroup of a call below D and write its limits (specification 9).
 * unit     its name, checked by the caller
 * returns  its directory, or -1 with ERR_IO: then it is removed again */
int delegated_make_scope(int dirfd, const char *unit, struct err *err);

/* Remove a call's cgroup that no process is in.  One that is gone is success.
 * returns  0, or -1 with errno (EBUSY: processes are in it) */
int delegated_remove_scope(int dirfd, const char *unit);

/* LAUNCHER, for recover: the same, and what a lema that was killed left of its own there. */
int delegated_clean(int dirfd, const char *unit);

#endif
