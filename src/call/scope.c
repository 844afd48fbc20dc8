/* The scope's cgroup: finding it, reading it, ending it.  Layer: call. */
#include "call/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "call/delegated.h"
#include "host/file.h"
#include "host/kernel.h"
#include "host/walk.h"

#define CGROUP2_MAGIC 0x63677270 /* CGROUP2_SUPER_MAGIC, statfs(2) */
#define CGROUP_FILE_BYTES 4096u

void scope_init(struct scope *s)
{
    memset(s, 0, sizeof *s);
    s->delegated_fd = s->cgroup_fd = s->memory_events_fd = s->kill_fd = -1;
}

static const char *const kind_words[SCOPE_KINDS] = {"systemd", "cgroup"};

const char *scope_word(enum scope_kind kind)
{
    return (unsigned)kind < SCOPE_KINDS ? kind_words[kind] : "";
}

bool scope_parse(const char *word, enum scope_kind *kind)
{
    for (unsigned i = 0; i < SCOPE_KINDS; i++)
        if (strcmp(word, kind_words[i]) == 0) {
            *kind = (enum scope_kind)i;
            return true;
        }
    return false;
}

void scope_close(struct scope *s)
{
    fd_close(&s->memory_events_fd);
    fd_close(&s->kill_fd);
    fd_close(&s->cgroup_fd);
}

int scope_name(struct scope *s, struct err *err)
{
    uint8_t bytes[16];
    ssize_t got = getrandom(bytes, sizeof bytes, 0);
    if (got != (ssize_t)sizeof bytes)
        return err_sys(err, ERR_IO, "getrandom", got < 0 ? errno : EIO, str_span("unit"), NULL);
    struct text t = text_on(s->unit, sizeof s->unit);
    text_adds(&t, UNIT_PREFIX);
    text_add_hex(&t, bytes, sizeof bytes);
    text_adds(&t, ".scope");
    return 0;
}

/* The number behind "key " on a line of its own. */
static bool keyed_number(struct span text, const char *key, uint64_t *out)
{
    struct span line, word;

    while (kernel_next_line(&text, &line) == 1)
        if (kernel_next_word(&line, &word) == 1 && str_is(word, key) &&
            kernel_next_word(&line, &word) == 1)
            return line.n == 0 && str_number(word, 0, UINT64_MAX, out);
    return false;
}

/* A file that holds one number, or "max", which is read as UINT64_MAX. */
static int one_number(int dirfd, const char *name, uint64_t *out, struct err *err)
{
    char buffer[CGROUP_FILE_BYTES];
    ssize_t n = kernel_read(dirfd, name, buffer, sizeof buffer, NULL, err);
    struct span rest = {(const uint8_t *)buffer, n < 0 ? 0 : (size_t)n}, line = {rest.p, 0};

    if (n < 0)
        return -1;
    if (kernel_next_line(&rest, &line) != 1 || rest.n != 0 ||
        (!str_is(line, "max") && !str_number(line, 0, UINT64_MAX, out)))
        return err_set(err, ERR_IO, str_span(name), "expected a number, found %s", buffer);
    if (str_is(line, "max"))
        *out = UINT64_MAX;
    return 0;
}

/* The "0::/…" line of /proc/PID/cgroup (cgroups(7)). */
int scope_path_of(pid_t pid, char path[static PATH_BYTES_MAX + 1], struct err *err)
{
    char name[32], buffer[CGROUP_FILE_BYTES];
    struct text t = text_on(name, sizeof name);

    text_add_number(&t, (uint64_t)pid);
    text_adds(&t, "/cgroup");
    int proc = kernel_open_proc(err);
    ssize_t n = proc < 0 ? -1 : kernel_read(proc, name, buffer, sizeof buffer, NULL, err);
    fd_close(&proc);
    if (n < 0)
        return -1;
    struct span rest = {(const uint8_t *)buffer, (size_t)n}, line;
    while (kernel_next_line(&rest, &line) == 1) {
        if (!str_starts(line, "0::/"))
            continue;
        if (str_copy(path, PATH_BYTES_MAX + 1, (struct span){line.p + 3, line.n - 3}))
            return 0;
        return err_set(err, ERR_IO, str_span(name), "the cgroup's path is too long");
    }
    return err_set(err, ERR_UNSUPPORTED, str_span(name), "no cgroup v2 line in it");
}

int scope_open(const char *path, uid_t uid, struct err *err)
{
    char whole[PATH_BYTES_MAX + 1];
    struct statfs fs;
    struct walk w;

    struct text t = text_on(whole, sizeof whole);
    text_adds(&t, SCOPE_CGROUP_ROOT);
    text_adds(&t, strcmp(path, "/") != 0 ? path : "");
    if (t.overflow)
        return err_set(err, ERR_IO, str_span(path), "the cgroup's path is too long");
    walk_init(&w);
    if (walk_path(&w, text_span(&t), WALK_DIRECTORY, O_RDONLY, uid, err) != 0)
        return -1;
    int fd = w.fd;
    w.fd = -1;
    walk_close(&w);
    if (fstatfs(fd, &fs) != 0)
        err_sys(err, ERR_IO, "fstatfs", errno, text_span(&t), NULL);
    else if (fs.f_type != CGROUP2_MAGIC)
        err_set(err, ERR_UNSUPPORTED, text_span(&t), "not cgroup v2");
    else
        return fd;
    fd_close(&fd);
    return -1;
}

static bool has_word(struct span line, const char *word)
{
    struct span found;
    while (kernel_next_word(&line, &found) == 1)
        if (str_is(found, word))
            return true;
    return false;
}

int scope_check_words(int dirfd, const char *file, const char *shown, struct err *err)
{
    static const char *const needed[] = {"cpu", "memory", "pids"};
    char text[1024];
    ssize_t n = kernel_read(dirfd, file, text, sizeof text, NULL, err);
    struct span rest = {(const uint8_t *)text, n < 0 ? 0 : (size_t)n}, words = {rest.p, 0};

    if (n < 0)
        return -1;
    kernel_next_line(&rest, &words);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!has_word(words, needed[i]))
            return err_set(err, ERR_CONTROLLERS, str_span(shown),
                           "the %s controller is not delegated: it is not in %s", needed[i], file);
    return 0;
}

int scope_find(struct scope *s, pid_t pid, uid_t uid, struct err *err)
{
    struct stat st;
    int sys = 0;

    if (scope_path_of(pid, s->path, err) != 0)
        return -1;
    const char *last = strrchr(s->path, '/');
    if (last == NULL || strcmp(last + 1, s->unit) != 0)
        return err_set(err, ERR_PATH, str_span(s->path), "not the cgroup of %s", s->unit);
    s->cgroup_fd = scope_open(s->path, uid, err);
    if (s->cgroup_fd < 0)
        return -1;
    s->memory_events_fd = walk_component(s->cgroup_fd, "memory.events", WALK_FILE, O_RDONLY, uid,
                                         false, str_span("memory.events"), &st, NULL, err);
    /* Before anything runs in it: what cannot be killed is not started. */
    s->kill_fd =
        s->memory_events_fd < 0 ? -1 : walk_below(s->cgroup_fd, "cgroup.kill", O_WRONLY, &sys);
    if (s->kill_fd >= 0)
        return 0;
    if (s->memory_events_fd >= 0)
        err_sys(err, ERR_IO, "openat2", sys, str_span("cgroup.kill"), NULL);
    scope_close(s);
    return -1;
}

struct record_limits scope_limits(enum call_kind kind)
{
    return (struct record_limits){
        .wall_ms = kind_wall_ms(kind),
        .memory_bytes = SCOPE_MEMORY_BYTES,
        .swap_bytes = SCOPE_SWAP_BYTES,
        .tasks = SCOPE_TASKS,
        .cpu_quota_us = (uint64_t)SCOPE_CPU_PERCENT * SCOPE_CPU_PERIOD_US / 100,
        .cpu_period_us = SCOPE_CPU_PERIOD_US,
    };
}

/* "QUOTA PERIOD" or "max PERIOD" (cgroup v2, cpu.max). */
static int cpu_limit(const struct scope *s, struct record_limits *limits, struct err *err)
{
    char buffer[CGROUP_FILE_BYTES];
    ssize_t n = kernel_read(s->cgroup_fd, "cpu.max", buffer, sizeof buffer, NULL, err);
    struct span rest = {(const uint8_t *)buffer, n < 0 ? 0 : (size_t)n}, line, quota, period;

    if (n < 0)
        return -1;
    limits->cpu_quota_us = UINT64_MAX;
    if (kernel_next_line(&rest, &line) == 1 && kernel_next_word(&line, &quota) == 1 &&
        kernel_next_word(&line, &period) == 1 && line.n == 0 &&
        (str_is(quota, "max") || str_number(quota, 0, UINT64_MAX, &limits->cpu_quota_us)) &&
        str_number(period, 1, UINT64_MAX, &limits->cpu_period_us))
        return 0;
    return err_set(err, ERR_IO, str_span("cpu.max"), "expected a quota and a period, found %s",
                   buffer);
}

int scope_read_limits(const struct scope *s, struct record_limits *limits, struct err *err)
{
    memset(limits, 0, sizeof *limits);
    if (one_number(s->cgroup_fd, "memory.max", &limits->memory_bytes, err) != 0 ||
        one_number(s->cgroup_fd, "memory.swap.max", &limits->swap_bytes, err) != 0 ||
        one_number(s->cgroup_fd, "pids.max", &limits->tasks, err) != 0)
        return -1;
    return cpu_limit(s, limits, err);
}

int scope_compare_limits(const struct record_limits *asked, const struct record_limits *read,
                         struct err *err)
{
    const struct {
        const char *file;
        uint64_t asked, read;
    } rows[] = {
        {"memory.max", asked->memory_bytes, read->memory_bytes},
        {"memory.swap.max", asked->swap_bytes, read->swap_bytes},
        {"pids.max", asked->tasks, read->tasks},
        {"cpu.max", asked->cpu_quota_us, read->cpu_quota_us},
        {"cpu.max", asked->cpu_period_us, read->cpu_period_us},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].asked == rows[i].read)
            continue;
        if (rows[i].read == UINT64_MAX)
            return err_set(err, ERR_FAULT, str_span(rows[i].file), "asked for %llu, found max",
                           (unsigned long long)rows[i].asked);
        return err_set(err, ERR_FAULT, str_span(rows[i].file), "asked for %llu, found %llu",
                       (unsigned long long)rows[i].asked, (unsigned long long)rows[i].read);
    }
    return 0;
}

int scope_oom_kills(const struct scope *s, uint64_t *kills, struct err *err)
{
    char buffer[CGROUP_FILE_BYTES];
    ssize_t n = pread(s->memory_events_fd, buffer, sizeof buffer, 0);

    if (n < 0)
        return err_sys(err, ERR_IO, "pread", errno, str_span("memory.events"), NULL);
    if (!keyed_number((struct span){(const uint8_t *)buffer, (size_t)n}, "oom_kill", kills))
        return err_set(err, ERR_IO, str_span("memory.events"), "no oom_kill in it");
    return 0;
}

void scope_read_counters(const struct scope *s, struct record_result *result)
{
    char buffer[CGROUP_FILE_BYTES];
    uint64_t value = 0;
    struct err ignored; /* an older kernel has no such file: null in the record */

    result->memory_peak = result->tasks_peak = result->cpu_ms = RECORD_NULL;
    err_clear(&ignored);
    if (one_number(s->cgroup_fd, "memory.peak", &value, &ignored) == 0)
        result->memory_peak = value;
    if (one_number(s->cgroup_fd, "pids.peak", &value, &ignored) == 0)
        result->tasks_peak = value;
    ssize_t n = kernel_read(s->cgroup_fd, "cpu.stat", buffer, sizeof buffer, NULL, &ignored);
    if (n > 0 &&
        keyed_number((struct span){(const uint8_t *)buffer, (size_t)n}, "usage_usec", &value))
        result->cpu_ms = value / 1000;
}

int scope_kill(const struct scope *s, struct err *err)
{
    ssize_t n = write(s->kill_fd, "1", 1);

    if (n != 1 && errno != ENODEV && errno != ENOENT)
        return err_sys(err, ERR_IO, "write", errno, str_span("cgroup.kill"), NULL);
    return 0;
}

/* cgroup.events below a kept directory; a removed cgroup holds nothing. */
int scope_populated(int cgroup_fd, bool *out, struct err *err)
{
    char buffer[CGROUP_FILE_BYTES];
    uint64_t value = 0;
    struct err local;

    err_clear(&local);
    ssize_t n = kernel_read(cgroup_fd, "cgroup.events", buffer, sizeof buffer, NULL, &local);
    *out = false;
    if (n < 0 && (local.sys == ENODEV || local.sys == ENOENT))
        return 0;
    if (n < 0) {
        *err = local;
        return -1;
    }
    if (!keyed_number((struct span){(const uint8_t *)buffer, (size_t)n}, "populated", &value))
        return err_set(err, ERR_IO, str_span("cgroup.events"), "no populated in it");
    *out = value != 0;
    return 0;
}

int scope_gone(const struct scope *s, uid_t uid, bool *gone, struct err *err)
{
    bool lives = false, found = true;

    *gone = false;
    if (s->cgroup_fd >= 0 && scope_populated(s->cgroup_fd, &lives, err) != 0)
        return -1;
    if (lives)
        return 0;
    /* EBUSY: one that nobody has found yet holds processes. */
    if (s->delegated_fd >= 0 && delegated_remove_scope(s->delegated_fd, s->unit) != 0 &&
        errno != EBUSY)
        return err_sys(err, ERR_IO, "unlinkat", errno, str_span(s->unit), NULL);
    if (scope_search(s->unit, uid, &found, err) != 0)
        return -1;
    *gone = !found;
    return 0;
}
