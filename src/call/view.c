/* What a sandbox shows.  Layer: call. */
#include "call/view.h"

#include "call/wire.h"

const char *const view_environment[] = {
    "PATH=/lean/bin",     "HOME=/call", "TMPDIR=/call/tmp", "LANG=C.UTF-8", "LEAN_SYSROOT=/lean",
    "LEAN_PATH=/modules", NULL,
};

/* No pts, shm or tty: nothing in the sandbox has a terminal. */
static const struct view_row fixed[] = {
    {VIEW_READ_ONLY, "/lean", INNER_FD_DISTRIBUTION, NULL},
    {VIEW_READ_ONLY, "/modules", INNER_FD_MODULES, NULL},
    {VIEW_READ_ONLY, "/artifacts", INNER_FD_ARTIFACTS, NULL},
    {VIEW_WRITABLE, "/call", INNER_FD_CALL, NULL},
    {VIEW_PROC, "/proc", -1, NULL},
    {VIEW_DEVICE, "/dev/null", -1, "/dev/null"},
    {VIEW_DEVICE, "/dev/zero", -1, "/dev/zero"},
    {VIEW_DEVICE, "/dev/full", -1, "/dev/full"},
    {VIEW_DEVICE, "/dev/random", -1, "/dev/random"},
    {VIEW_DEVICE, "/dev/urandom", -1, "/dev/urandom"},
    {VIEW_SYMLINK, "/dev/fd", -1, "/proc/self/fd"},
    {VIEW_SYMLINK, "/dev/stdin", -1, "/proc/self/fd/0"},
    {VIEW_SYMLINK, "/dev/stdout", -1, "/proc/self/fd/1"},
    {VIEW_SYMLINK, "/dev/stderr", -1, "/proc/self/fd/2"},
};
#define FIXED_ROWS (sizeof fixed / sizeof fixed[0])
_Static_assert(FIXED_ROWS + VIEW_LIBS_MAX <= VIEW_ROWS_MAX, "every row has room");

size_t view_libs(const struct pins *pins)
{
    size_t libs = 0;
    for (size_t i = 0; i < pins->host_n; i++)
        if (pins->host[i].role == HOST_LIB)
            libs++;
    return libs;
}

int view_make(struct view *view, const struct pins *pins, struct err *err)
{
    if (view_libs(pins) > VIEW_LIBS_MAX)
        return err_set(err, ERR_PINS, str_span("host.manifest"), "more than %u lib rows",
                       VIEW_LIBS_MAX);
    view->n = 0;
    for (size_t i = 0; i < FIXED_ROWS; i++)
        view->row[view->n++] = fixed[i];
    int fd = INNER_FD_LIBS;
    for (size_t i = 0; i < pins->host_n; i++) {
        if (pins->host[i].role != HOST_LIB)
            continue;
        view->row[view->n++] = (struct view_row){VIEW_READ_ONLY, pins->host[i].seen, fd++, NULL};
    }
    return 0;
}
