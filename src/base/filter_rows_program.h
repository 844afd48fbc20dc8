/* The filter of the untrusted program, row by row.  Layer: base.
 *
 * A part of filter_rows.h, which has the conditions and the other roles. */
#ifndef LEMA_BASE_FILTER_ROWS_PROGRAM_H
#define LEMA_BASE_FILTER_ROWS_PROGRAM_H

/* clang-format off */

/* --- PROGRAM: anything else answers ENOSYS -------------------------------------------------
 *
 * It has its own pid, mount, network, ipc, uts, cgroup and user namespace, no
 * capability and no descriptor but 0, 1, 2.  What it needs: files, memory,
 * threads, children, pipes, event loops.  What it does not need is left out
 * even where the namespaces make it harmless: it is kernel code less to attack. */
#define FILTER_PROGRAM_FILE_ROWS(X) \
    X(read, FILTER_ALLOW, "file contents", "libc", ANY) \
    X(write, FILTER_ALLOW, "file contents", "libc", ANY) \
    X(readv, FILTER_ALLOW, "file contents", "libc stdio", ANY) \
    X(writev, FILTER_ALLOW, "file contents", "libc stdio", ANY) \
    X(pread64, FILTER_ALLOW, "file contents", "dynamic loader", ANY) \
    X(pwrite64, FILTER_ALLOW, "file contents", "ld.lld", ANY) \
    X(preadv, FILTER_ALLOW, "file contents", "libuv", ANY) \
    X(pwritev, FILTER_ALLOW, "file contents", "libuv", ANY) \
    X(preadv2, FILTER_ALLOW, "file contents", "libc", ANY) \
    X(pwritev2, FILTER_ALLOW, "file contents", "libc", ANY) \
    X(lseek, FILTER_ALLOW, "file contents", "libc stdio", ANY) \
    X(sendfile, FILTER_ALLOW, "copy of a file", "libuv", ANY) \
    X(copy_file_range, FILTER_ALLOW, "copy of a file", "libuv", ANY) \
    X(splice, FILTER_ALLOW, "copy of a file", "coreutils", ANY) \
    X(fadvise64, FILTER_ALLOW, "read-ahead advice", "coreutils", ANY) \
    X(readahead, FILTER_ALLOW, "read-ahead advice", "linkers", ANY) \
    X(open, FILTER_ALLOW, "open a file", "musl", ANY) \
    X(openat, FILTER_ALLOW, "open a file", "libc", ANY) \
    X(openat2, FILTER_ALLOW, "open a file", "newer libraries", ANY) \
    X(creat, FILTER_ALLOW, "open a file", "older libraries", ANY) \
    X(close, FILTER_ALLOW, "descriptors", "libc", ANY) \
    X(close_range, FILTER_ALLOW, "descriptors", "process spawn of libc", ANY) \
    X(dup, FILTER_ALLOW, "descriptors", "libc", ANY) \
    X(dup2, FILTER_ALLOW, "descriptors", "process spawn", ANY) \
    X(dup3, FILTER_ALLOW, "descriptors", "libuv", ANY) \
    X(fcntl, FILTER_ALLOW, "descriptor flags, file locks", "libc", ANY) \
    X(flock, FILTER_ALLOW, "file locks", "lake", ANY) \
    X(pipe, FILTER_ALLOW, "pipe to a child", "musl", ANY) \
    X(pipe2, FILTER_ALLOW, "pipe to a child", "libc", ANY) \
    X(stat, FILTER_ALLOW, "file metadata", "musl", ANY) \
    X(fstat, FILTER_ALLOW, "file metadata", "libc", ANY) \
    X(lstat, FILTER_ALLOW, "file metadata", "musl", ANY) \
    X(newfstatat, FILTER_ALLOW, "file metadata", "glibc", ANY) \
    X(statx, FILTER_ALLOW, "file metadata", "libuv", ANY) \
    X(statfs, FILTER_ALLOW, "file system type", "LLVM", ANY) \
    X(fstatfs, FILTER_ALLOW, "file system type", "LLVM", ANY) \
    X(access, FILTER_ALLOW, "file metadata", "dynamic loader", ANY) \
    X(faccessat, FILTER_ALLOW, "file metadata", "libc", ANY) \
    X(faccessat2, FILTER_ALLOW, "file metadata", "glibc", ANY) \
    X(readlink, FILTER_ALLOW, "where am I: /proc/self/exe", "Lean", ANY) \
    X(readlinkat, FILTER_ALLOW, "symbolic links", "libc realpath", ANY) \
    X(getdents64, FILTER_ALLOW, "list a directory", "libc readdir", ANY) \
    X(getcwd, FILTER_ALLOW, "working directory", "Lean", ANY) \
    X(chdir, FILTER_ALLOW, "working directory", "process spawn", ANY) \
    X(fchdir, FILTER_ALLOW, "working directory", "coreutils", ANY) \
    X(mkdir, FILTER_ALLOW, "files in /call", "musl", ANY) \
    X(mkdirat, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(rmdir, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(unlink, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(unlinkat, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(rename, FILTER_ALLOW, "files in /call", "Lean, when it writes an .olean", ANY) \
    X(renameat, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(renameat2, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(link, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(linkat, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(symlink, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(symlinkat, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(chmod, FILTER_ALLOW, "files in /call", "ld.lld", ANY) \
    X(fchmod, FILTER_ALLOW, "files in /call", "ld.lld", ANY) \
    X(fchmodat, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(fchmodat2, FILTER_ALLOW, "files in /call", "newer libc", ANY) \
    X(umask, FILTER_ALLOW, "files in /call", "ld.lld", ANY) \
    X(truncate, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(ftruncate, FILTER_ALLOW, "files in /call", "ld.lld output buffer", ANY) \
    X(fallocate, FILTER_ALLOW, "files in /call", "ld.lld output buffer", ANY) \
    X(fsync, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(fdatasync, FILTER_ALLOW, "files in /call", "libc", ANY) \
    X(utime, FILTER_ALLOW, "times of files in /call", "older libraries", ANY) \
    X(utimes, FILTER_ALLOW, "times of files in /call", "older libraries", ANY) \
    X(futimesat, FILTER_ALLOW, "times of files in /call", "older libraries", ANY) \
    X(utimensat, FILTER_ALLOW, "times of files in /call", "libc", ANY) \
    X(ioctl, FILTER_ALLOW, "TCGETS: is it a terminal", "libc isatty", WHEN(1, 0x5401)) \
    X(ioctl, FILTER_ALLOW, "TIOCGWINSZ: is it a terminal", "musl isatty", WHEN(1, 0x5413)) \
    X(ioctl, FILTER_ALLOW, "FIONREAD: bytes that can be read", "libuv", WHEN(1, 0x541b)) \
    X(ioctl, FILTER_ALLOW, "FIONBIO: non-blocking mode", "libuv", WHEN(1, 0x5421)) \
    X(ioctl, FILTER_ALLOW, "FIONCLEX: inherit at exec", "libuv", WHEN(1, 0x5450)) \
    X(ioctl, FILTER_ALLOW, "FIOCLEX: close at exec", "libuv", WHEN(1, 0x5451)) \
    X(ioctl, FILTER_ALLOW, "FICLONE: copy of a file", "libuv", WHEN(1, 0x40049409)) \
    X(ioctl, FILTER_EPERM, "TIOCSTI: types into a terminal", "attacks", WHEN(1, 0x5412)) \
    X(ioctl, FILTER_EPERM, "TIOCLINUX: pastes into a console", "attacks", WHEN(1, 0x541c))

#define FILTER_PROGRAM_MEMORY_ROWS(X) \
    X(brk, FILTER_ALLOW, "heap", "libc malloc", ANY) \
    X(mmap, FILTER_ALLOW, "memory, libraries, .olean files", "dynamic loader", ANY) \
    X(munmap, FILTER_ALLOW, "memory", "libc malloc", ANY) \
    X(mremap, FILTER_ALLOW, "memory", "libc realloc", ANY) \
    X(mprotect, FILTER_ALLOW, "memory", "dynamic loader", ANY) \
    X(madvise, FILTER_ALLOW, "memory given back", "mimalloc", ANY) \
    X(msync, FILTER_ALLOW, "mapped output", "ld.lld output buffer", ANY) \
    X(mincore, FILTER_ALLOW, "which pages are there", "allocators", ANY) \
    X(membarrier, FILTER_ALLOW, "thread synchronization", "LLVM, libc", ANY) \
    X(rseq, FILTER_ALLOW, "per-thread area", "glibc start", ANY) \
    X(futex, FILTER_ALLOW, "locks", "threads", ANY) \
    X(set_robust_list, FILTER_ALLOW, "locks", "glibc start", ANY) \
    X(get_robust_list, FILTER_ALLOW, "locks", "libc", ANY) \
    X(set_tid_address, FILTER_ALLOW, "threads", "libc start", ANY) \
    X(arch_prctl, FILTER_ALLOW, "ARCH_SET_FS: thread pointer", "libc start", WHEN(0, 0x1002)) \
    X(arch_prctl, FILTER_ALLOW, "ARCH_GET_FS: thread pointer", "libc start", WHEN(0, 0x1003))

#define FILTER_PROGRAM_PROCESS_ROWS(X) \
    X(clone, FILTER_ALLOW, "threads, children", "libc", WHEN_BITS(0, 0x7e020000, 0)) \
    X(clone, FILTER_EPERM, "CLONE_NEWNS", "attacks", WHEN_BITS(0, 0x00020000, 0x00020000)) \
    X(clone, FILTER_EPERM, "CLONE_NEWCGROUP", "attacks", WHEN_BITS(0, 0x02000000, 0x02000000)) \
    X(clone, FILTER_EPERM, "CLONE_NEWUTS", "attacks", WHEN_BITS(0, 0x04000000, 0x04000000)) \
    X(clone, FILTER_EPERM, "CLONE_NEWIPC", "attacks", WHEN_BITS(0, 0x08000000, 0x08000000)) \
    X(clone, FILTER_EPERM, "CLONE_NEWUSER", "attacks", WHEN_BITS(0, 0x10000000, 0x10000000)) \
    X(clone, FILTER_EPERM, "CLONE_NEWPID", "attacks", WHEN_BITS(0, 0x20000000, 0x20000000)) \
    X(clone, FILTER_EPERM, "CLONE_NEWNET", "attacks", WHEN_BITS(0, 0x40000000, 0x40000000)) \
    X(pkey_alloc, FILTER_ENOSYS, "protection keys: who tries them goes on without", "node", ANY) \
    X(clone3, FILTER_ENOSYS, "its flags are in memory: libc falls back to clone", "libc", ANY) \
    X(fork, FILTER_ALLOW, "children", "musl", ANY) \
    X(vfork, FILTER_ALLOW, "children", "process spawn", ANY) \
    X(execve, FILTER_ALLOW, "children: clang starts ld.lld", "leanc", ANY) \
    X(execveat, FILTER_ALLOW, "children", "libc fexecve", ANY) \
    X(wait4, FILTER_ALLOW, "children", "libc", ANY) \
    X(waitid, FILTER_ALLOW, "children", "libc", ANY) \
    X(exit, FILTER_ALLOW, "end of a thread", "libc", ANY) \
    X(exit_group, FILTER_ALLOW, "end of the process", "libc", ANY) \
    X(kill, FILTER_ALLOW, "signals in its own pid namespace", "libc", ANY) \
    X(tkill, FILTER_ALLOW, "signals in its own pid namespace", "musl raise", ANY) \
    X(tgkill, FILTER_ALLOW, "signals in its own pid namespace", "glibc raise, abort", ANY) \
    X(rt_sigaction, FILTER_ALLOW, "signals", "libc", ANY) \
    X(rt_sigprocmask, FILTER_ALLOW, "signals", "libc", ANY) \
    X(rt_sigreturn, FILTER_ALLOW, "signals", "every signal handler", ANY) \
    X(rt_sigsuspend, FILTER_ALLOW, "signals", "libc", ANY) \
    X(rt_sigpending, FILTER_ALLOW, "signals", "libc", ANY) \
    X(rt_sigtimedwait, FILTER_ALLOW, "signals", "libc", ANY) \
    X(rt_sigqueueinfo, FILTER_ALLOW, "signals in its own pid namespace", "libc", ANY) \
    X(sigaltstack, FILTER_ALLOW, "stack overflow detection", "Lean", ANY) \
    X(pause, FILTER_ALLOW, "signals", "libc", ANY) \
    X(restart_syscall, FILTER_ALLOW, "the kernel's own restart", "kernel", ANY) \
    X(getpid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getppid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(gettid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getuid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(geteuid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getgid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getegid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getresuid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getresgid, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getgroups, FILTER_ALLOW, "ids", "libc", ANY) \
    X(getpgrp, FILTER_ALLOW, "process groups", "shells", ANY) \
    X(getpgid, FILTER_ALLOW, "process groups", "shells", ANY) \
    X(setpgid, FILTER_ALLOW, "process groups", "process spawn", ANY) \
    X(getsid, FILTER_ALLOW, "sessions", "shells", ANY) \
    X(setsid, FILTER_ALLOW, "sessions", "process spawn", ANY) \
    X(capget, FILTER_ALLOW, "it has none, and may see so", "libcap", ANY) \
    X(prctl, FILTER_ALLOW, "PR_SET_PDEATHSIG", "LLVM", WHEN(0, 1)) \
    X(prctl, FILTER_ALLOW, "PR_GET_DUMPABLE", "libc", WHEN(0, 3)) \
    X(prctl, FILTER_ALLOW, "PR_SET_NAME: thread name", "LLVM", WHEN(0, 15)) \
    X(prctl, FILTER_ALLOW, "PR_GET_NAME: thread name", "LLVM", WHEN(0, 16)) \
    X(prctl, FILTER_ALLOW, "PR_GET_NO_NEW_PRIVS", "libc", WHEN(0, 39)) \
    X(prctl, FILTER_ALLOW, "PR_SET_VMA: name of a mapping", "mimalloc", WHEN(0, 0x53564d41)) \
    X(prlimit64, FILTER_ALLOW, "own limits; raising needs a capability", "glibc", WHEN(0, 0)) \
    X(getrlimit, FILTER_ALLOW, "own limits", "musl", ANY) \
    X(setrlimit, FILTER_ALLOW, "own limits; raising needs a capability", "LLVM", ANY) \
    X(getrusage, FILTER_ALLOW, "own use", "Lean", ANY) \
    X(times, FILTER_ALLOW, "own use", "libc", ANY) \
    X(getpriority, FILTER_ALLOW, "scheduling", "libuv", ANY) \
    X(setpriority, FILTER_ALLOW, "scheduling; raising needs a capability", "LLVM", ANY) \
    X(sched_yield, FILTER_ALLOW, "scheduling", "threads", ANY) \
    X(sched_getaffinity, FILTER_ALLOW, "number of processors", "libc, LLVM", ANY) \
    X(sched_setaffinity, FILTER_ALLOW, "scheduling", "libc", ANY) \
    X(sched_getparam, FILTER_ALLOW, "scheduling", "libc", ANY) \
    X(sched_getscheduler, FILTER_ALLOW, "scheduling", "libc", ANY) \
    X(sched_get_priority_max, FILTER_ALLOW, "scheduling", "libc", ANY) \
    X(sched_get_priority_min, FILTER_ALLOW, "scheduling", "libc", ANY)

#define FILTER_PROGRAM_EVENT_ROWS(X) \
    X(poll, FILTER_ALLOW, "wait for descriptors", "libc", ANY) \
    X(ppoll, FILTER_ALLOW, "wait for descriptors", "libc", ANY) \
    X(select, FILTER_ALLOW, "wait for descriptors", "musl", ANY) \
    X(pselect6, FILTER_ALLOW, "wait for descriptors", "glibc", ANY) \
    X(epoll_create, FILTER_ALLOW, "event loop", "older libraries", ANY) \
    X(epoll_create1, FILTER_ALLOW, "event loop", "libuv", ANY) \
    X(epoll_ctl, FILTER_ALLOW, "event loop", "libuv", ANY) \
    X(epoll_wait, FILTER_ALLOW, "event loop", "older libraries", ANY) \
    X(epoll_pwait, FILTER_ALLOW, "event loop", "libuv", ANY) \
    X(epoll_pwait2, FILTER_ALLOW, "event loop", "libuv", ANY) \
    X(eventfd, FILTER_ALLOW, "event loop", "older libraries", ANY) \
    X(eventfd2, FILTER_ALLOW, "event loop", "libuv", ANY) \
    X(signalfd4, FILTER_ALLOW, "event loop", "libraries", ANY) \
    X(timerfd_create, FILTER_ALLOW, "timers", "libraries", ANY) \
    X(timerfd_settime, FILTER_ALLOW, "timers", "libraries", ANY) \
    X(timerfd_gettime, FILTER_ALLOW, "timers", "libraries", ANY) \
    X(timer_create, FILTER_ALLOW, "timers", "libc", ANY) \
    X(timer_settime, FILTER_ALLOW, "timers", "libc", ANY) \
    X(timer_gettime, FILTER_ALLOW, "timers", "libc", ANY) \
    X(timer_getoverrun, FILTER_ALLOW, "timers", "libc", ANY) \
    X(timer_delete, FILTER_ALLOW, "timers", "libc", ANY) \
    X(getitimer, FILTER_ALLOW, "timers", "libc", ANY) \
    X(setitimer, FILTER_ALLOW, "timers", "libc", ANY) \
    X(alarm, FILTER_ALLOW, "timers", "libc", ANY) \
    X(nanosleep, FILTER_ALLOW, "sleep", "musl", ANY) \
    X(clock_nanosleep, FILTER_ALLOW, "sleep", "glibc", ANY) \
    X(clock_gettime, FILTER_ALLOW, "time, where the vDSO does not serve", "libc", ANY) \
    X(clock_getres, FILTER_ALLOW, "time", "libuv", ANY) \
    X(gettimeofday, FILTER_ALLOW, "time", "libc", ANY) \
    X(time, FILTER_ALLOW, "time", "libc", ANY) \
    X(getrandom, FILTER_ALLOW, "random numbers", "glibc malloc, mimalloc", ANY) \
    X(getcpu, FILTER_ALLOW, "which processor", "mimalloc", ANY) \
    X(sysinfo, FILTER_ALLOW, "memory in all", "libc, libuv", ANY) \
    X(uname, FILTER_ALLOW, "kernel release", "libc", ANY) \
    X(socketpair, FILTER_ALLOW, "unix stream pair between its own processes", "libuv process spawn", \
      WHEN_BOTH(0, FILTER_LOW32, 1, 1, 0xf, 1)) \
    X(socketpair, FILTER_ALLOW, "unix seqpacket pair; not datagrams, which can be addressed", "libraries", \
      WHEN_BOTH(0, FILTER_LOW32, 1, 1, 0xf, 5)) \
    X(sendto, FILTER_ALLOW, "unix pair, without an address", "libraries", WHEN_NULL(4)) \
    X(recvfrom, FILTER_ALLOW, "unix pair", "libraries", ANY) \
    X(sendmsg, FILTER_ALLOW, "unix pair", "libuv", ANY) \
    X(recvmsg, FILTER_ALLOW, "unix pair", "libuv", ANY) \
    X(shutdown, FILTER_ALLOW, "unix pair", "libuv", ANY) \
    X(getsockname, FILTER_ALLOW, "what is descriptor 0", "libuv", ANY) \
    X(getsockopt, FILTER_ALLOW, "what is descriptor 0", "libuv", ANY)

/* Known and refused.  EPERM says to whoever reads a log that it was lema; all
 * of these would get ENOSYS without a row. */
#define FILTER_PROGRAM_REFUSED_ROWS(X) \
    X(socket, FILTER_EPERM, "no network and no service of the host", "network code", ANY) \
    X(connect, FILTER_EPERM, "no network and no service of the host", "network code", ANY) \
    X(bind, FILTER_EPERM, "no network and no service of the host", "network code", ANY) \
    X(listen, FILTER_EPERM, "no network and no service of the host", "network code", ANY) \
    X(ptrace, FILTER_EPERM, "fakes the end of a sibling", "debuggers, attacks", ANY) \
    X(process_vm_readv, FILTER_EPERM, "memory of other processes", "debuggers, attacks", ANY) \
    X(process_vm_writev, FILTER_EPERM, "memory of other processes", "debuggers, attacks", ANY) \
    X(pidfd_getfd, FILTER_EPERM, "descriptors of other processes", "attacks", ANY) \
    X(kcmp, FILTER_EPERM, "compares kernel pointers", "attacks", ANY) \
    X(unshare, FILTER_EPERM, "namespaces: the way to more kernel code", "attacks", ANY) \
    X(setns, FILTER_EPERM, "namespaces", "attacks", ANY) \
    X(mount, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(umount2, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(pivot_root, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(chroot, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(move_mount, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(open_tree, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(fsopen, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(fsconfig, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(fsmount, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(fspick, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(mount_setattr, FILTER_EPERM, "the view is finished", "attacks", ANY) \
    X(mknod, FILTER_EPERM, "only files, directories and links in /call", "attacks", ANY) \
    X(mknodat, FILTER_EPERM, "only files, directories and links in /call", "attacks", ANY) \
    X(name_to_handle_at, FILTER_EPERM, "handles pass by directories", "attacks", ANY) \
    X(open_by_handle_at, FILTER_EPERM, "handles pass by directories", "attacks", ANY) \
    X(bpf, FILTER_EPERM, "kernel code to attack", "attacks", ANY) \
    X(perf_event_open, FILTER_EPERM, "kernel code to attack", "profilers, attacks", ANY) \
    X(userfaultfd, FILTER_EPERM, "stops the kernel at a chosen place", "attacks", ANY) \
    X(io_uring_setup, FILTER_ENOSYS, "runs calls past this filter: libuv goes without", "libuv", \
      ANY) \
    X(io_uring_enter, FILTER_ENOSYS, "runs calls past this filter", "libuv", ANY) \
    X(io_uring_register, FILTER_ENOSYS, "runs calls past this filter", "libuv", ANY) \
    X(add_key, FILTER_EPERM, "keyrings have no namespace", "attacks", ANY) \
    X(request_key, FILTER_EPERM, "keyrings have no namespace", "attacks", ANY) \
    X(keyctl, FILTER_EPERM, "keyrings have no namespace", "attacks", ANY) \
    X(personality, FILTER_EPERM, "weakens address randomization", "attacks", ANY) \
    X(kexec_load, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(kexec_file_load, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(init_module, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(finit_module, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(delete_module, FILTER_EPERM, "the host's kernel", "attacks", ANY) \
    X(syslog, FILTER_EPERM, "the host's kernel log", "attacks", ANY)

#define FILTER_PROGRAM_ROWS(X) \
    FILTER_PROGRAM_FILE_ROWS(X) \
    FILTER_PROGRAM_MEMORY_ROWS(X) \
    FILTER_PROGRAM_PROCESS_ROWS(X) \
    FILTER_PROGRAM_EVENT_ROWS(X) \
    FILTER_PROGRAM_REFUSED_ROWS(X)

/* clang-format on */

#endif
