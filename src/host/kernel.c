/* Text that the kernel makes.  Layer: host. */
#include "host/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/file.h"
#include "host/walk.h"

/* Walk to a directory and ask which file system it is. */
static int open_on(const char *path, uint64_t magic, const char *name, struct err *err)
{
    struct walk w;
    struct statfs fs;
    const struct span shown = str_span(path);
    if (walk_path(&w, shown, WALK_DIRECTORY, O_RDONLY, geteuid(), err) != 0)
        return err_wrap(err, ERR_UNSUPPORTED, str_span(name));
    if (fstatfs(w.fd, &fs) != 0)
        err_sys(err, ERR_UNSUPPORTED, "fstatfs", errno, shown, NULL);
    else if ((uint64_t)fs.f_type != magic)
        err_set(err, ERR_UNSUPPORTED, shown, "is not a file system of the kind %s", name);
    else {
        fd_close(&w.parent_fd);
        return w.fd;
    }
    walk_close(&w);
    return -1;
}

int kernel_open_proc(struct err *err)
{
    return open_on("/proc", PROC_SUPER_MAGIC, "proc", err);
}

int kernel_open_cgroup(struct err *err)
{
    struct err first;
    err_clear(&first);
    int fd = open_on("/sys/fs/cgroup", CGROUP2_SUPER_MAGIC, "cgroup2", &first);
    if (fd >= 0)
        return fd;
    return open_on("/sys/fs/cgroup/unified", CGROUP2_SUPER_MAGIC, "cgroup2", err);
}

int kernel_open_self(int proc_fd, struct err *err)
{
    char target[32];
    int sys = 0;
    const struct span shown = str_span("/proc/self");
    ssize_t n = readlinkat(proc_fd, "self", target, sizeof target - 1);
    if (n < 0)
        return err_sys(err, ERR_UNSUPPORTED, "readlinkat", errno, shown, NULL);
    target[n] = '\0';
    int fd = walk_below(proc_fd, target, O_RDONLY | O_DIRECTORY, &sys);
    if (fd < 0)
        return err_sys(err, ERR_UNSUPPORTED, "openat2", sys, shown, NULL);
    return fd;
}

ssize_t kernel_read(int dirfd, const char *path, char *buffer, size_t size, bool *missing,
                    struct err *err)
{
    int sys = 0;
    const struct span shown = str_span(path);
    int fd = walk_below(dirfd, path, O_RDONLY, &sys);
    if (missing != NULL)
        *missing = fd < 0 && sys == ENOENT;
    if (fd < 0)
        return err_sys(err, ERR_UNSUPPORTED, "openat2", sys, shown, "cannot be read");
    struct err why;
    err_clear(&why);
    ssize_t n = file_read(fd, (uint8_t *)buffer, size - 1, shown, &why);
    fd_close(&fd);
    if (n < 0) {
        why.what = ERR_UNSUPPORTED;
        *err = err->what == ERR_NONE ? why : *err;
        return -1;
    }
    buffer[n] = '\0';
    return n;
}

int kernel_next_line(struct span *rest, struct span *line)
{
    if (rest->n == 0)
        return 0;
    const uint8_t *end = memchr(rest->p, '\n', rest->n);
    size_t n = end != NULL ? (size_t)(end - rest->p) : rest->n;
    *line = (struct span){rest->p, n};
    n += end != NULL;
    *rest = (struct span){rest->p + n, rest->n - n};
    return 1;
}

int kernel_next_word(struct span *rest, struct span *word)
{
    while (rest->n > 0 && rest->p[0] == ' ')
        *rest = (struct span){rest->p + 1, rest->n - 1};
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ')
        n++;
    *word = (struct span){rest->p, n};
    *rest = (struct span){rest->p + n, rest->n - n};
    return n > 0;
}
