/* Calls that end with a fault: what is recorded, and that the next one is refused.
 * Runs in the test VM as an ordinary user: vm_faults CASE...
 *
 * Linked with --wrap (VM_LINK in the Makefile): the wall time is what the case says,
 * and a case can act when the limits of the reservation are asked for, after the
 * checks.  Deadlines themselves are the kernel's CLOCK_BOOTTIME. */
#include "vmtests/vm.h"

#define OWN_DISTRIBUTION "/home/tester/dist/lean" /* made by run-root, of the tester */

uint32_t __real_kind_wall_ms(enum call_kind kind);
uint32_t __wrap_kind_wall_ms(enum call_kind kind);

static uint32_t wall_ms; /* 0: the specification's */

uint32_t __wrap_kind_wall_ms(enum call_kind kind)
{
    return wall_ms != 0 ? wall_ms : __real_kind_wall_ms(kind);
}

struct record_limits __real_scope_limits(enum call_kind kind);
struct record_limits __wrap_scope_limits(enum call_kind kind);

static void (*after_checks)(void); /* once */

struct record_limits __wrap_scope_limits(enum call_kind kind)
{
    void (*act)(void) = after_checks;
    after_checks = NULL;
    if (act != NULL)
        act();
    return __real_scope_limits(kind);
}

void __real_preflight_try(struct preflight *out);
void __wrap_preflight_try(struct preflight *out);

/* INIT is this program too: an input of the call says which probe is to be let pass. */
void __wrap_preflight_try(struct preflight *out)
{
    __real_preflight_try(out);
    for (size_t i = 0; i < PREFLIGHT_PROBES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/call/pass-%s", preflight_word(i));
        if (vm_exists(path))
            out->sys[i] = 0;
    }
}

/* The fault in answer, record, ledger line and latch; the next call is refused. */
static void check_fault(struct vm_case *c, const char *call, const char *fault)
{
    char want[160], name[32] = "after-";

    CHECK_TEXT(err_word((enum err_what)c->err.what), "fault", "%s: the call's error is fault",
               fault);
    CHECK_TEXT(fault_word(fault_first(c->r->faults)), fault, "%s: it is the call's fault", fault);
    snprintf(want, sizeof want, "\"fault\":\"%s\"", fault);
    CHECK_U64(vm_count(vm_record(c, call, "result"), want), 1, "%s: the record has it", fault);
    CHECK_U64(vm_count(vm_ledger(c), want), 1, "%s: the completion line has it", fault);
    snprintf(want, sizeof want, "%s: %s\n", call, fault);
    CHECK_TEXT(vm_read(vm_path(c, "out/HALTED")), want, "%s: HALTED names call and fault", fault);
    if (strcmp(fault, "scope-not-gone") == 0)
        CHECK_TEXT(vm_read(vm_path(c, "lock.HALTED")), want, "%s: the host is latched too", fault);
    else
        CHECK(!vm_exists(vm_path(c, "lock.HALTED")), "%s: the host is not latched", fault);
    vm_check_gone(fault);
    strncat(name, call, sizeof name - 7);
    vm_call(c, name, "--! exit 0");
    CHECK_TEXT(err_word((enum err_what)c->err.what), "latched", "%s: the next call is refused",
               fault);
    snprintf(want, sizeof want, "%s: %s", call, fault);
    CHECK(strstr(c->text, want) != NULL && strstr(c->text, vm_path(c, "out/HALTED")) != NULL,
          "%s: the refusal names the latch, its call and its fault: %s", fault, c->text);
    CHECK_U64(vm_count(vm_ledger(c), "{\"event\":\"reserve\""), 1, "%s: it reserved nothing",
              fault);
}

static void check_timeout(const char *name, const char *source)
{
    struct vm_case c;
    if (!vm_open(&c, name, VM_DISTRIBUTION, ""))
        return;
    wall_ms = 2000;
    vm_call(&c, name, source);
    CHECK_TEXT(outcome_word(c.r->outcome), "killed", "%s: past its wall time it is killed", name);
    CHECK(c.r->exit_code == -1 && c.r->signal == -1, "%s: without exit code and signal", name);
    CHECK(c.r->wall_ms >= 2000, "%s: wall_ms is not under the wall time", name);
    CHECK_U64(c.r->overrun_ms, c.r->wall_ms - 2000, "%s: the overrun is end minus deadline", name);
    CHECK(c.r->overrun_ms < 5000, "%s: the overrun is short", name);
    CHECK(strstr(vm_record(&c, name, "reserved"), "\"wall_ms\":2000,") != NULL,
          "%s: the reserved record has the wall time", name);
    check_fault(&c, name, "timeout");
    vm_close(&c);
}

static void timeout(void)
{
    check_timeout("hang", "--! print begun\n--! hang");
    check_timeout("deaf", "--! hang-ignoring-signals");
    check_timeout("spin", "--! fork-bomb 20\n--! spin 600");
    check_timeout("stop", "--! stop-self");
}

static void overflow(void)
{
    struct vm_case c;
    if (vm_open(&c, "log", VM_DISTRIBUTION, "")) {
        vm_call(&c, "log", "--! fill-log 17825792 65536\n--! hang");
        CHECK_TEXT(outcome_word(c.r->outcome), "killed", "17 MiB of output: it is killed");
        CHECK_U64(c.r->log_bytes, 16777216, "17 MiB of output: 16 MiB are recorded");
        CHECK(c.r->log_truncated, "17 MiB of output: the log is called truncated");
        CHECK_I64(vm_size(vm_path(&c, "out/log.log")), 16777216, "the log has exactly 16 MiB");
        check_fault(&c, "log", "log-overflow");
        vm_close(&c);
    }
    if (vm_open(&c, "one-more", VM_DISTRIBUTION, "")) {
        vm_call(&c, "one", "--! fill-log 16777217 65536");
        CHECK_U64(c.r->log_bytes, 16777216, "one byte more than 16 MiB: 16 MiB are recorded");
        check_fault(&c, "one", "log-overflow");
        vm_close(&c);
    }
    if (vm_open(&c, "sparse", VM_DISTRIBUTION, "")) {
        /* Without a mode that lets lema read them: hashing 8 GB is not what is tested. */
        vm_call(&c, "sparse",
                "--! sparse-file 4000000000 /call/a\n--! sparse-file 4000000000 /call/b\n"
                "--! sparse-file 4000000000 /call/c\n"
                "--! chmod 0 /call/a\n--! chmod 0 /call/b\n--! chmod 0 /call/c");
        CHECK(strstr(c.text, "more than 8 GiB") != NULL, "holes count as much as they are long: %s",
              c.text);
        check_fault(&c, "sparse", "work-overflow");
        vm_close(&c);
    }
    if (vm_open(&c, "dark", VM_DISTRIBUTION, "")) {
        vm_call(&c, "dark", "--! deep-dirs 2\n--! chmod 0 /call/d");
        CHECK(strstr(c.text, "a directory that cannot be read") != NULL,
              "what cannot be counted is not called small: %s", c.text);
        check_fault(&c, "dark", "work-overflow");
        vm_close(&c);
    }
    if (vm_open(&c, "listed", VM_DISTRIBUTION, "")) {
        vm_call(&c, "listed", "--! deep-dirs 2\n--! chmod 400 /call/d\n--! exit 7");
        CHECK(c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 7,
              "a directory whose names alone can be read hides no end");
        check_fault(&c, "listed", "work-overflow");
        vm_close(&c);
    }
    if (vm_open(&c, "shut", VM_DISTRIBUTION, "")) {
        vm_call(&c, "shut", "--! chmod 0 /call\n--! exit 7");
        CHECK(c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 7,
              "a /call that cannot be read hides no end");
        check_fault(&c, "shut", "work-overflow");
        vm_close(&c);
    }
    if (vm_open(&c, "deep", VM_DISTRIBUTION, "")) {
        vm_call(&c, "deep", "--! deep-dirs 33");
        check_fault(&c, "deep", "work-overflow");
        vm_close(&c);
    }
}

/* A limit that the manager did not apply: run-root has put a drop-in there. */
static void check_mismatch(const char *name, const char *file)
{
    struct vm_case c;
    if (!vm_open(&c, name, VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, name, "--! write /call/ran yes");
    CHECK_TEXT(outcome_word(c.r->outcome), "setup-failed", "%s: its outcome is setup-failed", file);
    CHECK(strstr(c.text, file) != NULL, "%s: the message names it: %s", file, c.text);
    CHECK_I64(vm_size(vm_path(&c, "out")) > 0 && vm_exists(vm_path(&c, "out/work")) &&
                  strstr(vm_record(&c, name, "result"), "\"path\":\"ran\"") != NULL,
              0, "%s: the program was not started", file);
    CHECK_U64(c.r->log_bytes, 0, "%s: nothing was printed", file);
    CHECK_I64((long long)c.r->wall_ms, -1, "%s: there is no wall time", file);
    check_fault(&c, name, "scope-mismatch");
    vm_close(&c);
}

static void mismatch_memory(void)
{
    check_mismatch("mismatch-memory", "memory.max");
}

static void mismatch_swap(void)
{
    check_mismatch("mismatch-swap", "memory.swap.max");
}

static void mismatch_tasks(void)
{
    check_mismatch("mismatch-tasks", "pids.max");
}

static void mismatch_cpu(void)
{
    check_mismatch("mismatch-cpu", "cpu.max");
}

/* The monitor sleeps (SIGSTOP) past the deadline: init's stamp decides. */
static void stopped_monitor(const char *name, unsigned seconds, const char *fault)
{
    struct vm_case c;
    char source[64], want[96];

    wall_ms = 3000;
    if (!CHECK(vm_make(&c, name, VM_DISTRIBUTION, ""), "%s: a case of its own", name))
        return;
    snprintf(source, sizeof source, "--! sleep %u", seconds);
    pid_t monitor = vm_fork_call(&c, name, source);
    CHECK(vm_wait_for_program() > 0, "%s: the program runs", name);
    kill(monitor, SIGSTOP);
    vm_sleep_ms(6000);
    kill(monitor, SIGCONT);
    int status = -1;
    waitpid(monitor, &status, 0);
    CHECK_I64(WEXITSTATUS(status), fault == NULL ? 0 : 1, "%s: the call ends as it should", name);
    const char *record = vm_record(&c, name, "result");
    snprintf(want, sizeof want,
             "\"outcome\":\"exited\",\"exit_code\":0,\"signal\":null,\"fault\":%s%s%s",
             fault == NULL ? "null" : "\"", fault == NULL ? "" : fault, fault == NULL ? "" : "\"");
    CHECK(strstr(record, want) != NULL, "%s: the record says %s", name, want);
    CHECK(strstr(record, "\"overrun_ms\":0,") != NULL ? fault == NULL : fault != NULL,
          "%s: it has an overrun if it was late", name);
    CHECK(vm_exists(vm_path(&c, "out/HALTED")) == (fault != NULL), "%s: latched if late", name);
    vm_check_gone(name);
}

static void late(void)
{
    stopped_monitor("late", 4, "late-completion");
    stopped_monitor("in-time", 1, NULL);
}

/* The distribution is changed while a call runs. */
static void changed(void)
{
    struct vm_case c;
    if (!vm_open(&c, "changed", OWN_DISTRIBUTION, ""))
        return;
    wall_ms = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        bool runs = vm_wait_for_program() > 0;
        _exit(runs && utimensat(AT_FDCWD, OWN_DISTRIBUTION "/share/lean/lean.mk", NULL, 0) == 0
                  ? 0
                  : 1);
    }
    vm_call(&c, "changed", "--! sleep 5");
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK_I64(status, 0, "a file of the distribution was touched while the program ran");
    CHECK(strstr(c.text, "share/lean/lean.mk") != NULL, "the message names it: %s", c.text);
    CHECK(c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 0, "the outcome is the program's");
    check_fault(&c, "changed", "distribution-changed");
    vm_close(&c);
}

/* Several faults: the first by precedence, the others in also. */
static void several(void)
{
    struct vm_case c;
    if (!vm_open(&c, "several", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 60000;
    vm_call(&c, "several", "--! deep-dirs 40\n--! fill-log 17825792 65536\n--! hang");
    CHECK(strstr(vm_record(&c, "several", "result"), "\"also\":[\"work-overflow\"]") != NULL,
          "a second fault stands in also");
    check_fault(&c, "several", "log-overflow");
    vm_close(&c);
}

static pid_t manager(void)
{
    return vm_first_of(VM_MANAGER "/init.scope");
}

static void stop_manager(void)
{
    kill(manager(), SIGSTOP);
}

/* The user manager does not answer once the checks are over: 30 s. */
static void missing(void)
{
    struct vm_case c;
    if (!vm_open(&c, "missing", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 0;
    c.unconfined = true; /* stop_manager starts a program */
    after_checks = stop_manager;
    uint64_t start = clock_boot_ns();
    vm_call(&c, "missing", "--! write /call/ran yes");
    uint64_t ms = (clock_boot_ns() - start) / 1000000;
    kill(manager(), SIGCONT);
    CHECK(ms >= 30000 && ms < 45000, "a scope that does not come is waited for 30 s (%llu ms)",
          (unsigned long long)ms);
    CHECK_TEXT(outcome_word(c.r->outcome), "setup-failed", "then the outcome is setup-failed");
    CHECK_TEXT(c.text, "missing: scope-missing: the scope's process did not appear",
               "the message says so");
    vm_sleep_ms(2000);
    CHECK_I64(vm_scopes(), 0, "when the manager answers later, no scope comes");
    CHECK(!vm_exists(vm_path(&c, "out/work/missing/ran")), "and the program is not started");
    check_fault(&c, "missing", "scope-missing");
    vm_close(&c);
}

/* The user manager does not take the scope's cgroup away: 30 s. */
static void not_gone(void)
{
    struct vm_case c;
    if (!vm_open(&c, "not-gone", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        vm_wait_for_program();
        stop_manager();
        _exit(0);
    }
    vm_call(&c, "not-gone", "--! sleep 3");
    kill(manager(), SIGCONT);
    waitpid(pid, NULL, 0);
    CHECK(c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 0, "the outcome is the program's");
    CHECK(c.r->gone_ms == RECORD_NULL, "there is no time at which the scope was gone");
    for (int i = 0; i < 100 && vm_scopes() > 0; i++)
        vm_sleep_ms(100);
    check_fault(&c, "not-gone", "scope-not-gone");
    vm_close(&c);
}

/* Something kills lema's init or its keeper: no status, not before the deadline. */
static void check_reap(const char *name, bool keeper)
{
    struct vm_case c;
    if (!vm_open(&c, name, VM_DISTRIBUTION, ""))
        return;
    wall_ms = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        char path[64];
        int parent = 0;
        snprintf(path, sizeof path, "/proc/%d/stat", (int)vm_wait_for_program());
        const char *behind = strrchr(vm_read(path), ')');
        if (behind != NULL)
            parent = atoi(behind + 4);
        if (keeper && vm_scopes() == 1)
            parent = vm_first_of(vm_found_path);
        _exit(parent > 1 && kill(parent, SIGKILL) == 0 ? 0 : 1);
    }
    vm_call(&c, name, "--! hang");
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK_I64(status, 0, "%s: it was killed from outside", name);
    CHECK_TEXT(outcome_word(c.r->outcome), "killed", "%s: the outcome is killed", name);
    CHECK(c.r->wall_ms < 20000, "%s: it is noticed at once (%lld ms)", name,
          (long long)c.r->wall_ms);
    check_fault(&c, name, "reap-failure");
    vm_close(&c);
}

static void reap(void)
{
    check_reap("init", false);
    check_reap("keeper", true);
}

/* SIGTERM to lema ends the call: killed, recorded, nothing left. */
static void interrupted(void)
{
    struct vm_case c;
    wall_ms = 0;
    if (!CHECK(vm_make(&c, "term", VM_DISTRIBUTION, ""), "term: a case of its own"))
        return;
    pid_t monitor = vm_fork_call(&c, "term", "--! hang");
    CHECK(vm_wait_for_program() > 0, "term: the program runs");
    kill(monitor, SIGTERM);
    int status = -1;
    waitpid(monitor, &status, 0);
    CHECK(WIFEXITED(status), "after SIGTERM lema ends by itself");
    CHECK(strstr(vm_record(&c, "term", "result"), "\"outcome\":\"killed\"") != NULL,
          "after SIGTERM the call is recorded as killed");
    CHECK_U64(vm_count(vm_ledger(&c), "{\"event\":\"complete\""), 1, "with its completion line");
    vm_check_gone("SIGTERM");
}

/* A sandbox that lets a probe pass: the program is not started. */
static void preflight(void)
{
    struct vm_case c;

    if (!vm_open(&c, "preflight", VM_DISTRIBUTION, ""))
        return;
    c.extra = (struct work_input){"pass-mount", str_span("x")};
    vm_call(&c, "preflight", "--! write /call/ran x");
    CHECK_TEXT(err_word((enum err_what)c.err.what), "setup",
               "a probe that was not refused ends the call");
    CHECK(strstr(c.text, "preflight of mount") != NULL, "which names it: %s", c.text);
    const char *record = vm_record(&c, "preflight", "result");
    CHECK(strstr(record, "\"outcome\":\"setup-failed\"") != NULL &&
              strstr(record, "\"setup_error\":{\"step\":\"preflight\",\"object\":\"mount\"") !=
                  NULL,
          "the record says so");
    CHECK(strstr(record, "\"trace-init\":\"EPERM\",\"mount\":\"succeeded\"}") != NULL,
          "and what each probe met");
    CHECK(!vm_exists(vm_path(&c, "out/work/preflight/ran")), "the program was not started");
    vm_check_gone("preflight");
    c.extra.name = NULL;
    vm_call(&c, "after", "--! exit 0");
    CHECK_TEXT(err_word((enum err_what)c.err.what), "none",
               "it is no fault: the next call completes");
    vm_close(&c);
}

/* --- What happens to a machine while a call runs ------------------------------------ */

/* In another process, once a program runs: f.  returns its pid */
static pid_t meanwhile(void (*f)(const struct vm_case *c), const struct vm_case *c)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (vm_wait_for_program() == 0)
            _exit(1);
        f(c);
        _exit(0);
    }
    return pid;
}

static void freeze(const struct vm_case *c)
{
    char path[600];
    (void)c;
    if (vm_scopes() != 1)
        _exit(2);
    snprintf(path, sizeof path, "%s/cgroup.freeze", vm_found_path);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "1", 1) != 1)
        _exit(3);
}

/* A frozen scope, keeper and all, is killed when its time is over. */
static void frozen(void)
{
    struct vm_case c;
    int status = -1;

    if (!vm_open(&c, "frozen", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 3000;
    pid_t pid = meanwhile(freeze, &c);
    vm_call(&c, "frozen", "--! hang");
    waitpid(pid, &status, 0);
    CHECK_I64(status, 0, "the scope was frozen");
    CHECK_TEXT(outcome_word(c.r->outcome), "killed", "a frozen program is killed");
    CHECK(c.r->overrun_ms < 5000, "soon after its deadline (%llu ms)",
          (unsigned long long)c.r->overrun_ms);
    check_fault(&c, "frozen", "timeout");
    vm_close(&c);
}

/* run-root sets the clock forward and back while the program sleeps three seconds. */
static void clock_set(void)
{
    struct vm_case c;

    if (!vm_open(&c, "clock", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 20000;
    vm_call(&c, "clock", "--! sleep 3");
    CHECK_TEXT(c.text, "", "the clock of the day ends no call");
    CHECK(c.r->outcome == OUTCOME_EXITED && c.r->wall_ms >= 3000 && c.r->wall_ms < 20000,
          "three seconds are about three seconds (%lld ms)", (long long)c.r->wall_ms);
    vm_close(&c);
}

/* run-root lets the user manager execute itself anew while the program runs. */
static void restarted(void)
{
    struct vm_case c;

    if (!vm_open(&c, "restarted", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 0;
    vm_call(&c, "restarted", "--! sleep 4");
    CHECK_TEXT(c.text, "", "a call does not mind a manager that begins anew");
    CHECK(c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 0, "and ends by itself");
    vm_check_gone("restarted");
    vm_call(&c, "again", "--! exit 0");
    CHECK_TEXT(c.text, "", "which makes the next call's scope too");
    vm_close(&c);
}

#define FILLER "/filler"

/* Take every byte of the case's file system that a user can have, or that the quota leaves. */
static void fill_disk(const struct vm_case *c)
{
    off_t size = 0;
    char path[600];

    snprintf(path, sizeof path, "%s" FILLER, c->dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    for (off_t piece = (off_t)1 << 30; piece >= 512; piece /= 2)
        while (fallocate(fd, 0, size, piece) == 0)
            size += piece;
    if (fd < 0 || (errno != ENOSPC && errno != EDQUOT))
        _exit(4);
}

/* run-root has made a file system of 6 GiB.  It is filled to the last byte while a call
 * runs: the evidence has its space already. */
static void full(void)
{
    struct vm_case c;
    int status = -1;
    char ran[300];

    if (!vm_open(&c, "full", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 0;
    pid_t pid = meanwhile(fill_disk, &c);
    vm_call(&c, "full", "--! print begun\n--! sleep 60");
    waitpid(pid, &status, 0);
    CHECK_I64(status, 0, "the disk was filled");
    CHECK(strstr(c.text, "free") != NULL, "the message says what is short: %s", c.text);
    CHECK(strstr(vm_log(&c, "full"), "begun") != NULL, "the log is stored");
    check_fault(&c, "full", "work-overflow");
    snprintf(ran, sizeof ran, "%s" FILLER, c.dir);
    CHECK_I64(unlink(ran), 0, "there is room again");
    vm_recover(&c, "full");
    CHECK_TEXT(c.text, "", "recover closes the call");
    vm_call(&c, "again", "--! exit 0");
    CHECK_TEXT(c.text, "", "and the next one completes");
    vm_close(&c);
}

/* run-root gave the tester a quota of 256 MiB.  It is filled to the last byte while a call
 * runs: the program meets it, the evidence has its space already; a call that would need
 * more is refused. */
static void quota(void)
{
    struct vm_case c;
    int status = -1;
    char ran[300];

    if (!vm_open(&c, "quota", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 0;
    pid_t pid = meanwhile(fill_disk, &c);
    vm_call(&c, "met", "--! print begun\n--! sleep 10\n--! write /call/late yes");
    waitpid(pid, &status, 0);
    CHECK_I64(status, 0, "the quota was filled");
    CHECK_TEXT(c.text, "", "a call whose user has no quota left completes");
    CHECK(strstr(vm_log(&c, "met"), "begun") != NULL &&
              strstr(vm_log(&c, "met"), "write /call/late: EDQUOT") != NULL,
          "the program met the quota: %s", vm_log(&c, "met"));
    CHECK_U64(vm_count(vm_ledger(&c), "\n"), 2, "the evidence has its lines");
    vm_call(&c, "refused", "--! exit 0");
    CHECK(c.answer.reservations == 0 && c.err.sys == EDQUOT,
          "the next call is refused before it reserves: %s", c.text);
    CHECK_U64(vm_count(vm_ledger(&c), "\n"), 2, "and has no line");
    CHECK(vm_record(&c, "refused", "reserved")[0] == '\0' && !vm_exists(vm_path(&c, "out/HALTED")),
          "no record, and no latch");
    snprintf(ran, sizeof ran, "%s" FILLER, c.dir);
    CHECK_I64(unlink(ran), 0, "there is quota again");
    vm_call(&c, "refused", "--! exit 0");
    CHECK_TEXT(c.text, "", "and the call of that name completes");
    vm_close(&c);
}

/* run-root suspends the machine for ten seconds while the program runs: they count
 * (specification 6), so the deadline has passed when it wakes. */
static void suspended(void)
{
    struct vm_case c;

    if (!vm_open(&c, "suspended", VM_DISTRIBUTION, ""))
        return;
    wall_ms = 8000;
    uint64_t boot = clock_boot_ns();
    struct timespec monotonic, now;
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    vm_call(&c, "suspended", "--! hang");
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t awake = (uint64_t)(now.tv_sec - monotonic.tv_sec) * 1000;
    uint64_t asleep = (clock_boot_ns() - boot) / 1000000 - awake;
    CHECK(asleep >= 8000 && asleep < 60000, "the machine was suspended (%llu ms)",
          (unsigned long long)asleep);
    CHECK_TEXT(outcome_word(c.r->outcome), "killed", "time suspended counts: it is killed");
    CHECK(c.r->wall_ms >= 8000 && c.r->overrun_ms == c.r->wall_ms - 8000,
          "the overrun is end minus deadline (%llu ms)", (unsigned long long)c.r->overrun_ms);
    CHECK(c.r->overrun_ms < asleep + 5000, "and no longer than the machine slept");
    check_fault(&c, "suspended", "timeout");
    vm_close(&c);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {
        {"timeout", timeout},
        {"overflow", overflow},
        {"mismatch-memory", mismatch_memory},
        {"mismatch-swap", mismatch_swap},
        {"mismatch-tasks", mismatch_tasks},
        {"mismatch-cpu", mismatch_cpu},
        {"late", late},
        {"changed", changed},
        {"several", several},
        {"interrupted", interrupted},
        {"missing", missing},
        {"not-gone", not_gone},
        {"reap", reap},
        {"preflight", preflight},
        {"frozen", frozen},
        {"clock", clock_set},
        {"restarted", restarted},
        {"suspended", suspended},
        {"full", full},
        {"quota", quota},
    };
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
