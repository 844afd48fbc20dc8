/* Text that the kernel makes: proc and cgroup2.  Layer: host.
 *
 * Such files say nothing by their owner and mode (/proc/pressure is writable
 * by all), so what is checked is the file system they lie on. */
#ifndef LEMA_HOST_KERNEL_H
#define LEMA_HOST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Open /proc, which must be a proc file system.
 * returns  a descriptor, or -1 with ERR_UNSUPPORTED */
int kernel_open_proc(struct err *err);

/* Open the root of the cgroup v2 hierarchy: /sys/fs/cgroup, or
 * /sys/fs/cgroup/unified on a host that still has version 1.
 * returns  a descriptor, or -1 with ERR_UNSUPPORTED */
int kernel_open_cgroup(struct err *err);

/* Open this process's own directory below /proc, by what the link "self" says.
 * returns  a descriptor, or -1 with ERR_UNSUPPORTED */
int kernel_open_self(int proc_fd, struct err *err);

/* Read a whole text below dirfd and end it with NUL.
 * size     of buffer, NUL included
 * missing  set if there is no such file; may be NULL
 * returns  its length, or -1 with ERR_UNSUPPORTED, also if it does not fit */
ssize_t kernel_read(int dirfd, const char *path, char *buffer, size_t size, bool *missing,
                    struct err *err);

/* The next line of a text without its newline.
 * rest     in, out: what is left
 * returns  1, or 0 at the end */
int kernel_next_line(struct span *rest, struct span *line);

/* The next word of a line: up to a space or its end; several spaces count as one.
 * returns  1, or 0 at the end */
int kernel_next_word(struct span *rest, struct span *word);

#endif
