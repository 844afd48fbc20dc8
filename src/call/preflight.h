/* Deny-probes: what the sandbox must refuse, tried in it before the program.  Layer: call.
 *
 * Specification 10.  A process that INIT forks, confined exactly as the program will be,
 * tries each; the answers go to MONITOR with INIT's READY, and into the result record.
 * Only an error that means "refused" counts: a success, or any other error, and the
 * program is not started. */
#ifndef LEMA_CALL_PREFLIGHT_H
#define LEMA_CALL_PREFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PREFLIGHT_PROBES 12u

/* What each probe met, in the table's order: an errno, or 0 where it succeeded. */
struct preflight {
    int32_t sys[PREFLIGHT_PROBES];
};

/* The one descriptor besides 0, 1 and 2 that a process has until it executes the program:
 * INIT hears of it over this. */
#define PREFLIGHT_FD_ANSWER 3

/* Try them all.  Called by a process that is confined as the program and ends afterwards. */
void preflight_try(struct preflight *out);

/* A probe's name, as the record has it; probe is below PREFLIGHT_PROBES. */
const char *preflight_word(size_t probe);

/* Was it refused, with an error that says so? */
bool preflight_refused(size_t probe, int32_t sys);

#endif
