/* LAUNCHER: the only process that may start a program.  Layer: call.
 *
 * Specification 10.  Forked first, before any outside byte is read.  It starts
 * only pinned programs, from the very descriptors that were hashed, with
 * arguments it builds itself from a fixed-size order.
 *
 *  operator: argv, configuration file                       untrusted Lean source
 *       |                                                           |
 *  +----v-- main: fork LAUNCHER and WORKERs; only then read a file  |
 *  | MONITOR  walks, opens, splices, syncs, polls                   |
 *  | holds lock, ledger, latches, every verified directory, the log |
 *  +--+---------------------+---------------------------------------+--------------+
 *     | bytes in,           | wire_launch + descriptors;            ^              ^
 *     | structures out      | STARTED, ENDED                        |              |
 *  +--v---------+     +-----v------------------------+   control    |   status     | log
 *  | WORKER x N |     | LAUNCHER                     |   socket     |   socket     | pipe
 *  +------------+     +-----+------------------------+              |              |
 *                           | execveat systemd-run --scope          |              |
 *                     +-----v------------------------+              |              |
 *                     | INNER  keeper of the scope   +--------------+              |
 *                     +-----+------------------------+                             |
 *                           | execveat bwrap                                       |
 *                     +-----v------------------------+                             |
 *                     | INIT  pid 1 of the sandbox   +-----------------------------+
 *                     +-----+------------------------+                             |
 *                           | fork, filter, execve                                 |
 *                     +-----v------------------------+                             |
 *                     | the program                  +-----------------------------+
 *                     +------------------------------+
 *
 * Messages of one call, in the order that is allowed:
 *
 *   MONITOR -> LAUNCHER  RUN_SCOPE, or RUN_CGROUP (LAUNCHER makes the cgroup)
 *   LAUNCHER -> MONITOR  STARTED | FAILED         (then ENDED, whenever it ends)
 *   INNER -> MONITOR     HELLO                    (pid proved by SCM_CREDENTIALS)
 *   MONITOR -> INNER     ENTER                    (limits read back and equal)
 *   INIT -> MONITOR      READY | FAILED
 *   MONITOR -> INIT      wire_task, GO            (the wall time starts)
 *   INIT -> MONITOR      EXECUTED | FAILED, EXITED
 *   INNER -> MONITOR     SANDBOX_ENDED
 *   MONITOR              reads the counters, writes cgroup.kill
 *   LAUNCHER -> MONITOR  ENDED
 */
#ifndef LEMA_CALL_LAUNCH_H
#define LEMA_CALL_LAUNCH_H

#include <sys/types.h>

#include "base/err.h"
#include "call/wire.h"

struct launcher {
    pid_t pid;  /* 0 when not running */
    int socket; /* MONITOR's end, -1 when closed */
};

/* Fork it.  Called first of all.
 * self_fd  a sealed copy of lema, borrowed: what INNER and INIT will run from, whatever
 *          MONITOR says later; -1: it starts no INNER
 * returns  0, or -1 with ERR_IO */
int launcher_start(struct launcher *l, int self_fd, struct err *err);

/* End it, and with it what it started (parent-death signals), and wait.  Safe
 * on one never started. */
void launcher_stop(struct launcher *l);

/* Give an order with its descriptors (borrowed; LAUNCHER gets copies).
 * returns  0 with *pid of the started child, or -1: ERR_SETUP with the step
 *          and errno if it could not be started */
int launcher_order(struct launcher *l, const struct wire_launch *order, const int *fds, size_t n,
                   pid_t *pid, struct err *err);

/* Has the child ended?  wait: block until it has.
 * returns  1 with its wait(2) status, 0 not yet, -1 with err */
int launcher_ended(struct launcher *l, bool wait, int *status, struct err *err);

/* XDG_RUNTIME_DIR of a user's manager, as lema always builds it: "/run/user/UID". */
#define RUNTIME_DIRECTORY_BYTES 32u
void launcher_runtime_directory(uid_t uid, char out[static RUNTIME_DIRECTORY_BYTES]);

#endif
