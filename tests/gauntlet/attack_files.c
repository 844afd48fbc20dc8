/* Attacks by names and descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gauntlet/attack.h"

/* A file that is really made somewhere it should not be. */
static enum verdict write_elsewhere(void)
{
    static const char *const folders[] = {
        "/",        "/lean",     "/modules", "/artifacts", "/usr",        "/etc",           "/tmp",
        "/var/tmp", "/dev",      "/dev/shm", "/run",       "/home",       "/run/user/1000", "/mnt",
        "/opt",     "/lean/bin", "/sys",     "/proc",      "/dev/mqueue", "/var",           "/bin"};
    char path[64];

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/planted", folders[i]);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        if (fd >= 0)
            return SUCCEEDED;
    }
    return HELD;
}

static enum verdict any_opens(const char *const *paths, size_t n, int flags)
{
    for (size_t i = 0; i < n; i++)
        if (open(paths[i], flags | O_NONBLOCK | O_NOCTTY) >= 0)
            return SUCCEEDED;
    return HELD;
}
#define ANY_OPENS(paths, flags) any_opens(paths, sizeof(paths) / sizeof((paths)[0]), flags)

static enum verdict read_host(void)
{
    static const char *const paths[] = {"/etc/passwd", "/etc/hostname", "/home", "/root",
                                        "/var",        "/etc",          "/boot", "/usr/bin",
                                        "/run",        "/sys"};
    return ANY_OPENS(paths, O_RDONLY);
}

static enum verdict run_host_program(void)
{
    static const char *const paths[] = {"/bin/sh", "/usr/bin/env", "/usr/bin/su", "/bin/mount"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (access(paths[i], X_OK) == 0)
            return SUCCEEDED;
    return HELD;
}

static enum verdict host_devices(void)
{
    static const char *const paths[] = {"/dev/mem",  "/dev/kmsg", "/dev/kvm",
                                        "/dev/fuse", "/dev/tty",  "/dev/ptmx",
                                        "/dev/vda",  "/dev/sda",  "/dev/console"};
    return ANY_OPENS(paths, O_RDWR);
}

static enum verdict chmod_device(void)
{
    return worked(chmod("/dev/null", 0666));
}

static enum verdict change_lean(void)
{
    static const char *const paths[] = {"/lean/bin/lean", "/usr/bin/env", "/bin/sh"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (open(paths[i], O_WRONLY) >= 0 || chmod(paths[i], 0777) == 0 || unlink(paths[i]) == 0)
            return SUCCEEDED;
    return HELD;
}

static enum verdict link_lean(void)
{
    return worked(link("/lean/bin/lean", "/call/linked"));
}

static enum verdict proc_1(void)
{
    static const char *const paths[] = {"/proc/1/environ", "/proc/1/mem",  "/proc/1/maps",
                                        "/proc/1/root",    "/proc/1/cwd",  "/proc/1/fd/0",
                                        "/proc/1/exe",     "/proc/1/auxv", "/proc/1/stack"};
    return ANY_OPENS(paths, O_RDONLY);
}

static enum verdict proc_write(void)
{
    static const char *const paths[] = {"/proc/sys/kernel/core_pattern",
                                        "/proc/sysrq-trigger",
                                        "/proc/sys/vm/drop_caches",
                                        "/proc/sys/kernel/hostname",
                                        "/proc/1/oom_score_adj",
                                        "/proc/self/oom_score_adj",
                                        "/proc/self/uid_map",
                                        "/proc/self/timerslack_ns",
                                        "/proc/self/attr/current"};
    return ANY_OPENS(paths, O_WRONLY);
}

static enum verdict proc_kernel(void)
{
    static const char *const paths[] = {"/proc/kcore", "/proc/kmsg", "/proc/kpageflags",
                                        "/proc/timer_list"};
    char byte;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        int fd = open(paths[i], O_RDONLY | O_NONBLOCK);
        if (fd >= 0 && read(fd, &byte, 1) == 1)
            return SUCCEEDED;
    }
    return HELD;
}

static enum verdict other_processes(void)
{
    int n = 0;
    struct dirent *entry;
    DIR *d = opendir("/proc");
    while (d != NULL && (entry = readdir(d)) != NULL)
        n += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
    return n > 6 ? SUCCEEDED : HELD; /* init, the program, what it started, this one */
}

static enum verdict inherited_descriptors(void)
{
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return SUCCEEDED;
    return HELD;
}

static enum verdict self_exe(void)
{
    return worked(open("/proc/self/exe", O_WRONLY));
}

static enum verdict make_device(void)
{
    return worked(mknod("/call/device", S_IFCHR | 0600, 0x103));
}

static enum verdict make_fifo(void)
{
    return worked(mkfifo("/call/fifo", 0600));
}

static enum verdict setuid_file(void)
{
    int fd = open("/call/setuid", O_WRONLY | O_CREAT, 0600);
    struct stat st;
    if (fd < 0 || fchmod(fd, 06755) != 0 || fstat(fd, &st) != 0)
        return HELD;
    /* It may carry the bits; they must be worth nothing: nosuid or no_new_privs. */
    char status[4096];
    int proc = open("/proc/self/status", O_RDONLY);
    ssize_t n = read(proc, status, sizeof status - 1);
    status[n > 0 ? n : 0] = '\0';
    return strstr(status, "NoNewPrivs:\t1") != NULL ? HELD : SUCCEEDED;
}

static enum verdict handles(void)
{
    struct {
        unsigned bytes;
        int type;
        unsigned char handle[128];
    } h = {128, 0, {0}};
    int id;
    return worked(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", &h, &id, 0));
}

static enum verdict cgroup_files(void)
{
    static const char *const paths[] = {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory.max",
                                        "/sys/fs/cgroup/cgroup.controllers"};
    return ANY_OPENS(paths, O_RDONLY);
}

static enum verdict terminal_input(void)
{
    char byte = 'x';
    const unsigned long codes[] = {0x5412, 0x541c, 0x100005412ul, 0xffffffff00005412ul};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (syscall(SYS_ioctl, 0, codes[i], &byte) == 0 || errno == ENOTTY)
            return SUCCEEDED; /* ENOTTY: the kernel's terminal code was asked */
    return HELD;
}

/* Standard input may be the host's own /dev/null: its mode must not be the program's to set.
 * (Set to what it has: nothing is broken where it works.) */
static enum verdict chmod_input(void)
{
    struct stat st;
    if (fstat(0, &st) != 0 || !S_ISCHR(st.st_mode))
        return HELD;
    if (fchmod(0, st.st_mode & 07777) == 0 || chmod("/proc/self/fd/0", st.st_mode & 07777) == 0)
        return SUCCEEDED;
    return HELD;
}

const struct attack file_attacks[] = {
    {"write-elsewhere", "make a file outside /call", write_elsewhere},
    {"read-host", "open a file or folder of the host", read_host},
    {"run-host-program", "find a program of the host", run_host_program},
    {"host-devices", "open a device but the five memory devices", host_devices},
    {"chmod-device", "change the mode of /dev/null", chmod_device},
    {"chmod-input", "change the mode of its standard input", chmod_input},
    {"change-toolchain", "change, remove or re-mode a program", change_lean},
    {"link-toolchain", "hard-link a file of the toolchain into /call", link_lean},
    {"proc-1", "open what /proc/1 guards", proc_1},
    {"proc-write", "open a file of /proc for writing", proc_write},
    {"proc-kernel", "read kernel memory or log from /proc", proc_kernel},
    {"other-processes", "see a process that is not its own", other_processes},
    {"inherited-descriptors", "have a descriptor of the caller", inherited_descriptors},
    {"self-exe", "open its own program for writing", self_exe},
    {"make-device", "make a device node", make_device},
    {"make-fifo", "make a FIFO", make_fifo},
    {"setuid-file", "use a setuid bit", setuid_file},
    {"file-handles", "get a file handle", handles},
    {"cgroup-files", "see the cgroup file system", cgroup_files},
    {"terminal-input", "put input into a terminal (TIOCSTI, TIOCLINUX)", terminal_input},
};
const unsigned file_attack_count = sizeof file_attacks / sizeof file_attacks[0];
