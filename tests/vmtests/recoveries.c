/* lema recover: refused while anything of a call lives, and what it leaves.
 * Runs in the test VM as an ordinary user: vm_recoveries CASE... */
#include "vmtests/vm.h"

static const char *word(const struct vm_case *c)
{
    return err_word((enum err_what)c->err.what);
}

/* A monitor that is stopped holds its call open: recover by another lema. */
static void alive(void)
{
    struct vm_case c;

    if (!vm_open(&c, "alive", VM_DISTRIBUTION, ""))
        return;
    pid_t monitor = vm_fork_call(&c, "open", "--! sleep 30");
    CHECK(vm_wait_for_program() > 0, "a program runs");
    kill(monitor, SIGSTOP);
    vm_recover(&c, "open"); /* without the lock, which the stopped lema holds */
    CHECK_TEXT(word(&c), "live-scope", "recover refuses while the scope of the call is there");
    CHECK(strstr(c.text, "lema-native-") != NULL, "the refusal names it: %s", c.text);
    CHECK_U64(vm_count(vm_ledger(&c), "\n"), 1, "nothing was appended");
    kill(monitor, SIGKILL);
    waitpid(monitor, NULL, 0);
    for (unsigned i = 0; i < 400 && vm_scopes() > 0; i++)
        vm_sleep_ms(50);
    vm_recover(&c, "open");
    CHECK_TEXT(c.text, "", "after it is gone recover closes the call");
    vm_call(&c, "after", "--! exit 0");
    CHECK_TEXT(word(&c), "none", "and the next call completes");
    vm_close(&c);
}

/* Have the user manager start a scope of this name with this process.
 * returns  busctl's exit status */
static int start_scope(const char *unit, pid_t member)
{
    char pid[16];
    int status = 0;

    snprintf(pid, sizeof pid, "%d", (int)member);
    pid_t child = fork();
    if (child == 0) {
        execl("/usr/bin/busctl", "busctl", "--user", "call", "org.freedesktop.systemd1",
              "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "StartTransientUnit",
              "ssa(sv)a(sa(sv))", unit, "fail", "1", "PIDs", "au", "1", pid, "0", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool wait_for_scopes(int wanted)
{
    for (unsigned i = 0; i < 400 && vm_scopes() != wanted; i++)
        vm_sleep_ms(50);
    return vm_scopes() == wanted;
}

/* A call that is open without a process; its unit's name. */
static bool leave_open(struct vm_case *c, char unit[static UNIT_BYTES])
{
    pid_t monitor = vm_fork_call(c, "open", "--! sleep 30");
    CHECK(vm_wait_for_program() > 0, "a program runs");
    kill(monitor, SIGKILL);
    waitpid(monitor, NULL, 0);
    const char *at = strstr(vm_ledger(c), UNIT_PREFIX);
    if (!CHECK(wait_for_scopes(0) && at != NULL, "lema was killed, and its scope is gone"))
        return false;
    snprintf(unit, UNIT_BYTES, "%s", at);
    return true;
}

/* systemd-run can die while the manager moves it into its scope; the manager then keeps
 * an empty scope.  A process that has ended and was not waited for is moved as little. */
static void empty(void)
{
    struct vm_case c;
    char unit[UNIT_BYTES];

    if (!vm_open(&c, "empty", VM_DISTRIBUTION, "") || !leave_open(&c, unit))
        return;
    pid_t zombie = fork();
    if (zombie == 0)
        _exit(0);
    vm_sleep_ms(200);
    CHECK_I64(start_scope(unit, zombie), 0, "the manager starts a scope with a zombie");
    CHECK(wait_for_scopes(1) && vm_first_of(vm_found_path) == 0, "it stands there, empty");
    waitpid(zombie, NULL, 0);
    vm_recover(&c, "open");
    CHECK_TEXT(c.text, "", "recover closes the call");
    CHECK_I64(vm_scopes(), 0, "and the empty scope was stopped");
    vm_call(&c, "after", "--! exit 0");
    CHECK_TEXT(word(&c), "none", "the next call completes");
    vm_close(&c);
}

/* A process in a scope of the call's name is nobody's to kill but the operator's. */
static void occupied(void)
{
    struct vm_case c;
    char unit[UNIT_BYTES];

    if (!vm_open(&c, "occupied", VM_DISTRIBUTION, "") || !leave_open(&c, unit))
        return;
    pid_t member = fork();
    if (member == 0)
        for (;;)
            pause();
    CHECK_I64(start_scope(unit, member), 0, "the manager starts a scope with a process");
    CHECK(wait_for_scopes(1), "it stands there");
    vm_recover(&c, "open");
    CHECK_TEXT(word(&c), "live-scope", "recover refuses");
    CHECK(strstr(c.text, unit) != NULL, "and names the unit: %s", c.text);
    CHECK_I64(kill(member, 0), 0, "the process lives");
    CHECK_U64(vm_count(vm_ledger(&c), "\n"), 1, "nothing was appended");
    kill(member, SIGKILL);
    waitpid(member, NULL, 0);
    CHECK(wait_for_scopes(0), "without it the scope ends by itself");
    vm_recover(&c, "open");
    CHECK_TEXT(c.text, "", "then recover closes the call");
    vm_close(&c);
}

/* A fault with its latch, then recovery. */
static void fault(void)
{
    struct vm_case c;

    if (!vm_open(&c, "recovered", VM_DISTRIBUTION, ""))
        return;
    vm_call(&c, "much", "--! fill-log 17825792 65536");
    CHECK_TEXT(word(&c), "fault", "a call faults");
    CHECK(vm_exists(vm_path(&c, "out/HALTED")), "its latch is there");
    vm_call(&c, "refused", "--! exit 0");
    CHECK_TEXT(word(&c), "latched", "the next call is refused");
    vm_recover(&c, "refused");
    CHECK_TEXT(word(&c), "usage", "recover of another call is refused");
    CHECK(vm_exists(vm_path(&c, "out/HALTED")), "and the latch stays");
    vm_recover(&c, "much");
    CHECK_TEXT(c.text, "", "recover of the call closes it");
    CHECK(!vm_exists(vm_path(&c, "out/HALTED")), "the latch is gone");
    CHECK(vm_count(vm_ledger(&c), "\"fault\":\"log-overflow\",\"scope\":\"output\"") == 1,
          "the ledger has the resolve line");
    vm_call(&c, "after", "--! exit 0");
    CHECK_TEXT(word(&c), "none", "the next call completes");
    CHECK_U64(vm_temporaries(&c), 0, "no temporary file is left");
    vm_close(&c);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {
        {"alive", alive}, {"empty", empty}, {"occupied", occupied}, {"fault", fault}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
