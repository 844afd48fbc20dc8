/* doctor's probes that need a process of their own.  Layer: front.
 *
 * Each forks a child that tries the thing for real and ends; nothing of it stays.
 * What fails is told by step and errno. */
#ifndef LEMA_FRONT_DOCTOR_PROBE_H
#define LEMA_FRONT_DOCTOR_PROBE_H

#include "base/err.h"

/* A seccomp filter is loaded, and kills (seccomp(2)).  returns 0, or -1 with ERR_UNSUPPORTED. */
int doctor_probe_seccomp(struct err *err);

/* User, mount, pid, network, ipc, uts and cgroup namespaces are made, and a /proc of
 * the new pid namespace is mounted (user_namespaces(7)).
 * returns  0, or -1 with ERR_UNSUPPORTED naming the step */
int doctor_probe_namespaces(struct err *err);

#endif
