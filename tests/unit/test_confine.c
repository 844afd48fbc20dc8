/* call/confine: what a monitor can no longer do, once code of an attacker runs in it
 * (specification 10). */
#include "call/confine.h"

#include <poll.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

#include "base/filter.h"
#include "base/sys.h"
#include "host/file.h"
#include "unit/check.h"
#include "unit/fixture.h"

static struct runtime rt;

/* --- The filter -------------------------------------------------------------------- */

enum attempt {
    NOTHING,
    EXEC,
    FORK,
    THREAD,
    SOCKET,
    CONNECT,
    PTRACE,
    EXECUTABLE,
    UNSHARE,
    MOUNT,
    TERM,
    MKNOD,
    SYMLINK,
    CHMOD,
    SECCOMP,
    IOCTL,
    ATTEMPTS
};

static void attempt(enum attempt what)
{
    static const char *const argv[] = {"/bin/true", NULL};
    char byte = 0;

    switch (what) {
    case EXEC: (void)syscall(SYS_execve, argv[0], argv, argv + 1); break;
    case FORK: (void)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); break;
    case THREAD: (void)syscall(SYS_clone3, NULL, 0); break;
    case SOCKET: (void)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); break;
    case CONNECT: (void)syscall(SYS_connect, 0, NULL, 0); break;
    case PTRACE: (void)syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0, 0); break;
    case EXECUTABLE:
        (void)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
        break;
    case UNSHARE: (void)syscall(SYS_unshare, CLONE_NEWUSER); break;
    case MOUNT: (void)syscall(SYS_mount, NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL); break;
    case TERM: (void)syscall(SYS_kill, getppid(), 0); break;
    case MKNOD: (void)syscall(SYS_mknodat, AT_FDCWD, "node", S_IFIFO | 0600, 0); break;
    case SYMLINK: (void)syscall(SYS_symlinkat, "/etc", AT_FDCWD, "link"); break;
    case CHMOD: (void)syscall(SYS_fchmodat, AT_FDCWD, ".", 0777); break;
    case SECCOMP: (void)syscall(SYS_seccomp, 0, 0, NULL); break;
    case IOCTL: (void)syscall(SYS_ioctl, 0, 0x5412, &byte); break; /* TIOCSTI */
    default: break;
    }
}

/* The end of a confined process: _exit would make a call of the sanitizers' own. */
static int end(int code)
{
    (void)syscall(SYS_exit_group, code);
    return code;
}

static int confined_attempt(void *arg, struct err *err)
{
    if (confine_monitor(err) != 0)
        return 1;
    attempt(*(enum attempt *)arg);
    return end(0);
}

static void test_filter(void)
{
    static const char *const names[ATTEMPTS] = {[EXEC] = "executes a program",
                                                [FORK] = "forks",
                                                [THREAD] = "starts a thread",
                                                [SOCKET] = "makes a socket",
                                                [CONNECT] = "connects",
                                                [PTRACE] = "traces",
                                                [EXECUTABLE] = "maps memory executable",
                                                [UNSHARE] = "makes a namespace",
                                                [MOUNT] = "mounts",
                                                [TERM] = "sends another signal than SIGKILL",
                                                [MKNOD] = "makes a node",
                                                [SYMLINK] = "makes a symlink",
                                                [CHMOD] = "changes a mode",
                                                [SECCOMP] = "loads another filter",
                                                [IOCTL] = "puts a byte into a terminal"};
    enum attempt what = NOTHING;
    struct err err;

    CHECK_I64(fixture_child(confined_attempt, &what, &err), 0, "a confined monitor lives");
    for (unsigned i = EXEC; i < ATTEMPTS; i++) {
        what = (enum attempt)i;
        CHECK_I64(fixture_child(confined_attempt, &what, &err), 128 + SIGSYS,
                  "a monitor that %s is killed", names[i]);
    }
}

/* A process that is stopped in poll and continued calls restart_syscall(2). */
static int stopped_in_poll(enum filter_role role)
{
    int up[2], down[2], status = 0;
    char byte = 0;

    MUST(pipe(up) == 0 && pipe(down) == 0);
    pid_t pid = fork();
    MUST(pid >= 0);
    if (pid == 0) {
        struct pollfd wait = {.fd = down[0], .events = POLLIN};
        struct err err;
        err_clear(&err);
        bool ready = filter_load(role, &err) == 0 && write(up[1], &byte, 1) == 1;
        end(ready && poll(&wait, 1, -1) == 1 ? 0 : 1);
    }
    MUST(read(up[0], &byte, 1) == 1);
    usleep(200000); /* until it polls */
    MUST(kill(pid, SIGSTOP) == 0 && waitpid(pid, &status, WUNTRACED) == pid);
    MUST(kill(pid, SIGCONT) == 0 && write(down[1], &byte, 1) == 1);
    MUST(waitpid(pid, &status, 0) == pid);
    for (size_t i = 0; i < 2; i++) {
        close(up[i]);
        close(down[i]);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_stopped(void)
{
    CHECK_I64(stopped_in_poll(FILTER_MONITOR), 0, "a monitor goes on after SIGSTOP and SIGCONT");
    CHECK_I64(stopped_in_poll(FILTER_KEEPER), 0, "a keeper goes on after SIGSTOP and SIGCONT");
}

/* --- Landlock ---------------------------------------------------------------------- */

/* What a confined process gets for writing somewhere: a bit for each row that fails. */
static int try_writes(struct err *err)
{
    static const struct {
        const char *path;
        bool allowed;
    } rows[] = {
        {"out/file", true},   {"out/deep/file", true}, {"lock/HALTED", true},
        {"elsewhere", false}, {"dist/file", false},    {"/tmp/lema-confine-test", false},
        {"/dev/full", false},
    };
    if (confine_monitor(err) != 0)
        return 1;
    int abi = confine_writes(&rt, err);
    if (abi < 0)
        return 2;
    if (abi == 0)
        return 3;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int fd = open(rows[i].path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if ((fd >= 0) != rows[i].allowed || (fd < 0 && errno != EACCES))
            return 10 + (int)i;
        fd_close(&fd);
    }
    if (unlinkat(AT_FDCWD, "dist/there", 0) == 0 || errno != EACCES)
        return 30;
    if (mkdirat(AT_FDCWD, "lock/dir", 0700) == 0 || errno != EACCES)
        return 31;
    if (sys_rename_noreplace(AT_FDCWD, "out/file", AT_FDCWD, "out/renamed") != 0 ||
        unlinkat(AT_FDCWD, "out/renamed", 0) != 0)
        return 32;
    int fd = open("dist/there", O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? 0 : 33; /* reading is not bound */
}

static int writes(void *arg, struct err *err)
{
    (void)arg;
    return end(try_writes(err));
}

static void test_writes(void)
{
    struct err err;

    fixture_mkdir("out", 0700);
    fixture_mkdir("out/deep", 0700);
    fixture_mkdir("lock", 0700);
    fixture_mkdir("dist", 0700);
    fixture_file("dist/there", 0600, "x");
    runtime_init(&rt);
    rt.uid = 4000000000u; /* nobody's manager */
    rt.output.fd = open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rt.lock.parent_fd = open("lock", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    MUST(rt.output.fd >= 0 && rt.lock.parent_fd >= 0);
    int result = fixture_child(writes, NULL, &err);
    if (result == 3)
        CHECK_SKIP("this kernel has no Landlock", "a monitor writes below output and lock alone");
    else
        CHECK_I64(result, 0, "a monitor writes below output and lock alone, and reads elsewhere");
}

int main(void)
{
    fixture_begin();
    test_filter();
    test_stopped();
    test_writes();
    fixture_end();
    return check_end();
}
