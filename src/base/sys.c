/* Every raw system call.  Layer: base.
 *
 * The only file that contains syscall(2): libc has no wrapper for these calls,
 * or only in some versions. */
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* memfd_create(2) flags by value: older headers lack the last. */
#define MEMFD_CLOEXEC 0x1u
#define MEMFD_ALLOW_SEALING 0x2u
#define MEMFD_EXEC 0x10u /* since Linux 6.3 */

#define RENAME_WITHOUT_REPLACING 1u /* RENAME_NOREPLACE of renameat2(2) */

int sys_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve)
{
    struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
    return (int)syscall(SYS_openat2, dirfd, path, &how, sizeof how);
}

int sys_rename_noreplace(int from_dir, const char *from, int to_dir, const char *to)
{
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, RENAME_WITHOUT_REPLACING);
}

int sys_exec_fd(int fd, const char *const argv[], const char *const envp[])
{
    return (int)syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
}

int sys_close_range(unsigned int first, unsigned int last)
{
    return (int)syscall(SYS_close_range, first, last, 0u);
}

int sys_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0u);
}

int sys_memfd_executable(const char *name)
{
    const unsigned int flags = MEMFD_CLOEXEC | MEMFD_ALLOW_SEALING;
    int fd = (int)syscall(SYS_memfd_create, name, flags | MEMFD_EXEC);
    if (fd >= 0 || errno != EINVAL)
        return fd;
    /* A kernel before 6.3 does not know the flag: its memfds are executable anyway. */
    return (int)syscall(SYS_memfd_create, name, flags);
}

pid_t sys_clone_into(uint64_t namespaces)
{
    struct clone_args args = {.flags = namespaces, .exit_signal = SIGCHLD};
    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

pid_t sys_clone_in_cgroup(int cgroup_fd)
{
    struct clone_args args = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (unsigned int)cgroup_fd};
    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

int sys_open_tree(int fd)
{
    return (int)syscall(SYS_open_tree, fd, "",
                        (unsigned int)(OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH));
}

int sys_mount_new(const char *type, const char *option, const char *value)
{
    int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
    int mount_fd = -1;
    if (fs < 0)
        return -1;
    if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "source", type, 0) == 0 &&
        (option == NULL || syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, option, value, 0) == 0) &&
        syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        mount_fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID);
    int sys = errno;
    close(fs);
    errno = sys;
    return mount_fd;
}

int sys_mount_attributes(int mount_fd, uint64_t set)
{
    _Static_assert(SYS_MOUNT_RDONLY == MOUNT_ATTR_RDONLY && SYS_MOUNT_NOSUID == MOUNT_ATTR_NOSUID &&
                       SYS_MOUNT_NODEV == MOUNT_ATTR_NODEV && SYS_MOUNT_NOEXEC == MOUNT_ATTR_NOEXEC,
                   "the kernel's values");
    struct mount_attr attributes = {.attr_set = set};
    return (int)syscall(SYS_mount_setattr, mount_fd, "", AT_EMPTY_PATH, &attributes,
                        sizeof attributes);
}

int sys_move_mount(int mount_fd, int dirfd, const char *path)
{
    return (int)syscall(SYS_move_mount, mount_fd, "", dirfd, path, MOVE_MOUNT_F_EMPTY_PATH);
}

int sys_pivot_here(void)
{
    return (int)syscall(SYS_pivot_root, ".", ".");
}

int sys_capset_none(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    return (int)syscall(SYS_capset, &header, none);
}

/* By value: older headers have neither the calls nor the structures. */
#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT_SELF 446
#define LANDLOCK_VERSION 1u    /* LANDLOCK_CREATE_RULESET_VERSION */
#define LANDLOCK_PATH_BELOW 1u /* LANDLOCK_RULE_PATH_BENEATH */

int sys_landlock_abi(void)
{
    return (int)syscall(LANDLOCK_CREATE_RULESET, NULL, (size_t)0, LANDLOCK_VERSION);
}

int sys_landlock_ruleset(uint64_t handled)
{
    return (int)syscall(LANDLOCK_CREATE_RULESET, &handled, sizeof handled, 0u);
}

int sys_landlock_allow(int ruleset, int dirfd, uint64_t rights)
{
    const struct {
        uint64_t rights;
        int32_t fd;
    } __attribute__((packed)) rule = {rights, dirfd};
    return (int)syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BELOW, &rule, 0u);
}

int sys_landlock_restrict(int ruleset)
{
    return (int)syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0u);
}

ssize_t sys_getdents64(int fd, void *buffer, size_t size)
{
    return (ssize_t)syscall(SYS_getdents64, fd, buffer, size);
}

int sys_seccomp_filter(const struct sock_fprog *program)
{
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, program);
}

int sys_limit(int which, uint64_t value)
{
    const struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    return (int)syscall(SYS_prlimit64, 0, which, &limit, NULL);
}

int sys_capget(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    if (syscall(SYS_capget, &header, data) != 0)
        return -1;
    *effective = (uint64_t)data[1].effective << 32 | data[0].effective;
    *permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
    *inheritable = (uint64_t)data[1].inheritable << 32 | data[0].inheritable;
    return 0;
}

void *sys_memory(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
