/* doctor's probes that need a process of their own.  Layer: front. */
#include "front/doctor_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/filter.h"
#include "host/file.h"

#define PROBE_SECONDS 10u /* then SIGALRM ends the child */

/* What a child says, or nothing if it ended without a word. */
struct report {
    char step[24];
    int32_t sys;
};

/* Run in a child: it says where it failed, or ends with 0. */
typedef void probe(int out);

static void say(int out, const char *step, int sys)
{
    struct report r = {.sys = sys};

    str_copy(r.step, sizeof r.step, str_span(step));
    _exit(write(out, &r, sizeof r) == (ssize_t)sizeof r ? 1 : 2);
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* returns  the child's wait(2) status with what it said, or -1 with err */
static int run_child(probe *run, struct report *said, struct err *err)
{
    int ends[2];

    *said = (struct report){.sys = 0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_sys(err, ERR_IO, "pipe2", errno, str_span("doctor"), NULL);
    pid_t pid = fork();
    if (pid == 0) {
        fd_close(&ends[0]);
        signal(SIGALRM, SIG_DFL);
        alarm(PROBE_SECONDS);
        run(ends[1]);
        _exit(0);
    }
    int sys = errno;
    fd_close(&ends[1]);
    if (pid > 0 && read(ends[0], said, sizeof *said) != (ssize_t)sizeof *said)
        said->step[0] = '\0';
    fd_close(&ends[0]);
    if (pid < 0)
        return err_sys(err, ERR_IO, "fork", sys, str_span("doctor"), NULL);
    return wait_for(pid);
}

/* --- seccomp --------------------------------------------------------------------- */

static void try_seccomp(int out)
{
    struct err ignored;

    err_clear(&ignored);
    if (filter_load(FILTER_WORKER, &ignored) != 0)
        say(out, "seccomp", ignored.sys);
    getppid(); /* not in the table of a worker: ends the process */
}

int doctor_probe_seccomp(struct err *err)
{
    struct report said;
    int status = run_child(try_seccomp, &said, err);

    if (status < 0)
        return -1;
    if (said.step[0] != '\0')
        return err_sys(err, ERR_UNSUPPORTED, "seccomp", said.sys, str_span("seccomp filter"), NULL);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return 0;
    return err_set(err, ERR_UNSUPPORTED, str_span("seccomp filter"),
                   "loaded, but a forbidden call did not end the process");
}

/* --- Namespaces ------------------------------------------------------------------ */

static bool write_text(const char *path, const char *text)
{
    struct err ignored;
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    err_clear(&ignored);
    if (fd < 0)
        return false;
    int result = file_write_all(fd, text, str_span(text).n, str_span(path), &ignored);
    fd_close(&fd);
    return result == 0;
}

static bool write_map(const char *path, uint64_t id)
{
    char line[64];
    struct text t = text_on(line, sizeof line);

    text_add_number(&t, id);
    text_adds(&t, " ");
    text_add_number(&t, id);
    text_adds(&t, " 1\n");
    return write_text(path, line);
}

/* The first process of the new pid namespace. */
static void try_proc(int out)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        say(out, "mount", errno);
    if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, NULL) != 0)
        say(out, "mount tmpfs", errno);
    if (mount("proc", "/tmp", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        say(out, "mount proc", errno);
    _exit(0);
}

static void try_namespaces(int out)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();

    if (unshare(CLONE_NEWUSER) != 0)
        say(out, "unshare user", errno);
    if (!write_text("/proc/self/setgroups", "deny\n") || !write_map("/proc/self/uid_map", uid) ||
        !write_map("/proc/self/gid_map", gid))
        say(out, "id maps", errno);
    if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                CLONE_NEWCGROUP) != 0)
        say(out, "unshare", errno);
    pid_t pid = fork();
    if (pid == 0)
        try_proc(out);
    int status = pid > 0 ? wait_for(pid) : -1;
    if (!WIFEXITED(status))
        say(out, "fork", status < 0 ? errno : 0);
    _exit(WEXITSTATUS(status));
}

int doctor_probe_namespaces(struct err *err)
{
    struct report said;
    int status = run_child(try_namespaces, &said, err);

    if (status < 0)
        return -1;
    said.step[sizeof said.step - 1] = '\0';
    if (said.step[0] != '\0')
        return err_sys(err, ERR_UNSUPPORTED, said.step, said.sys, str_span("namespaces"), NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return err_set(err, ERR_UNSUPPORTED, str_span("namespaces"), "the trying process ended with %d",
                   status);
}
