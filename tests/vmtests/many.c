/* Many calls in a row, and many that are killed: what they leave behind.
 * Runs in the test VM as an ordinary user: vm_many CASE...  The long cases are run by
 * make soak. */
#include <time.h>

#include "vmtests/vm.h"

/* What a call must not leave: counted before and after. */
struct left {
    unsigned descriptors, processes, mounts, cgroups, temporaries, work;
};

static unsigned lines_of(const char *path)
{
    return vm_count(vm_read(path), "\n");
}

static unsigned entries_of(const char *path)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    while (d != NULL && readdir(d) != NULL)
        n++;
    if (d != NULL)
        closedir(d);
    return n;
}

/* Processes of this user. */
static unsigned processes(void)
{
    unsigned n = 0;
    struct dirent *entry;
    DIR *d = opendir("/proc");
    while (d != NULL && (entry = readdir(d)) != NULL) {
        char path[300];
        struct stat st;
        snprintf(path, sizeof path, "/proc/%s", entry->d_name);
        n += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && stat(path, &st) == 0 &&
             st.st_uid == geteuid();
    }
    if (d != NULL)
        closedir(d);
    return n;
}

static unsigned cgroups;

static int count_cgroup(const char *path, const struct stat *st, int type, struct FTW *f)
{
    (void)path, (void)st, (void)f;
    cgroups += type == FTW_D;
    return 0;
}

static struct left look(const struct vm_case *c)
{
    cgroups = 0;
    (void)nftw(VM_MANAGER, count_cgroup, 16, FTW_PHYS);
    return (struct left){.descriptors = entries_of("/proc/self/fd"),
                         .processes = processes(),
                         .mounts = lines_of("/proc/self/mountinfo"),
                         .cgroups = cgroups,
                         .temporaries = vm_temporaries(c),
                         .work = entries_of("/tmp") + entries_of("/run/user/1000")};
}

static void compare(const struct left *before, const struct left *after)
{
    CHECK_U64(after->descriptors, before->descriptors, "no descriptor is left");
    CHECK_U64(after->processes, before->processes, "no process is left");
    CHECK_U64(after->mounts, before->mounts, "no mount is left");
    CHECK_U64(after->cgroups, before->cgroups, "no cgroup is left");
    CHECK_U64(after->temporaries, before->temporaries, "no temporary file is left in the output");
    CHECK_U64(after->work, before->work, "nothing is left in /tmp and the runtime directory");
}

static void many_calls(unsigned wanted)
{
    struct vm_case c;
    unsigned done = 0;

    if (!vm_open(&c, "many", VM_DISTRIBUTION, ""))
        return;
    vm_quiet = true;
    vm_call(&c, "first", "--! exit 0");
    struct left before = look(&c);
    for (unsigned i = 0; i < wanted; i++) {
        char call[24];
        snprintf(call, sizeof call, "call-%u", i);
        vm_call(&c, call, i % 2 == 0 ? "--! exit 0" : "--! setsid-child 600 /call/x\n--! exit 3");
        done += c.result == 0 && c.r->outcome == OUTCOME_EXITED;
        if (c.result != 0)
            printf("# call %u: %s\n", i, c.text);
    }
    struct left after = look(&c);
    CHECK_U64(done, wanted, "%u calls in a row complete", wanted);
    compare(&before, &after);
    vm_check_gone("many calls");
    vm_close(&c);
}

static void calls(void)
{
    many_calls(40);
}

static void calls_long(void)
{
    many_calls(1000);
}

/* A xorshift generator, from a seed that is printed. */
static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static const char killed_source[] = "--! fork-bomb 3 600\n--! sleep 1";

/* How long another lema takes for such a call, loading included. */
static unsigned measure_ms(const struct vm_case *c)
{
    uint64_t start = clock_boot_ns();
    int status = -1;
    pid_t lema = vm_fork_call(c, "measured", killed_source);
    CHECK(waitpid(lema, &status, 0) == lema && status == 0, "another lema makes such a call");
    return (unsigned)((clock_boot_ns() - start) / 1000000);
}

/* Another lema makes a call and is killed at some moment of it. */
static void kill_one(const struct vm_case *c, const char *call, unsigned within_ms)
{
    pid_t lema = vm_fork_call(c, call, killed_source);
    vm_sleep_ms((unsigned)(next_random() % within_ms));
    kill(lema, SIGKILL);
    waitpid(lema, NULL, 0);
    for (unsigned i = 0; i < 400 && (vm_scopes() > 0 && vm_first_of(vm_found_path) > 0); i++)
        vm_sleep_ms(25);
}

static void many_kills(unsigned wanted)
{
    struct vm_case c;
    unsigned open = 0, recovered = 0;

    state = (uint64_t)time(NULL) * 2654435761u + 1;
    printf("# seed %llu\n", (unsigned long long)state);
    if (!vm_open(&c, "many-kills", VM_DISTRIBUTION, ""))
        return;
    vm_quiet = true;
    unsigned within_ms = measure_ms(&c);
    struct left before = look(&c);
    for (unsigned i = 0; i < wanted; i++) {
        char call[24];
        snprintf(call, sizeof call, "kill-%u", i);
        kill_one(&c, call, within_ms);
        vm_recover(&c, call);
        recovered += c.result == 0;
        open += c.err.what != ERR_USAGE; /* usage: it was never reserved, or it completed */
        if (c.result != 0 && c.err.what != ERR_USAGE)
            printf("# kill %u: %s\n", i, c.text);
    }
    CHECK(open > 0, "some calls were killed after they had begun, within %u ms", within_ms);
    CHECK_U64(recovered, open, "%u of %u killed calls left something, and each was closed", open,
              wanted);
    vm_call(&c, "last", "--! exit 0");
    CHECK_TEXT(c.text, "", "then the next call completes");
    struct left after = look(&c);
    compare(&before, &after);
    vm_check_gone("many kills");
    vm_close(&c);
}

static void kills(void)
{
    many_kills(15);
}

static void kills_long(void)
{
    many_kills(200);
}

/* Calls of every kind, some of them killed, with whatever recovery is due after each. */
static void soak(unsigned wanted)
{
    static const char *const sources[] = {
        "--! exit 0",
        "--! exit 3",
        "--! raise 11",
        "--! setsid-child 600 /call/x\n--! exit 0",
        "--! write /call/a b\n--! fork-bomb 20 600\n--! exit 0",
        "--! fill-log 1000000 4096\n--! exit 0",
        "--! fill-log 17825792 65536", /* a fault */
    };
    const unsigned kinds = sizeof sources / sizeof sources[0];
    unsigned completed = 0, faults = 0, killed = 0, recoveries = 0;
    struct vm_case c;

    state = (uint64_t)time(NULL) * 2654435761u + 1;
    printf("# seed %llu\n", (unsigned long long)state);
    if (!vm_open(&c, "soak", VM_DISTRIBUTION, ""))
        return;
    vm_quiet = true;
    unsigned within_ms = measure_ms(&c);
    struct left before = look(&c);
    for (unsigned i = 0; i < wanted; i++) {
        char call[24];
        snprintf(call, sizeof call, "soak-%u", i);
        bool kills = next_random() % 4 == 0;
        if (kills) {
            kill_one(&c, call, within_ms);
            killed++;
        } else {
            vm_call(&c, call, sources[next_random() % kinds]);
            completed += c.result == 0;
            faults += c.err.what == ERR_FAULT;
            if (c.result != 0 && c.err.what != ERR_FAULT)
                CHECK(false, "soak %u: %s", i, c.text);
        }
        if (!kills && c.err.what != ERR_FAULT)
            continue;
        vm_recover(&c, call);
        recoveries += c.result == 0;
        if (c.result != 0 && c.err.what != ERR_USAGE)
            CHECK(false, "soak %u: recover: %s", i, c.text);
    }
    printf(
        "# soak: %u calls: %u completed, %u faults with their latches, %u killed; %u recoveries\n",
        wanted, completed, faults, killed, recoveries);
    CHECK_U64(completed + faults + killed, wanted, "%u calls end as they must", wanted);
    CHECK(recoveries >= faults, "every fault was recovered from");
    vm_call(&c, "last", "--! exit 0");
    CHECK_TEXT(c.text, "", "at the end a call completes: the ledger reads, nothing is open");
    struct left after = look(&c);
    compare(&before, &after);
    vm_check_gone("soak");
    vm_close(&c);
}

static void soak_short(void)
{
    soak(20);
}

static void soak_long(void)
{
    soak(2000);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {{"calls", calls},     {"calls-long", calls_long},
                                           {"kills", kills},     {"kills-long", kills_long},
                                           {"soak", soak_short}, {"soak-long", soak_long}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
