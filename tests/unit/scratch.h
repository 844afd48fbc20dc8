/* A directory for one test, removed at its end; and, for root, file systems of
 * its own.  Layer: test. */
#ifndef LEMA_TESTS_UNIT_SCRATCH_H
#define LEMA_TESTS_UNIT_SCRATCH_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_path[64];
static int scratch_fd = -1; /* the directory */

static inline int scratch_remove_one(const char *path, const struct stat *st, int type,
                                     struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void scratch_end(void)
{
    if (scratch_fd >= 0)
        close(scratch_fd);
    scratch_fd = -1;
    (void)nftw(scratch_path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A new, empty one of mode 0700; the one before is removed. */
static inline void scratch_begin(void)
{
    if (scratch_fd >= 0)
        scratch_end();
    (void)strcpy(scratch_path, "/tmp/lema-test-XXXXXX");
    if (mkdtemp(scratch_path) == NULL)
        abort();
    scratch_fd = open(scratch_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scratch_fd < 0)
        abort();
}

static inline void scratch_write(const char *name, const void *bytes, size_t n)
{
    int fd = openat(scratch_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd) != 0)
        abort();
}

/* A file's contents, at most max bytes.  returns its length, -1 without one */
static inline ssize_t scratch_read(const char *name, char *bytes, size_t max)
{
    int fd = openat(scratch_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, bytes, max);
    close(fd);
    return n;
}

/* How many names the directory holds but "." and "..". */
static inline unsigned scratch_names(void)
{
    char command[128];
    unsigned n = 0;
    (void)snprintf(command, sizeof command, "ls -A %s | wc -l", scratch_path);
    FILE *f = popen(command, "r");
    if (f == NULL || fscanf(f, "%u", &n) != 1)
        abort();
    pclose(f);
    return n;
}

/* Mount a tmpfs of so many KiB over the scratch directory, seen by this process
 * alone.  The directory's descriptor then is the new one.
 * returns  false where that is not allowed (not root) */
static inline bool scratch_mount(unsigned kib)
{
    char options[64];
    (void)snprintf(options, sizeof options, "size=%uk,mode=0700", kib);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", scratch_path, "tmpfs", 0, options) != 0)
        return false;
    close(scratch_fd);
    scratch_fd = open(scratch_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return scratch_fd >= 0;
}

static inline bool scratch_remount(unsigned long flags)
{
    return mount(NULL, scratch_path, NULL, MS_REMOUNT | flags, NULL) == 0;
}

/* Write zeros until the file system takes no more. */
static inline void scratch_fill(void)
{
    static const char zeros[4096];
    int fd = openat(scratch_fd, "filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (write(fd, zeros, sizeof zeros) > 0)
        ;
    close(fd);
}

static inline void scratch_unmount(void)
{
    close(scratch_fd);
    (void)umount2(scratch_path, MNT_DETACH);
    scratch_fd = open(scratch_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

#endif
