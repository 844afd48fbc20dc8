/* Directive show-view: lines `view FIELD VALUE`, sorted where the order is not
 * the kernel's, with every byte outside of printable ASCII as \xHH. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "act.h"
#include "files.h"
#include "names.h"

extern char **environ;

static void view(const char *field, struct span value)
{
    struct text t = {0};

    text_addf(&t, "view %s ", field);
    text_add_escaped(&t, value);
    text_add_string(&t, "\n");
    (void)fd_write(1, text_span(&t));
    free(t.p);
}

static void view_number(const char *field, long value)
{
    struct text t = {0};

    text_addf(&t, "%ld", value);
    view(field, text_span(&t));
}

static void view_list(const char *field, struct list *values)
{
    list_sort(values);
    for (size_t i = 0; i < values->n; i++)
        view(field, values->items[i]);
}

static void show_environment(void)
{
    struct list values = {0};

    for (char **at = environ; *at != NULL; at++)
        list_add(&values, span_of(*at));
    view_list("env", &values);
}

/* Lines of /proc/self/status that are about rights. */
static void show_status(void)
{
    static const char *const wanted[] = {
        "Umask:",  "Uid:",    "Gid:",    "Groups:",     "CapInh:",  "CapPrm:",
        "CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:"};
    struct text content = {0};
    struct span rest;

    if (file_read("/proc/self/status", &content) != 0)
        view("status", span_of(errno_name(errno)));
    rest = text_span(&content);
    while (rest.n > 0) {
        struct span line = span_take(&rest, '\n');

        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
            if (span_starts(line, wanted[i]))
                view("status", line);
        }
    }
}

static void show_lines(const char *field, const char *path)
{
    struct text content = {0};
    struct span rest;

    if (file_read(path, &content) != 0)
        view(field, span_of(errno_name(errno)));
    rest = text_span(&content);
    while (rest.n > 0)
        view(field, span_take(&rest, '\n'));
}

static void add_link(const char *folder, const char *name, struct list *values)
{
    struct text path = {0};
    struct text value = {0};
    char target[PATH_MAX];
    ssize_t n;

    text_addf(&path, "%s/%s", folder, name);
    n = readlink(path.p, target, sizeof target);
    text_addf(&value, "%s ", name);
    text_add(&value, n < 0 ? span_of(errno_name(errno)) : (struct span){target, (size_t)n});
    list_add(values, text_span(&value));
}

/* What the links in a folder of /proc point to. */
static void show_links(const char *field, const char *folder)
{
    struct list values = {0};
    struct dirent *entry;
    DIR *d = opendir(folder);

    if (d == NULL) {
        view(field, span_of(errno_name(errno)));
        return;
    }
    while ((entry = readdir(d)) != NULL) {
        uint64_t number;
        bool own = span_number(span_of(entry->d_name), INT_MAX, &number) && (int)number == dirfd(d);

        if (entry->d_name[0] != '.' && !own)
            add_link(folder, entry->d_name, &values);
    }
    closedir(d);
    view_list(field, &values);
}

static void show_process(void)
{
    char name[256] = "";
    char cwd[PATH_MAX] = "";

    if (getcwd(cwd, sizeof cwd) == NULL)
        view("cwd", span_of(errno_name(errno)));
    else
        view("cwd", span_of(cwd));
    if (gethostname(name, sizeof name - 1) == 0)
        view("hostname", span_of(name));
    view_number("pid", getpid());
    view_number("ppid", getppid());
    view_number("pgid", getpgid(0));
    view_number("sid", getsid(0));
    view_number("dumpable", prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L));
}

static void show_limits(void)
{
    static const struct {
        const char *name;
        int resource;
    } rows[] = {
        {"AS", RLIMIT_AS},         {"CORE", RLIMIT_CORE},   {"CPU", RLIMIT_CPU},
        {"DATA", RLIMIT_DATA},     {"FSIZE", RLIMIT_FSIZE}, {"MEMLOCK", RLIMIT_MEMLOCK},
        {"NOFILE", RLIMIT_NOFILE}, {"NPROC", RLIMIT_NPROC}, {"STACK", RLIMIT_STACK},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        long long limit[2]; /* -1 for none; the call itself, since libraries differ in types */
        struct text t = {0};

        if (syscall(SYS_prlimit64, 0L, (long)rows[i].resource, 0L, limit) != 0)
            continue;
        text_addf(&t, "%s %lld %lld", rows[i].name, limit[0], limit[1]);
        view("rlimit", text_span(&t));
    }
}

static char type_letter(mode_t mode)
{
    if (S_ISDIR(mode))
        return 'd';
    if (S_ISREG(mode))
        return 'f';
    if (S_ISLNK(mode))
        return 'l';
    if (S_ISCHR(mode))
        return 'c';
    return S_ISFIFO(mode) ? 'p' : S_ISSOCK(mode) ? 's' : 'b';
}

/* Entries below a folder: type, mode, owner, path. Numbers in /proc are left out. */
static void show_tree(const char *folder, unsigned depth, struct list *values)
{
    struct dirent *entry;
    DIR *d = opendir(folder);

    if (d == NULL)
        return;
    while ((entry = readdir(d)) != NULL) {
        const char *name = entry->d_name;
        struct text path = {0};
        struct text value = {0};
        struct stat st;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (strcmp(folder, "/proc") == 0 && name[0] >= '0' && name[0] <= '9')
            continue;
        text_addf(&path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
        if (lstat(path.p, &st) != 0)
            continue;
        text_addf(&value, "%s %c %04o %u %u", path.p, type_letter(st.st_mode),
                  (unsigned)(st.st_mode & 07777), (unsigned)st.st_uid, (unsigned)st.st_gid);
        list_add(values, text_span(&value));
        if (depth > 1 && S_ISDIR(st.st_mode))
            show_tree(path.p, depth - 1, values);
    }
    closedir(d);
}

void act_show_view(struct directive_context *c, const struct arguments *a)
{
    struct list tree = {0};

    (void)a;
    for (int i = 0; i < c->argc; i++)
        view("arg", span_of(c->argv[i]));
    show_environment();
    show_process();
    show_status();
    show_lines("cgroup", "/proc/self/cgroup");
    show_lines("oom_score_adj", "/proc/self/oom_score_adj");
    show_lines("uid_map", "/proc/self/uid_map");
    show_lines("gid_map", "/proc/self/gid_map");
    show_links("ns", "/proc/self/ns");
    show_links("fd", "/proc/self/fd");
    show_limits();
    show_lines("mount", "/proc/self/mountinfo");
    show_tree("/", 2, &tree);
    view_list("tree", &tree);
}
