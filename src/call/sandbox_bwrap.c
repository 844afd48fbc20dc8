/* The view as arguments of bubblewrap.  Layer: call.
 *
 * Everything of the host is bound from a descriptor (--bind-fd, --ro-bind-fd),
 * which bwrap compares with what it mounted; only the five memory devices are
 * named by path, and INIT looks at their device numbers. */
#include <errno.h>
#include <string.h>

#include "base/sys.h"
#include "call/sandbox.h"
#include "call/wire.h"

static void add(struct sandbox_bwrap_arguments *a, const char *word)
{
    if (a->n < SANDBOX_BWRAP_WORDS_MAX)
        a->word[a->n] = word;
    a->n++;
}

/* A row has one number, of at most 10 digits and its NUL: there is room for every row's. */
static void add_number(struct sandbox_bwrap_arguments *a, int number)
{
    struct text t = text_on(a->numbers + a->numbers_n, sizeof a->numbers - a->numbers_n);
    text_add_number(&t, (uint64_t)number);
    add(a, t.p);
    a->numbers_n += t.n + 1;
}

static void add_row(struct sandbox_bwrap_arguments *a, const struct view_row *row)
{
    switch (row->kind) {
    case VIEW_READ_ONLY:
    case VIEW_WRITABLE:
        add(a, row->kind == VIEW_WRITABLE ? "--bind-fd" : "--ro-bind-fd");
        add_number(a, row->fd);
        add(a, row->path);
        break;
    case VIEW_PROC:
        add(a, "--proc");
        add(a, row->path);
        add(a, "--remount-ro");
        add(a, row->path);
        break;
    case VIEW_DEVICE:
        add(a, "--dev-bind");
        add(a, row->source);
        add(a, row->path);
        break;
    case VIEW_SYMLINK:
        add(a, "--symlink");
        add(a, row->source);
        add(a, row->path);
        break;
    }
}

/* Every word but those of the view's rows. */
static const char *const before[] = {
    "bwrap",         "--unshare-user", "--unshare-ipc",     "--unshare-pid",
    "--unshare-net", "--unshare-uts",  "--unshare-cgroup",  "--disable-userns",
    "--hostname",    VIEW_HOST_NAME,   "--die-with-parent", "--new-session",
    "--as-pid-1",    "--clearenv",     "--cap-drop",        "ALL",
};
static const char *const after[] = {
    "--remount-ro", "/", "--chdir", VIEW_WORK_DIRECTORY, "--",
};

int sandbox_bwrap_arguments(struct sandbox_bwrap_arguments *a, const struct view *view,
                            struct err *err)
{
    memset(a, 0, sizeof *a);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        add(a, before[i]);
    for (size_t i = 0; i < view->n; i++)
        add_row(a, &view->row[i]);
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
        add(a, after[i]);
    add(a, "/proc/self/fd/3");
    add(a, "--init");
    if (a->n + 1 > SANDBOX_BWRAP_WORDS_MAX || a->numbers_n > SANDBOX_BWRAP_NUMBERS_BYTES)
        return err_set(err, ERR_INTERNAL, str_span("bwrap"), "too many arguments");
    a->word[a->n] = NULL;
    return 0;
}
_Static_assert(INNER_FD_SELF == 3, "INIT's path names the descriptor of lema's copy");

int sandbox_bwrap_enter(const struct view *view, struct err *err)
{
    struct sandbox_bwrap_arguments arguments;
    const char *const nothing[] = {NULL};

    if (sandbox_bwrap_arguments(&arguments, view, err) != 0)
        return -1;
    sys_exec_fd(INNER_FD_SANDBOX, arguments.word, nothing);
    return err_sys(err, ERR_SETUP, "exec", errno, str_span("bwrap"), NULL);
}
