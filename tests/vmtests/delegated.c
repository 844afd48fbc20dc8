/* --scope cgroup: taking the cgroup that lema was started in, and giving it back.
 * Runs in the test VM as root: vm_delegated CASE...  The calls themselves are those of
 * vm_calls and vm_faults, run in a delegated cgroup (run-root). */
#include <grp.h>

#include "vmtests/vm.h"

#define D SCOPE_CGROUP_ROOT "/lema-test"
#define USER 1000

static void put(const char *file, const char *text)
{
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s takes %s", file,
          text);
    close(fd);
}

/* A cgroup of root's, with these controllers for lema to find. */
static void make(const char *controllers)
{
    put(SCOPE_CGROUP_ROOT "/cgroup.subtree_control", "+cpu +cpuset +memory +pids");
    mode_t before = umask(022);
    CHECK(mkdir(D, 0755) == 0, "a cgroup is made");
    put(D "/cgroup.subtree_control", controllers);
    CHECK(mkdir(D "/own", 0755) == 0, "and one in it, for lema");
    umask(before);
}

static void unmake(void)
{
    CHECK(rmdir(D "/own") == 0, "nothing is in lema's cgroup, and it can be removed");
    CHECK(rmdir(D) == 0, "nor beside it");
}

/* Nothing of lema is in it: no cgroup, no controller for children. */
static void check_as_before(const char *when)
{
    struct stat st;

    CHECK(lstat(D "/own", &st) == 0 && st.st_nlink == 2, "%s: no cgroup is below it", when);
    CHECK_TEXT(vm_read(D "/own/cgroup.subtree_control"), "", "%s: no controller is enabled", when);
}

/* Run f in a process of its own in that cgroup.
 * returns  what it ended with, or 128 and its signal */
static int in_cgroup(int (*f)(void))
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        put(D "/own/cgroup.procs", "0");
        int code = f();
        fflush(stdout);
        _exit(code);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static struct delegated taken;
static char refusal[ERR_TEXT_BYTES];

/* Does delegated_take refuse, and with what? */
static int take(void)
{
    struct err err;
    struct text t = text_on(refusal, sizeof refusal);

    err_clear(&err);
    delegated_init(&taken);
    if (delegated_take(&taken, geteuid(), &err) == 0)
        return 100;
    err_format(&err, &t);
    printf("# refused: %s\n", refusal);
    return (int)err.what;
}

static void given_back_calls(void)
{
    struct vm_case c;

    if (!vm_open(&c, "given-back", VM_DISTRIBUTION, ""))
        return;
    for (unsigned i = 0; i < 3; i++) {
        char call[8];
        snprintf(call, sizeof call, "call-%u", i);
        vm_call(&c, call, "--! exit 0");
        CHECK_TEXT(c.text, "", "call %u completes", i);
        CHECK(strstr(vm_record(&c, call, "reserved"), "\"scope\":\"cgroup\"") != NULL,
              "its record says so");
        vm_check_gone(call);
    }
    CHECK(vm_exists(D "/own/lema-monitor"), "lema stands in a leaf meanwhile");
    vm_close(&c);
    check_as_before("after the last call");
}

static int given_back_child(void)
{
    given_back_calls();
    return check_failed == 0 ? 0 : 1;
}

static void given_back(void)
{
    make("+cpu +memory +pids");
    CHECK_I64(in_cgroup(given_back_child), 0, "three calls in a delegated cgroup");
    unmake();
}

/* Words are compared whole: cpuset is no cpu. */
static void controllers(void)
{
    static const struct {
        const char *enabled, *missing;
    } rows[] = {{"+cpuset +memory +pids", "cpu"},
                {"+cpu +cpuset +pids", "memory"},
                {"+cpu +memory", "pids"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].enabled);
        CHECK_I64(in_cgroup(take), ERR_CONTROLLERS, "a cgroup without %s is refused",
                  rows[i].missing);
        check_as_before(rows[i].missing);
        unmake();
    }
}

static void alone(void)
{
    make("+cpu +memory +pids");
    pid_t other = fork();
    if (other == 0) {
        put(D "/own/cgroup.procs", "0");
        fflush(stdout);
        for (;;)
            pause();
    }
    while (vm_first_of(D "/own") == 0)
        vm_sleep_ms(20);
    CHECK_I64(in_cgroup(take), ERR_UNSUPPORTED, "lema refuses a cgroup with another process");
    check_as_before("alone");
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    unmake();
}

static int take_as_user(void)
{
    if (setgroups(0, NULL) != 0 || setresgid(USER, USER, USER) != 0 ||
        setresuid(USER, USER, USER) != 0)
        return 101;
    return take();
}

static void not_delegated(void)
{
    make("+cpu +memory +pids");
    CHECK_I64(in_cgroup(take_as_user), ERR_IO, "a cgroup that is not the user's is refused");
    check_as_before("not delegated");
    unmake();
}

static int killed_child(void)
{
    struct vm_case c;

    if (!vm_make(&c, "killed-cgroup", VM_DISTRIBUTION, "") || !vm_load(&c))
        return 2;
    vm_call(&c, "open", "--! sleep 60");
    return 0;
}

/* lema is killed: INNER ends the program, the cgroups stay until recover. */
static void killed(void)
{
    struct vm_case c;

    make("+cpu +memory +pids");
    fflush(stdout);
    pid_t lema = fork();
    if (lema == 0)
        _exit(in_cgroup(killed_child));
    CHECK(vm_wait_for_program() > 0, "a program runs");
    CHECK_I64(vm_scopes(), 1, "in its cgroup");
    put(D "/own/lema-monitor/cgroup.kill", "1");
    waitpid(lema, NULL, 0);
    for (unsigned i = 0; i < 200 && vm_processes("lean", NULL) > 0; i++)
        vm_sleep_ms(50);
    CHECK_I64(vm_processes("lean", NULL), 0, "lema was killed, and its program is gone");
    CHECK_I64(vm_scopes(), 1, "the empty cgroup stays");
    unsetenv("VM_SCOPE"); /* recover needs no delegated cgroup */
    memset(&c, 0, sizeof c);
    snprintf(c.dir, sizeof c.dir, "%s/killed-cgroup%s", vm_base(), vm_suffix());
    c.name = "killed-cgroup";
    CHECK(vm_load(&c), "another lema loads %s", c.text);
    vm_recover(&c, "open");
    CHECK_TEXT(c.text, "", "recover closes the call");
    vm_close(&c);
    check_as_before("after recover");
    unmake();
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {{"given-back", given_back},
                                           {"controllers", controllers},
                                           {"alone", alone},
                                           {"not-delegated", not_delegated},
                                           {"killed", killed}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
