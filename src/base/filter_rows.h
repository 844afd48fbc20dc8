/* The filters, row by row.  Layer: base.
 *
 * X(call, verdict, reason, first user, conditions).  Included by filter.c, which
 * shows the rows, and by filter_gen.c, which makes BPF of them. */
#ifndef LEMA_BASE_FILTER_ROWS_H
#define LEMA_BASE_FILTER_ROWS_H

#include <sys/syscall.h>

#include "base/filter.h"

#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

#define FILTER_LOW32 UINT64_C(0xffffffff)

/* clang-format off */

/* Conditions.  The kernel looks at the low half of most arguments only, so a
 * test of all 64 bits could be passed by with a high bit set: WHEN masks. */
#define ANY {{0, 0, 0}, {0, 0, 0}}
#define WHEN(argument, value) {{argument, FILTER_LOW32, value}, {0, 0, 0}}
#define WHEN_BITS(argument, mask, value) {{argument, mask, value}, {0, 0, 0}}
#define WHEN_NULL(argument) {{argument, UINT64_MAX, 0}, {0, 0, 0}}
#define WHEN_BOTH(a, mask_a, value_a, b, mask_b, value_b) \
    {{a, mask_a, value_a}, {b, mask_b, value_b}}

/* --- WORKER: anything else kills it ------------------------------------------------------ */
#define FILTER_WORKER_ROWS(X) \
    X(read, FILTER_ALLOW, "the bytes of a job", "host/worker.c:worker_read", ANY) \
    X(write, FILTER_ALLOW, "a reply", "host/worker.c:worker_write", ANY) \
    X(exit_group, FILTER_ALLOW, "_exit", "host/worker.c:worker_read", ANY)

/* --- MONITOR: anything else kills it -----------------------------------------------------
 *
 * No execve, no clone, no ptrace, no socket but a pair, no new memory. The kernel
 * cannot look at the paths that openat2 and open are given: for writing, Landlock does. */
#define FILTER_MONITOR_ROWS(X) \
    X(read, FILTER_ALLOW, "files of the kernel, the log, replies of workers", "host/file.c:file_read", ANY) \
    X(write, FILTER_ALLOW, "evidence, output, jobs of workers, cgroup.kill", "host/file.c:file_write_all", ANY) \
    X(pread64, FILTER_ALLOW, "host files, the ledger", "host/pins_host.c:pins_check_fd", ANY) \
    X(splice, FILTER_ALLOW, "bytes of files to the workers", "host/worker.c:worker_hash", ANY) \
    X(lseek, FILTER_ALLOW, "the beginning of a file", "host/file.c:file_read", ANY) \
    X(openat2, FILTER_ALLOW, "every walk", "host/walk.c:open_below", ANY) \
    X(open, FILTER_ALLOW, "/proc, /dev/null", "host/machine.c:machine_source_open", ANY) \
    X(openat, FILTER_ALLOW, "below checked directories", "call/work.c:descend", ANY) \
    X(close, FILTER_ALLOW, "descriptors", "host/file.c:fd_close", ANY) \
    X(fstat, FILTER_ALLOW, "what a descriptor is", "host/walk.c:walk_path", ANY) \
    X(lstat, FILTER_ALLOW, "what a path is", "call/recover.c:manager_answers", ANY) \
    X(newfstatat, FILTER_ALLOW, "what a name is", "evidence/latch.c:latch_look", ANY) \
    X(access, FILTER_ALLOW, "is it there", "front/cmd_init.c:explain_missing", ANY) \
    X(faccessat2, FILTER_ALLOW, "is it there, without following", "front/cmd_init.c:write_config", ANY) \
    X(readlinkat, FILTER_ALLOW, "symbolic links of the distribution", "host/tree.c:tree_walk", ANY) \
    X(fgetxattr, FILTER_ALLOW, "file capabilities of bwrap", "call/checks.c:check_bwrap", ANY) \
    X(getdents64, FILTER_ALLOW, "entries of directories", "host/tree.c:tree_walk", ANY) \
    X(fstatfs, FILTER_ALLOW, "free space, kind of file system", "host/machine.c:machine_free_bytes", ANY) \
    X(mkdirat, FILTER_ALLOW, "directories of the output", "host/file.c:file_directory", ANY) \
    X(unlinkat, FILTER_ALLOW, "temporaries, latches, cgroups", "host/file.c:file_abandon", ANY) \
    X(renameat2, FILTER_ALLOW, "evidence gets its name", "host/file.c:file_commit", ANY) \
    X(fallocate, FILTER_ALLOW, "space taken in advance", "host/file.c:take_space", ANY) \
    X(ftruncate, FILTER_ALLOW, "space given back, a torn line", "host/file.c:give_space_back", ANY) \
    X(fsync, FILTER_ALLOW, "evidence is durable", "host/file.c:file_commit", ANY) \
    X(fdatasync, FILTER_ALLOW, "a ledger line is durable", "evidence/ledger.c:ledger_append", ANY) \
    X(flock, FILTER_ALLOW, "the shared lock", "evidence/lock.c:lock_take", ANY) \
    X(fcntl, FILTER_ALLOW, "flags", "call/start.c:make_pipe", ANY) \
    X(pipe2, FILTER_ALLOW, "log and diagnostics", "call/start.c:make_pipe", ANY) \
    X(socketpair, FILTER_ALLOW, "unix seqpacket pairs to inner stage and init", "call/start.c:make_socket", WHEN_BOTH(0, FILTER_LOW32, 1, 1, 0xf, 5)) \
    X(setsockopt, FILTER_ALLOW, "SO_PASSCRED", "call/start.c:make_socket", WHEN_BOTH(1, FILTER_LOW32, 1, 2, FILTER_LOW32, 16)) \
    X(sendmsg, FILTER_ALLOW, "orders and descriptors", "call/wire.c:wire_send", ANY) \
    X(recvmsg, FILTER_ALLOW, "reports", "call/wire.c:wire_receive", ANY) \
    X(poll, FILTER_ALLOW, "whatever comes first", "call/attend.c:attend_once", ANY) \
    X(restart_syscall, FILTER_ALLOW, "poll and sleep, after SIGSTOP and SIGCONT", "kernel", ANY) \
    X(signalfd4, FILTER_ALLOW, "interrupts are read, not delivered", "call/attend.c:attend_signals", ANY) \
    X(rt_sigprocmask, FILTER_ALLOW, "interrupts are read, not delivered", "call/attend.c:attend_signals", ANY) \
    X(wait4, FILTER_ALLOW, "launcher and workers are reaped", "call/launch.c:launcher_stop", ANY) \
    X(kill, FILTER_ALLOW, "SIGKILL to launcher, workers and a scope that never appeared", "call/launch.c:launcher_stop", WHEN(1, 9)) \
    X(nanosleep, FILTER_ALLOW, "waiting for the lock", "evidence/lock.c:lock_take", ANY) \
    X(clock_gettime, FILTER_ALLOW, "times, where the vDSO does not serve", "base/clock.c:clock_boot_ns", ANY) \
    X(getrandom, FILTER_ALLOW, "names of units and probes", "call/scope.c:scope_name", ANY) \
    X(geteuid, FILTER_ALLOW, "who may own what", "host/kernel.c:kernel_open", ANY) \
    X(getcwd, FILTER_ALLOW, "a relative --runtime", "front/command.c:command_absolute", ANY) \
    X(ioctl, FILTER_ALLOW, "TIOCGWINSZ: is it a terminal", "musl:isatty", WHEN(1, 0x5413)) \
    X(exit_group, FILTER_ALLOW, "the end", "musl:_Exit", ANY) \
    X(landlock_create_ruleset, FILTER_ALLOW, "writes only below output and lock", "call/confine.c:confine_writes", ANY) \
    X(landlock_add_rule, FILTER_ALLOW, "writes only below output and lock", "call/confine.c:confine_writes", ANY) \
    X(landlock_restrict_self, FILTER_ALLOW, "writes only below output and lock", "call/confine.c:confine_writes", ANY)

/* --- LAUNCHER: what it starts inherits this, systemd-run and bwrap among them, and so it
 * is a list of what none of them needs; everything else is allowed ------------------------- */
#define FILTER_LAUNCHER_ROWS(X) \
    X(ptrace, FILTER_EPERM, "no started program traces another", "attacks", ANY) \
    X(process_vm_readv, FILTER_EPERM, "memory of other processes", "attacks", ANY) \
    X(process_vm_writev, FILTER_EPERM, "memory of other processes", "attacks", ANY) \
    X(pidfd_getfd, FILTER_EPERM, "descriptors of other processes", "attacks", ANY) \
    X(kcmp, FILTER_EPERM, "compares kernel pointers", "attacks", ANY) \
    X(bpf, FILTER_EPERM, "kernel code to attack", "attacks", ANY) \
    X(perf_event_open, FILTER_EPERM, "kernel code to attack", "attacks", ANY) \
    X(userfaultfd, FILTER_EPERM, "stops the kernel at a chosen place", "attacks", ANY) \
    X(io_uring_setup, FILTER_EPERM, "runs calls past a filter", "attacks", ANY) \
    X(io_uring_enter, FILTER_EPERM, "runs calls past a filter", "attacks", ANY) \
    X(io_uring_register, FILTER_EPERM, "runs calls past a filter", "attacks", ANY) \
    X(add_key, FILTER_EPERM, "keyrings have no namespace", "attacks", ANY) \
    X(request_key, FILTER_EPERM, "keyrings have no namespace", "attacks", ANY) \
    X(keyctl, FILTER_EPERM, "keyrings have no namespace", "attacks", ANY) \
    X(open_by_handle_at, FILTER_EPERM, "handles pass by directories", "attacks", ANY) \
    X(name_to_handle_at, FILTER_EPERM, "handles pass by directories", "attacks", ANY) \
    X(kexec_load, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(kexec_file_load, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(init_module, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(finit_module, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(delete_module, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(syslog, FILTER_EPERM, "the host's kernel log", "attacks", ANY) \
    X(reboot, FILTER_EPERM, "the host", "attacks", ANY) \
    X(swapon, FILTER_EPERM, "the host", "attacks", ANY) \
    X(swapoff, FILTER_EPERM, "the host", "attacks", ANY) \
    X(acct, FILTER_EPERM, "the host", "attacks", ANY) \
    X(iopl, FILTER_EPERM, "ports of the machine", "attacks", ANY) \
    X(ioperm, FILTER_EPERM, "ports of the machine", "attacks", ANY) \
    X(settimeofday, FILTER_EPERM, "the host's clock", "attacks", ANY) \
    X(clock_settime, FILTER_EPERM, "the host's clock", "attacks", ANY) \
    X(adjtimex, FILTER_EPERM, "the host's clock", "attacks", ANY) \
    X(clock_adjtime, FILTER_EPERM, "the host's clock", "attacks", ANY) \
    X(personality, FILTER_EPERM, "weakens address randomization", "attacks", ANY) \
    X(quotactl, FILTER_EPERM, "the host's file systems", "attacks", ANY) \
    X(vhangup, FILTER_EPERM, "the host's terminals", "attacks", ANY) \
    X(modify_ldt, FILTER_EPERM, "kernel code to attack", "attacks", ANY)

/* --- KEEPER: INNER from when its sandbox runs; anything else kills it ---------------------- */
#define FILTER_KEEPER_ROWS(X) \
    X(poll, FILTER_ALLOW, "the sandbox's end and MONITOR's, whichever comes", "call/inner.c:keep", ANY) \
    X(restart_syscall, FILTER_ALLOW, "poll, after SIGSTOP and SIGCONT", "kernel", ANY) \
    X(wait4, FILTER_ALLOW, "the sandbox is reaped", "call/inner.c:keep", ANY) \
    X(sendmsg, FILTER_ALLOW, "the sandbox's end is told", "call/inner.c:report_sandbox_end", ANY) \
    X(open, FILTER_ALLOW, "/proc/self/cgroup, cgroup.kill", "call/inner.c:kill_scope", ANY) \
    X(read, FILTER_ALLOW, "/proc/self/cgroup", "call/inner.c:kill_scope", ANY) \
    X(write, FILTER_ALLOW, "cgroup.kill", "call/inner.c:kill_scope", ANY) \
    X(close, FILTER_ALLOW, "descriptors", "call/inner.c:close_inherited", ANY) \
    X(fcntl, FILTER_ALLOW, "FD_CLOEXEC of what was opened, where libc sets it", "musl:open", WHEN(1, 2)) \
    X(pause, FILTER_ALLOW, "waits to be killed", "call/inner.c:fail", ANY) \
    X(exit_group, FILTER_ALLOW, "the end", "musl:_Exit", ANY)

/* --- REAPER: INIT from when its program runs; anything else kills it ----------------------- */
#define FILTER_REAPER_ROWS(X) \
    X(read, FILTER_ALLOW, "did the program reach exec", "call/init.c:await_exec", ANY) \
    X(wait4, FILTER_ALLOW, "everything is reaped", "call/init.c:reap", ANY) \
    X(sendmsg, FILTER_ALLOW, "reports", "call/init.c:tell", ANY) \
    X(close, FILTER_ALLOW, "descriptors", "call/init.c:init_main", ANY) \
    X(clock_gettime, FILTER_ALLOW, "the time of the end, where the vDSO does not serve", "call/init.c:reap", ANY) \
    X(exit_group, FILTER_ALLOW, "the end", "musl:_Exit", ANY)

/* clang-format on */

#include "base/filter_rows_program.h"

#define FILTER_ROW(call, verdict, reason, user, ...)                                               \
    {#call, __NR_##call, __VA_ARGS__, verdict, reason, user},

static const struct filter_row filter_worker_rows[] = {FILTER_WORKER_ROWS(FILTER_ROW)};
static const struct filter_row filter_monitor_rows[] = {FILTER_MONITOR_ROWS(FILTER_ROW)};
static const struct filter_row filter_launcher_rows[] = {FILTER_LAUNCHER_ROWS(FILTER_ROW)};
static const struct filter_row filter_keeper_rows[] = {FILTER_KEEPER_ROWS(FILTER_ROW)};
static const struct filter_row filter_reaper_rows[] = {FILTER_REAPER_ROWS(FILTER_ROW)};
static const struct filter_row filter_program_rows[] = {FILTER_PROGRAM_ROWS(FILTER_ROW)};

/* One line for each role, in the order of enum filter_role. */
static const struct filter_role_row {
    const char *word;
    enum filter_verdict otherwise;
    const struct filter_row *rows;
    size_t n;
} filter_role_rows[FILTER_ROLES] = {
    [FILTER_MONITOR] = {"monitor", FILTER_KILL, filter_monitor_rows,
                        sizeof filter_monitor_rows / sizeof filter_monitor_rows[0]},
    [FILTER_LAUNCHER] = {"launcher", FILTER_ALLOW, filter_launcher_rows,
                         sizeof filter_launcher_rows / sizeof filter_launcher_rows[0]},
    [FILTER_KEEPER] = {"keeper", FILTER_KILL, filter_keeper_rows,
                       sizeof filter_keeper_rows / sizeof filter_keeper_rows[0]},
    [FILTER_REAPER] = {"reaper", FILTER_KILL, filter_reaper_rows,
                       sizeof filter_reaper_rows / sizeof filter_reaper_rows[0]},
    [FILTER_WORKER] = {"worker", FILTER_KILL, filter_worker_rows,
                       sizeof filter_worker_rows / sizeof filter_worker_rows[0]},
    [FILTER_PROGRAM] = {"program", FILTER_ENOSYS, filter_program_rows,
                        sizeof filter_program_rows / sizeof filter_program_rows[0]},
};

#endif
