/* seccomp filters.  Layer: base.
 *
 * filter_bpf.h is made by filter_gen.c from filter_rows.h.  Neither heap nor
 * stdio here: a filter is loaded by processes that go without both. */
#include "base/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/filter_rows.h"
#include "base/sys.h"
#include "filter_bpf.h"

#define PROGRAM(array)                                                                             \
    {                                                                                              \
        array, sizeof array / sizeof array[0]                                                      \
    }

static const struct {
    const struct sock_filter *bpf;
    size_t n;
} programs[FILTER_ROLES] = {
    [FILTER_WORKER] = PROGRAM(filter_worker_bpf),
    [FILTER_MONITOR] = PROGRAM(filter_monitor_bpf),
    [FILTER_LAUNCHER] = PROGRAM(filter_launcher_bpf),
    [FILTER_KEEPER] = PROGRAM(filter_keeper_bpf),
    [FILTER_REAPER] = PROGRAM(filter_reaper_bpf),
    [FILTER_PROGRAM] = PROGRAM(filter_program_bpf),
};

/* The longest of them, for a copy on the stack: the kernel's struct has no const. */
#define INSTRUCTIONS_MAX 1024u
_Static_assert(sizeof filter_program_bpf / sizeof filter_program_bpf[0] <= INSTRUCTIONS_MAX &&
                   sizeof filter_monitor_bpf / sizeof filter_monitor_bpf[0] <= INSTRUCTIONS_MAX &&
                   sizeof filter_launcher_bpf / sizeof filter_launcher_bpf[0] <= INSTRUCTIONS_MAX,
               "fits; the others are shorter");

const char *filter_role_word(enum filter_role role)
{
    return filter_role_rows[role].word;
}

const char *filter_verdict_word(enum filter_verdict verdict)
{
    static const char *const words[FILTER_VERDICTS] = {
        [FILTER_ALLOW] = "allow",
        [FILTER_EPERM] = "EPERM",
        [FILTER_ENOSYS] = "ENOSYS",
        [FILTER_KILL] = "kill",
    };
    return words[verdict];
}

enum filter_verdict filter_default(enum filter_role role)
{
    return filter_role_rows[role].otherwise;
}

const struct filter_row *filter_rows(enum filter_role role, size_t *n)
{
    *n = filter_role_rows[role].n;
    return filter_role_rows[role].rows;
}

const struct sock_filter *filter_bpf(enum filter_role role, size_t *n)
{
    *n = programs[role].n;
    return programs[role].bpf;
}

int filter_load(enum filter_role role, struct err *err)
{
    struct sock_filter copy[INSTRUCTIONS_MAX];
    const struct span shown = str_span(filter_role_word(role));
    memcpy(copy, programs[role].bpf, programs[role].n * sizeof copy[0]);
    const struct sock_fprog program = {.len = (unsigned short)programs[role].n, .filter = copy};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return err_sys(err, ERR_UNSUPPORTED, "prctl", errno, shown, "no_new_privs cannot be set");
    if (sys_seccomp_filter(&program) != 0)
        return err_sys(err, ERR_UNSUPPORTED, "seccomp", errno, shown, "no filter can be loaded");
    return 0;
}
