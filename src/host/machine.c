/* The state of the host.  Layer: host. */
#include "host/machine.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/num.h"
#include "host/file.h"
#include "host/kernel.h"
#include "host/walk.h"
#include "limits.h"

#define TEXT_BYTES 16384u
#define CGROUP_PATH_BYTES 4096u

/* The inode of the first pid namespace, PROC_PID_INIT_INO in the kernel's proc_ns.h. */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

const char *machine_kind_word(enum machine_kind kind)
{
    switch (kind) {
    case MACHINE_BARE: return "bare";
    case MACHINE_VM: return "vm";
    case MACHINE_CONTAINER: return "container";
    case MACHINE_WSL: return "wsl";
    default: return "unknown";
    }
}

/* --- Sources --------------------------------------------------------------------------- */

int machine_source_open(struct machine_source *s, struct err *err)
{
    struct err no_cgroup;
    int sys = 0;
    err_clear(&no_cgroup);
    s->root_fd = s->cgroup_fd = -1;
    s->proc_fd = kernel_open_proc(err);
    if (s->proc_fd < 0)
        return -1;
    s->cgroup_fd = kernel_open_cgroup(&no_cgroup);
    s->root_fd = walk_root(&sys);
    if (s->root_fd >= 0)
        return 0;
    machine_source_close(s);
    return err_sys(err, ERR_UNSUPPORTED, "openat2", sys, str_span("/"), NULL);
}

void machine_source_close(struct machine_source *s)
{
    fd_close(&s->proc_fd);
    fd_close(&s->cgroup_fd);
    fd_close(&s->root_fd);
}

static int malformed(const char *file, struct err *err)
{
    return err_set(err, ERR_UNSUPPORTED, str_span(file),
                   "is not of the form that the kernel gives it");
}

/* --- Memory ------------------------------------------------------------------------------ */

/* "NAME:   123 kB" as bytes. */
static bool parse_meminfo_line(struct span line, const char *name, uint64_t *bytes)
{
    struct span label, number, unit;
    uint64_t kib;
    return str_starts(line, name) && kernel_next_word(&line, &label) && label.n == strlen(name) &&
           kernel_next_word(&line, &number) && str_number(number, 0, UINT64_MAX, &kib) &&
           kernel_next_word(&line, &unit) && str_is(unit, "kB") && num_mul(kib, 1024, bytes);
}

static int read_meminfo(int proc_fd, struct machine *m, struct err *err)
{
    char buffer[TEXT_BYTES];
    bool total = false, available = false;
    ssize_t n = kernel_read(proc_fd, "meminfo", buffer, sizeof buffer, NULL, err);
    if (n < 0)
        return -1;
    struct span rest = {(const uint8_t *)buffer, (size_t)n}, line;
    while (kernel_next_line(&rest, &line)) {
        total = total || parse_meminfo_line(line, "MemTotal:", &m->mem_total);
        available = available || parse_meminfo_line(line, "MemAvailable:", &m->mem_available);
    }
    return total && available ? 0 : malformed("meminfo", err);
}

/* A number in a file of one cgroup.  returns  1, 0 if there is no limit, -1 */
static int read_cgroup_number(int cgroup_fd, struct text *path, const char *file, uint64_t *number,
                              struct err *err)
{
    char buffer[64];
    bool missing = false;
    struct err why;
    struct span rest, line;
    const size_t length = path->n;
    err_clear(&why);
    text_adds(path, file);
    ssize_t n = kernel_read(cgroup_fd, path->p, buffer, sizeof buffer, &missing, &why);
    path->p[path->n = length] = '\0';
    if (missing) /* the root cgroup, or a parent that passes no memory controller on */
        return 0;
    if (n < 0) {
        *err = err->what == ERR_NONE ? why : *err;
        return -1;
    }
    rest = (struct span){(const uint8_t *)buffer, (size_t)n};
    if (!kernel_next_line(&rest, &line))
        return malformed(file, err);
    if (str_is(line, "max"))
        return 0;
    return str_number(line, 0, UINT64_MAX, number) ? 1 : malformed(file, err);
}

/* What one cgroup leaves of its memory.max. */
static int apply_cgroup(int cgroup_fd, struct text *path, struct machine *m, struct err *err)
{
    uint64_t max = 0, current = 0;
    int limited = read_cgroup_number(cgroup_fd, path, "memory.max", &max, err);
    if (limited <= 0)
        return limited;
    int known = read_cgroup_number(cgroup_fd, path, "memory.current", &current, err);
    if (known == 0)
        return malformed("memory.current", err);
    if (known < 0)
        return -1;
    m->mem_available = num_min(m->mem_available, max > current ? max - current : 0);
    return 0;
}

/* The own cgroup in "self/cgroup": the line "0::/PATH". */
static int own_cgroup(const struct machine_source *s, struct text *path, struct err *err)
{
    char buffer[TEXT_BYTES];
    struct span line;
    int self_fd = kernel_open_self(s->proc_fd, err);
    if (self_fd < 0)
        return -1;
    ssize_t n = kernel_read(self_fd, "cgroup", buffer, sizeof buffer, NULL, err);
    fd_close(&self_fd);
    if (n < 0)
        return -1;
    struct span rest = {(const uint8_t *)buffer, (size_t)n};
    while (kernel_next_line(&rest, &line)) {
        if (!str_starts(line, "0::/"))
            continue;
        text_add(path, (struct span){line.p + 4, line.n - 4});
        if (path->n > 0)
            text_adds(path, "/");
        return path->overflow ? malformed("self/cgroup", err) : 0;
    }
    return malformed("self/cgroup", err);
}

/* Cut the last component of "a/b/". */
static void cut_component(struct text *path)
{
    path->n -= path->n > 0;
    while (path->n > 0 && path->p[path->n - 1] != '/')
        path->n--;
    path->p[path->n] = '\0';
}

static int apply_cgroups(const struct machine_source *s, struct machine *m, struct err *err)
{
    char buffer[CGROUP_PATH_BYTES];
    struct text path = text_on(buffer, sizeof buffer);
    if (s->cgroup_fd < 0)
        return 0;
    if (own_cgroup(s, &path, err) != 0)
        return -1;
    for (;;) {
        if (apply_cgroup(s->cgroup_fd, &path, m, err) != 0)
            return -1;
        if (path.n == 0)
            return 0;
        cut_component(&path);
    }
}

/* --- Pressure ------------------------------------------------------------------------------ */

/* "12.34" as hundredths. */
static bool parse_centi(struct span s, uint32_t *centi)
{
    uint64_t whole, part;
    if (s.n < 4 || s.p[s.n - 3] != '.')
        return false;
    const uint8_t *digits = s.p + s.n - 2;
    if (digits[0] == '0') /* str_number takes no leading zero */
        digits++;
    if (!str_number((struct span){s.p, s.n - 3}, 0, 1000000, &whole) ||
        !str_number((struct span){digits, (size_t)(s.p + s.n - digits)}, 0, 99, &part))
        return false;
    *centi = (uint32_t)(whole * 100 + part);
    return true;
}

/* "some avg10=12.34 avg60=…" is the first line. */
static int read_pressure(int proc_fd, const char *file, uint32_t *centi, struct err *err)
{
    char buffer[1024];
    struct span line, word;
    const size_t prefix = strlen("avg10=");
    ssize_t n = kernel_read(proc_fd, file, buffer, sizeof buffer, NULL, err);
    if (n < 0)
        return -1;
    struct span rest = {(const uint8_t *)buffer, (size_t)n};
    if (!kernel_next_line(&rest, &line) || !kernel_next_word(&line, &word) ||
        !str_is(word, "some") || !kernel_next_word(&line, &word) || !str_starts(word, "avg10="))
        return malformed(file, err);
    if (!parse_centi((struct span){word.p + prefix, word.n - prefix}, centi))
        return malformed(file, err);
    return 0;
}

/* --- Kind ---------------------------------------------------------------------------------- */

static bool contains_microsoft(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return strstr(text, "microsoft") != NULL;
}

/* A file that container managers leave.  returns  1, 0, -1 if that cannot be told */
static int exists(int root_fd, const char *path)
{
    struct stat st;
    if (fstatat(root_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return 1;
    return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
}

/* Not in the first pid namespace: whatever made another one, this is not the
 * whole machine. */
static int in_other_pid_namespace(int proc_fd)
{
    char target[64];
    struct err ignored;
    err_clear(&ignored);
    int self_fd = kernel_open_self(proc_fd, &ignored);
    if (self_fd < 0)
        return -1;
    ssize_t n = readlinkat(self_fd, "ns/pid", target, sizeof target - 1);
    fd_close(&self_fd);
    if (n < 0)
        return -1;
    target[n] = '\0';
    return strcmp(target, FIRST_PID_NAMESPACE) != 0;
}

/* CPUID leaf 1, ECX bit 31: set by every common hypervisor, reserved on processors. */
static bool under_hypervisor(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & (1u << 31)) != 0;
}

static enum machine_kind read_kind(const struct machine_source *s)
{
    static const char *const marks[] = {"run/systemd/container", ".dockerenv", "run/.containerenv"};
    char release[256];
    struct err ignored;
    err_clear(&ignored);
    if (kernel_read(s->proc_fd, "sys/kernel/osrelease", release, sizeof release, NULL, &ignored) <
        0)
        return MACHINE_UNKNOWN;
    if (contains_microsoft(release))
        return MACHINE_WSL;
    int container = in_other_pid_namespace(s->proc_fd);
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && container == 0; i++)
        container = exists(s->root_fd, marks[i]);
    if (container != 0)
        return container > 0 ? MACHINE_CONTAINER : MACHINE_UNKNOWN;
    return under_hypervisor() ? MACHINE_VM : MACHINE_BARE;
}

int machine_read(const struct machine_source *s, struct machine *m, struct err *err)
{
    memset(m, 0, sizeof *m);
    m->kind = read_kind(s);
    if (read_meminfo(s->proc_fd, m, err) != 0 || apply_cgroups(s, m, err) != 0 ||
        read_pressure(s->proc_fd, "pressure/memory", &m->memory_pressure_centi, err) != 0 ||
        read_pressure(s->proc_fd, "pressure/cpu", &m->cpu_pressure_centi, err) != 0)
        return -1;
    return 0;
}

/* --- Checks --------------------------------------------------------------------------------- */

int machine_check_quiet(const struct machine *m, struct err *err)
{
    if (m->mem_available >= MEMORY_AVAILABLE_MIN_BYTES &&
        m->memory_pressure_centi <= MEMORY_PRESSURE_MAX_CENTI &&
        m->cpu_pressure_centi <= CPU_PRESSURE_MAX_CENTI)
        return 0;
    bool retry = m->mem_total >= MEMORY_TOTAL_RETRY_BYTES;
    return err_set(err, retry ? ERR_PRESSURE_RETRY : ERR_PRESSURE, str_span(""),
                   "host pressure; native execution refused (available %llu, memory avg10 %u.%02u, "
                   "cpu avg10 %u.%02u)",
                   (unsigned long long)m->mem_available, m->memory_pressure_centi / 100,
                   m->memory_pressure_centi % 100, m->cpu_pressure_centi / 100,
                   m->cpu_pressure_centi % 100);
}

int machine_free_bytes(int fd, uint64_t *bytes, struct err *err)
{
    struct statvfs fs;
    const struct span shown = str_span("free space");
    if (fstatvfs(fd, &fs) != 0)
        return err_sys(err, ERR_IO, "fstatvfs", errno, shown, NULL);
    if (!num_mul(fs.f_bavail, fs.f_frsize, bytes))
        return err_set(err, ERR_IO, shown, "is more than can be counted");
    return 0;
}
