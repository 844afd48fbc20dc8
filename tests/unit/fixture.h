/* A directory of a test's own below /tmp, the objects in it, and children that may change their
 * user, namespaces or filter.  Anything that cannot be made ends the test program: then it
 * prints no plan, and has failed. */
#ifndef LEMA_TESTS_UNIT_FIXTURE_H
#define LEMA_TESTS_UNIT_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

#define FIXTURE_OTHER_UID 65534u
#define FIXTURE_PATH_BYTES 8192u

static char fixture_dir[64]; /* absolute; also the working directory */

#define MUST(condition) ((condition) ? (void)0 : fixture_die(#condition, __LINE__))

static _Noreturn inline void fixture_die(const char *what, int line)
{
    printf("Bail out! line %d: %s: %s\n", line, what, strerror(errno));
    exit(1);
}

static inline bool fixture_is_root(void)
{
    return geteuid() == 0;
}

static inline void fixture_begin(void)
{
    umask(022);
    MUST(snprintf(fixture_dir, sizeof fixture_dir, "/tmp/lema-test-XXXXXX") > 0);
    MUST(mkdtemp(fixture_dir) != NULL && chmod(fixture_dir, 0755) == 0);
    MUST(chdir(fixture_dir) == 0);
}

static inline int fixture_remove(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static inline void fixture_end(void)
{
    MUST(chdir("/") == 0);
    MUST(nftw(fixture_dir, fixture_remove, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

/* Absolute path of something in it; the last eight results are valid. */
static inline const char *fixture_path(const char *below)
{
    static char paths[8][FIXTURE_PATH_BYTES];
    static unsigned at;
    char *path = paths[at++ % 8];
    int n = snprintf(path, FIXTURE_PATH_BYTES, "%s%s%s", fixture_dir, below[0] != '\0' ? "/" : "",
                     below);
    MUST(n > 0 && n < (int)FIXTURE_PATH_BYTES);
    return path;
}

static inline void fixture_mkdir(const char *path, mode_t mode)
{
    MUST(mkdir(path, 0700) == 0 && chmod(path, mode) == 0);
}

static inline void fixture_bytes(const char *path, mode_t mode, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(fd >= 0 && (n == 0 || write(fd, bytes, n) == (ssize_t)n));
    MUST(fchmod(fd, mode) == 0 && close(fd) == 0);
}

static inline void fixture_file(const char *path, mode_t mode, const char *text)
{
    fixture_bytes(path, mode, text, strlen(text));
}

/* Run f in a child.  What it leaves in *err comes back.
 * returns  what f returned, or 128 + the signal that killed it */
static inline int fixture_child(int (*f)(void *arg, struct err *err), void *arg, struct err *err)
{
    int status = 0;
    struct err *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(shared != MAP_FAILED);
    err_clear(shared);
    fflush(stdout);
    pid_t pid = fork();
    MUST(pid >= 0);
    if (pid == 0)
        _exit(f(arg, shared) & 0x7f);
    MUST(waitpid(pid, &status, 0) == pid);
    *err = *shared;
    MUST(munmap(shared, sizeof *shared) == 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* From now on this process's system call number nr answers ENOSYS, as on an older kernel. */
static inline void fixture_without_call(unsigned nr)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* seccomp_data.nr */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* A mount namespace of this process's own, so that its mounts end with it. */
static inline void fixture_own_mounts(void)
{
    MUST(unshare(CLONE_NEWNS) == 0);
    MUST(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

/* Open descriptors of this process. */
static inline int fixture_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

#endif
