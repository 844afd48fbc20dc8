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
    static const struct vm_test tests[] = {{"alive", alive}, {"fault", fault}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
