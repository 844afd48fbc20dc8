/* The filters, row by row.  Layer: base.
 *
 * X(call, conditions, verdict, reason, first user).  Included by filter.c, which
 * shows the rows, and by filter_gen.c, which makes BPF of them. */
#ifndef LEMA_BASE_FILTER_ROWS_H
#define LEMA_BASE_FILTER_ROWS_H

#include <sys/syscall.h>

#include "base/filter.h"

#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif

#define FILTER_LOW32 UINT64_C(0xffffffff)

/* Conditions.  The kernel looks at the low half of most arguments only, so a
 * test of all 64 bits could be passed by with a high bit set: WHEN masks. */
#define ANY {{0, 0, 0}, {0, 0, 0}}
#define WHEN(argument, value) {{argument, FILTER_LOW32, value}, {0, 0, 0}}
#define WHEN_BITS(argument, mask, value) {{argument, mask, value}, {0, 0, 0}}
#define WHEN_NULL(argument) {{argument, UINT64_MAX, 0}, {0, 0, 0}}
#define WHEN_BOTH(a, mask_a, value_a, b, mask_b, value_b) \
    {{a, mask_a, value_a}, {b, mask_b, value_b}}

/* clang-format off */

/* --- WORKER: anything else kills it ------------------------------------------------------ */
#define FILTER_WORKER_ROWS(X) \
    X(read, ANY, FILTER_ALLOW, "the bytes of a job", "host/worker.c:worker_read") \
    X(write, ANY, FILTER_ALLOW, "a reply", "host/worker.c:worker_write") \
    X(exit_group, ANY, FILTER_ALLOW, "_exit", "host/worker.c:worker_read") \
    X(exit, ANY, FILTER_ALLOW, "_exit of musl, should exit_group return", "musl:_Exit")

/* --- PROGRAM: anything else answers ENOSYS -------------------------------------------------
 *
 * It has its own pid, mount, network, ipc, uts, cgroup and user namespace, no
 * capability and no descriptor but 0, 1, 2.  What it needs: files, memory,
 * threads, children, pipes, event loops.  What it does not need is left out
 * even where the namespaces make it harmless: it is kernel code less to attack. */
#define FILTER_PROGRAM_FILE_ROWS(X) \
    X(read, ANY, FILTER_ALLOW, "file contents", "libc") \
    X(write, ANY, FILTER_ALLOW, "file contents", "libc") \
    X(readv, ANY, FILTER_ALLOW, "file contents", "libc stdio") \
    X(writev, ANY, FILTER_ALLOW, "file contents", "libc stdio") \
    X(pread64, ANY, FILTER_ALLOW, "file contents", "dynamic loader") \
    X(pwrite64, ANY, FILTER_ALLOW, "file contents", "ld.lld") \
    X(preadv, ANY, FILTER_ALLOW, "file contents", "libuv") \
    X(pwritev, ANY, FILTER_ALLOW, "file contents", "libuv") \
    X(preadv2, ANY, FILTER_ALLOW, "file contents", "libc") \
    X(pwritev2, ANY, FILTER_ALLOW, "file contents", "libc") \
    X(lseek, ANY, FILTER_ALLOW, "file contents", "libc stdio") \
    X(sendfile, ANY, FILTER_ALLOW, "copy of a file", "libuv") \
    X(copy_file_range, ANY, FILTER_ALLOW, "copy of a file", "libuv") \
    X(splice, ANY, FILTER_ALLOW, "copy of a file", "coreutils") \
    X(fadvise64, ANY, FILTER_ALLOW, "read-ahead advice", "coreutils") \
    X(readahead, ANY, FILTER_ALLOW, "read-ahead advice", "linkers") \
    X(open, ANY, FILTER_ALLOW, "open a file", "musl") \
    X(openat, ANY, FILTER_ALLOW, "open a file", "libc") \
    X(openat2, ANY, FILTER_ALLOW, "open a file", "newer libraries") \
    X(creat, ANY, FILTER_ALLOW, "open a file", "older libraries") \
    X(close, ANY, FILTER_ALLOW, "descriptors", "libc") \
    X(close_range, ANY, FILTER_ALLOW, "descriptors", "process spawn of libc") \
    X(dup, ANY, FILTER_ALLOW, "descriptors", "libc") \
    X(dup2, ANY, FILTER_ALLOW, "descriptors", "process spawn") \
    X(dup3, ANY, FILTER_ALLOW, "descriptors", "libuv") \
    X(fcntl, ANY, FILTER_ALLOW, "descriptor flags, file locks", "libc") \
    X(flock, ANY, FILTER_ALLOW, "file locks", "lake") \
    X(pipe, ANY, FILTER_ALLOW, "pipe to a child", "musl") \
    X(pipe2, ANY, FILTER_ALLOW, "pipe to a child", "libc") \
    X(stat, ANY, FILTER_ALLOW, "file metadata", "musl") \
    X(fstat, ANY, FILTER_ALLOW, "file metadata", "libc") \
    X(lstat, ANY, FILTER_ALLOW, "file metadata", "musl") \
    X(newfstatat, ANY, FILTER_ALLOW, "file metadata", "glibc") \
    X(statx, ANY, FILTER_ALLOW, "file metadata", "libuv") \
    X(statfs, ANY, FILTER_ALLOW, "file system type", "LLVM") \
    X(fstatfs, ANY, FILTER_ALLOW, "file system type", "LLVM") \
    X(access, ANY, FILTER_ALLOW, "file metadata", "dynamic loader") \
    X(faccessat, ANY, FILTER_ALLOW, "file metadata", "libc") \
    X(faccessat2, ANY, FILTER_ALLOW, "file metadata", "glibc") \
    X(readlink, ANY, FILTER_ALLOW, "where am I: /proc/self/exe", "Lean") \
    X(readlinkat, ANY, FILTER_ALLOW, "symbolic links", "libc realpath") \
    X(getdents64, ANY, FILTER_ALLOW, "list a directory", "libc readdir") \
    X(getcwd, ANY, FILTER_ALLOW, "working directory", "Lean") \
    X(chdir, ANY, FILTER_ALLOW, "working directory", "process spawn") \
    X(fchdir, ANY, FILTER_ALLOW, "working directory", "coreutils") \
    X(mkdir, ANY, FILTER_ALLOW, "files in /call", "musl") \
    X(mkdirat, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(rmdir, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(unlink, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(unlinkat, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(rename, ANY, FILTER_ALLOW, "files in /call", "Lean, when it writes an .olean") \
    X(renameat, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(renameat2, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(link, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(linkat, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(symlink, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(symlinkat, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(chmod, ANY, FILTER_ALLOW, "files in /call", "ld.lld") \
    X(fchmod, ANY, FILTER_ALLOW, "files in /call", "ld.lld") \
    X(fchmodat, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(fchmodat2, ANY, FILTER_ALLOW, "files in /call", "newer libc") \
    X(umask, ANY, FILTER_ALLOW, "files in /call", "ld.lld") \
    X(truncate, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(ftruncate, ANY, FILTER_ALLOW, "files in /call", "ld.lld output buffer") \
    X(fallocate, ANY, FILTER_ALLOW, "files in /call", "ld.lld output buffer") \
    X(fsync, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(fdatasync, ANY, FILTER_ALLOW, "files in /call", "libc") \
    X(utime, ANY, FILTER_ALLOW, "times of files in /call", "older libraries") \
    X(utimes, ANY, FILTER_ALLOW, "times of files in /call", "older libraries") \
    X(futimesat, ANY, FILTER_ALLOW, "times of files in /call", "older libraries") \
    X(utimensat, ANY, FILTER_ALLOW, "times of files in /call", "libc") \
    X(ioctl, WHEN(1, 0x5401), FILTER_ALLOW, "TCGETS: is it a terminal", "libc isatty") \
    X(ioctl, WHEN(1, 0x5413), FILTER_ALLOW, "TIOCGWINSZ: is it a terminal", "musl isatty") \
    X(ioctl, WHEN(1, 0x541b), FILTER_ALLOW, "FIONREAD: bytes that can be read", "libuv") \
    X(ioctl, WHEN(1, 0x5421), FILTER_ALLOW, "FIONBIO: non-blocking mode", "libuv") \
    X(ioctl, WHEN(1, 0x5450), FILTER_ALLOW, "FIONCLEX: inherit at exec", "libuv") \
    X(ioctl, WHEN(1, 0x5451), FILTER_ALLOW, "FIOCLEX: close at exec", "libuv") \
    X(ioctl, WHEN(1, 0x40049409), FILTER_ALLOW, "FICLONE: copy of a file", "libuv") \
    X(ioctl, WHEN(1, 0x5412), FILTER_EPERM, "TIOCSTI: types into a terminal", "attacks") \
    X(ioctl, WHEN(1, 0x541c), FILTER_EPERM, "TIOCLINUX: pastes into a console", "attacks")

#define FILTER_PROGRAM_MEMORY_ROWS(X) \
    X(brk, ANY, FILTER_ALLOW, "heap", "libc malloc") \
    X(mmap, ANY, FILTER_ALLOW, "memory, libraries, .olean files", "dynamic loader") \
    X(munmap, ANY, FILTER_ALLOW, "memory", "libc malloc") \
    X(mremap, ANY, FILTER_ALLOW, "memory", "libc realloc") \
    X(mprotect, ANY, FILTER_ALLOW, "memory", "dynamic loader") \
    X(madvise, ANY, FILTER_ALLOW, "memory given back", "mimalloc") \
    X(msync, ANY, FILTER_ALLOW, "mapped output", "ld.lld output buffer") \
    X(mincore, ANY, FILTER_ALLOW, "which pages are there", "allocators") \
    X(membarrier, ANY, FILTER_ALLOW, "thread synchronization", "LLVM, libc") \
    X(rseq, ANY, FILTER_ALLOW, "per-thread area", "glibc start") \
    X(futex, ANY, FILTER_ALLOW, "locks", "threads") \
    X(set_robust_list, ANY, FILTER_ALLOW, "locks", "glibc start") \
    X(get_robust_list, ANY, FILTER_ALLOW, "locks", "libc") \
    X(set_tid_address, ANY, FILTER_ALLOW, "threads", "libc start") \
    X(arch_prctl, WHEN(0, 0x1002), FILTER_ALLOW, "ARCH_SET_FS: thread pointer", "libc start") \
    X(arch_prctl, WHEN(0, 0x1003), FILTER_ALLOW, "ARCH_GET_FS: thread pointer", "libc start")

#define FILTER_PROGRAM_PROCESS_ROWS(X) \
    X(clone, WHEN_BITS(0, 0x7e020000, 0), FILTER_ALLOW, "threads, children", "libc") \
    X(clone, WHEN_BITS(0, 0x00020000, 0x00020000), FILTER_EPERM, "CLONE_NEWNS", "attacks") \
    X(clone, WHEN_BITS(0, 0x02000000, 0x02000000), FILTER_EPERM, "CLONE_NEWCGROUP", "attacks") \
    X(clone, WHEN_BITS(0, 0x04000000, 0x04000000), FILTER_EPERM, "CLONE_NEWUTS", "attacks") \
    X(clone, WHEN_BITS(0, 0x08000000, 0x08000000), FILTER_EPERM, "CLONE_NEWIPC", "attacks") \
    X(clone, WHEN_BITS(0, 0x10000000, 0x10000000), FILTER_EPERM, "CLONE_NEWUSER", "attacks") \
    X(clone, WHEN_BITS(0, 0x20000000, 0x20000000), FILTER_EPERM, "CLONE_NEWPID", "attacks") \
    X(clone, WHEN_BITS(0, 0x40000000, 0x40000000), FILTER_EPERM, "CLONE_NEWNET", "attacks") \
    X(clone3, ANY, FILTER_ENOSYS, "its flags are in memory: libc falls back to clone", "libc") \
    X(fork, ANY, FILTER_ALLOW, "children", "musl") \
    X(vfork, ANY, FILTER_ALLOW, "children", "process spawn") \
    X(execve, ANY, FILTER_ALLOW, "children: clang starts ld.lld", "leanc") \
    X(execveat, ANY, FILTER_ALLOW, "children", "libc fexecve") \
    X(wait4, ANY, FILTER_ALLOW, "children", "libc") \
    X(waitid, ANY, FILTER_ALLOW, "children", "libc") \
    X(exit, ANY, FILTER_ALLOW, "end of a thread", "libc") \
    X(exit_group, ANY, FILTER_ALLOW, "end of the process", "libc") \
    X(kill, ANY, FILTER_ALLOW, "signals in its own pid namespace", "libc") \
    X(tkill, ANY, FILTER_ALLOW, "signals in its own pid namespace", "musl raise") \
    X(tgkill, ANY, FILTER_ALLOW, "signals in its own pid namespace", "glibc raise, abort") \
    X(rt_sigaction, ANY, FILTER_ALLOW, "signals", "libc") \
    X(rt_sigprocmask, ANY, FILTER_ALLOW, "signals", "libc") \
    X(rt_sigreturn, ANY, FILTER_ALLOW, "signals", "every signal handler") \
    X(rt_sigsuspend, ANY, FILTER_ALLOW, "signals", "libc") \
    X(rt_sigpending, ANY, FILTER_ALLOW, "signals", "libc") \
    X(rt_sigtimedwait, ANY, FILTER_ALLOW, "signals", "libc") \
    X(rt_sigqueueinfo, ANY, FILTER_ALLOW, "signals in its own pid namespace", "libc") \
    X(sigaltstack, ANY, FILTER_ALLOW, "stack overflow detection", "Lean") \
    X(pause, ANY, FILTER_ALLOW, "signals", "libc") \
    X(restart_syscall, ANY, FILTER_ALLOW, "the kernel's own restart", "kernel") \
    X(getpid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getppid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(gettid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getuid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(geteuid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getgid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getegid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getresuid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getresgid, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getgroups, ANY, FILTER_ALLOW, "ids", "libc") \
    X(getpgrp, ANY, FILTER_ALLOW, "process groups", "shells") \
    X(getpgid, ANY, FILTER_ALLOW, "process groups", "shells") \
    X(setpgid, ANY, FILTER_ALLOW, "process groups", "process spawn") \
    X(getsid, ANY, FILTER_ALLOW, "sessions", "shells") \
    X(setsid, ANY, FILTER_ALLOW, "sessions", "process spawn") \
    X(capget, ANY, FILTER_ALLOW, "it has none, and may see so", "libcap") \
    X(prctl, WHEN(0, 1), FILTER_ALLOW, "PR_SET_PDEATHSIG", "LLVM") \
    X(prctl, WHEN(0, 3), FILTER_ALLOW, "PR_GET_DUMPABLE", "libc") \
    X(prctl, WHEN(0, 15), FILTER_ALLOW, "PR_SET_NAME: thread name", "LLVM") \
    X(prctl, WHEN(0, 16), FILTER_ALLOW, "PR_GET_NAME: thread name", "LLVM") \
    X(prctl, WHEN(0, 39), FILTER_ALLOW, "PR_GET_NO_NEW_PRIVS", "libc") \
    X(prctl, WHEN(0, 0x53564d41), FILTER_ALLOW, "PR_SET_VMA: name of a mapping", "mimalloc") \
    X(prlimit64, WHEN(0, 0), FILTER_ALLOW, "own limits; raising needs a capability", "glibc") \
    X(getrlimit, ANY, FILTER_ALLOW, "own limits", "musl") \
    X(setrlimit, ANY, FILTER_ALLOW, "own limits; raising needs a capability", "LLVM") \
    X(getrusage, ANY, FILTER_ALLOW, "own use", "Lean") \
    X(times, ANY, FILTER_ALLOW, "own use", "libc") \
    X(getpriority, ANY, FILTER_ALLOW, "scheduling", "libuv") \
    X(setpriority, ANY, FILTER_ALLOW, "scheduling; raising needs a capability", "LLVM") \
    X(sched_yield, ANY, FILTER_ALLOW, "scheduling", "threads") \
    X(sched_getaffinity, ANY, FILTER_ALLOW, "number of processors", "libc, LLVM") \
    X(sched_setaffinity, ANY, FILTER_ALLOW, "scheduling", "libc") \
    X(sched_getparam, ANY, FILTER_ALLOW, "scheduling", "libc") \
    X(sched_getscheduler, ANY, FILTER_ALLOW, "scheduling", "libc") \
    X(sched_get_priority_max, ANY, FILTER_ALLOW, "scheduling", "libc") \
    X(sched_get_priority_min, ANY, FILTER_ALLOW, "scheduling", "libc")

#define FILTER_PROGRAM_EVENT_ROWS(X) \
    X(poll, ANY, FILTER_ALLOW, "wait for descriptors", "libc") \
    X(ppoll, ANY, FILTER_ALLOW, "wait for descriptors", "libc") \
    X(select, ANY, FILTER_ALLOW, "wait for descriptors", "musl") \
    X(pselect6, ANY, FILTER_ALLOW, "wait for descriptors", "glibc") \
    X(epoll_create, ANY, FILTER_ALLOW, "event loop", "older libraries") \
    X(epoll_create1, ANY, FILTER_ALLOW, "event loop", "libuv") \
    X(epoll_ctl, ANY, FILTER_ALLOW, "event loop", "libuv") \
    X(epoll_wait, ANY, FILTER_ALLOW, "event loop", "older libraries") \
    X(epoll_pwait, ANY, FILTER_ALLOW, "event loop", "libuv") \
    X(epoll_pwait2, ANY, FILTER_ALLOW, "event loop", "libuv") \
    X(eventfd, ANY, FILTER_ALLOW, "event loop", "older libraries") \
    X(eventfd2, ANY, FILTER_ALLOW, "event loop", "libuv") \
    X(signalfd4, ANY, FILTER_ALLOW, "event loop", "libraries") \
    X(timerfd_create, ANY, FILTER_ALLOW, "timers", "libraries") \
    X(timerfd_settime, ANY, FILTER_ALLOW, "timers", "libraries") \
    X(timerfd_gettime, ANY, FILTER_ALLOW, "timers", "libraries") \
    X(timer_create, ANY, FILTER_ALLOW, "timers", "libc") \
    X(timer_settime, ANY, FILTER_ALLOW, "timers", "libc") \
    X(timer_gettime, ANY, FILTER_ALLOW, "timers", "libc") \
    X(timer_getoverrun, ANY, FILTER_ALLOW, "timers", "libc") \
    X(timer_delete, ANY, FILTER_ALLOW, "timers", "libc") \
    X(getitimer, ANY, FILTER_ALLOW, "timers", "libc") \
    X(setitimer, ANY, FILTER_ALLOW, "timers", "libc") \
    X(alarm, ANY, FILTER_ALLOW, "timers", "libc") \
    X(nanosleep, ANY, FILTER_ALLOW, "sleep", "musl") \
    X(clock_nanosleep, ANY, FILTER_ALLOW, "sleep", "glibc") \
    X(clock_gettime, ANY, FILTER_ALLOW, "time, where the vDSO does not serve", "libc") \
    X(clock_getres, ANY, FILTER_ALLOW, "time", "libuv") \
    X(gettimeofday, ANY, FILTER_ALLOW, "time", "libc") \
    X(time, ANY, FILTER_ALLOW, "time", "libc") \
    X(getrandom, ANY, FILTER_ALLOW, "random numbers", "glibc malloc, mimalloc") \
    X(getcpu, ANY, FILTER_ALLOW, "which processor", "mimalloc") \
    X(sysinfo, ANY, FILTER_ALLOW, "memory in all", "libc, libuv") \
    X(uname, ANY, FILTER_ALLOW, "kernel release", "libc") \
    X(socketpair, WHEN_BOTH(0, FILTER_LOW32, 1, 1, 0xf, 1), FILTER_ALLOW, \
      "unix stream pair between its own processes", "libuv process spawn") \
    X(socketpair, WHEN_BOTH(0, FILTER_LOW32, 1, 1, 0xf, 5), FILTER_ALLOW, \
      "unix seqpacket pair; not datagrams, which can be addressed", "libraries") \
    X(sendto, WHEN_NULL(4), FILTER_ALLOW, "unix pair, without an address", "libraries") \
    X(recvfrom, ANY, FILTER_ALLOW, "unix pair", "libraries") \
    X(sendmsg, ANY, FILTER_ALLOW, "unix pair", "libuv") \
    X(recvmsg, ANY, FILTER_ALLOW, "unix pair", "libuv") \
    X(shutdown, ANY, FILTER_ALLOW, "unix pair", "libuv") \
    X(getsockname, ANY, FILTER_ALLOW, "what is descriptor 0", "libuv") \
    X(getsockopt, ANY, FILTER_ALLOW, "what is descriptor 0", "libuv")

/* Known and refused.  EPERM says to whoever reads a log that it was lema; all
 * of these would get ENOSYS without a row. */
#define FILTER_PROGRAM_REFUSED_ROWS(X) \
    X(socket, ANY, FILTER_EPERM, "no network and no service of the host", "network code") \
    X(connect, ANY, FILTER_EPERM, "no network and no service of the host", "network code") \
    X(bind, ANY, FILTER_EPERM, "no network and no service of the host", "network code") \
    X(listen, ANY, FILTER_EPERM, "no network and no service of the host", "network code") \
    X(ptrace, ANY, FILTER_EPERM, "fakes the end of a sibling", "debuggers, attacks") \
    X(process_vm_readv, ANY, FILTER_EPERM, "memory of other processes", "debuggers, attacks") \
    X(process_vm_writev, ANY, FILTER_EPERM, "memory of other processes", "debuggers, attacks") \
    X(pidfd_getfd, ANY, FILTER_EPERM, "descriptors of other processes", "attacks") \
    X(kcmp, ANY, FILTER_EPERM, "compares kernel pointers", "attacks") \
    X(unshare, ANY, FILTER_EPERM, "namespaces: the way to more kernel code", "attacks") \
    X(setns, ANY, FILTER_EPERM, "namespaces", "attacks") \
    X(mount, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(umount2, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(pivot_root, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(chroot, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(move_mount, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(open_tree, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(fsopen, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(fsconfig, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(fsmount, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(fspick, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(mount_setattr, ANY, FILTER_EPERM, "the view is finished", "attacks") \
    X(mknod, ANY, FILTER_EPERM, "only files, directories and links in /call", "attacks") \
    X(mknodat, ANY, FILTER_EPERM, "only files, directories and links in /call", "attacks") \
    X(name_to_handle_at, ANY, FILTER_EPERM, "handles pass by directories", "attacks") \
    X(open_by_handle_at, ANY, FILTER_EPERM, "handles pass by directories", "attacks") \
    X(bpf, ANY, FILTER_EPERM, "kernel code to attack", "attacks") \
    X(perf_event_open, ANY, FILTER_EPERM, "kernel code to attack", "profilers, attacks") \
    X(userfaultfd, ANY, FILTER_EPERM, "stops the kernel at a chosen place", "attacks") \
    X(io_uring_setup, ANY, FILTER_ENOSYS, "runs calls past this filter: libuv goes without", "libuv") \
    X(io_uring_enter, ANY, FILTER_ENOSYS, "runs calls past this filter", "libuv") \
    X(io_uring_register, ANY, FILTER_ENOSYS, "runs calls past this filter", "libuv") \
    X(add_key, ANY, FILTER_EPERM, "keyrings have no namespace", "attacks") \
    X(request_key, ANY, FILTER_EPERM, "keyrings have no namespace", "attacks") \
    X(keyctl, ANY, FILTER_EPERM, "keyrings have no namespace", "attacks") \
    X(personality, ANY, FILTER_EPERM, "weakens address randomization", "attacks") \
    X(kexec_load, ANY, FILTER_EPERM, "the host's kernel", "attacks") \
    X(kexec_file_load, ANY, FILTER_EPERM, "the host's kernel", "attacks") \
    X(init_module, ANY, FILTER_EPERM, "the host's kernel", "attacks") \
    X(finit_module, ANY, FILTER_EPERM, "the host's kernel", "attacks") \
    X(delete_module, ANY, FILTER_EPERM, "the host's kernel", "attacks") \
    X(syslog, ANY, FILTER_EPERM, "the host's kernel log", "attacks")

#define FILTER_PROGRAM_ROWS(X) \
    FILTER_PROGRAM_FILE_ROWS(X) \
    FILTER_PROGRAM_MEMORY_ROWS(X) \
    FILTER_PROGRAM_PROCESS_ROWS(X) \
    FILTER_PROGRAM_EVENT_ROWS(X) \
    FILTER_PROGRAM_REFUSED_ROWS(X)
/* clang-format on */

#define FILTER_ROW(call, when, verdict, reason, user) \
    {#call, __NR_##call, when, verdict, reason, user},

static const struct filter_row filter_worker_rows[] = {FILTER_WORKER_ROWS(FILTER_ROW)};
static const struct filter_row filter_program_rows[] = {FILTER_PROGRAM_ROWS(FILTER_ROW)};

/* One line for each role, in the order of enum filter_role. */
static const struct filter_role_row {
    const char *word;
    enum filter_verdict otherwise;
    const struct filter_row *rows;
    size_t n;
} filter_role_rows[FILTER_ROLES] = {
    [FILTER_WORKER] = {"worker", FILTER_KILL, filter_worker_rows,
                       sizeof filter_worker_rows / sizeof filter_worker_rows[0]},
    [FILTER_PROGRAM] = {"program", FILTER_ENOSYS, filter_program_rows,
                        sizeof filter_program_rows / sizeof filter_program_rows[0]},
};

#endif
