/* Attending a call: everything that MONITOR hears while one runs.  Layer: call.
 *
 * One poll over the log, the three sockets, the diagnostics pipe, memory.events
 * and signals; what was heard is kept as state, and call.c decides. */
#ifndef LEMA_CALL_ATTEND_H
#define LEMA_CALL_ATTEND_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "call/capture.h"
#include "call/launch.h"
#include "call/scope.h"
#include "call/wire.h"

#define DIAGNOSTICS_BYTES 1024u

struct attend {
    struct launcher *launcher;                 /* borrowed */
    struct capture *log;                       /* borrowed */
    struct scope *scope;                       /* borrowed */
    int control, status, diagnostics, signals; /* -1 when closed or ended */
    sigset_t mask_before;
    pid_t child; /* what LAUNCHER started */

    bool hello;         /* INNER proved itself as child */
    bool ready;         /* INIT: confined */
    bool executed;      /* INIT: the program runs */
    bool exited;        /* INIT: wait_status and stamp_ns are set */
    bool sandbox_ended; /* INNER: its child was reaped */
    bool inner_ended;   /* its socket ended */
    bool reaped;        /* LAUNCHER: child was reaped */
    bool reap_failed;   /* LAUNCHER could not, or ended */
    bool failed;        /* a step failed before the program ran: failure */
    bool protocol;      /* something came that was not allowed */
    bool oom;           /* memory.events counted an oom_kill */
    bool interrupted;   /* SIGINT, SIGTERM or SIGHUP came */
    int wait_status;
    uint64_t stamp_ns;
    struct preflight preflight; /* once ready */
    struct wire_report failure;
    char said[DIAGNOSTICS_BYTES]; /* by systemd-run, INNER's loader and bwrap */
    size_t said_n;
};

/* Close everything; give the signal mask back. */
void attend_init(struct attend *a);
void attend_close(struct attend *a);

/* From now on SIGINT, SIGTERM and SIGHUP are heard here and end the call. */
int attend_signals(struct attend *a, struct err *err);

/* Wait until something happens, or until the time end_ns of CLOCK_BOOTTIME, and take it in.
 * returns  0, or -1 with ERR_IO: poll itself failed */
int attend_once(struct attend *a, uint64_t end_ns, struct err *err);

/* Attend until done(a) says true or the time has come.
 * returns  1 done, 0 the time has come, -1 with err */
int attend_until(struct attend *a, bool (*done)(const struct attend *a), uint64_t end_ns,
                 struct err *err);

#endif
