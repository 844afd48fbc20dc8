/* Every system call that libc has no wrapper for.  Layer: base.
 *
 * The only file with syscall(2) in it is sys.c.  Each wrapper returns what the
 * kernel returns, -1 with errno set on failure. */
#ifndef LEMA_BASE_SYS_H
#define LEMA_BASE_SYS_H

#include <linux/openat2.h>
#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sock_fprog;

/* openat2(2). */
int sys_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);

/* renameat2(2) with RENAME_NOREPLACE. */
int sys_rename_noreplace(int from_dir, const char *from, int to_dir, const char *to);

/* execveat(2) of the file that fd is, whatever its name is now (AT_EMPTY_PATH). */
int sys_exec_fd(int fd, const char *const argv[], const char *const envp[]);

/* close_range(2): closes every descriptor from first to last. */
int sys_close_range(unsigned int first, unsigned int last);

/* pidfd_open(2). */
int sys_pidfd_open(pid_t pid);

/* memfd_create(2) of an executable file (MFD_EXEC where the kernel knows it),
 * sealable, close-on-exec. */
int sys_memfd_executable(const char *name);

/* clone3(2) as fork(2), in new namespaces: flags of clone(2).  The child may call what is
 * async-signal-safe (signal-safety(7)). */
pid_t sys_clone_into(uint64_t namespaces);

/* clone3(2) as fork(2), the child in that cgroup from its beginning (CLONE_INTO_CGROUP). */
pid_t sys_clone_in_cgroup(int cgroup_fd);

/* The mount calls that take descriptors: open_tree(2) of what fd is, detached,
 * close-on-exec, not recursive; fsopen(2), fsconfig(2) and fsmount(2) of one file system
 * with one option or none (NULL); mount_setattr(2) of the mount itself; move_mount(2) of a
 * detached mount to a path below dirfd. */
#define SYS_MOUNT_RDONLY UINT64_C(1) /* MOUNT_ATTR_... by value: no header goes with every libc */
#define SYS_MOUNT_NOSUID UINT64_C(2)
#define SYS_MOUNT_NODEV UINT64_C(4)
#define SYS_MOUNT_NOEXEC UINT64_C(8)
int sys_open_tree(int fd);
int sys_mount_new(const char *type, const char *option, const char *value);
int sys_mount_attributes(int mount_fd, uint64_t set);
int sys_move_mount(int mount_fd, int dirfd, const char *path);

/* pivot_root(2) to the working directory, the old root over it (pivot_root(2), NOTES). */
int sys_pivot_here(void);

/* capset(2): no capability in the effective, permitted and inheritable set. */
int sys_capset_none(void);

/* landlock(7): the kernel's ABI, -1 with ENOSYS or EOPNOTSUPP where there is none; a ruleset
 * that handles these rights to files; rights below a directory; the rules for this thread. */
int sys_landlock_abi(void);
int sys_landlock_ruleset(uint64_t handled);
int sys_landlock_allow(int ruleset, int dirfd, uint64_t rights);
int sys_landlock_restrict(int ruleset);

/* getdents64(2). */
ssize_t sys_getdents64(int fd, void *buffer, size_t size);

/* seccomp(2) SECCOMP_SET_MODE_FILTER without flags; no_new_privs must be set. */
int sys_seccomp_filter(const struct sock_fprog *program);

/* prlimit(2): both limits of the caller's resource which (RLIMIT_...).  setrlimit(3)
 * takes an int or an enumeration, as the libc has it. */
int sys_limit(int which, uint64_t value);

/* capget(2) of the calling thread: the three sets as 64-bit masks. */
int sys_capget(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable);

/* Zeroed private memory that is never given back: mmap(2), for what is too large for
 * a stack and of which a process has one.  NULL on failure. */
void *sys_memory(size_t size);

#endif
