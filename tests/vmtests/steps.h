/* Driving a lema system call by system call: killing it after one, or making one fail.
 *
 * A child loads a case, waits until this process traces it, confines itself as lema does
 * and acts.  Traced is that process, MONITOR, or its LAUNCHER; the WORKERs and what
 * LAUNCHER starts are not. */
#ifndef LEMA_TESTS_VMTESTS_STEPS_H
#define LEMA_TESTS_VMTESTS_STEPS_H

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "vmtests/vm.h"

#define STEP_UNCONFINED 3 /* exit code: it could not begin or confine itself, and did nothing */
#define STEP_LIMIT 2000u  /* no act of lema has so many steps: a test does not run for ever */

/* A system call, at its entry or exit. */
struct step_call {
    unsigned long long nr, arg[6];
    long long result; /* at the exit */
    bool entry;
};

struct stepper {
    pid_t child; /* MONITOR */
    pid_t pid;   /* who is traced */
    int go;      /* the child waits for its closing */
    int status;  /* of wait(2) for MONITOR, once it ended */
    bool ended;
};

/* Start a child that loads the case and then acts.  What it may say goes nowhere. */
static inline bool step_start(struct stepper *s, const struct vm_case *c,
                              void (*act)(struct vm_case *c, const char *call), const char *call,
                              bool launcher)
{
    int ready[2], go[2], status;
    pid_t traced = 0;
    char byte = 0;

    memset(s, 0, sizeof *s);
    fflush(stdout);
    if (pipe(ready) != 0 || pipe(go) != 0)
        return false;
    s->child = fork();
    if (s->child == 0) {
        struct vm_case own = *c;
        own.r = &own.answer.result;
        close(go[1]);
        if (!vm_load(&own))
            _exit(2);
        traced = launcher ? own.rt->launcher.pid : getpid();
        if (write(ready[1], &traced, sizeof traced) != sizeof traced || read(go[0], &byte, 1) != 0)
            _exit(STEP_UNCONFINED); /* the read is the first call that a test can make fail */
        close(go[0]);
        close(ready[0]);
        close(ready[1]);
        if (confine_monitor(&own.err) != 0 || confine_writes(own.rt, &own.err) < 0)
            _exit(STEP_UNCONFINED);
        act(&own, call);
        _exit(own.err.what == ERR_NONE ? 0 : 10 + (int)own.err.what);
    }
    close(go[0]);
    close(ready[1]);
    bool loaded = read(ready[0], &traced, sizeof traced) == sizeof traced;
    close(ready[0]);
    s->pid = traced;
    s->go = go[1];
    if (!loaded ||
        ptrace(PTRACE_SEIZE, s->pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD) != 0 ||
        ptrace(PTRACE_INTERRUPT, s->pid, NULL, NULL) != 0 || waitpid(s->pid, &status, 0) != s->pid)
        return false;
    close(s->go);
    return true;
}

/* Go to the next entry or exit of a system call.
 * returns  false when it ended */
static inline bool step_next(struct stepper *s, struct step_call *call)
{
    struct __ptrace_syscall_info info;
    int deliver = 0;

    for (;;) {
        if (ptrace(PTRACE_SYSCALL, s->pid, NULL, (void *)(intptr_t)deliver) != 0 && errno != ESRCH)
            abort();
        if (waitpid(s->pid, &s->status, 0) != s->pid)
            abort();
        if (!WIFSTOPPED(s->status)) {
            s->ended = true;
            if (s->pid != s->child && waitpid(s->child, &s->status, 0) != s->child)
                abort();
            return false;
        }
        int sig = WSTOPSIG(s->status);
        deliver = sig != (SIGTRAP | 0x80) && s->status >> 16 == 0 ? sig : 0;
        if (sig != (SIGTRAP | 0x80))
            continue;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, s->pid, (void *)sizeof info, &info) <= 0) {
            if (errno != ESRCH)
                abort();
            continue; /* it was killed meanwhile */
        }
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
            call->entry = true;
            call->nr = info.entry.nr;
            for (size_t i = 0; i < 6; i++)
                call->arg[i] = info.entry.args[i];
            return true;
        }
        if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
            call->entry = false;
            call->result = info.exit.rval;
            return true;
        }
    }
}

static inline void step_kill(struct stepper *s)
{
    kill(s->pid, SIGKILL);
    while (!s->ended) {
        if (waitpid(s->pid, &s->status, 0) != s->pid)
            return;
        s->ended = !WIFSTOPPED(s->status);
    }
}

/* Where a descriptor of the child leads; until the next call. */
static inline const char *step_path(const struct stepper *s, unsigned long long fd)
{
    static char link[64], path[512];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)s->pid, (int)fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = '\0';
    return path;
}

/* Does this call change the disk, or a process?  Names it. */
static inline const char *step_changes(const struct stepper *s, const struct step_call *call)
{
    const char *path;

    switch (call->nr) {
    case SYS_mkdirat: return "mkdirat";
    case SYS_unlinkat: return "unlinkat";
    case SYS_renameat2: return "renameat2";
    case SYS_fallocate: return "fallocate";
    case SYS_ftruncate: return "ftruncate";
    case SYS_fsync: return "fsync";
    case SYS_fdatasync: return "fdatasync";
    case SYS_flock: return "flock";
    case SYS_kill: return "kill";
    case SYS_sendmsg: return "sendmsg";
    case SYS_openat2: {
        long flags = ptrace(PTRACE_PEEKDATA, s->pid, (void *)(uintptr_t)call->arg[2], NULL);
        return (flags & O_CREAT) != 0 ? "openat2" : NULL;
    }
    case SYS_write:
        path = step_path(s, call->arg[0]);
        return strncmp(path, "/home/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 ? "write" : NULL;
    default: return NULL;
    }
}

#endif
