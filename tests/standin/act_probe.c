/* Directives: what can be reached. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "act.h"
#include "files.h"
#include "names.h"
#include "probe.h"

/* Folders in which a file is made, and removed if that worked. */
static const char *const folders[] = {
    "/",
    "..",
    "../..",
    "/lean",
    "/lean/bin",
    "/lean/lib",
    "/lean/lib/lean",
    "/modules",
    "/artifacts",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/bin",
    "/lib",
    "/lib64",
    "/etc",
    "/home",
    "/root",
    "/opt",
    "/var",
    "/var/tmp",
    "/tmp",
    "/run",
    "/mnt",
    "/srv",
    "/boot",
    "/sys",
    "/sys/fs/cgroup",
    "/proc",
    "/proc/1",
    "/proc/sys/kernel",
    "/dev",
    "/dev/shm",
    "/dev/pts",
    "/dev/mqueue",
};

/* Files that are opened for writing; nothing is written. */
static const char *const files[] = {
    "/lean/bin/lean",
    "/lean/lib/lean/Init.olean",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sysrq-trigger",
    "/proc/self/oom_score_adj",
    "/proc/self/uid_map",
    "/proc/self/mem",
    "/proc/1/mem",
    "/proc/1/oom_score_adj",
    "/dev/kmsg",
    "/dev/mem",
    "/dev/sda",
    "/dev/vda",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/kvm",
    "/dev/fuse",
    "/etc/passwd",
    "/etc/ld.so.preload",
    "/proc/self/exe",
};

static void try_writing(const char *path, int flags)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags, 0666);

    if (fd < 0) {
        say("denied %s %s", path, errno_name(errno));
        return;
    }
    say("WROTE %s", path);
    close(fd);
    if ((flags & O_CREAT) != 0)
        unlink(path);
}

void act_write_everywhere(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    (void)a;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        struct text path = {0};

        text_addf(&path, "%s/standin-probe", strcmp(folders[i], "/") == 0 ? "" : folders[i]);
        try_writing(path.p, O_CREAT | O_EXCL);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        try_writing(files[i], 0);
}

void act_fd_check(struct directive_context *c, const struct arguments *a)
{
    unsigned count = 0;

    (void)c;
    (void)a;
    for (int fd = 3; fd < 65536; fd++) {
        struct text link = {0};
        char target[256];
        ssize_t n;

        if (fcntl(fd, F_GETFD) < 0)
            continue;
        text_addf(&link, "/proc/self/fd/%d", fd);
        n = readlink(link.p, target, sizeof target);
        say("fd-check %d: %.*s", fd, n < 0 ? 0 : (int)n, target);
        count++;
    }
    say("fd-check: %u open above 2", count);
}

struct family {
    const char *name;
    int family;
    int type;
    int protocol;
};

static const struct family families[] = {
    {"unix-stream", AF_UNIX, SOCK_STREAM, 0},
    {"unix-datagram", AF_UNIX, SOCK_DGRAM, 0},
    {"inet-stream", AF_INET, SOCK_STREAM, 0},
    {"inet-datagram", AF_INET, SOCK_DGRAM, 0},
    {"inet-raw", AF_INET, SOCK_RAW, 1},
    {"inet6-stream", AF_INET6, SOCK_STREAM, 0},
    {"inet6-datagram", AF_INET6, SOCK_DGRAM, 0},
    {"netlink-route", AF_NETLINK, SOCK_RAW, 0},
    {"netlink-audit", AF_NETLINK, SOCK_RAW, 9},
    {"netlink-uevent", AF_NETLINK, SOCK_RAW, 15},
    {"packet", AF_PACKET, SOCK_RAW, 0},
    {"vsock", 40, SOCK_STREAM, 0},
    {"alg", 38, SOCK_SEQPACKET, 0},
    {"bluetooth", 31, SOCK_RAW, 1},
    {"can", 29, SOCK_RAW, 1},
    {"key", 15, SOCK_RAW, 2},
    {"xdp", 44, SOCK_RAW, 0},
    {"tipc", 30, SOCK_SEQPACKET, 0},
};

static long try_socket(const long *values)
{
    return socket((int)values[0], (int)values[1], (int)values[2]) < 0 ? -1 : 0;
}

static long try_pair(const long *values)
{
    int pair[2];

    return socketpair((int)values[0], (int)values[1], 0, pair);
}

void act_open_net(struct directive_context *c, const struct arguments *a)
{
    static const long stream[] = {AF_UNIX, SOCK_STREAM};
    static const long inet[] = {AF_INET, SOCK_STREAM};

    (void)c;
    (void)a;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const long values[] = {families[i].family, families[i].type, families[i].protocol};

        probe("open-net", families[i].name, try_socket, values);
    }
    probe("open-net", "pair-unix", try_pair, stream);
    probe("open-net", "pair-inet", try_pair, inet);
}

static const char *const entries[] = {
    "attr/current", "auxv",    "cgroup",    "cmdline", "comm",        "environ", "exe",
    "fd",           "fdinfo",  "fd/0",      "fd/3",    "io",          "limits",  "map_files",
    "maps",         "mem",     "mountinfo", "mounts",  "net/dev",     "ns",      "ns/mnt",
    "ns/pid",       "ns/user", "oom_score", "pagemap", "personality", "root",    "root/etc",
    "smaps",        "stack",   "stat",      "status",  "syscall",     "task",    "task/1/environ",
    "uid_map",      "wchan",
};

void act_read_proc_1(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    (void)a;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        struct text path = {0};
        char byte;
        int fd;
        ssize_t n;

        text_addf(&path, "/proc/1/%s", entries[i]);
        fd = open(path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0) {
            say("read-proc-1 %s: %s", entries[i], errno_name(errno));
            continue;
        }
        n = read(fd, &byte, 1);
        say("read-proc-1 %s: OPENED, read %s", entries[i], errno_name(n < 0 ? errno : 0));
        close(fd);
    }
}
