/* The scope: the cgroup v2 unit that a call runs in.  Layer: call.
 *
 * Specification 9 and 10.  What a manager was asked for is not believed: the
 * cgroup of the process that proved itself is found from /proc, kept open, and
 * its files are read. */
#ifndef LEMA_CALL_SCOPE_H
#define LEMA_CALL_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "call/launch.h"
#include "evidence/record.h"
#include "evidence/terms.h"
#include "limits.h"

#define SCOPE_CGROUP_ROOT "/sys/fs/cgroup" /* where cgroup2 is mounted */

/* Who makes it: the user manager, or LAUNCHER in the delegated cgroup. */
enum scope_kind { SCOPE_SYSTEMD, SCOPE_CGROUP, SCOPE_KINDS };

struct scope {
    char unit[UNIT_BYTES];
    int delegated_fd;              /* borrowed: where it is made and removed; -1 for systemd's */
    int cgroup_fd;                 /* the scope's directory, -1 before scope_find */
    int memory_events_fd;          /* POLLPRI when it changes, -1 before scope_find */
    int kill_fd;                   /* cgroup.kill, open for writing: it can be killed */
    char path[PATH_BYTES_MAX + 1]; /* of the cgroup below the cgroup2 root, "/…" */
};

void scope_init(struct scope *s);
void scope_close(struct scope *s);

/* "systemd", "cgroup"; "" for none of them */
const char *scope_word(enum scope_kind kind);
bool scope_parse(const char *word, enum scope_kind *kind);

/* Choose a fresh random unit name (getrandom(2)).  returns 0, or -1 with ERR_IO. */
int scope_name(struct scope *s, struct err *err);

/* The cgroup v2 path of a process, "/…" below the cgroup2 root.
 * returns  0, or -1 with ERR_IO, or ERR_UNSUPPORTED: no cgroup v2 line in /proc/PID/cgroup */
int scope_path_of(pid_t pid, char path[static PATH_BYTES_MAX + 1], struct err *err);

/* Walk to such a path's directory.
 * returns  a descriptor, or -1 with ERR_PATH, ERR_IO, or ERR_UNSUPPORTED: not cgroup v2 */
int scope_open(const char *path, uid_t uid, struct err *err);

/* Has this file of a cgroup the words cpu, memory and pids, compared whole?
 * shown    the cgroup, for the message
 * returns  0, or -1 with ERR_CONTROLLERS, which names the missing one, or ERR_IO */
int scope_check_words(int dirfd, const char *file, const char *shown, struct err *err);

/* The cgroup of a process, whose last component must be the unit's name.
 * returns  0 with the directory open, or -1 with ERR_PATH, ERR_IO or ERR_UNSUPPORTED */
int scope_find(struct scope *s, pid_t pid, uid_t uid, struct err *err);

/* memory.max, memory.swap.max, pids.max and cpu.max as they are.
 * returns  0, or -1 with ERR_IO: a file is missing or not a number ("max" is not) */
int scope_read_limits(const struct scope *s, struct record_limits *limits, struct err *err);

/* The limits every call asks for (specification 9), wall_ms of the kind. */
struct record_limits scope_limits(enum call_kind kind);

/* returns 0 if read equals asked but for wall_ms, or -1 with ERR_FAULT naming the file. */
int scope_compare_limits(const struct record_limits *asked, const struct record_limits *read,
                         struct err *err);

/* oom_kill of memory.events.  returns 0, or -1 with ERR_IO. */
int scope_oom_kills(const struct scope *s, uint64_t *kills, struct err *err);

/* cpu.stat usage, memory.peak, pids.peak; RECORD_NULL for what the kernel does not tell. */
void scope_read_counters(const struct scope *s, struct record_result *result);

/* Write cgroup.kill.  A cgroup that is gone already is success. */
int scope_kill(const struct scope *s, struct err *err);

/* cgroup.events says populated; a cgroup that is removed is not.
 * returns  0 with *populated, or -1 with ERR_IO or ERR_UNSUPPORTED */
int scope_populated(int cgroup_fd, bool *populated, struct err *err);

/* Is it proved gone: cgroup.events says populated 0 (or the directory is
 * removed) and its path does not exist.  A delegated one is removed first.
 * returns  0 with *gone, or -1 */
int scope_gone(const struct scope *s, uid_t uid, bool *gone, struct err *err);

/* The directory of the user manager's cgroups, for looking below it.
 * missing  out: there is none
 * returns  a descriptor, or -1; with *missing err is untouched */
int scope_open_manager(uid_t uid, bool *missing, struct err *err);

/* Check 5 where systemd makes the scopes: the user manager's cgroup has cpu, memory and pids among its controllers,
 * compared as whole words.  returns 0, or -1 with ERR_CONTROLLERS. */
int scope_check_controllers(uid_t uid, struct err *err);

/* Check 6: no populated cgroup of that name, wherever it stands; unit NULL: none of this
 * user's called lema-native-*.
 * returns  0, or -1 with ERR_LIVE_SCOPE */
int scope_check_empty(const char *unit, uid_t uid, struct err *err);

/* Check 6 where systemd makes the scopes: and the user manager, asked through systemctl_fd,
 * has no such unit active, reloading, activating or deactivating.
 * returns  0, or -1 with ERR_LIVE_SCOPE */
int scope_check_none_live(struct launcher *l, int systemctl_fd, uid_t uid, struct err *err);

/* Have the user manager stop one unit, asked through systemctl_fd, whose cgroup holds no
 * process: systemd keeps a scope whose only process died while it was being moved there.
 * unit     borrowed; UNIT_PREFIX, 32 lower-case hex digits, ".scope"
 * returns  0 when it is stopped, or -1 with ERR_LIVE_SCOPE: it holds processes, or the
 *          manager answers with an error */
int scope_stop_empty(struct launcher *l, int systemctl_fd, uid_t uid, const char *unit,
                     struct err *err);

/* Have LAUNCHER remove a delegated cgroup of that name that holds no process, and what a
 * killed lema left beside it.
 * returns  0 (also if there is none), or -1 with ERR_LIVE_SCOPE */
int scope_remove_empty(struct launcher *l, uid_t uid, const char *unit, struct err *err);

/* True in *found if any cgroup directory of that name stands anywhere (populated or not)
 * below directories of root's or this user's. */
int scope_search(const char *unit, uid_t uid, bool *found, struct err *err);

#endif
