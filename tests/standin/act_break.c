/* Directives: what the kernel is asked for. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "act.h"
#include "files.h"
#include "names.h"
#include "probe.h"

/* Constants that the C libraries do not all have. */
#define NEW_NS 0x00020000L
#define NEW_CGROUP 0x02000000L
#define NEW_UTS 0x04000000L
#define NEW_IPC 0x08000000L
#define NEW_USER 0x10000000L
#define NEW_PID 0x20000000L
#define NEW_NET 0x40000000L
#define NEW_TIME 0x00000080L
#define TTY_STI 0x5412UL
#define TTY_LINUX 0x541cUL
#define TRACE_SEIZE 0x4206

static long try_unshare(const long *values)
{
    return syscall(SYS_unshare, values[0]);
}

static long try_clone(const long *values)
{
    long pid = syscall(SYS_clone, values[0] | SIGCHLD, 0L, 0L, 0L, 0L);

    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : 0;
}

static long try_clone3(const long *values)
{
    unsigned long args[8] = {(unsigned long)values[0], 0, 0, 0, SIGCHLD, 0, 0, 0};
    long pid = syscall(SYS_clone3, args, sizeof args);

    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : 0;
}

static long try_setns(const long *values)
{
    int fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);

    return fd < 0 ? -1 : syscall(SYS_setns, fd, values[0]);
}

void act_userns(struct directive_context *c, const struct arguments *a)
{
    static const struct {
        const char *name;
        long (*attempt)(const long *values);
        long flag;
    } rows[] = {
        {"unshare-user", try_unshare, NEW_USER},
        {"unshare-mount", try_unshare, NEW_NS},
        {"unshare-pid", try_unshare, NEW_PID},
        {"unshare-net", try_unshare, NEW_NET},
        {"unshare-ipc", try_unshare, NEW_IPC},
        {"unshare-uts", try_unshare, NEW_UTS},
        {"unshare-cgroup", try_unshare, NEW_CGROUP},
        {"unshare-time", try_unshare, NEW_TIME},
        {"clone-user", try_clone, NEW_USER},
        {"clone-mount", try_clone, NEW_NS},
        {"clone-pid", try_clone, NEW_PID},
        {"clone3-user", try_clone3, NEW_USER},
        {"clone3-plain", try_clone3, 0},
        {"setns-user", try_setns, NEW_USER},
    };

    (void)c;
    (void)a;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        probe("userns", rows[i].name, rows[i].attempt, &rows[i].flag);
}

static long try_seize(const long *values)
{
    return syscall(SYS_ptrace, TRACE_SEIZE, values[0], 0L, 0L);
}

static long try_readv(const long *values)
{
    char byte;
    struct iovec here = {&byte, 1};
    struct iovec there = {(void *)0x400000, 1};

    return syscall(SYS_process_vm_readv, values[0], &here, 1L, &there, 1L, 0L);
}

static long try_getfd(const long *values)
{
    long pidfd = syscall(SYS_pidfd_open, values[0], 0L);

    return pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, 0L, 0L);
}

static long try_mem(const long *values)
{
    struct text path = {0};

    text_addf(&path, "/proc/%ld/mem", values[0]);
    return open(path.p, O_RDONLY | O_CLOEXEC) < 0 ? -1 : 0;
}

static long try_signal(const long *values)
{
    return kill((pid_t)values[0], 0);
}

void act_ptrace_1(struct directive_context *c, const struct arguments *a)
{
    const long init = 1;
    const long parent = getppid();

    (void)c;
    (void)a;
    probe("ptrace-1", "seize", try_seize, &init);
    probe("ptrace-1", "process_vm_readv", try_readv, &init);
    probe("ptrace-1", "pidfd_getfd", try_getfd, &init);
    probe("ptrace-1", "mem", try_mem, &init);
    probe("ptrace-1", "signal-0", try_signal, &init);
    probe("ptrace-1", "parent-seize", try_seize, &parent);
    probe("ptrace-1", "parent-process_vm_readv", try_readv, &parent);
    probe("ptrace-1", "parent-mem", try_mem, &parent);
}

static long try_mount(const long *values)
{
    long result = syscall(SYS_mount, "tmpfs", ".", "tmpfs", values[0], 0L);

    if (result == 0)
        (void)umount2(".", MNT_DETACH);
    return result;
}

static long try_remount(const long *values)
{
    return syscall(SYS_mount, "none", "/lean", 0L, values[0], 0L);
}

static long try_umount(const long *values)
{
    return syscall(SYS_umount2, "/lean", values[0]);
}

static long try_pivot(const long *values)
{
    (void)values;
    return syscall(SYS_pivot_root, "/lean", "/lean");
}

static long try_chroot(const long *values)
{
    (void)values;
    return syscall(SYS_chroot, ".");
}

static long try_fsopen(const long *values)
{
    return syscall(SYS_fsopen, "tmpfs", values[0]) < 0 ? -1 : 0;
}

static long try_open_tree(const long *values)
{
    return syscall(SYS_open_tree, AT_FDCWD, "/", values[0]) < 0 ? -1 : 0;
}

void act_mount_try(struct directive_context *c, const struct arguments *a)
{
    const long zero = 0;
    const long remount = MS_REMOUNT | MS_BIND;
    const long detach = MNT_DETACH;
    const long clone_tree = 1;

    (void)c;
    (void)a;
    probe("mount-try", "tmpfs-here", try_mount, &zero);
    probe("mount-try", "remount-lean-writable", try_remount, &remount);
    probe("mount-try", "umount-lean", try_umount, &detach);
    probe("mount-try", "pivot-root", try_pivot, &zero);
    probe("mount-try", "chroot", try_chroot, &zero);
    probe("mount-try", "fsopen", try_fsopen, &zero);
    probe("mount-try", "open-tree", try_open_tree, &clone_tree);
}

static long try_syscall(const long *values)
{
    return syscall(values[0], values[1], values[2], values[3], 0L, 0L, 0L);
}

void act_syscall(struct directive_context *c, const struct arguments *a)
{
    const long values[] = {(long)argument_number(a, 0, 0), (long)argument_number(a, 1, 0),
                           (long)argument_number(a, 2, 0), (long)argument_number(a, 3, 0)};

    (void)c;
    probe("syscall", a->at[0], try_syscall, values);
}

/* getpid through the 32-bit gate. */
static long try_int80(const long *values)
{
    long result = values[0];

    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    return 0;
}

void act_int80(struct directive_context *c, const struct arguments *a)
{
    const long getpid32 = 20;

    (void)c;
    (void)a;
    probe("int80", "getpid", try_int80, &getpid32);
}

static long try_ioctl(const long *values)
{
    char byte = ' ';

    return syscall(SYS_ioctl, values[0], values[1], &byte);
}

void act_ioctl_tty(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    (void)a;
    for (long fd = 0; fd < 3; fd++) {
        const long sti[] = {fd, (long)TTY_STI};
        const long console[] = {fd, (long)TTY_LINUX};

        probe("ioctl-tty", "TIOCSTI", try_ioctl, sti);
        probe("ioctl-tty", "TIOCLINUX", try_ioctl, console);
    }
}
