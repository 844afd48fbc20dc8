/* INIT: pid 1 of a sandbox.  Layer: call.
 *
 * Specification 10.  Executed as "lema --init" from a sealed copy of lema, the
 * same in both sandboxes.  It reads back its confinement, starts the program
 * with the program's filter, reaps, and sends the raw wait status with its
 * time.  It parses nothing but a fixed-size task from MONITOR. */
#ifndef LEMA_CALL_INIT_H
#define LEMA_CALL_INIT_H

/* The whole process.  Run by hand it says so and ends with 2. */
_Noreturn void init_main(void);

#endif
