/* Files of evidence: read whole within a bound, made durable without replacing.
 * Layer: host.
 *
 * Specification 4: every file that is evidence is written to a temporary name,
 * synced, renamed without replacing, and its directory synced.  With ledger.c
 * the only file that calls fdatasync or fsync.  A temporary name is the final
 * name with "." before and ".tmp" behind it: no call name begins with a dot. */
#ifndef LEMA_HOST_FILE_H
#define LEMA_HOST_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "limits.h"

/* Close *fd if it is open and set it to -1.  The result of close is not looked
 * at: for what must be durable, fsync came before. */
void fd_close(int *fd);

/* Read a whole file from its beginning.
 * returns  its length (0 to max), or -1 with ERR_IO, also if it is longer than max */
ssize_t file_read(int fd, uint8_t *buffer, size_t max, struct span shown, struct err *err);

/* Write all of it. */
int file_write_all(int fd, const void *bytes, size_t n, struct span shown, struct err *err);

/* A file on its way to being evidence.  It starts as file_init leaves it. */
struct file_pending {
    int fd;                                  /* open for reading and writing, -1 when closed */
    int dirfd;                               /* borrowed */
    char name[COMPONENT_BYTES_MAX + 1];      /* final */
    char temporary[COMPONENT_BYTES_MAX + 1]; /* "" when there is none */
};

/* Nothing is pending: file_abandon does nothing. */
void file_init(struct file_pending *f);

/* Make the temporary file, mode 0600, with space_bytes taken for it
 * (fallocate(2), the size unchanged); a stale temporary of that name is
 * removed first.
 * returns  0, or -1 and nothing is left: ERR_SPACE, ERR_UNSUPPORTED on a file
 *          system without fallocate, ERR_IO */
int file_begin(struct file_pending *f, int dirfd, const char *name, uint64_t space_bytes,
               struct err *err);

/* Give back what is left of the space, sync the file, rename it without
 * replacing, sync the directory, close it.
 * returns  0: durable under its final name.  -1, ERR_IO: the temporary may
 *          remain (file_abandon removes it); or, if only the sync of the directory
 *          failed, the file has its final name, but that may not be on disk. */
int file_commit(struct file_pending *f, struct err *err);

/* Close and remove the temporary.  Safe at any time, also twice. */
void file_abandon(struct file_pending *f);

/* Recover only: is there a temporary that a crash left of a file of this name? */
bool file_has_temporary(int dirfd, const char *name);

/* Recover only: it is removed, durable.
 * One that is not there is success.
 * returns  0, or -1 with ERR_IO */
int file_drop_temporary(int dirfd, const char *name, struct err *err);

/* Recover only: it becomes the file, with the bytes that it has, unless a file of that
 * name is there already: then it is removed.
 * returns  0, or -1 with ERR_IO or ERR_PATH (another kind or owner) */
int file_keep_temporary(int dirfd, const char *name, uid_t uid, struct err *err);

/* Sync a directory. */
int file_sync_directory(int dirfd, struct span shown, struct err *err);

/* Make a directory of mode 0700 if it is missing (dirfd is synced then), and
 * open it by walk_component's rules.  Messages name it by its name alone.
 * returns  a descriptor, or -1 with ERR_IO, ERR_SPACE or ERR_PATH */
int file_directory(int dirfd, const char *name, uid_t uid, struct err *err);

#endif
