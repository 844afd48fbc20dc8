/* What most commands begin with.  Layer: front. */
#include "front/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "call/confine.h"
#include "host/file.h"

#define NS_A_SECOND UINT64_C(1000000000)

int command_absolute(const char *path, char *buffer, struct err *err)
{
    char cwd[PATH_BYTES_MAX + 1];
    struct text t = text_on(buffer, PATH_BYTES_MAX + 1);

    if (path[0] != '/') {
        if (getcwd(cwd, sizeof cwd) == NULL)
            return err_sys(err, ERR_IO, "getcwd", errno, str_span(path), NULL);
        text_adds(&t, strcmp(cwd, "/") != 0 ? cwd : "");
        text_adds(&t, "/");
    }
    text_adds(&t, path);
    if (t.overflow)
        return err_set(err, ERR_PATH, str_span(path), "longer than %u bytes", PATH_BYTES_MAX);
    return walk_check_text(text_span(&t), err);
}

/* --- Progress -------------------------------------------------------------------- */

struct progress {
    uint64_t begun, last; /* CLOCK_BOOTTIME, ns; last 0 while nothing was shown */
};

static void write_terminal(const struct text *t)
{
    struct err ignored;

    err_clear(&ignored);
    file_write_all(STDERR_FILENO, t->p, t->n, str_span("standard error"), &ignored);
}

/* Work longer than a second shows where it is, once a second (specification 11). */
static void show_progress(void *arg, uint64_t done, uint64_t all)
{
    struct progress *p = arg;
    char buffer[128];
    struct text t = text_on(buffer, sizeof buffer);
    uint64_t now = clock_boot_ns();

    if (now - (p->last != 0 ? p->last : p->begun) < NS_A_SECOND)
        return;
    p->last = now;
    text_adds(&t, "\rlema: verifying the distribution: ");
    text_add_number(&t, done >> 20);
    text_adds(&t, " of ");
    text_add_number(&t, all >> 20);
    text_adds(&t, " MiB ");
    write_terminal(&t);
}

static void clear_progress(const struct progress *p)
{
    char buffer[16];
    struct text t = text_on(buffer, sizeof buffer);

    if (p->last == 0)
        return;
    text_adds(&t, "\r\x1b[K");
    write_terminal(&t);
}

int command_load(struct command_line *line, const char *runtime, enum runtime_depth depth,
                 struct err *err)
{
    char path[PATH_BYTES_MAX + 1];
    struct progress shown = {clock_boot_ns(), 0};
    struct dist_progress progress = {show_progress, &shown};

    if (runtime_start(line->rt, err) != 0 || confine_monitor(err) != 0 ||
        command_absolute(runtime, path, err) != 0)
        return -1;
    int result = runtime_load(line->rt, str_span(path), depth,
                              isatty(STDERR_FILENO) ? &progress : NULL, err);
    clear_progress(&shown);
    return result == 0 && confine_writes(line->rt, err) >= 0 ? 0 : -1;
}

int command_load_for_calls(struct command_line *line, const char *runtime, enum scope_kind scope,
                           struct err *err)
{
    if (scope == SCOPE_CGROUP && runtime_delegate(line->rt, err) != 0)
        return -1;
    return command_load(line, runtime, RUNTIME_WHOLE, err);
}

int command_scope(const struct option *option, enum scope_kind *scope, struct err *err)
{
    *scope = SCOPE_SYSTEMD;
    if (option->value == NULL || scope_parse(option->value, scope))
        return 0;
    return err_set(err, ERR_USAGE, str_span(option->value), "%s: expected systemd or cgroup",
                   option->name);
}

int command_sandbox(const struct option *option, enum sandbox_kind *sandbox, struct err *err)
{
    *sandbox = SANDBOX_BWRAP;
    if (option->value == NULL || sandbox_parse(option->value, sandbox))
        return 0;
    return err_set(err, ERR_USAGE, str_span(option->value), "%s: expected bwrap or direct",
                   option->name);
}

void command_waiting(void *arg, int holder)
{
    (void)arg;
    if (holder > 0)
        out_message("waiting for the lock: held by process %d", holder);
    else
        out_message("waiting for the lock");
}
