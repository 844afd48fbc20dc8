/* seccomp filters, one for each role.  Layer: base.
 *
 * The rows stand in filter_rows.h.  filter_gen.c turns them into BPF when lema
 * is built (with libseccomp, which is not linked into lema); a filter is
 * therefore a constant that can be printed and compared.  Every filter kills
 * the process for a system call of another ABI, x32 and 32-bit x86 included. */
#ifndef LEMA_BASE_FILTER_H
#define LEMA_BASE_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sock_filter;

enum filter_role {
    FILTER_WORKER,   /* specification 10: read, write, exit and nothing else */
    FILTER_MONITOR,  /* whoever decides: no exec, fork, ptrace, socket */
    FILTER_LAUNCHER, /* and what it starts: a list of what nothing needs */
    FILTER_KEEPER,   /* INNER from when its sandbox runs */
    FILTER_REAPER,   /* INIT from when its program runs */
    FILTER_PROGRAM,  /* the untrusted program of a call */
    FILTER_ROLES
};

enum filter_verdict {
    FILTER_ALLOW,
    FILTER_EPERM,  /* known and refused */
    FILTER_ENOSYS, /* as if the kernel did not have it */
    FILTER_KILL,   /* SIGSYS to the whole process */
    FILTER_VERDICTS
};

/* (argument & mask) == value; mask 0 stands for no condition. */
struct filter_condition {
    uint32_t argument; /* 0 to 5 */
    uint64_t mask;
    uint64_t value;
};
#define FILTER_CONDITIONS_MAX 2u

/* Several rows of one call: the verdict of the one whose conditions all hold,
 * and the role's default if none does. */
struct filter_row {
    const char *call;
    uint32_t number;
    struct filter_condition when[FILTER_CONDITIONS_MAX];
    enum filter_verdict verdict;
    const char *reason;
    const char *user; /* the first that needs it, or what would use a refused one */
};

const char *filter_role_word(enum filter_role role);
const char *filter_verdict_word(enum filter_verdict verdict);

/* What happens to a call that no row decides. */
enum filter_verdict filter_default(enum filter_role role);

/* The rows of a role, for `lema pins` and audits. */
const struct filter_row *filter_rows(enum filter_role role, size_t *n);

/* The role's program. */
const struct sock_filter *filter_bpf(enum filter_role role, size_t *n);

/* Load the filter into this process, no_new_privs first.  It holds for all
 * that the process starts, and cannot be taken off.
 * returns  0, or -1 with ERR_UNSUPPORTED: then nothing may go on */
int filter_load(enum filter_role role, struct err *err);

#endif
