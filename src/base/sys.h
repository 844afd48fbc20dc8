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
