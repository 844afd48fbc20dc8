/* INNER: the keeper of a scope.  Layer: call.
 *
 * Specification 9 and 10.  systemd-run executes it inside the fresh scope as
 * "lema --inner"; it keeps the scope's cgroup alive until MONITOR has read the
 * counters, and starts the sandbox as its child.  It parses nothing. */
#ifndef LEMA_CALL_INNER_H
#define LEMA_CALL_INNER_H

/* The whole process.  Run by hand it says so and ends with 2. */
_Noreturn void inner_main(void);

#endif
