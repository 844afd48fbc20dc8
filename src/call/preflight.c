/* Deny-probes.  Layer: call. */
#include "call/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"

#define REFUSALS_MAX 2
#define MAKE (O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)

enum probe {
    WRITE_ROOT,
    WRITE_DISTRIBUTION,
    WRITE_MODULES,
    WRITE_KERNEL_SETTING,
    READ_MEMORY_OF_INIT,
    HOST_PATH,
    INHERITED_DESCRIPTOR,
    NETWORK_SOCKET,
    UNIX_SOCKET,
    USER_NAMESPACE,
    TRACE_INIT,
    MOUNT
};

/* The errors that say "refused"; 0 is none. */
static const struct {
    const char *word;
    int32_t refusal[REFUSALS_MAX];
} probes[] = {
    [WRITE_ROOT] = {"write-root", {EROFS, EACCES}},
    [WRITE_DISTRIBUTION] = {"write-distribution", {EROFS, EACCES}},
    [WRITE_MODULES] = {"write-modules", {EROFS, EACCES}},
    [WRITE_KERNEL_SETTING] = {"write-kernel-setting", {EROFS, EACCES}},
    [READ_MEMORY_OF_INIT] = {"read-memory-of-init", {EACCES, EPERM}},
    [HOST_PATH] = {"host-path", {ENOENT}},
    [INHERITED_DESCRIPTOR] = {"inherited-descriptor", {EBADF}},
    [NETWORK_SOCKET] = {"network-socket", {EPERM}},
    [UNIX_SOCKET] = {"unix-socket", {EPERM}},
    [USER_NAMESPACE] = {"user-namespace", {EPERM}},
    [TRACE_INIT] = {"trace-init", {EPERM}},
    [MOUNT] = {"mount", {EPERM}},
};
_Static_assert(sizeof probes / sizeof probes[0] == PREFLIGHT_PROBES, "one answer for each");

/* The errno of what a call returned. */
static int32_t answer(long result)
{
    return result >= 0 ? 0 : errno;
}

/* Directories that a view never has: 0 if one is there. */
static int32_t see_host_path(void)
{
    static const char *const paths[] = {"/etc/passwd", "/home", "/root", "/run", "/sys", "/tmp"};
    struct stat st;

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (fstatat(AT_FDCWD, paths[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            return 0;
        else if (errno != ENOENT)
            return errno;
    return ENOENT;
}

static int32_t use_descriptor(void)
{
    for (int fd = PREFLIGHT_FD_ANSWER + 1; fd < (int)OPEN_FILES; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return 0;
    return EBADF;
}

static int32_t try_probe(enum probe probe)
{
    switch (probe) {
    case WRITE_ROOT: return answer(open("/lema-preflight", MAKE, 0600));
    case WRITE_DISTRIBUTION: return answer(open("/lean/lema-preflight", MAKE, 0600));
    case WRITE_MODULES: return answer(open("/modules/lema-preflight", MAKE, 0600));
    case WRITE_KERNEL_SETTING:
        return answer(open("/proc/sys/kernel/hostname", O_WRONLY | O_CLOEXEC));
    case READ_MEMORY_OF_INIT: return answer(open("/proc/1/mem", O_RDONLY | O_CLOEXEC));
    case HOST_PATH: return see_host_path();
    case INHERITED_DESCRIPTOR: return use_descriptor();
    case NETWORK_SOCKET: return answer(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    case UNIX_SOCKET: return answer(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    case USER_NAMESPACE: return answer(unshare(CLONE_NEWUSER));
    case TRACE_INIT: return answer(ptrace(PTRACE_SEIZE, 1, NULL, NULL));
    case MOUNT: return answer(mount("tmpfs", "/call", "tmpfs", 0, NULL));
    }
    return 0;
}

void preflight_try(struct preflight *out)
{
    for (size_t i = 0; i < PREFLIGHT_PROBES; i++)
        out->sys[i] = try_probe((enum probe)i);
}

const char *preflight_word(size_t probe)
{
    return probes[probe].word;
}

bool preflight_refused(size_t probe, int32_t sys)
{
    for (size_t i = 0; i < REFUSALS_MAX; i++)
        if (sys != 0 && probes[probe].refusal[i] == sys)
            return true;
    return false;
}
