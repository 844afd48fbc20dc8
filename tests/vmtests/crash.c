/* The crash matrix: lema is killed after each system call that changes the disk or a
 * process, for a call that succeeds, one that faults, one that is refused, and for recover.
 * Runs in the test VM as an ordinary user: vm_crash CASE..., or vm_crash --table, which
 * prints the rows of audit/states.md. */
#include "vmtests/judge.h"
#include "vmtests/steps.h"

/* --- The acts ---------------------------------------------------------------------- */

static const char *source; /* of the act's call */

static void make_call(struct vm_case *c, const char *call)
{
    uint64_t end = clock_boot_ns() + VM_QUIET_MS * UINT64_C(1000000);
    do
        vm_call_here(c, call, source);
    while (c->err.what == ERR_PRESSURE_RETRY && clock_boot_ns() < end);
}

static void make_recovery(struct vm_case *c, const char *call)
{
    vm_recover(c, call);
}

/* Kill the act after its point-th change.
 * returns  false if it ended before that; what: of which call */
static bool kill_at(struct vm_case *c, void (*act)(struct vm_case *, const char *), unsigned point,
                    char what[static 32])
{
    struct stepper s;
    struct step_call call;
    const char *change = NULL;
    unsigned n = 0, log_writes = 0;

    if (!CHECK(step_start(&s, c, act, "call", false), "point %u: lema is traced", point))
        return false;
    for (unsigned i = 0; i < STEP_LIMIT * 100 && step_next(&s, &call); i++) {
        if (call.entry) {
            change = step_changes(&s, &call);
            /* Of the log's many writes two will do. */
            if (change != NULL && strcmp(change, "write") == 0 &&
                strstr(step_path(&s, call.arg[0]), ".log.tmp") != NULL && ++log_writes > 2)
                change = NULL;
        } else if (change != NULL && n++ == point) {
            snprintf(what, 32, "%s", change);
            step_kill(&s);
            return true;
        }
    }
    if (!s.ended)
        step_kill(&s);
    return false;
}

/* Every point of an act on a case that prepare makes; short: each step-th. */
static void matrix(const char *title, void (*act)(struct vm_case *, const char *),
                   bool (*prepare)(struct vm_case *c, const char *name))
{
    unsigned points = 0;

    vm_quiet = true;
    memset(judge_seen, 0, sizeof judge_seen);
    for (unsigned point = 0; point < STEP_LIMIT; point++) {
        struct vm_case c;
        char name[64], what[32] = "", text[128];
        snprintf(name, sizeof name, "crash-%s-%03u", title, point);
        if (!CHECK(prepare(&c, name), "%s: a case of its own", name))
            return;
        if (!kill_at(&c, act, point, what))
            break;
        points++;
        snprintf(text, sizeof text, "%s, killed after change %u (%s)", title, point, what);
        judge_after(&c, text);
    }
    printf("# %s: %u points:", title, points);
    for (unsigned i = 0; i < STATES; i++)
        printf(" %s %u;", judge_states[i].name, judge_seen[i]);
    printf("\n");
    CHECK(points > 0, "%s: there are points", title);
}

static bool prepare_fresh(struct vm_case *c, const char *name)
{
    return vm_make(c, name, VM_DISTRIBUTION, "");
}

static bool prepare_latched(struct vm_case *c, const char *name)
{
    return vm_make(c, name, VM_DISTRIBUTION, "") &&
           vm_write(vm_path(c, "lock.HALTED"), "other: scope-not-gone\n");
}

/* A faulted call, whose evidence was made once. */
static bool prepare_faulted(struct vm_case *c, const char *name)
{
    char command[1400], dir[256];
    static bool made;

    if (!made) {
        if (!vm_make(c, "crash-faulted", VM_DISTRIBUTION, "") || !vm_load(c))
            return false;
        vm_call(c, "call", "--! fill-log 17825792 65536");
        vm_close(c);
        if (c->err.what != ERR_FAULT)
            return false;
        made = true;
    }
    snprintf(dir, sizeof dir, "%s", vm_base());
    if (!vm_make(c, name, VM_DISTRIBUTION, ""))
        return false;
    snprintf(command, sizeof command, "cp -a %s/crash-faulted/out/. %s/out/", dir, c->dir);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static void success(void)
{
    source = "--! exit 0";
    matrix("success", make_call, prepare_fresh);
    CHECK(judge_seen[NOTHING] > 0 && judge_seen[RECORD] > 0 && judge_seen[OPEN] > 0 &&
              judge_seen[COMPLETE] > 0,
          "its crashes leave nothing, a record, an open call and a complete one");
}

static void fault(void)
{
    source = "--! fill-log 17825792 65536";
    matrix("fault", make_call, prepare_fresh);
    CHECK(judge_seen[OPEN_LATCHED] > 0 && judge_seen[FAULTED] > 0 &&
              judge_seen[FAULTED_UNLATCHED] == 0,
          "a latch comes before its completion line, never after");
}

/* A refused call leaves nothing at any point; the host latch stands, so nothing is allowed. */
static void refused(void)
{
    source = "--! exit 0";
    vm_quiet = true;
    for (unsigned point = 0; point < STEP_LIMIT; point++) {
        struct vm_case c;
        char name[64], what[32] = "";
        snprintf(name, sizeof name, "crash-refused-%03u", point);
        if (!CHECK(prepare_latched(&c, name), "%s: a case of its own", name))
            return;
        bool killed = kill_at(&c, make_call, point, what);
        CHECK_U64(vm_count(vm_ledger(&c), "\n"), 0, "refused, killed after change %u (%s): no line",
                  point, what);
        CHECK(vm_exists(vm_path(&c, "lock.HALTED")) && vm_temporaries(&c) == 0,
              "refused, killed after change %u (%s): the latch stands, nothing else", point, what);
        if (!killed) {
            CHECK(point > 0, "a refused call has points");
            break;
        }
    }
}

/* recover of a faulted call, killed at each point: the next recover ends it. */
static void recovery(void)
{
    matrix("recovery", make_recovery, prepare_faulted);
    CHECK(judge_seen[FAULTED] > 0 && judge_seen[COMPLETE] > 0 && judge_seen[FAULTED_UNLATCHED] == 0,
          "before the latch is removed, and after");
}

static void print_table(void)
{
    printf("| state | on disk | the next call | `recover --call` | |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < STATES; i++)
        printf("| %s | %s | %s | %s | %s |\n", judge_states[i].name, judge_states[i].disk,
               strcmp(judge_states[i].next, "none") == 0 ? "allowed" : judge_states[i].next,
               judge_states[i].recover ? "closes it" : "nothing to close", judge_states[i].remark);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {
        {"success", success}, {"fault", fault}, {"refused", refused}, {"recovery", recovery}};

    if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        print_table();
        return 0;
    }
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
