/* Fault injection: system calls of a lema that makes a call fail, each with errors of its
 * manual page, or do less than they were asked for.
 * Runs in the test VM as an ordinary user: vm_inject CASE.  "launcher" makes each of
 * LAUNCHER's fail; "some" takes a sample from a
 * seed that is printed; "all-1" to "all-8" together take every call, with one error after the
 * other, an eighth each (make soak).
 *
 * Whatever fails: lema ends by itself, with a message that names a step; a success is told
 * only where the evidence is whole; the ledger reads; and the next call is allowed or refused
 * as audit/states.md says. */
#include <sys/mman.h>

#include "vmtests/judge.h"
#include "vmtests/steps.h"

#define SHORT (-1) /* half of what was asked for: read(2), write(2) */
#define SAMPLE 40u
#define ERRORS_MAX 4
#define SHARES 8u

static const struct {
    unsigned long long nr;
    const char *name;
    int error[ERRORS_MAX]; /* 0: no more */
} rows[] = {
    {SYS_read, "read", {EIO, EINTR, SHORT}},
    {SYS_pread64, "pread64", {EIO, SHORT}},
    {SYS_write, "write", {ENOSPC, EIO, EINTR, SHORT}},
    {SYS_splice, "splice", {EIO, ENOMEM, EINTR}},
    {SYS_openat2, "openat2", {EMFILE, EIO, EACCES, EAGAIN}},
    {SYS_openat, "openat", {EMFILE, EIO, EACCES}},
    {SYS_open, "open", {EMFILE, EACCES}},
    {SYS_fstat, "fstat", {EIO, ENOMEM}},
    {SYS_lstat, "lstat", {EIO, EACCES}},
    {SYS_newfstatat, "newfstatat", {EIO, EACCES}},
    {SYS_fstatfs, "fstatfs", {EIO, EINTR}},
    {SYS_readlinkat, "readlinkat", {EIO, EACCES}},
    {SYS_fgetxattr, "fgetxattr", {EIO, E2BIG}},
    {SYS_getdents64, "getdents64", {EIO, ENOMEM}},
    {SYS_lseek, "lseek", {EINVAL}},
    {SYS_mkdirat, "mkdirat", {ENOSPC, EDQUOT, EROFS}},
    {SYS_unlinkat, "unlinkat", {EIO, EROFS}},
    {SYS_renameat2, "renameat2", {ENOSPC, EIO, EEXIST}},
    {SYS_fallocate, "fallocate", {ENOSPC, EIO, EINTR, EOPNOTSUPP}},
    {SYS_ftruncate, "ftruncate", {EIO, EINTR}},
    {SYS_fsync, "fsync", {EIO, ENOSPC}},
    {SYS_fdatasync, "fdatasync", {EIO, ENOSPC}},
    {SYS_flock, "flock", {EINTR, ENOLCK}},
    {SYS_fcntl, "fcntl", {EMFILE, EINVAL}},
    {SYS_pipe2, "pipe2", {EMFILE, ENFILE}},
    {SYS_socketpair, "socketpair", {EMFILE, ENFILE}},
    {SYS_setsockopt, "setsockopt", {ENOMEM}},
    {SYS_sendmsg, "sendmsg", {ENOBUFS, EPIPE, EINTR}},
    {SYS_recvmsg, "recvmsg", {ENOMEM, ECONNRESET, EINTR}},
    {SYS_poll, "poll", {EINTR, ENOMEM}},
    {SYS_getrandom, "getrandom", {EINTR, EAGAIN}},
    {SYS_signalfd4, "signalfd4", {EMFILE, ENOMEM}},
    {SYS_rt_sigprocmask, "rt_sigprocmask", {EINVAL}},
    {SYS_kill, "kill", {EPERM, ESRCH}},
    {SYS_wait4, "wait4", {EINTR, ECHILD}},
    {SYS_fork, "fork", {EAGAIN, ENOMEM}}, /* LAUNCHER */
    {SYS_clone, "clone", {EAGAIN, ENOMEM}},
};
#define ROWS (sizeof rows / sizeof rows[0])

static size_t row_of(unsigned long long nr)
{
    size_t i = 0;
    while (i < ROWS && rows[i].nr != nr)
        i++;
    return i;
}

static const char *error_name(int error)
{
    static char name[32];
    struct text t = text_on(name, sizeof name);

    if (error == SHORT)
        return "half";
    err_add_errno_name(&t, error);
    return name;
}

/* What the child says at its end. */
static struct said {
    enum err_what what;
    char text[ERR_TEXT_BYTES];
} * said;

static void make_call(struct vm_case *c, const char *call)
{
    uint64_t end = clock_boot_ns() + VM_QUIET_MS * UINT64_C(1000000);
    do
        vm_call_here(c, call, "--! write /call/out made\n--! exit 0");
    while (c->err.what == ERR_PRESSURE_RETRY && clock_boot_ns() < end);
    vm_format(c);
    said->what = (enum err_what)c->err.what;
    snprintf(said->text, sizeof said->text, "%s", c->text);
}

static void set_call(pid_t pid, unsigned long long nr, unsigned long long first,
                     unsigned long long third)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
        return; /* it was killed meanwhile */
    regs.orig_rax = nr;
    regs.rdi = first;
    regs.rdx = third;
    (void)ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}

static void set_result(pid_t pid, int error)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
        return; /* it was killed meanwhile */
    regs.rax = (unsigned long long)-(long long)error;
    (void)ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}

static pid_t watched;

static void too_long(int sig)
{
    (void)sig;
    kill(watched, SIGKILL);
}

/* The call numbered point fails with error.
 * returns  its row, or ROWS: there are not so many */
static size_t inject(struct stepper *s, unsigned point, size_t which, int *error)
{
    struct step_call call;
    unsigned n = 0;
    size_t row = ROWS;

    while (step_next(s, &call)) {
        if (!call.entry || row != ROWS || row_of(call.nr) == ROWS || n++ != point)
            continue;
        row = row_of(call.nr);
        while (which > 0 && rows[row].error[which] == 0)
            which--; /* it has not so many errors */
        *error = rows[row].error[which];
        if (*error == SHORT) {
            if (call.arg[2] > 1)
                set_call(s->pid, call.nr, call.arg[0], call.arg[2] / 2);
            continue;
        }
        /* Another call in its place, which the filter knows and which does nothing. */
        set_call(s->pid, SYS_read, (unsigned long long)-1, 0);
        if (!step_next(s, &call))
            break;
        set_result(s->pid, *error);
    }
    return row;
}

/* returns  false when there are not so many calls */
static bool one(unsigned point, size_t which, bool launcher, unsigned *succeeded)
{
    struct vm_case c;
    struct stepper s;
    char name[64], text[128];
    int error = 0;

    snprintf(name, sizeof name, "inject-%s%04u-%zu", launcher ? "launcher-" : "", point, which);
    if (!CHECK(vm_make(&c, name, VM_DISTRIBUTION, ""), "%s: a case of its own", name))
        return false;
    memset(said, 0, sizeof *said);
    if (!CHECK(step_start(&s, &c, make_call, "call", launcher), "%s: lema is traced", name))
        return false;
    watched = s.child;
    alarm(120);
    size_t row = inject(&s, point, which, &error);
    alarm(0);
    if (row == ROWS)
        return false;
    snprintf(text, sizeof text, "%scall %u: %s fails with %s", launcher ? "launcher, " : "", point,
             rows[row].name, error_name(error));
    if (!CHECK(WIFEXITED(s.status), "%s: lema ends by itself (status %x) %s", text,
               (unsigned)s.status, said->text))
        return true;
    bool success = WEXITSTATUS(s.status) == 0;
    enum state state = judge_look(&c, "call");
    *succeeded += success;
    if (success)
        CHECK_TEXT(judge_name(state), "complete", "%s: a success has its whole evidence", text);
    else if (WEXITSTATUS(s.status) != STEP_UNCONFINED)
        CHECK(said->what != ERR_NONE && strchr(said->text, ':') != NULL,
              "%s: the message names a step: %s", text, said->text);
    judge_after(&c, text);
    return true;
}

static void begin(void)
{
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        abort();
    signal(SIGALRM, too_long);
    vm_quiet = true;
}

/* How many calls there are. */
static unsigned count_calls(bool launcher)
{
    struct vm_case c;
    struct stepper s;

    if (!CHECK(vm_make(&c, launcher ? "inject-none-launcher" : "inject-none", VM_DISTRIBUTION, ""),
               "a case for counting") ||
        !CHECK(step_start(&s, &c, make_call, "call", launcher), "lema is traced"))
        return 0;
    struct step_call call;
    unsigned n = 0;
    while (step_next(&s, &call))
        n += call.entry && row_of(call.nr) != ROWS;
    CHECK(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0, "a call under tracing succeeds: %s",
          said->text);
    return n;
}

static void some(void)
{
    unsigned succeeded = 0, tried = 0;
    uint64_t state = (uint64_t)time(NULL) * 2654435761u + 1;

    begin();
    unsigned calls = count_calls(false);
    printf("# %u system calls; seed %llu\n", calls, (unsigned long long)state);
    CHECK(calls > 100, "a call of lema is more than a hundred system calls");
    for (unsigned i = 0; calls > 0 && tried < SAMPLE && i < 4 * SAMPLE; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        tried +=
            one((unsigned)(state >> 8) % calls, (size_t)(state % ERRORS_MAX), false, &succeeded);
    }
    printf("# %u failures injected, %u calls succeeded nevertheless\n", tried, succeeded);
}

/* The calls of one share of equal ones, with one error after the other. */
static void each(bool launcher, unsigned share, unsigned shares)
{
    unsigned succeeded = 0, tried = 0;

    begin();
    unsigned calls = count_calls(launcher);
    unsigned first = calls * (share - 1) / shares, end = calls * share / shares;
    for (unsigned point = first; point < end; point++)
        tried += one(point, point % ERRORS_MAX, launcher, &succeeded);
    printf("# %s: system calls %u to %u of %u, %u failures injected, %u calls succeeded "
           "nevertheless\n",
           launcher ? "launcher" : "monitor", first, end, calls, tried, succeeded);
    CHECK(calls > 0 && tried + 5 > end - first, "each was made to fail");
}

static void launcher(void)
{
    each(true, 1, 1);
}

#define SHARE(k)                                                                                   \
    static void all_##k(void)                                                                      \
    {                                                                                              \
        each(false, k, SHARES);                                                                    \
    }
SHARE(1)
SHARE(2)
SHARE(3)
SHARE(4)
SHARE(5)
SHARE(6)
SHARE(7)
SHARE(8)

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {
        {"some", some},   {"launcher", launcher}, {"all-1", all_1}, {"all-2", all_2},
        {"all-3", all_3}, {"all-4", all_4},       {"all-5", all_5}, {"all-6", all_6},
        {"all-7", all_7}, {"all-8", all_8}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
