/* Files of evidence.  Layer: host.
 *
 * States of a pending file: nothing (temporary ""), temporary on disk (fd open),
 * final.  What a crash leaves behind is a temporary, which the next file_begin
 * of that name removes, or the whole file under its final name. */
#include "host/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "host/walk.h"

void fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* --- Bytes ------------------------------------------------------------------- */

/* Read up to n bytes at an offset: fewer only at the end of the file. */
static ssize_t read_at(int fd, uint8_t *buffer, size_t n, off_t offset, struct span shown,
                       struct err *err)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(fd, buffer + done, n - done, offset + (off_t)done);
        int sys = errno;
        if (got == 0)
            break;
        if (got > 0)
            done += (size_t)got;
        else if (sys != EINTR)
            return err_sys(err, ERR_IO, "pread", sys, shown, NULL);
    }
    return (ssize_t)done;
}

ssize_t file_read(int fd, uint8_t *buffer, size_t max, struct span shown, struct err *err)
{
    uint8_t beyond;
    ssize_t n = read_at(fd, buffer, max, 0, shown, err);
    if (n < 0 || (size_t)n < max)
        return n;
    ssize_t more = read_at(fd, &beyond, 1, (off_t)max, shown, err);
    if (more < 0)
        return -1;
    if (more > 0)
        return err_set(err, ERR_IO, shown, "is longer than %zu bytes", max);
    return n;
}

int file_write_all(int fd, const void *bytes, size_t n, struct span shown, struct err *err)
{
    const uint8_t *p = bytes;
    for (size_t done = 0; done < n;) {
        ssize_t put = write(fd, p + done, n - done);
        int sys = errno;
        if (put > 0)
            done += (size_t)put;
        else if (put == 0 || sys != EINTR)
            return err_sys(err, ERR_IO, "write", put == 0 ? ENOSPC : sys, shown, NULL);
    }
    return 0;
}

/* --- Durable files ------------------------------------------------------------- */

int file_sync_directory(int dirfd, struct span shown, struct err *err)
{
    if (fsync(dirfd) != 0)
        return err_sys(err, ERR_IO, "fsync", errno, shown, "the directory cannot be synced");
    return 0;
}

void file_init(struct file_pending *f)
{
    memset(f, 0, sizeof *f);
    f->fd = -1;
    f->dirfd = -1;
}

static int set_names(struct file_pending *f, const char *name, struct err *err)
{
    struct text t = text_on(f->temporary, sizeof f->temporary);
    text_adds(&t, ".");
    text_adds(&t, name);
    text_adds(&t, ".tmp");
    if (name[0] != '\0' && strchr(name, '/') == NULL && !t.overflow &&
        str_copy(f->name, sizeof f->name, str_span(name)))
        return 0;
    f->temporary[0] = '\0';
    return err_set(err, ERR_IO, str_span(name), "cannot be the name of a file of evidence");
}

/* Without a stale one of a run that crashed. */
static int make_temporary(struct file_pending *f, struct err *err)
{
    const struct span shown = str_span(f->temporary);
    int sys = unlinkat(f->dirfd, f->temporary, 0) != 0 ? errno : 0;
    if (sys != 0 && sys != ENOENT)
        return err_sys(err, ERR_IO, "unlinkat", sys, shown, "a stale temporary cannot be removed");
    f->fd = walk_create(f->dirfd, f->temporary, EVIDENCE_MODE, shown, err);
    return f->fd < 0 ? -1 : 0;
}

/* Take space without changing the size.  Every block is really there then: a
 * write into it cannot fail for want of space. */
static int take_space(struct file_pending *f, uint64_t space_bytes, struct err *err)
{
    if (space_bytes == 0)
        return 0;
    if (fallocate(f->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)space_bytes) == 0)
        return 0;
    int sys = errno;
    const struct span shown = str_span(f->name);
    if (sys == ENOSPC || sys == EDQUOT)
        return err_sys(err, ERR_SPACE, "fallocate", sys, shown, "no space for evidence");
    if (sys == EOPNOTSUPP || sys == ENOSYS)
        return err_sys(err, ERR_UNSUPPORTED, "fallocate", sys, shown,
                       "this file system cannot take space in advance");
    return err_sys(err, ERR_IO, "fallocate", sys, shown, NULL);
}

int file_begin(struct file_pending *f, int dirfd, const char *name, uint64_t space_bytes,
               struct err *err)
{
    file_init(f);
    f->dirfd = dirfd;
    if (set_names(f, name, err) != 0)
        return -1;
    if (make_temporary(f, err) != 0) {
        f->temporary[0] = '\0';
        return -1;
    }
    if (take_space(f, space_bytes, err) == 0)
        return 0;
    file_abandon(f);
    return -1;
}

/* Truncating to the size it has frees what was taken beyond it. */
static int give_space_back(struct file_pending *f, struct err *err)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        return err_sys(err, ERR_IO, "fstat", errno, str_span(f->name), NULL);
    if (ftruncate(f->fd, st.st_size) != 0)
        return err_sys(err, ERR_IO, "ftruncate", errno, str_span(f->name), NULL);
    return 0;
}

int file_commit(struct file_pending *f, struct err *err)
{
    const struct span shown = str_span(f->name);
    if (f->fd < 0)
        return err_set(err, ERR_INTERNAL, shown, "committed without being begun");
    if (give_space_back(f, err) != 0)
        return -1;
    if (fsync(f->fd) != 0)
        return err_sys(err, ERR_IO, "fsync", errno, shown, NULL);
    if (sys_rename_noreplace(f->dirfd, f->temporary, f->dirfd, f->name) != 0) {
        int sys = errno;
        return err_sys(err, ERR_IO, "renameat2", sys, shown,
                       sys == EEXIST ? "exists already" : NULL);
    }
    f->temporary[0] = '\0';
    fd_close(&f->fd);
    return file_sync_directory(f->dirfd, shown, err);
}

void file_abandon(struct file_pending *f)
{
    fd_close(&f->fd);
    if (f->temporary[0] != '\0')
        unlinkat(f->dirfd, f->temporary, 0);
    f->temporary[0] = '\0';
}

bool file_has_temporary(int dirfd, const char *name)
{
    struct file_pending f;
    struct stat st;
    struct err ignored; /* a name that is too long has none */

    file_init(&f);
    err_clear(&ignored);
    return set_names(&f, name, &ignored) == 0 &&
           fstatat(dirfd, f.temporary, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int file_drop_temporary(int dirfd, const char *name, struct err *err)
{
    struct file_pending f;

    file_init(&f);
    if (set_names(&f, name, err) != 0)
        return -1;
    if (unlinkat(dirfd, f.temporary, 0) != 0) {
        int sys = errno;
        return sys == ENOENT ? 0
                             : err_sys(err, ERR_IO, "unlinkat", sys, str_span(f.temporary), NULL);
    }
    return file_sync_directory(dirfd, str_span(name), err);
}

int file_keep_temporary(int dirfd, const char *name, uid_t uid, struct err *err)
{
    struct file_pending f;
    struct stat st;
    bool missing = false;
    struct err why;

    file_init(&f);
    f.dirfd = dirfd;
    err_clear(&why);
    if (set_names(&f, name, err) != 0)
        return -1;
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return file_drop_temporary(dirfd, name, err);
    f.fd = walk_component(dirfd, f.temporary, WALK_FILE, O_RDWR, uid, false, str_span(f.temporary),
                          &st, &missing, &why);
    if (f.fd >= 0) {
        int result = file_commit(&f, err);
        fd_close(&f.fd);
        return result;
    }
    if (missing)
        return 0;
    *err = why;
    return -1;
}

int file_directory(int dirfd, const char *name, uid_t uid, struct err *err)
{
    struct stat st;
    const struct span shown = str_span(name);
    bool made = mkdirat(dirfd, name, OUTPUT_DIRECTORY_MODE) == 0;
    int sys = errno;
    if (!made && sys != EEXIST) {
        bool space = sys == ENOSPC || sys == EDQUOT;
        return err_sys(err, space ? ERR_SPACE : ERR_IO, "mkdirat", sys, shown, "cannot be made");
    }
    if (made && file_sync_directory(dirfd, shown, err) != 0)
        return -1;
    return walk_component(dirfd, name, WALK_DIRECTORY, O_RDONLY, uid, false, shown, &st, NULL, err);
}
