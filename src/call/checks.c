/* The nine checks before every call.  Layer: call. */
#include "call/checks.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "call/scope.h"
#include "evidence/stray.h"
#include "host/file.h"

void checks_init(struct checks *c)
{
    memset(c, 0, sizeof *c);
    c->ledger.fd = -1;
    for (size_t i = 0; i < HOST_FILES_MAX; i++)
        c->host_fd[i] = -1;
}

void checks_close(struct checks *c)
{
    ledger_close(&c->ledger);
    pins_close_host(c->host_fd);
}

static int check_latches(struct runtime *rt, struct checks *c, struct err *err)
{
    (void)c;
    return latch_check(rt->latch, rt->config.output, rt->config.shared_lock, rt->uid, err);
}

static int check_ledger(struct runtime *rt, struct checks *c, struct err *err)
{
    bool missing = false;

    if (ledger_open(&c->ledger, rt->output.fd, rt->uid, true, &missing, err) != 0)
        return -1;
    if (ledger_read(&rt->ledger_worker, c->ledger.fd, c->ledger.bytes, c->call, &c->summary, NULL,
                    NULL, err) != 0)
        return -1;
    if (c->summary.lines == 0 && stray_refuse_results(rt->output.fd, err) != 0)
        return -1;
    c->ledger.bytes = c->summary.bytes;
    c->ledger.last = c->summary.last;
    c->ledger.lines = c->summary.lines;
    if (c->summary.open_calls > 0)
        return err_set(err, ERR_OPEN_CALL, str_span(c->summary.open_call),
                       "reserved, with neither completion nor resolution (lema recover shows it)");
    if (c->summary.open_faults > 0)
        return err_set(err, ERR_OPEN_CALL, str_span(c->summary.fault_call),
                       "its fault %s is not resolved (lema recover shows it)",
                       fault_word((enum fault)c->summary.fault));
    if (c->summary.name_used != 0)
        return err_set(err, ERR_CALL_NAME, str_span(c->call),
                       "a call of this name stands in the ledger; a name is used once");
    return 0;
}

static int check_budget(struct runtime *rt, struct checks *c, struct err *err)
{
    if (c->summary.reservations >= LEDGER_CALLS_MAX)
        return err_set(err, ERR_BUDGET, str_span("ledger.jsonl"),
                       "it holds %u calls, as many as it can; begin another output",
                       LEDGER_CALLS_MAX);
    if (rt->config.has_call_budget != 0 && c->summary.reservations >= rt->config.call_budget)
        return err_set(err, ERR_BUDGET, str_span("call_budget"), "%llu of %llu calls are used",
                       (unsigned long long)c->summary.reservations,
                       (unsigned long long)rt->config.call_budget);
    return 0;
}

static int check_configuration(struct runtime *rt, struct checks *c, struct err *err)
{
    (void)c;
    return runtime_recheck(rt, err);
}

/* A bwrap that gains privileges when it is executed is not the sandbox that
 * was reviewed (specification 10). */
static int check_bwrap(int fd, const char *path, struct err *err)
{
    struct stat st;
    char capability[64];

    if (fstat(fd, &st) != 0)
        return err_sys(err, ERR_IO, "fstat", errno, str_span(path), NULL);
    if ((st.st_mode & (S_ISUID | S_ISGID)) != 0)
        return err_set(err, ERR_HOST_FILE, str_span(path), "has setuid or setgid bits");
    if (fgetxattr(fd, "security.capability", capability, sizeof capability) >= 0 ||
        (errno != ENODATA && errno != ENOTSUP))
        return err_set(err, ERR_HOST_FILE, str_span(path), "has file capabilities");
    return 0;
}

static int check_host(struct runtime *rt, struct checks *c, struct err *err)
{
    pins_close_host(c->host_fd);
    if (pins_check_host(&rt->pins, rt->uid, &rt->pool, c->host_fd, err) != 0)
        return -1;
    const bool systemd = c->scope == SCOPE_SYSTEMD;
    size_t bwrap = pins_find_host(&rt->pins, HOST_BWRAP);
    if ((bwrap == SIZE_MAX && c->sandbox == SANDBOX_BWRAP) ||
        (systemd && (pins_find_host(&rt->pins, HOST_SYSTEMD_RUN) == SIZE_MAX ||
                     pins_find_host(&rt->pins, HOST_SYSTEMCTL) == SIZE_MAX)))
        return err_set(err, ERR_HOST_FILE, str_span("host.manifest"),
                       "this build pins no bwrap, systemd-run or systemctl; build it on a host "
                       "that has them, or with PINS=");
    if (c->sandbox == SANDBOX_BWRAP &&
        check_bwrap(c->host_fd[bwrap], rt->pins.host[bwrap].path, err) != 0)
        return -1;
    return systemd ? scope_check_controllers(rt->uid, err) : delegated_check(&rt->delegated, err);
}

static int check_units(struct runtime *rt, struct checks *c, struct err *err)
{
    if (c->scope == SCOPE_CGROUP)
        return scope_check_empty(NULL, rt->uid, err);
    size_t systemctl = pins_find_host(&rt->pins, HOST_SYSTEMCTL);
    if (systemctl == SIZE_MAX)
        return err_set(err, ERR_HOST_FILE, str_span("systemctl"), "not pinned by this build");
    return scope_check_none_live(&rt->launcher, c->host_fd[systemctl], rt->uid, err);
}

static int check_distribution(struct runtime *rt, struct checks *c, struct err *err)
{
    (void)c;
    if (!rt->whole)
        return err_set(err, ERR_INTERNAL, str_span("distribution"), "it was not verified");
    return dist_compare(&rt->dist, err);
}

static int check_space_of(int fd, const char *path, struct err *err)
{
    uint64_t bytes = 0;
    if (machine_free_bytes(fd, &bytes, err) != 0)
        return -1;
    if (bytes < FREE_SPACE_MIN_BYTES)
        return err_set(err, ERR_SPACE, str_span(path), "%llu bytes are free, at least %llu needed",
                       (unsigned long long)bytes, (unsigned long long)FREE_SPACE_MIN_BYTES);
    return 0;
}

static int check_space(struct runtime *rt, struct checks *c, struct err *err)
{
    (void)c;
    if (check_space_of(rt->output.fd, rt->config.output, err) != 0)
        return -1;
    return check_space_of(rt->lock.fd, rt->config.shared_lock, err);
}

static int check_quiet(struct runtime *rt, struct checks *c, struct err *err)
{
    if (machine_read(&rt->machine, &c->machine, err) != 0)
        return -1;
    return machine_check_quiet(&c->machine, err);
}

static const struct {
    const char *title;
    int (*run)(struct runtime *rt, struct checks *c, struct err *err);
} checks[CHECKS] = {
    {"no HALTED latch", check_latches},
    {"no open call in the ledger", check_ledger},
    {"call budget", check_budget},
    {"configuration and paths unchanged", check_configuration},
    {"pinned host files and controllers", check_host},
    {"no live lema-native unit", check_units},
    {"distribution unchanged", check_distribution},
    {"free space", check_space},
    {"quiet host", check_quiet},
};

const char *checks_title(size_t number)
{
    return number >= 1 && number <= CHECKS ? checks[number - 1].title : "";
}

int checks_run_one(struct runtime *rt, struct checks *c, size_t number, struct err *err)
{
    if (number < 1 || number > CHECKS)
        return err_set(err, ERR_INTERNAL, str_span("checks"), "no check %zu", number);
    return checks[number - 1].run(rt, c, err);
}

int checks_run(struct runtime *rt, struct checks *c, struct err *err)
{
    for (size_t number = 1; number <= CHECKS; number++)
        if (checks_run_one(rt, c, number, err) != 0)
            return -1;
    return 0;
}
