/* The state of the host: memory, pressure, kind, free space.  Layer: host.
 *
 * Specification 5 (host), 8 checks 8 and 9.  What cannot be read is a failure,
 * never 0.  Reads kernel text below a /proc directory that the caller passes. */
#ifndef LEMA_HOST_MACHINE_H
#define LEMA_HOST_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum machine_kind { MACHINE_BARE, MACHINE_VM, MACHINE_CONTAINER, MACHINE_WSL, MACHINE_UNKNOWN };

const char *machine_kind_word(enum machine_kind kind);

/* Fixed-size and pointer-free: goes into records. */
struct machine {
    uint32_t kind;                  /* enum machine_kind */
    uint32_t memory_pressure_centi; /* some avg10, hundredths of a percent */
    uint32_t cpu_pressure_centi;
    uint32_t unused;        /* always 0: no padding */
    uint64_t mem_total;     /* bytes */
    uint64_t mem_available; /* bytes: MemAvailable, or what the own cgroups leave, if less */
};

/* Where to read: the machine's own by default, a made-up tree in tests. */
struct machine_source {
    int proc_fd;   /* directory: meminfo, pressure/, self/cgroup, sys/kernel/osrelease */
    int cgroup_fd; /* directory: cgroup v2 root, -1 if there is none */
    int root_fd;   /* directory: run/systemd/container, .dockerenv, run/.containerenv */
};
int machine_source_open(struct machine_source *s, struct err *err);
void machine_source_close(struct machine_source *s);

/* Read it.  returns 0, or -1 with ERR_UNSUPPORTED naming the file that cannot be read. */
int machine_read(const struct machine_source *s, struct machine *m, struct err *err);

/* Check 9.  Refuses with exactly
 *   host pressure; native execution refused (available BYTES, memory avg10 VALUE, cpu avg10 VALUE)
 * in err->why, ERR_PRESSURE_RETRY if mem_total is at least 7 GiB, otherwise ERR_PRESSURE. */
int machine_check_quiet(const struct machine *m, struct err *err);

/* Free bytes for this user on the file system of fd. */
int machine_free_bytes(int fd, uint64_t *bytes, struct err *err);

#endif
