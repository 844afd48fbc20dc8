/* Attacks by processes, namespaces, mounts, sockets. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gauntlet/attack.h"

#define UNSHARE(word, flag)                                                                        \
    static enum verdict unshare_##word(void)                                                       \
    {                                                                                              \
        return worked(syscall(SYS_unshare, flag));                                                 \
    }
UNSHARE(user, CLONE_NEWUSER)
UNSHARE(mount, CLONE_NEWNS)
UNSHARE(pid, CLONE_NEWPID)
UNSHARE(net, CLONE_NEWNET)
UNSHARE(ipc, CLONE_NEWIPC)
UNSHARE(uts, CLONE_NEWUTS)
UNSHARE(cgroup, CLONE_NEWCGROUP)
UNSHARE(time, 0x80)

static enum verdict clone_user(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        _exit(0);
    return worked(pid);
}

static enum verdict clone3_user(void)
{
    uint64_t args[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
    long pid = syscall(SYS_clone3, args, sizeof args);
    if (pid == 0)
        _exit(0);
    return worked(pid);
}

static enum verdict enter_namespace(void)
{
    static const char *const paths[] = {"/proc/1/ns/mnt", "/proc/1/ns/user", "/proc/self/ns/uts",
                                        "/proc/self/ns/ipc"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        int fd = open(paths[i], O_RDONLY);
        if (fd >= 0 && syscall(SYS_setns, fd, 0) == 0)
            return SUCCEEDED;
    }
    return HELD;
}

static enum verdict mount_tmpfs(void)
{
    return worked(mount("none", "/call", "tmpfs", 0, NULL));
}

static enum verdict mount_again(void)
{
    return worked(mount(NULL, "/lean", NULL, MS_REMOUNT | MS_BIND, NULL));
}

static enum verdict unmount(void)
{
    return worked(umount2("/proc", MNT_DETACH));
}

static enum verdict new_mount_calls(void)
{
    if (syscall(SYS_fsopen, "tmpfs", 0) >= 0)
        return SUCCEEDED;
    return worked(syscall(SYS_open_tree, AT_FDCWD, "/", 1));
}

static enum verdict change_root(void)
{
    if (syscall(SYS_pivot_root, ".", ".") == 0)
        return SUCCEEDED;
    return worked(chroot("/call"));
}

static enum verdict trace_init(void)
{
    return worked(ptrace(PTRACE_ATTACH, 1, NULL, NULL));
}

static enum verdict trace_me(void)
{
    return worked(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static enum verdict read_sibling(void)
{
    char here[8] = "", there[8];
    struct iovec to = {there, sizeof there}, from = {here, sizeof here};
    return worked(process_vm_readv(getppid(), &to, 1, &from, 1, 0));
}

static enum verdict kill_init(void)
{
    if (kill(1, SIGKILL) != 0)
        return HELD;
    usleep(200000); /* pid 1 of a namespace takes no signal that it has no handler for */
    return getppid() == 0 ? SUCCEEDED : HELD;
}

static enum verdict get_descriptor(void)
{
    int fd = (int)syscall(SYS_pidfd_open, 1, 0);
    return fd < 0 ? HELD : worked(syscall(SYS_pidfd_getfd, fd, 0, 0));
}

#define SOCKET(word, family, type)                                                                 \
    static enum verdict socket_##word(void)                                                        \
    {                                                                                              \
        return worked(socket(family, type, 0));                                                    \
    }
SOCKET(unix, AF_UNIX, SOCK_STREAM)
SOCKET(inet, AF_INET, SOCK_STREAM)
SOCKET(inet6, AF_INET6, SOCK_DGRAM)
SOCKET(netlink, AF_NETLINK, SOCK_RAW)
SOCKET(packet, AF_PACKET, SOCK_RAW)
SOCKET(vsock, 40, SOCK_STREAM)
SOCKET(alg, 38, SOCK_SEQPACKET)

static enum verdict raise_priority(void)
{
    return worked(setpriority(PRIO_PROCESS, 0, -10));
}

static enum verdict raise_limits(void)
{
    const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    for (int i = 0; i < 16; i++) {
        struct rlimit now;
        if (getrlimit(i, &now) == 0 && now.rlim_max != RLIM_INFINITY && setrlimit(i, &limit) == 0)
            return SUCCEEDED;
    }
    return HELD;
}

static enum verdict gain_capability(void)
{
    uint32_t header[2] = {0x20080522, 0}, data[6] = {1u << 21, 1u << 21, 0, 0, 0, 0};
    if (syscall(SYS_capset, header, data) == 0)
        return SUCCEEDED;
    return worked(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0));
}

static enum verdict gain_privileges(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? HELD : SUCCEEDED;
}

static enum verdict become_root(void)
{
    if (setuid(0) == 0 && geteuid() == 0)
        return SUCCEEDED;
    return worked(setgroups(0, NULL));
}

static enum verdict host_name(void)
{
    return worked(sethostname("attacked", 8));
}

const struct attack process_attacks[] = {
    {"unshare-user", "make a user namespace", unshare_user},
    {"unshare-mount", "make a mount namespace", unshare_mount},
    {"unshare-pid", "make a pid namespace", unshare_pid},
    {"unshare-net", "make a network namespace", unshare_net},
    {"unshare-ipc", "make an ipc namespace", unshare_ipc},
    {"unshare-uts", "make a uts namespace", unshare_uts},
    {"unshare-cgroup", "make a cgroup namespace", unshare_cgroup},
    {"unshare-time", "make a time namespace", unshare_time},
    {"clone-user", "make a user namespace by clone", clone_user},
    {"clone3-user", "make a user namespace by clone3", clone3_user},
    {"enter-namespace", "enter a namespace by setns", enter_namespace},
    {"mount-tmpfs", "mount a tmpfs", mount_tmpfs},
    {"remount", "make /lean writable by remounting", mount_again},
    {"unmount", "unmount /proc", unmount},
    {"new-mount-calls", "fsopen or open_tree", new_mount_calls},
    {"change-root", "pivot_root or chroot", change_root},
    {"trace-init", "trace pid 1", trace_init},
    {"trace-me", "be traced", trace_me},
    {"read-sibling", "read another process's memory", read_sibling},
    {"kill-init", "end pid 1", kill_init},
    {"get-descriptor", "take a descriptor of another process", get_descriptor},
    {"socket-unix", "make a unix socket", socket_unix},
    {"socket-inet", "make an IPv4 socket", socket_inet},
    {"socket-inet6", "make an IPv6 socket", socket_inet6},
    {"socket-netlink", "make a netlink socket", socket_netlink},
    {"socket-packet", "make a packet socket", socket_packet},
    {"socket-vsock", "make a vsock socket", socket_vsock},
    {"socket-alg", "make a crypto socket", socket_alg},
    {"raise-priority", "raise its priority", raise_priority},
    {"raise-limits", "raise a hard limit", raise_limits},
    {"gain-capability", "gain a capability", gain_capability},
    {"gain-privileges", "lack no_new_privs", gain_privileges},
    {"become-root", "become uid 0", become_root},
    {"host-name", "change the host name", host_name},
};
const unsigned process_attack_count = sizeof process_attacks / sizeof process_attacks[0];
