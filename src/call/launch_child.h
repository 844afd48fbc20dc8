/* LAUNCHER's children: one function for each order of wire.h.  Layer: call; used by
 * launch.c alone.
 *
 * Each runs in a fresh child, checks what it is to execute against the pins, and ends by
 * executing it.  What fails goes over pipe_fd, which exec closes. */
#ifndef LEMA_CALL_LAUNCH_CHILD_H
#define LEMA_CALL_LAUNCH_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "call/wire.h"

/* A child's first failure, sent to LAUNCHER over a close-on-exec pipe. */
struct launch_failure {
    int32_t sys;
    char step[28];
};

/* Exit status of a child that could not execute; the step went over its pipe. */
#define LAUNCH_FAILED 125

/* Send the failure and end. */
_Noreturn void launch_child_fail(int pipe_fd, const char *step, int sys);

/* self_fd  LAUNCHER's sealed copy of lema
 * fds      the order's n descriptors */
typedef void launch_child(int pipe_fd, int self_fd, const struct wire_launch *order, int *fds,
                          size_t n);

_Noreturn launch_child launch_child_run_scope, launch_child_run_cgroup, launch_child_systemctl,
    launch_child_remove_cgroup;

#endif
