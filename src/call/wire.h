/* Messages between MONITOR, LAUNCHER, INNER and INIT.  Layer: call.
 *
 * Fixed-size structures without pointers, one for each datagram of a
 * SOCK_SEQPACKET pair.  Any other size, a truncated datagram or an unexpected
 * descriptor is an error, never a loop.  The order in which they are allowed
 * is drawn in launch.h. */
#ifndef LEMA_CALL_WIRE_H
#define LEMA_CALL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "call/preflight.h"
#include "limits.h"

/* MONITOR -> LAUNCHER */
enum wire_order {
    WIRE_RUN_SCOPE = 1, /* start INNER in a fresh systemd scope */
    WIRE_RUN_CGROUP,    /* start INNER in a fresh cgroup of the delegated one */
    WIRE_LIST_UNITS,    /* ask the user manager for live lema-native-* units */
    WIRE_STOP_UNIT,     /* have the user manager stop one of them */
    WIRE_REMOVE_CGROUP  /* remove one that holds no process from a delegated cgroup */
};

struct wire_launch {
    uint32_t order;       /* enum wire_order */
    uint32_t sandbox;     /* enum sandbox_kind */
    uint32_t descriptors; /* that come with it */
    uint32_t uid;         /* whose user manager */
    char unit_hex[32];    /* the random part of a unit's name, lower-case hex; LIST_UNITS: 0 */
};
_Static_assert(sizeof(struct wire_launch) == 48, "no padding");

/* Descriptors of an order, by position. */
enum { SYSTEMCTL_FD_PROGRAM, SYSTEMCTL_FD_OUT, SYSTEMCTL_FDS };
enum { REMOVE_CGROUP_FD_PARENT, REMOVE_CGROUP_FDS };
enum {
    RUN_SCOPE_FD_WITH, /* RUN_SCOPE: systemd-run; RUN_CGROUP: the delegated cgroup */
    RUN_SCOPE_FD_DIAGNOSTICS,
    RUN_SCOPE_FD_NULL,
    RUN_SCOPE_FD_FIRST_INNER /* the rest become INNER_FD_CONTROL, … in this order */
};

/* Descriptors that INNER is started with, by number.  0 is /dev/null, 1 and 2
 * are the diagnostics pipe. */
enum {
    INNER_FD_SELF = 3,     /* LAUNCHER's own sealed copy of lema: not MONITOR's to say */
    INNER_FD_CONTROL,      /* INNER's end of its socket to MONITOR */
    INNER_FD_STATUS,       /* INIT's end of its socket to MONITOR */
    INNER_FD_LOG,          /* the program's standard output and error */
    INNER_FD_SANDBOX,      /* bwrap, or /dev/null without one */
    INNER_FD_DISTRIBUTION, /* /lean */
    INNER_FD_MODULES,      /* /modules */
    INNER_FD_ARTIFACTS,    /* /artifacts */
    INNER_FD_CALL,         /* /call */
    INNER_FD_LIBS          /* the lib files in the order of host.manifest */
};
#define INNER_FDS_MAX (INNER_FD_LIBS - INNER_FD_CONTROL + VIEW_LIBS_MAX) /* MONITOR sends */
#define WIRE_DESCRIPTORS_MAX (RUN_SCOPE_FD_FIRST_INNER + INNER_FDS_MAX)

/* LAUNCHER -> MONITOR, INNER -> MONITOR, INIT -> MONITOR */
enum wire_report_type {
    WIRE_STARTED = 1,   /* LAUNCHER: pid */
    WIRE_ENDED,         /* LAUNCHER: the child was reaped, status */
    WIRE_HELLO,         /* INNER: in its scope, or about to be refused */
    WIRE_SANDBOX_ENDED, /* INNER: the sandbox's process was reaped, status */
    WIRE_READY,         /* INIT: confined; capabilities, no_new_privs, preflight */
    WIRE_EXECUTED,      /* INIT: the program's execve succeeded */
    WIRE_EXITED,        /* INIT: the program was reaped, status and stamp */
    WIRE_FAILED         /* any: step, object and errno of what could not be done */
};

struct wire_report {
    uint32_t type;  /* enum wire_report_type */
    int32_t sys;    /* errno, WIRE_FAILED */
    int32_t status; /* wait(2) status */
    int32_t pid;
    uint64_t stamp_ns;        /* CLOCK_BOOTTIME when wait returned */
    uint64_t capabilities[5]; /* effective, permitted, inheritable, bounding, ambient */
    uint64_t no_new_privs;
    struct preflight preflight;
    char step[32];
    char object[256];
};
_Static_assert(sizeof(struct wire_report) == 16 + 8 + 40 + 8 + 48 + 32 + 256, "no padding");

/* MONITOR -> INNER */
enum wire_word {
    WIRE_ENTER = 1, /* to INNER: the limits were read back, enter the sandbox */
    WIRE_GO         /* to INIT: start the program */
};
struct wire_order_inner {
    uint32_t word;
    uint32_t sandbox; /* enum sandbox_kind */
    uint32_t libs;    /* descriptors from INNER_FD_LIBS on */
    uint32_t unused;
};

/* MONITOR -> INIT, before WIRE_GO: what to start. */
struct wire_task {
    uint32_t argc;
    uint32_t bytes; /* of argv used: strings with their NULs */
    char argv[ARGV_BYTES_MAX];
};

/* Lay argv (NULL-terminated) into a task.
 * returns  0, or -1 with ERR_USAGE: there are none, more than ARGV_MAX or, with their NULs,
 *          more than ARGV_BYTES_MAX bytes (limits.h) */
int wire_pack(struct wire_task *task, const char *const *argv, struct err *err);

/* Send one structure with descriptors (n may be 0).
 * returns  0, or -1 with ERR_IO */
int wire_send(int socket, const void *message, size_t size, const int *fds, size_t n,
              struct err *err);

/* Receive exactly size bytes and at most max descriptors (close-on-exec).
 * wait     false: returns 0 at once if nothing is there (MSG_DONTWAIT)
 * sender   out, may be NULL: the sender's pid by SCM_CREDENTIALS, 0 if not told
 * returns  1 with a message, 0 with nothing there, -1 with ERR_IO; at the
 *          other side's end err->sys is ECONNRESET */
int wire_receive(int socket, void *message, size_t size, int *fds, size_t max, size_t *n, bool wait,
                 pid_t *sender, struct err *err);

/* A WIRE_FAILED report, sent as well as it can be: the receiver also notices the end. */
void wire_fail(int socket, const char *step, const char *object, int sys);

/* Append the whole name of an order's unit. */
void wire_add_unit(struct text *t, const struct wire_launch *order);

/* Make a received report safe: terminated, escaped strings. */
void wire_sanitize(struct wire_report *report);

#endif
