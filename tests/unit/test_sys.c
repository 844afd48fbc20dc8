/* base/sys: each raw system call does what its manual page says. */
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* directory/ holds file, link -> file, out -> / */
static char directory[] = "/tmp/lema-test-sys-XXXXXX";

static int make_directory(void)
{
    if (mkdtemp(directory) == NULL)
        return -1;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = openat(fd, "file", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || symlinkat("file", fd, "link") != 0 || symlinkat("/", fd, "out") != 0)
        return -1;
    (void)close(file);
    return fd;
}

static void check_openat2(int dir)
{
    int fd = sys_openat2(dir, "file", O_RDONLY | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS);
    CHECK(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "openat2 opens a file with its flags");
    (void)close(fd);
    CHECK(sys_openat2(dir, "link", O_RDONLY, 0, RESOLVE_NO_SYMLINKS) == -1 && errno == ELOOP,
          "openat2 refuses a symlink where none may be");
    CHECK(sys_openat2(dir, "out", O_RDONLY, 0, RESOLVE_BENEATH) == -1 && errno == EXDEV,
          "openat2 refuses to leave the directory");
    CHECK(sys_openat2(dir, "file", O_RDONLY, 0, UINT64_C(1) << 63) == -1 && errno == EINVAL,
          "openat2 refuses a rule that does not exist");
    fd = sys_openat2(dir, "new", O_WRONLY | O_CREAT | O_EXCL, 0640, RESOLVE_BENEATH);
    struct stat st = {0};
    CHECK(fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0640,
          "openat2 makes a file with its mode");
    (void)close(fd);
}

static void check_rename(int dir)
{
    CHECK(sys_rename_noreplace(dir, "new", dir, "file") == -1 && errno == EEXIST,
          "a rename does not replace a file");
    CHECK(sys_rename_noreplace(dir, "new", dir, "link") == -1 && errno == EEXIST, "nor a symlink");
    CHECK(sys_rename_noreplace(dir, "new", dir, "renamed") == 0 &&
              faccessat(dir, "renamed", F_OK, 0) == 0,
          "it takes a name that is free");
}

static void check_getdents(int dir)
{
    char buffer[1024];
    ssize_t n = sys_getdents64(dir, buffer, sizeof buffer);
    CHECK(n > 0 && memmem(buffer, (size_t)n, "renamed", 8) != NULL, "getdents64 lists the names");
    CHECK(sys_getdents64(dir, buffer, sizeof buffer) == 0, "and then has no more");
    CHECK(sys_getdents64(-1, buffer, sizeof buffer) == -1 && errno == EBADF,
          "it refuses what is no descriptor");
}

static void check_close_range(void)
{
    int low = fcntl(0, F_DUPFD_CLOEXEC, 500);
    int middle = fcntl(0, F_DUPFD_CLOEXEC, 501);
    int high = fcntl(0, F_DUPFD_CLOEXEC, 502);
    CHECK(low == 500 && middle == 501 && high == 502 && sys_close_range(501, 502) == 0,
          "close_range closes a range");
    CHECK(fcntl(low, F_GETFD) >= 0 && fcntl(middle, F_GETFD) == -1 && fcntl(high, F_GETFD) == -1,
          "to its last descriptor and no other");
    (void)close(low);
}

static void check_memfd_exec(void)
{
    static const char script[] = "#!/bin/sh\nexit $(($1 + $VALUE))\n";
    const char *const argv[] = {"name", "40", NULL};
    const char *const envp[] = {"VALUE=2", NULL};
    int fd = sys_memfd_executable("lema-test");
    int status = 0;
    CHECK(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "a memfd is close-on-exec");
    /* A script is read again by its name, which a close-on-exec descriptor has no more. */
    CHECK(fcntl(fd, F_SETFD, 0) == 0 &&
              write(fd, script, sizeof script - 1) == (ssize_t)sizeof script - 1 &&
              fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0,
          "it is written and sealed");
    pid_t child = fork();
    if (child == 0) {
        (void)sys_exec_fd(fd, argv, envp);
        _exit(99);
    }
    int pidfd = sys_pidfd_open(child);
    struct pollfd ended = {.fd = pidfd, .events = POLLIN, .revents = 0};
    CHECK(pidfd >= 0 && poll(&ended, 1, 30000) == 1, "a pidfd tells when its process ends");
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42,
          "the file of a descriptor is executed with its arguments and environment");
    (void)close(pidfd);
    (void)close(fd);
    CHECK(sys_pidfd_open(child) == -1 && errno == ESRCH, "a process that is gone has no pidfd");
}

/* In a child: a filter that answers EDOM to getppid. */
static int filtered_child(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDOM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 1;
    if (sys_seccomp_filter(&program) != 0)
        return 2;
    return syscall(SYS_getppid) == -1 && errno == EDOM ? 0 : 3;
}

static void check_seccomp(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(filtered_child());
    CHECK(waitpid(child, &status, 0) == child && status == 0, "a filter is loaded and works");
}

static void check_capget(void)
{
    uint64_t effective = 1;
    uint64_t permitted = 0;
    uint64_t inheritable = 0;
    char line[128];
    unsigned long long want = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "CapEff:", 7) == 0)
            want = strtoull(line + 7, NULL, 16);
    if (f != NULL)
        (void)fclose(f);
    CHECK(sys_capget(&effective, &permitted, &inheritable) == 0 && effective == want &&
              (effective & ~permitted) == 0,
          "capget tells what /proc/self/status tells");
}

static void check_memory(void)
{
    const size_t size = 1u << 20;
    uint8_t *p = sys_memory(size);
    bool zero = p != NULL;
    for (size_t i = 0; zero && i < size; i++)
        zero = p[i] == 0;
    CHECK(zero, "memory comes zeroed");
    if (p != NULL)
        (void)munmap(p, size);
    CHECK(sys_memory(SIZE_MAX / 2) == NULL, "what the address space does not hold is refused");
}

int main(void)
{
    (void)umask(0);
    int dir = make_directory();
    if (CHECK(dir >= 0, "a directory is made")) {
        check_openat2(dir);
        check_rename(dir);
        check_getdents(dir);
        static const char *const names[] = {"file", "link", "out", "renamed"};
        for (size_t i = 0; i < 4; i++)
            (void)unlinkat(dir, names[i], 0);
        (void)close(dir);
        CHECK(rmdir(directory) == 0, "nothing is left behind");
    }
    check_close_range();
    check_memfd_exec();
    check_seccomp();
    check_capget();
    check_memory();
    return check_end();
}
