/* Calls that complete: how they end, what they are allowed, what is recorded.
 * Runs in the test VM as an ordinary user: vm_calls CASE... */
#include "vmtests/vm.h"

static void check_view(const struct vm_case *c, const char *call)
{
    static const char *const sets[] = {"Inh", "Prm", "Eff", "Bnd", "Amb"};
    static const char *const env[] = {"HOME=/call",         "LANG=C.UTF-8",   "LEAN_PATH=/modules",
                                      "LEAN_SYSROOT=/lean", "PATH=/lean/bin", "TMPDIR=/call/tmp"};
    char line[64];
    const char *log = vm_log(c, call);

    for (size_t i = 0; i < 5; i++) {
        snprintf(line, sizeof line, "view status Cap%s:\\x090000000000000000\n", sets[i]);
        CHECK(strstr(log, line) != NULL, "the program's capability set %s is empty", sets[i]);
    }
    CHECK(strstr(log, "view status NoNewPrivs:\\x091\n") != NULL, "the program has no_new_privs");
    CHECK(strstr(log, "view status Seccomp:\\x092\n") != NULL, "the program runs under a filter");
    CHECK(strstr(log, "view hostname lema\n") != NULL, "the sandbox's host name is lema");
    CHECK(strstr(log, "view cgroup 0::/\n") != NULL, "the sandbox has its own cgroup namespace");
    CHECK_U64(vm_count(log, "view env "), 6, "the environment has six variables");
    for (size_t i = 0; i < 6; i++) {
        snprintf(line, sizeof line, "view env %s\n", env[i]);
        CHECK(strstr(log, line) != NULL, "one of them is %s", env[i]);
    }
    CHECK_U64(vm_count(log, "view fd "), 3, "descriptors 0, 1 and 2 are open, no other");
    CHECK(strstr(log, "view rlimit FSIZE 4294967296 4294967296\n") != NULL, "one file has 4 GiB");
    CHECK(strstr(log, "view rlimit CORE 1 1\n") != NULL, "RLIMIT_CORE is 1");
    CHECK(strstr(log, "view rlimit NOFILE 4096 4096\n") != NULL, "4,096 files can be open");
    /* Pid 2 tried the deny-probes. */
    CHECK_U64(vm_count(log, "view sid 3\n"), 1, "the program leads a session of its own");
    CHECK(strstr(log, " /call rw,nosuid,nodev") != NULL, "/call is writable, nosuid, nodev");
    CHECK(strstr(log, " /lean ro,nosuid,nodev") != NULL, "/lean is read-only, nosuid, nodev");
    CHECK(strstr(log, " /modules ro,nosuid,nodev") != NULL, "/modules likewise");
    CHECK(strstr(log, " /artifacts ro,nosuid,nodev") != NULL, "/artifacts likewise");
    CHECK(strstr(log, " /proc ro,") != NULL, "/proc is read-only");
    CHECK(strstr(log, "/dev/pts") == NULL && strstr(log, "/dev/shm") == NULL &&
              strstr(log, "/dev/tty") == NULL,
          "/dev has no pts, shm or tty");
}

static void check_limits(const struct record_result *r)
{
    CHECK(r->enforced_known, "the limits were read back");
    CHECK_U64(r->enforced.memory_bytes, UINT64_C(4294967296), "memory.max is 4 GiB");
    CHECK_U64(r->enforced.swap_bytes, 0, "memory.swap.max is 0");
    CHECK_U64(r->enforced.tasks, 256, "pids.max is 256");
    CHECK_U64(r->enforced.cpu_quota_us, 400000, "cpu.max has a quota of 400000");
    CHECK_U64(r->enforced.cpu_period_us, 100000, "cpu.max has a period of 100000");
}

static void plain(void)
{
    struct vm_case c;
    if (!vm_open(&c, "plain", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "view", "--! show-view");
    CHECK_TEXT(c.text, "", "a plain call completes without an error");
    CHECK_TEXT(outcome_word(c.r->outcome), "exited", "a plain call's outcome is exited");
    CHECK_I64(c.r->exit_code, 0, "with exit code 0");
    CHECK_I64(c.r->signal, -1, "without a signal");
    CHECK_U64(c.r->faults, 0, "without a fault");
    CHECK(!c.r->oom_killed && c.r->overrun_ms == 0, "without an OOM kill or an overrun");
    CHECK(c.r->gone_ms != RECORD_NULL, "its scope was proved gone");
    check_limits(c.r);
    check_view(&c, "view");
    vm_check_gone("a plain call");
    const char *ledger = vm_ledger(&c);
    CHECK_U64(vm_count(ledger, "\n"), 2, "the ledger has two lines");
    CHECK_U64(vm_count(ledger, "{\"event\":\"reserve\""), 1, "one of them is reserve");
    CHECK_U64(vm_count(ledger, "{\"event\":\"complete\""), 1, "one of them is complete");
    CHECK(!vm_exists(vm_path(&c, "out/HALTED")) && !vm_exists(vm_path(&c, "lock.HALTED")),
          "no latch was left");
    CHECK_U64(c.answer.reservations, 1, "native_calls_used is 1");
    vm_call(&c, "error", "theorem t : fail_here := x");
    CHECK(c.result == 0 && c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 1,
          "a source with an error is exited, 1, and no failure of the call");
    vm_close(&c);
}

static void codes(void)
{
    static const int code[] = {1, 126, 127, 137};
    struct vm_case c;
    char call[32], source[64];

    if (!vm_open(&c, "codes", VM_DISTRIBUTION, ""))
        return;
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++) {
        snprintf(call, sizeof call, "code-%d", code[i]);
        snprintf(source, sizeof source, "--! exit %d", code[i]);
        vm_call(&c, call, source);
        CHECK(c.result == 0, "exit %d is no failure of the call %s", code[i], c.text);
        CHECK_TEXT(outcome_word(c.r->outcome), "exited", "exit %d by itself is exited", code[i]);
        CHECK_I64(c.r->exit_code, code[i], "exit %d is recorded as that code", code[i]);
        CHECK_I64(c.r->signal, -1, "exit %d is recorded without a signal", code[i]);
        CHECK(strstr(vm_record(&c, call, "result"), "\"setup_error\":null") != NULL,
              "exit %d is never taken for a failed setup", code[i]);
    }
    vm_call(&c, "segv", "--! raise 11");
    CHECK(c.result == 0 && c.r->faults == 0, "death by a signal is no fault %s", c.text);
    CHECK_TEXT(outcome_word(c.r->outcome), "signaled", "death by signal 11 is signaled");
    CHECK_I64(c.r->signal, 11, "with signal 11");
    CHECK_I64(c.r->exit_code, -1, "and no exit code");
    vm_call(&c, "kill", "--! raise KILL");
    CHECK(c.r->outcome == OUTCOME_SIGNALED && c.r->signal == 9 && !c.r->oom_killed,
          "a SIGKILL to itself is signaled 9, not killed by us and no OOM kill");
    vm_check_gone("calls that ended by themselves");
    vm_close(&c);
}

static void memory(void)
{
    struct vm_case c;
    if (!vm_open(&c, "memory", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "oom", "--! allocate 6000");
    CHECK_TEXT(c.text, "", "6,000 MiB of memory end a call without an error");
    CHECK(c.r->oom_killed, "oom_killed is true, from memory.events");
    CHECK_TEXT(outcome_word(c.r->outcome), "killed", "its outcome is killed");
    CHECK_U64(c.r->faults, 0, "memory exhaustion is no fault");
    CHECK(c.r->memory_peak != RECORD_NULL ? c.r->memory_peak <= UINT64_C(4294967296) : true,
          "memory.peak, where the kernel tells it, is not over 4 GiB");
    CHECK(!vm_exists(vm_path(&c, "out/HALTED")), "it leaves no latch");
    vm_check_gone("an OOM kill");
    vm_close(&c);
}

static void tasks(void)
{
    struct vm_case c;
    if (!vm_open(&c, "tasks", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "bomb", "--! fork-bomb 1000");
    CHECK_TEXT(c.text, "", "a fork bomb's call completes without an error");
    CHECK_TEXT(outcome_word(c.r->outcome), "exited", "its outcome is exited");
    CHECK(strstr(vm_log(&c, "bomb"), "error EAGAIN\n") != NULL, "fork fails with EAGAIN");
    CHECK(c.r->tasks_peak > 200 && c.r->tasks_peak <= 256,
          "pids.peak is not over 256 and near it (%lld)", (long long)c.r->tasks_peak);
    vm_check_gone("a fork bomb");
    static const char *const stays[] = {"keep", "close"};
    for (size_t i = 0; i < 2; i++) {
        char source[80];
        snprintf(source, sizeof source, "--! setsid-child 3 /call/late %s", stays[i]);
        vm_call(&c, stays[i], source);
        CHECK(c.result == 0 && c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 0,
              "a program that leaves a detached child (%s) is exited 0 %s", stays[i], c.text);
        CHECK(strstr(vm_log(&c, stays[i]), "setsid-child: started\n") != NULL,
              "the child was started (%s)", stays[i]);
        vm_check_gone("a detached child");
    }
    vm_sleep_ms(4000);
    CHECK(!vm_exists(vm_path(&c, "out/work/keep/late")) &&
              !vm_exists(vm_path(&c, "out/work/close/late")),
          "the children did nothing after their calls");
    vm_close(&c);
}

static void output(void)
{
    struct vm_case c;
    if (!vm_open(&c, "output", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "exact", "--! fill-log 16777216 65536");
    CHECK_TEXT(c.text, "", "exactly 16 MiB of output pass");
    CHECK(c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 0, "and the program is exited 0");
    CHECK_U64(c.r->log_bytes, 16777216, "all of them are recorded");
    CHECK(!c.r->log_truncated, "and the log is not called truncated");
    CHECK_I64(vm_size(vm_path(&c, "out/exact.log")), 16777216, "the log has them");
    vm_call(&c, "merged", "--! print one\n--! print-stderr two\n--! print three");
    CHECK_TEXT(vm_log(&c, "merged"), "one\ntwo\nthree\n", "stdout and stderr are merged in order");
    vm_call(&c, "escapes", "--! print-escapes");
    CHECK(c.result == 0 && c.r->outcome == OUTCOME_EXITED, "terminal sequences are only bytes");
    CHECK(strchr(vm_log(&c, "escapes"), 0x1b) != NULL, "they are kept in the log as they came");
    CHECK(strchr(vm_record(&c, "escapes", "result"), 0x1b) == NULL,
          "and are nowhere in the record");
    vm_call(&c, "forged", "--! forge-verdict");
    CHECK(c.result == 0 && vm_count(vm_ledger(&c), "\n") == 8,
          "forged ledger lines stay in the log");
    vm_call(&c, "write", "--! write-everywhere");
    CHECK(c.result == 0 && c.r->outcome == OUTCOME_EXITED, "write-everywhere completes");
    const char *log = vm_log(&c, "write");
    CHECK(vm_count(log, "\ndenied ") > 40, "it tried");
    for (const char *at = log; (at = strstr(at, "WROTE ")) != NULL; at++)
        CHECK(strncmp(at, "WROTE /call/", 12) == 0, "it wrote in /call alone: %.60s", at);
    vm_call(&c, "names", "--! name-with-newline");
    CHECK(c.result == 0, "hostile names are recorded %s", c.text);
    CHECK_U64(vm_count(vm_record(&c, "names", "result"), "\n"), 1, "in a record of one line");
    vm_close(&c);
}

static void work(void)
{
    struct vm_case c;
    if (!vm_open(&c, "work", VM_DISTRIBUTION, ""))
        return;
    vm_call(
        &c, "kinds",
        "--! write /call/a text\n--! hardlink /call/a /call/b\n--! symlink /etc/passwd /call/l\n"
        "--! fifo /call/f\n--! write /call/tmp/m x\n--! chmod 0 /call/tmp/m");
    CHECK(c.result == 0, "a call with every kind of entry completes %s", c.text);
    const char *record = vm_record(&c, "kinds", "result");
    CHECK(strstr(record, "\"path\":\"l\",\"type\":\"symlink\"") != NULL, "a symlink is a symlink");
    CHECK(strstr(record, "\"path\":\"l\",\"type\":\"symlink\",\"size\":null,\"sha256\":null") !=
              NULL,
          "nothing of its target is read");
    CHECK(strstr(vm_log(&c, "kinds"), "fifo /call/f: EPERM\n") != NULL, "a fifo cannot be made");
    vm_call(&c, "swap", "--! swap-loop 2\n--! sleep 1");
    CHECK(c.result == 0, "entries that change their kind all the time do no harm %s", c.text);
    vm_call(&c, "stop", "--! kill-parent");
    CHECK(c.result == 0 && c.r->outcome == OUTCOME_EXITED, "the program cannot end its init %s",
          c.text);
    vm_check_gone("hostile work directories");
    vm_close(&c);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {{"plain", plain}, {"codes", codes},   {"memory", memory},
                                           {"tasks", tasks}, {"output", output}, {"work", work}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
