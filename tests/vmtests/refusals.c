/* Calls that are refused: the nine checks, the lock, what a killed lema leaves.
 * Runs in the test VM as an ordinary user: vm_refusals CASE... */
#include "vmtests/vm.h"

#define OWN_DISTRIBUTION "/home/tester/dist/lean" /* made by run-root, of the tester */

static const char *host_path; /* of the case "host": HOST_PATH in the environment */

static const char *word(const struct vm_case *c)
{
    return err_word((enum err_what)c->err.what);
}

/* A refusal leaves nothing of the call. */
static void check_nothing(const struct vm_case *c, const char *call, unsigned lines)
{
    char name[160];
    snprintf(name, sizeof name, "out/work/%s", call);
    CHECK(c->result == -1 && !vm_exists(vm_path(c, name)), "%s: no work directory is left", call);
    CHECK(vm_record(c, call, "reserved")[0] == '\0' && vm_record(c, call, "result")[0] == '\0',
          "%s: no record is left", call);
    CHECK_U64(vm_count(vm_ledger(c), "\n"), lines, "%s: the ledger has %u lines", call, lines);
    CHECK_I64(vm_scopes(), 0, "%s: there is no scope", call);
}

/* A clock of which ten minutes pass in no time. */
static uint64_t fake_ns(void *arg)
{
    return *(uint64_t *)arg;
}

static void fake_sleep(void *arg, uint32_t ms)
{
    *(uint64_t *)arg += (uint64_t)ms * 1000000;
}

static int told_holder;
static unsigned told;

static void tell(void *arg, int holder)
{
    (void)arg;
    told++;
    told_holder = holder;
}

static void lock(void)
{
    struct vm_case c;
    uint64_t now = 1;
    const struct clock fake = {fake_ns, fake_sleep, &now};
    const char *const argv[] = {"/lean/bin/lean", "/call/LemaCheck.lean", NULL};
    struct work_input input = {"LemaCheck.lean", str_span("--! exit 0")};
    struct call_request request = {.name = "second",
                                   .kind = KIND_CHECK_RUNTIME,
                                   .argv = argv,
                                   .input = &input,
                                   .input_n = 1,
                                   .waiting = tell};

    if (!CHECK(vm_make(&c, "lock", VM_DISTRIBUTION, ""), "lock: a case of its own"))
        return;
    pid_t other = vm_fork_call(&c, "first", "--! sleep 5");
    CHECK(vm_wait_for_program() > 0, "another lema's call runs");
    CHECK(vm_load(&c), "the same configuration loads meanwhile %s", c.text);
    c.rt->clock = &fake;
    err_clear(&c.err);
    c.result = native_call(c.rt, &request, &c.answer, &c.err);
    CHECK_TEXT(word(&c), "lock-busy", "a second call on the lock fails when ten minutes are over");
    CHECK_TEXT(c.err.why, "native lock busy", "with the words: native lock busy");
    CHECK(now >= UINT64_C(600000000000) && now < UINT64_C(602000000000),
          "it waited ten minutes (%llu ms)", (unsigned long long)(now / 1000000));
    CHECK(told >= 599 && told <= 601, "it said so once a second (%u times)", told);
    CHECK_I64(told_holder, other, "it named the process that holds the lock");
    c.rt->clock = &clock_system;
    vm_call(&c, "third", "--! exit 0");
    CHECK_TEXT(c.text, "", "a third call waits for the lock and then completes");
    int status = -1;
    CHECK(waitpid(other, &status, WNOHANG) == other || waitpid(other, &status, 0) == other,
          "the first call is over");
    CHECK_I64(status, 0, "the first call completed without a fault");
    const char *ledger = vm_ledger(&c);
    CHECK(strstr(ledger, "\"call\":\"third\"") > strstr(ledger, "\"event\":\"complete\""),
          "the third call's lines come after the first call's completion");
    CHECK_U64(vm_count(ledger, "\n"), 4, "the call that failed left no line");
    vm_close(&c);
}

/* Two lemas of one user with a lock each: check 6 sees the other's scope. */
static void two_locks(void)
{
    struct vm_case other, c;

    if (!CHECK(vm_make(&other, "lock-a", VM_DISTRIBUTION, ""), "a case with a lock of its own") ||
        !vm_open(&c, "lock-b", VM_DISTRIBUTION, ""))
        return;
    pid_t pid = vm_fork_call(&other, "first", "--! sleep 4");
    CHECK(vm_wait_for_program() > 0, "another lema's call runs under another lock");
    vm_call(&c, "second", "--! exit 0");
    CHECK_TEXT(word(&c), "live-scope", "a call beside it is refused");
    CHECK_U64(vm_count(vm_ledger(&c), "\n"), 0, "and has no line");
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0, "the first call completes");
    vm_call(&c, "third", "--! exit 0");
    CHECK_TEXT(c.text, "", "and then the other lema's");
    vm_close(&c);
}

/* More arguments than a program may have: refused before anything is reserved. */
static void arguments(struct vm_case *c)
{
    static const char *argv[ARGV_MAX + 2] = {"/lean/bin/lean"};
    const struct call_request request = {.name = "many",
                                         .kind = KIND_CHECK_RUNTIME,
                                         .argv = argv,
                                         .sandbox = c->sandbox,
                                         .scope = c->scope};

    for (size_t i = 1; i <= ARGV_MAX; i++)
        argv[i] = "a";
    unsigned lines = vm_count(vm_ledger(c), "\n");
    err_clear(&c->err);
    c->result = native_call(c->rt, &request, &c->answer, &c->err);
    CHECK_TEXT(word(c), "usage", "1,025 arguments are refused");
    check_nothing(c, "many", lines);
}

static void names(void)
{
    static const char *const bad[] = {"", "a/b", "..", "a b", "a.b", "\xc3\xa9"};
    struct vm_case c;
    char name[128];

    if (!vm_open(&c, "names", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "used", "--! exit 0");
    CHECK(c.result == 0, "a name's first call completes %s", c.text);
    vm_call(&c, "used", "--! write /call/again yes");
    CHECK_TEXT(word(&c), "call-name", "a used name is refused");
    CHECK(strstr(c.text, "used") != NULL, "the refusal names it: %s", c.text);
    CHECK(!vm_exists(vm_path(&c, "out/work/used/again")) && vm_count(vm_ledger(&c), "\n") == 2,
          "and nothing is run or written");
    arguments(&c);
    CHECK(vm_write(vm_path(&c, "out/left-reserved.json"), "{}\n"), "a record without a line");
    vm_call(&c, "left", "--! exit 0");
    CHECK_TEXT(word(&c), "call-name", "the name of a record without a line is refused too");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        vm_call(&c, bad[i], "--! exit 0");
        CHECK_TEXT(word(&c), "call-name", "the name %zu of six bad ones is refused", i + 1);
    }
    memset(name, 'n', sizeof name);
    name[101] = '\0';
    vm_call(&c, name, "--! exit 0");
    CHECK_TEXT(word(&c), "call-name", "a name of 101 bytes is refused");
    name[100] = '\0';
    vm_call(&c, name, "--! exit 0");
    CHECK_TEXT(word(&c), "none", "a name of 100 bytes is taken");
    vm_close(&c);
}

static void budget(void)
{
    struct vm_case c;
    if (!vm_open(&c, "budget", VM_DISTRIBUTION, ",\"call_budget\":1"))
        return;
    vm_call(&c, "one", "--! exit 0");
    CHECK(c.result == 0, "the one call of a budget of 1 completes %s", c.text);
    vm_call(&c, "two", "--! exit 0");
    CHECK_TEXT(word(&c), "budget", "the next one is refused");
    CHECK_TEXT(c.text, "call_budget: 1 of 1 calls are used", "with value and bound");
    check_nothing(&c, "two", 2);
    vm_close(&c);
    if (!vm_open(&c, "budget-0", VM_DISTRIBUTION, ",\"call_budget\":0"))
        return;
    vm_call(&c, "none", "--! exit 0");
    CHECK_TEXT(c.text, "call_budget: 0 of 0 calls are used", "a budget of 0 allows no call");
    vm_close(&c);
}

static void latches(void)
{
    static const char *const latch[] = {"out/HALTED", "lock.HALTED"};
    struct vm_case c;

    if (!vm_open(&c, "latches", VM_DISTRIBUTION, ""))
        return;
    for (size_t i = 0; i < 2; i++) {
        CHECK(vm_write(vm_path(&c, latch[i]), "gone: timeout\n"), "a latch at %s", latch[i]);
        vm_call(&c, "latched", "--! exit 0");
        CHECK_TEXT(word(&c), "latched", "%s: a call is refused", latch[i]);
        CHECK(strstr(c.text, vm_path(&c, latch[i])) != NULL &&
                  strstr(c.text, "gone: timeout") != NULL,
              "%s: the refusal names it and its line: %s", latch[i], c.text);
        unlink(vm_path(&c, latch[i]));
        CHECK(mkdir(vm_path(&c, latch[i]), 0700) == 0, "a directory at %s", latch[i]);
        vm_call(&c, "latched", "--! exit 0");
        CHECK_TEXT(word(&c), "latched", "%s: one of another kind counts as present", latch[i]);
        rmdir(vm_path(&c, latch[i]));
    }
    check_nothing(&c, "latched", 0);
    vm_call(&c, "latched", "--! exit 0");
    CHECK_TEXT(word(&c), "none", "without latches the call completes");
    vm_close(&c);
}

/* lema is killed while a program hangs. */
static void killed(void)
{
    struct vm_case c;
    if (!CHECK(vm_make(&c, "killed", VM_DISTRIBUTION, ""), "killed: a case of its own"))
        return;
    pid_t monitor = vm_fork_call(&c, "open", "--! fork-bomb 5\n--! hang-ignoring-signals");
    CHECK(vm_wait_for_program() > 0, "the program of a lema to be killed runs");
    CHECK_I64(vm_scopes(), 1, "its scope is there");
    kill(monitor, SIGKILL);
    uint64_t start = clock_boot_ns();
    waitpid(monitor, NULL, 0);
    while (vm_scopes() > 0 && clock_boot_ns() - start < UINT64_C(20000000000))
        vm_sleep_ms(50);
    unsigned long long ms = (clock_boot_ns() - start) / 1000000;
    CHECK(ms < 10000, "after kill -9 of lema its scope is gone within seconds (%llu ms)", ms);
    vm_check_gone("kill -9");
    CHECK(vm_load(&c), "the configuration loads after that %s", c.text);
    vm_call(&c, "next", "--! exit 0");
    CHECK_TEXT(word(&c), "open-call", "the next call is refused with open-call");
    CHECK(strncmp(c.text, "open: reserved, with neither completion nor resolution", 54) == 0,
          "the refusal names the open call: %s", c.text);
    check_nothing(&c, "next", 1);
    CHECK(!vm_exists(vm_path(&c, "out/open-result.json")), "the open call has no result");
    vm_recover(&c, "open");
    CHECK_TEXT(c.text, "", "recover closes it");
    CHECK_U64(vm_temporaries(&c), 0, "and leaves no temporary file");
    vm_call(&c, "after", "--! exit 0");
    CHECK_TEXT(word(&c), "none", "then the next call completes");
    vm_close(&c);
}

/* lema is killed at one moment after the other of a call: whatever is on disk then,
 * nothing runs, and the next lema refuses exactly where a reservation is open. */
static void check_kill_point(unsigned point)
{
    struct vm_case c;
    char name[32];

    snprintf(name, sizeof name, "point-%02u", point);
    if (!CHECK(vm_make(&c, name, VM_DISTRIBUTION, ""), "%s: a case of its own", name))
        return;
    pid_t monitor = vm_fork_call(&c, "open", "--! exit 0");
    vm_sleep_ms(100 + point * 50);
    kill(monitor, SIGKILL);
    waitpid(monitor, NULL, 0);
    for (unsigned i = 0; i < 200 && (vm_scopes() > 0 || vm_processes("lean", NULL) > 0); i++)
        vm_sleep_ms(50);
    vm_sleep_ms(300); /* a scope that was asked for must not come now */
    vm_check_no_process(name);
    const char *ledger = vm_ledger(&c);
    bool reserved = strstr(ledger, "\"event\":\"reserve\"") != NULL;
    bool complete = strstr(ledger, "\"event\":\"complete\"") != NULL;
    printf("# %s: killed with %s\n", name,
           complete   ? "a completion"
           : reserved ? "an open reservation"
                      : "no reservation");
    CHECK(vm_load(&c), "%s: the configuration loads after that %s", name, c.text);
    vm_call(&c, "next", "--! exit 0");
    CHECK_TEXT(word(&c), reserved && !complete ? "open-call" : "none",
               "%s: the next call is refused exactly if a reservation is open", name);
    if (reserved && !complete) {
        vm_recover(&c, "open");
        CHECK_TEXT(c.text, "", "%s: recover closes it", name);
        vm_check_gone(name);
        vm_call(&c, "after", "--! exit 0");
        CHECK_TEXT(word(&c), "none", "%s: then the next call completes", name);
        CHECK_U64(vm_temporaries(&c), 0, "%s: no temporary file is left", name);
    }
    vm_close(&c);
}

static void points(void)
{
    for (unsigned point = 0; point < 16; point++)
        check_kill_point(point);
}

/* run-root has left under 4 GiB. */
static void space(void)
{
    struct vm_case c;
    if (!vm_open(&c, "space", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "full", "--! exit 0");
    CHECK_TEXT(word(&c), "space", "check 8 refuses with under 4 GiB free");
    CHECK(strstr(c.text, vm_path(&c, "out")) != NULL &&
              strstr(c.text, " bytes are free, at least 4294967296 needed") != NULL,
          "with path, value and bound: %s", c.text);
    check_nothing(&c, "full", 0);
    vm_close(&c);
}

static void configuration(void)
{
    struct vm_case c;
    if (!vm_open(&c, "configuration", VM_DISTRIBUTION, ""))
        return;
    int fd = open(vm_path(&c, "config.json"), O_WRONLY | O_APPEND | O_CLOEXEC);
    CHECK(fd >= 0 && write(fd, "\n", 1) == 1 && close(fd) == 0, "the configuration gets a newline");
    vm_call(&c, "contents", "--! exit 0");
    CHECK_TEXT(word(&c), "changed", "contents that changed since loading are refused");
    vm_close(&c);
    if (!vm_open(&c, "replaced", VM_DISTRIBUTION, ""))
        return;
    CHECK(chmod(vm_path(&c, "out"), 0770) == 0, "the output becomes writable by its group");
    vm_call(&c, "mode", "--! exit 0");
    CHECK_TEXT(word(&c), "path", "a path that is no longer protected is refused");
    CHECK(strstr(c.text, vm_path(&c, "out")) != NULL, "the refusal names it: %s", c.text);
    chmod(vm_path(&c, "out"), 0700);
    CHECK(rename(vm_path(&c, "lock"), vm_path(&c, "old")) == 0 && vm_write(vm_path(&c, "lock"), ""),
          "the lock is replaced");
    vm_call(&c, "lock", "--! exit 0");
    CHECK_TEXT(word(&c), "changed", "a lock that was replaced is refused");
    CHECK(strstr(c.text, vm_path(&c, "lock")) != NULL, "the refusal names it: %s", c.text);
    vm_close(&c);
}

static void distribution(void)
{
    static const char file[] = OWN_DISTRIBUTION "/lib/lean/Init.olean";
    struct vm_case c;

    if (!vm_open(&c, "distribution", OWN_DISTRIBUTION, ""))
        return;
    vm_call(&c, "before", "--! exit 0");
    CHECK(c.result == 0, "a distribution of the user's own serves as well %s", c.text);
    CHECK(utimensat(AT_FDCWD, file, NULL, 0) == 0, "a file of it is touched after loading");
    vm_call(&c, "touched", "--! exit 0");
    CHECK_TEXT(word(&c), "distribution", "check 7 refuses");
    CHECK(strstr(c.text, "lib/lean/Init.olean") != NULL, "the refusal names it: %s", c.text);
    check_nothing(&c, "touched", 2);
    vm_close(&c);
    if (!vm_open(&c, "distribution-mode", OWN_DISTRIBUTION, ""))
        return;
    CHECK(chmod(OWN_DISTRIBUTION "/bin", 0700) == 0, "a mode in it is changed after loading");
    vm_call(&c, "mode", "--! exit 0");
    CHECK_TEXT(word(&c), "distribution", "check 7 refuses that too");
    CHECK(strstr(c.text, "bin") != NULL, "the refusal names it: %s", c.text);
    chmod(OWN_DISTRIBUTION "/bin", 0755);
    vm_close(&c);
}

/* Check 9 on a made-up /proc. */
static void pressure(void)
{
    static const struct {
        const char *available, *memory, *cpu, *want;
    } rows[] = {
        {"6291455", "0.00", "0.00",
         "host pressure; native execution refused (available 6442449920, memory avg10 0.00, cpu "
         "avg10 0.00)"},
        {"7000000", "10.01", "0.00",
         "host pressure; native execution refused (available 7168000000, memory avg10 10.01, cpu "
         "avg10 0.00)"},
        {"7000000", "10.00", "40.01",
         "host pressure; native execution refused (available 7168000000, memory avg10 10.00, cpu "
         "avg10 40.01)"},
    };
    struct vm_case c;
    char text[256];

    if (!vm_open(&c, "pressure", VM_DISTRIBUTION, ""))
        return;
    CHECK(mkdir(vm_path(&c, "proc"), 0700) == 0 && mkdir(vm_path(&c, "proc/pressure"), 0700) == 0,
          "a made-up /proc");
    struct machine_source own = c.rt->machine;
    int proc = open(vm_path(&c, "proc"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text, "MemTotal: 6000000 kB\nMemAvailable: %s kB\n",
                 rows[i].available);
        vm_write(vm_path(&c, "proc/meminfo"), text);
        snprintf(text, sizeof text, "some avg10=%s avg60=0.00 avg300=0.00 total=0\n",
                 rows[i].memory);
        vm_write(vm_path(&c, "proc/pressure/memory"), text);
        snprintf(text, sizeof text, "some avg10=%s avg60=0.00 avg300=0.00 total=0\n", rows[i].cpu);
        vm_write(vm_path(&c, "proc/pressure/cpu"), text);
        c.rt->machine = (struct machine_source){proc, -1, own.root_fd};
        vm_call(&c, "busy", "--! exit 0");
        CHECK_TEXT(c.err.why, rows[i].want, "check 9 refuses in the specification's words");
        CHECK_TEXT(word(&c), "pressure", "for ever, on a machine of under 7 GiB");
    }
    unlink(vm_path(&c, "proc/pressure/cpu"));
    vm_call(&c, "busy", "--! exit 0");
    CHECK_TEXT(word(&c), "unsupported", "pressure that cannot be read is a refusal");
    CHECK(strstr(c.text, "pressure/cpu") != NULL, "the refusal names the file: %s", c.text);
    check_nothing(&c, "busy", 0);
    c.rt->machine = own;
    close(proc);
    vm_close(&c);
}

/* A pinned host file was changed by run-root. */
static void host(void)
{
    struct vm_case c;
    host_path = getenv("HOST_PATH");
    char name[64];
    const char *base = host_path == NULL ? NULL : strrchr(host_path, '/');

    if (!CHECK(base != NULL, "HOST_PATH is set"))
        return;
    snprintf(name, sizeof name, "host-%.40s", base + 1);
    if (!vm_open(&c, name, VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "host", "--! exit 0");
    CHECK_TEXT(word(&c), "host-file", "%s: check 5 refuses a changed pinned file", base + 1);
    CHECK(strstr(c.text, host_path) != NULL, "%s: the refusal names its path: %s", base + 1,
          c.text);
    check_nothing(&c, "host", 0);
    vm_close(&c);
}

/* A unit of that name is live already: check 6. */
static void live(void)
{
    struct vm_case c;
    if (!vm_open(&c, "live", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "live", "--! exit 0");
    CHECK_TEXT(word(&c), "live-scope", "check 6 refuses while a lema-native-* unit is live");
    CHECK(strstr(c.text, "lema-native-other.scope") != NULL, "the refusal names it: %s", c.text);
    CHECK_U64(vm_count(vm_ledger(&c), "\n"), 0, "nothing was reserved");
    vm_close(&c);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {
        {"lock", lock},
        {"two-locks", two_locks},
        {"names", names},
        {"budget", budget},
        {"latches", latches},
        {"killed", killed},
        {"configuration", configuration},
        {"distribution", distribution},
        {"pressure", pressure},
        {"host", host},
        {"live", live},
        {"points", points},
        {"space", space},
    };
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
