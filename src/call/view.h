/* What a sandbox shows: one table for both ways to enter it.  Layer: call.
 *
 * Specification 10.  sandbox_bwrap.c turns the rows into arguments. */
#ifndef LEMA_CALL_VIEW_H
#define LEMA_CALL_VIEW_H

#include <stddef.h>

#include "base/err.h"
#include "host/pins.h"
#include "limits.h"

enum view_kind {
    VIEW_READ_ONLY, /* fd bound read-only, nosuid, nodev */
    VIEW_WRITABLE,  /* fd bound writable, nosuid, nodev: /call alone */
    VIEW_PROC,      /* proc of the new pid namespace, read-only */
    VIEW_DEVICE,    /* one of the host's memory devices, by its path */
    VIEW_SYMLINK    /* to source */
};

struct view_row {
    enum view_kind kind;
    const char *path;   /* in the sandbox */
    int fd;             /* READ_ONLY, WRITABLE: descriptor number in INNER; else -1 */
    const char *source; /* DEVICE: path on the host; SYMLINK: target */
};

#define VIEW_ROWS_MAX (16u + VIEW_LIBS_MAX)

struct view {
    size_t n;
    struct view_row row[VIEW_ROWS_MAX];
};

/* The rows, in the order they are mounted.  Borrows the seen paths of pins.
 * returns  0, or -1 with ERR_PINS if there are more lib rows than VIEW_LIBS_MAX */
int view_make(struct view *view, const struct pins *pins, struct err *err);

/* Number of lib rows of the pins. */
size_t view_libs(const struct pins *pins);

/* The program's whole environment, NULL-terminated (specification 10). */
extern const char *const view_environment[];

#define VIEW_HOST_NAME "lema"
#define VIEW_WORK_DIRECTORY "/call"

#endif
