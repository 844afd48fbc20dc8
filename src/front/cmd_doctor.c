/* doctor: what does this host lack, and what mends it?  Layer: front.
 *
 * Specification 11.  Each need is tried for real, by the code that a call uses
 * where there is such code.  No native call is made and nothing is written, but
 * for the temporary names that loading a configuration makes and removes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "call/checks.h"
#include "call/confine.h"
#include "call/scope.h"
#include "front/command.h"
#include "front/doctor_probe.h"
#include "host/file.h"
#include "host/kernel.h"

#define CGROUP2_MAGIC 0x63677270
#define LINE_BYTES 512u

struct doctor {
    struct runtime *rt;
    const char *config;  /* --runtime, or NULL */
    struct err delegate; /* --scope cgroup: why the cgroup could not be taken, or clear */
    struct checks checks;
    char found[LINE_BYTES];
    char fix[LINE_BYTES]; /* "" = the table's */
    bool loaded;
};

static int found(struct doctor *d, const char *text)
{
    str_copy(d->found, sizeof d->found, str_span(text));
    return 0;
}

/* --- The kernel ------------------------------------------------------------------ */

static int try_kernel(struct doctor *d, struct err *err)
{
    struct utsname name;
    struct text t = text_on(d->found, sizeof d->found);

    if (uname(&name) != 0)
        return err_sys(err, ERR_UNSUPPORTED, "uname", errno, str_span("kernel"), NULL);
    text_adds(&t, name.sysname);
    text_adds(&t, " ");
    text_adds(&t, name.release);
    text_adds(&t, " ");
    text_adds(&t, name.machine);
    if (strcmp(name.sysname, "Linux") == 0 && strcmp(name.machine, "x86_64") == 0)
        return 0;
    return err_set(err, ERR_UNSUPPORTED, str_span("kernel"), "%s on %s, not Linux on x86_64",
                   name.sysname, name.machine);
}

static int try_openat2(struct doctor *d, struct err *err)
{
    struct walk w;

    walk_init(&w);
    int result = walk_path(&w, str_span("/proc"), WALK_DIRECTORY, O_RDONLY, d->rt->uid, err);
    walk_close(&w);
    return result != 0 ? -1 : found(d, "walks without symlinks work");
}

static int try_seccomp(struct doctor *d, struct err *err)
{
    return doctor_probe_seccomp(err) != 0 ? -1
                                          : found(d, "a filter was loaded, and ended its process");
}

/* A switch of the kernel that forbids user namespaces: first byte of its file. */
static bool is_set_to(const char *path, char value)
{
    char byte = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, &byte, 1) : -1;

    fd_close(&fd);
    return n == 1 && byte == value;
}

static int try_namespaces(struct doctor *d, struct err *err)
{
    static const struct {
        const char *path;
        char value;
        const char *fix;
    } switches[] = {
        {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
         "AppArmor forbids them: an AppArmor profile with \"userns,\" for bwrap and lema, or "
         "sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
        {"/proc/sys/kernel/unprivileged_userns_clone", '0',
         "sysctl kernel.unprivileged_userns_clone=1"},
        {"/proc/sys/user/max_user_namespaces", '0', "sysctl user.max_user_namespaces=15000"},
    };

    if (doctor_probe_namespaces(err) == 0)
        return found(d, "made all seven, with a /proc of its own");
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        if (is_set_to(switches[i].path, switches[i].value)) {
            str_copy(d->fix, sizeof d->fix, str_span(switches[i].fix));
            break;
        }
    return -1;
}

static int try_cgroup(struct doctor *d, struct err *err)
{
    struct statfs fs;

    if (statfs("/sys/fs/cgroup", &fs) != 0)
        return err_sys(err, ERR_UNSUPPORTED, "statfs", errno, str_span("/sys/fs/cgroup"), NULL);
    if (fs.f_type == CGROUP2_MAGIC)
        return found(d, "version 2 alone at /sys/fs/cgroup");
    return err_set(err, ERR_UNSUPPORTED, str_span("/sys/fs/cgroup"),
                   "no cgroup v2 file system: version 1, or hybrid");
}

static int try_pressure(struct doctor *d, struct err *err)
{
    struct machine m;

    if (machine_read(&d->rt->machine, &m, err) != 0)
        return -1;
    found(d, "readable, and under the bounds of check 9");
    return machine_check_quiet(&m, err);
}

/* --- The user -------------------------------------------------------------------- */

static int try_user(struct doctor *d, struct err *err)
{
    (void)err;
    if (d->rt->uid != 0)
        return found(d, "an ordinary user");
    return found(d, "root: --sandbox direct only; an ordinary user is better");
}

static int try_manager(struct doctor *d, struct err *err)
{
    char directory[RUNTIME_DIRECTORY_BYTES];
    struct walk w;

    walk_init(&w);
    launcher_runtime_directory(d->rt->uid, directory);
    int result = walk_path(&w, str_span(directory), WALK_DIRECTORY, O_RDONLY, d->rt->uid, err);
    if (result == 0 && faccessat(w.fd, "systemd/private", F_OK, 0) != 0)
        result = err_sys(err, ERR_UNSUPPORTED, "faccessat", errno, str_span(directory),
                         "no systemd/private: no user manager listens here");
    walk_close(&w);
    return result != 0 ? -1 : found(d, directory);
}

static int try_controllers(struct doctor *d, struct err *err)
{
    return scope_check_controllers(d->rt->uid, err) != 0
               ? -1
               : found(d, "cpu, memory and pids are delegated to the user manager");
}

static int try_delegated(struct doctor *d, struct err *err)
{
    char text[LINE_BYTES];
    struct text t = text_on(text, sizeof text);

    if (d->delegate.what != ERR_NONE) {
        *err = d->delegate;
        return -1;
    }
    text_adds(&t, d->rt->delegated.path);
    text_adds(&t, " can be used, with cpu, memory and pids");
    return found(d, text);
}

/* --- Pinned files ---------------------------------------------------------------- */

static int try_host_files(struct doctor *d, struct err *err)
{
    struct err controllers;

    err_clear(&controllers);
    if (checks_run_one(d->rt, &d->checks, 5, &controllers) == 0 ||
        controllers.what == ERR_CONTROLLERS)
        return found(d, "all have their digests");
    *err = controllers;
    return -1;
}

static int try_units(struct doctor *d, struct err *err)
{
    if (checks_run_one(d->rt, &d->checks, 6, err) != 0)
        return -1;
    return found(d, d->checks.scope == SCOPE_SYSTEMD ? "the user manager answers, and none is live"
                                                     : "none is live");
}

static int try_self(struct doctor *d, struct err *err)
{
    if (d->rt->self_fd >= 0)
        return found(d, "made, sealed and executable");
    *err = d->rt->self_err;
    return -1;
}

/* --- With a configuration -------------------------------------------------------- */

static int try_configuration(struct doctor *d, struct err *err)
{
    char path[PATH_BYTES_MAX + 1];

    if (confine_monitor(err) != 0 || command_absolute(d->config, path, err) != 0 ||
        runtime_load(d->rt, str_span(path), RUNTIME_PATHS, NULL, err) != 0 ||
        confine_writes(d->rt, err) < 0)
        return -1;
    d->loaded = true;
    return found(d, "loads; the distribution was not hashed");
}

static int try_latches(struct doctor *d, struct err *err)
{
    return checks_run_one(d->rt, &d->checks, 1, err) != 0 ? -1 : found(d, "none");
}

static int try_ledger(struct doctor *d, struct err *err)
{
    struct runtime *rt = d->rt;
    struct ledger_summary s;
    struct ledger ledger = {.fd = -1};
    bool missing = false;

    if (ledger_open(&ledger, rt->output.fd, rt->uid, false, &missing, err) != 0)
        return -1;
    int result = ledger_load(&ledger, &rt->ledger_worker, "", &s, NULL, NULL, err);
    ledger_close(&ledger);
    if (result != 0)
        return -1;
    if (s.open_calls > 0 || s.open_faults > 0)
        return err_set(err, ERR_OPEN_CALL, str_span(s.open_calls > 0 ? s.open_call : s.fault_call),
                       "an open call or an unresolved fault");
    return found(d, missing ? "none yet" : "reads whole, nothing is open");
}

static int try_space(struct doctor *d, struct err *err)
{
    return checks_run_one(d->rt, &d->checks, 8, err) != 0 ? -1 : found(d, "at least 4 GiB");
}

/* --- The table ------------------------------------------------------------------- */

enum { ALWAYS, SYSTEMD, CGROUP, CONFIGURED }; /* for --scope systemd, cgroup; with --runtime */

static const struct need {
    const char *name;
    int (*run)(struct doctor *d, struct err *err);
    int when;
    const char *fix;
} needs[] = {
    {"kernel", try_kernel, ALWAYS, "run lema on Linux on x86_64, 5.14 or newer"},
    {"openat2", try_openat2, ALWAYS, "a kernel with openat2(2), Linux 5.6 or newer"},
    {"seccomp", try_seccomp, ALWAYS, "a kernel with CONFIG_SECCOMP_FILTER"},
    {"namespaces", try_namespaces, ALWAYS,
     "allow unprivileged user namespaces; in a container, let it mount a /proc of its own"},
    {"cgroup v2", try_cgroup, ALWAYS,
     "systemd.unified_cgroup_hierarchy=1 on the kernel's command line"},
    {"pressure", try_pressure, ALWAYS,
     "wait until the host is quiet; where /proc/pressure is missing, psi=1 on the kernel's "
     "command line"},
    {"user", try_user, ALWAYS, ""},
    {"user manager", try_manager, SYSTEMD, "loginctl enable-linger USER, then log in again"},
    {"controllers", try_controllers, SYSTEMD,
     "/etc/systemd/system/user@.service.d/delegate.conf with [Service] Delegate=cpu memory pids, "
     "then systemctl daemon-reload and log in again"},
    {"delegated cgroup", try_delegated, CGROUP,
     "start lema alone in a cgroup of this user's with cpu, memory and pids: systemd-run --user "
     "--scope -p Delegate=yes lema ..."},
    {"copy of lema", try_self, ALWAYS, "sysctl vm.memfd_noexec=1 allows lema to run from one"},
    {"pinned files", try_host_files, ALWAYS,
     "if an update changed it (dpkg -S FILE names the package): look why, pin anew with lema-pin "
     "host, and build lema again"},
    {"no live unit", try_units, ALWAYS,
     "wait for the other call; or systemctl --user stop 'lema-native-*'"},
    {"configuration", try_configuration, CONFIGURED,
     "mend what is named; lema init makes a new one"},
    {"no HALTED latch", try_latches, CONFIGURED, "look at the call that it names, then resolve it"},
    {"ledger", try_ledger, CONFIGURED, "lema ledger verify says what is wrong and where"},
    {"free space", try_space, CONFIGURED, "free the space, or configure another output"},
};
#define NEEDS (sizeof needs / sizeof needs[0])

static void put_need(struct doctor *d, struct out *o, const struct need *n, const char *state,
                     const struct err *why)
{
    char text[ERR_TEXT_BYTES];
    struct text t = text_on(text, sizeof text);
    const char *fix = d->fix[0] != '\0' ? d->fix : n->fix;
    bool failed = why->what != ERR_NONE;

    if (failed)
        err_format(why, &t);
    out_plain(o, "%-9s %s: %s", state, n->name, failed ? text : d->found);
    if (failed)
        out_plain(o, "          fix: %s", fix);
    if (!o->json)
        return;
    out_object(o, NULL);
    out_chars(o, "need", n->name);
    out_chars(o, "state", state);
    out_chars(o, "found", failed ? text : d->found);
    out_chars(o, "fix", failed ? fix : "");
    out_object_end(o);
}

/* returns  true if it is met, or not to be tried */
static bool try_need(struct doctor *d, struct out *o, const struct need *n)
{
    struct err why;

    err_clear(&why);
    d->found[0] = d->fix[0] = '\0';
    if (n->when == (d->checks.scope == SCOPE_SYSTEMD ? CGROUP : SYSTEMD))
        return true;
    if (n->when == CONFIGURED &&
        (d->config == NULL || (!d->loaded && n->run != try_configuration))) {
        found(d, d->config == NULL ? "give --runtime to look at it" : "no configuration is loaded");
        put_need(d, o, n, "not tried", &why);
        return true;
    }
    int result = n->run(d, &why);
    put_need(d, o, n, result == 0 ? "ok" : "FAILED", &why);
    return result == 0;
}

int cmd_doctor(struct command_line *line, struct out *o, struct err *err)
{
    struct option option[] = {{"--runtime", false, false, NULL}, {"--scope", false, false, NULL}};
    static struct doctor d;
    enum scope_kind scope;
    uint64_t failed = 0;
    size_t operands;

    if (options_parse(option, 2, NULL, 0, &operands, line->argc, line->argv, err) != 0 ||
        command_scope(&option[1], &scope, err) != 0)
        return -1;
    d = (struct doctor){.rt = line->rt, .config = option[0].value};
    checks_init(&d.checks);
    d.checks.scope = scope;
    if (scope == SCOPE_CGROUP)
        (void)runtime_delegate(line->rt, &d.delegate); /* a need of its own */
    if (runtime_start(line->rt, err) != 0)
        return -1;
    out_array(o, "needs");
    for (size_t i = 0; i < NEEDS; i++)
        failed += try_need(&d, o, &needs[i]) ? 0 : 1;
    out_array_end(o);
    checks_close(&d.checks);
    out_u64(o, "failed", failed);
    return failed == 0 ? 0 : 1;
}
