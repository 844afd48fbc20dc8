/* host/machine: the state of the host, from a made-up tree.
 *
 *   T/proc/ meminfo  pressure/memory  pressure/cpu  sys/kernel/osrelease
 *           self -> 7   7/cgroup   7/ns/pid -> pid:[4026531836]
 *   T/cgroup/ a.slice/ b.scope/       memory.max and memory.current in both
 *   T/root/ run/systemd/
 */
#include "host/machine.h"

#include "check.h"
#include "fixture.h"
#include "limits.h"

#define MEMINFO                                                                                    \
    "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8000000 kB\n"
#define PRESSURE                                                                                   \
    "some avg10=%s avg60=1.00 avg300=1.00 total=5\nfull avg10=9.99 avg60=0.00 avg300=0.00 "        \
    "total=0\n"

/* A file of the tree with other contents; NULL: without it. */
struct change {
    const char *path, *text;
};

static void put(const char *path, const char *text)
{
    if (text == NULL)
        MUST(unlink(path) == 0 || errno == ENOENT);
    else
        fixture_file(path, 0666, text); /* as /proc/pressure: its mode says nothing */
}

static void make_tree(void)
{
    static const char *const directories[] = {
        "proc",      "proc/pressure",   "proc/sys",       "proc/sys/kernel",        "proc/7",
        "proc/7/ns", "cgroup",          "cgroup/a.slice", "cgroup/a.slice/b.scope", "root",
        "root/run",  "root/run/systemd"};
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        fixture_mkdir(directories[i], 0755);
    MUST(symlink("7", "proc/self") == 0 && symlink("pid:[4026531836]", "proc/7/ns/pid") == 0);
}

static void reset(void)
{
    char pressure[256];
    put("proc/meminfo", MEMINFO);
    snprintf(pressure, sizeof pressure, PRESSURE, "1.23");
    put("proc/pressure/memory", pressure);
    snprintf(pressure, sizeof pressure, PRESSURE, "40.05");
    put("proc/pressure/cpu", pressure);
    put("proc/sys/kernel/osrelease", "6.1.0-57-amd64\n");
    put("proc/7/cgroup", "12:pids:/x\n0::/a.slice/b.scope\n");
    put("cgroup/a.slice/memory.max", "max\n");
    put("cgroup/a.slice/memory.current", "1000\n");
    put("cgroup/a.slice/b.scope/memory.max", "max\n");
    put("cgroup/a.slice/b.scope/memory.current", "1000\n");
    put("root/.dockerenv", NULL);
    put("root/run/.containerenv", NULL);
    put("root/run/systemd/container", NULL);
}

static struct machine_source open_tree_source(bool cgroup)
{
    struct machine_source s = {
        .proc_fd = open("proc", O_RDONLY | O_CLOEXEC),
        .cgroup_fd = cgroup ? open("cgroup", O_RDONLY | O_CLOEXEC) : -1,
        .root_fd = open("root", O_RDONLY | O_CLOEXEC),
    };
    MUST(s.proc_fd >= 0 && s.root_fd >= 0);
    return s;
}

static int read_tree(struct machine *m, bool cgroup, struct err *err)
{
    struct machine_source s = open_tree_source(cgroup);
    err_clear(err);
    int got = machine_read(&s, m, err);
    machine_source_close(&s);
    return got;
}

static void check_plain(void)
{
    struct machine m;
    struct err err;
    reset();
    CHECK(read_tree(&m, true, &err) == 0, "the tree is read (%s: %s)", err.obj, err.why);
    CHECK_U64(m.mem_total, UINT64_C(16384000000), "MemTotal is bytes");
    CHECK_U64(m.mem_available, UINT64_C(8192000000), "MemAvailable is bytes");
    CHECK_U64(m.memory_pressure_centi, 123, "memory some avg10 is hundredths");
    CHECK_U64(m.cpu_pressure_centi, 4005, "cpu some avg10 is hundredths");
    CHECK(m.kind == MACHINE_VM || m.kind == MACHINE_BARE, "kind: %s",
          machine_kind_word((enum machine_kind)m.kind));
    CHECK(m.unused == 0, "what is unused is 0");
}

/* --- Memory of the own cgroups --------------------------------------------------------- */

static void check_cgroups(void)
{
    static const struct {
        const char *what;
        struct change change[3];
        uint64_t available;
    } rows[] = {
        {"the own cgroup's limit counts", {{"cgroup/a.slice/b.scope/memory.max", "5000\n"}}, 4000},
        {"an ancestor's limit counts", {{"cgroup/a.slice/memory.max", "7000\n"}}, 6000},
        {"the least of them counts",
         {{"cgroup/a.slice/memory.max", "7000\n"}, {"cgroup/a.slice/b.scope/memory.max", "3000\n"}},
         2000},
        {"more used than allowed leaves 0, never less",
         {{"cgroup/a.slice/memory.max", "999\n"}},
         0},
        {"a limit above MemAvailable changes nothing",
         {{"cgroup/a.slice/memory.max", "18446744073709551615\n"}},
         UINT64_C(8192000000)},
        {"a cgroup without the controller has no limit",
         {{"cgroup/a.slice/memory.max", NULL}, {"cgroup/a.slice/memory.current", NULL}},
         UINT64_C(8192000000)},
        {"the root cgroup has none", {{"proc/7/cgroup", "0::/\n"}}, UINT64_C(8192000000)},
    };
    CHECK_ROWS(rows, 7, "cgroups");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct machine m;
        struct err err;
        reset();
        for (size_t c = 0; c < 3 && rows[i].change[c].path != NULL; c++)
            put(rows[i].change[c].path, rows[i].change[c].text);
        CHECK(read_tree(&m, true, &err) == 0, "%s (%s: %s)", rows[i].what, err.obj, err.why);
        CHECK_U64(m.mem_available, rows[i].available, "mem_available is right");
    }
    struct machine m;
    struct err err;
    reset();
    put("proc/7/cgroup", "1:name=x:/\n");
    CHECK(read_tree(&m, false, &err) == 0, "without cgroup v2 nothing is asked of it");
}

/* --- What cannot be read ------------------------------------------------------------------ */

static void check_refused(void)
{
    static const struct {
        struct change change;
        const char *obj;
    } rows[] = {
        {{"proc/meminfo", NULL}, "meminfo"},
        {{"proc/meminfo", ""}, "meminfo"},
        {{"proc/meminfo", "MemTotal: 1 kB\n"}, "meminfo"},
        {{"proc/meminfo", "MemTotal: 1 kB\nMemAvailable: -1 kB\n"}, "meminfo"},
        {{"proc/meminfo", "MemTotal: 1 kB\nMemAvailable: 1 MB\n"}, "meminfo"},
        {{"proc/meminfo", "MemTotal: 1 kB\nMemAvailable: 18446744073709551615 kB\n"}, "meminfo"},
        {{"proc/meminfo", "MemTotalX: 1 kB\nMemAvailable: 1 kB\n"}, "meminfo"},
        {{"proc/pressure/memory", NULL}, "pressure/memory"},
        {{"proc/pressure/memory", ""}, "pressure/memory"},
        {{"proc/pressure/cpu", NULL}, "pressure/cpu"},
        {{"proc/pressure/cpu", "full avg10=0.00 avg60=0.00\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg60=0.00\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg10=\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg10=1\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg10=1.2\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg10=1.234\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg10=.23\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg10=-1.23\n"}, "pressure/cpu"},
        {{"proc/pressure/cpu", "some avg10=1.x3\n"}, "pressure/cpu"},
        {{"proc/7/cgroup", NULL}, "cgroup"},
        {{"proc/7/cgroup", "12:pids:/x\n"}, "self/cgroup"},
        {{"proc/7/cgroup", "0::/../outside\n"}, "../outside/memory.max"},
        {{"cgroup/a.slice/memory.max", "lots\n"}, "memory.max"},
        {{"cgroup/a.slice/memory.max", ""}, "memory.max"},
    };
    CHECK_ROWS(rows, 24, "unreadable");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct machine m;
        struct err err;
        reset();
        put(rows[i].change.path, rows[i].change.text);
        CHECK(read_tree(&m, true, &err) == -1 && err.what == ERR_UNSUPPORTED,
              "%s, form %zu, is refused%s", rows[i].change.path, i,
              rows[i].change.text != NULL ? "" : ": missing");
        CHECK_TEXT(err.obj, rows[i].obj, "it is named");
    }
}

/* --- Kind ------------------------------------------------------------------------------------ */

static void check_kind(void)
{
    static const struct {
        struct change change;
        uint32_t kind;
    } rows[] = {
        {{"proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n"}, MACHINE_WSL},
        {{"proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n"}, MACHINE_WSL},
        {{"proc/sys/kernel/osrelease", NULL}, MACHINE_UNKNOWN},
        {{"root/.dockerenv", ""}, MACHINE_CONTAINER},
        {{"root/run/.containerenv", ""}, MACHINE_CONTAINER},
        {{"root/run/systemd/container", "lxc\n"}, MACHINE_CONTAINER},
    };
    struct machine m;
    struct err err;
    CHECK_ROWS(rows, 6, "kinds");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reset();
        put(rows[i].change.path, rows[i].change.text);
        CHECK(read_tree(&m, true, &err) == 0 && m.kind == rows[i].kind, "%s %s: %s",
              rows[i].change.path, rows[i].change.text != NULL ? "changed" : "missing",
              machine_kind_word((enum machine_kind)m.kind));
    }
    reset();
    MUST(unlink("proc/7/ns/pid") == 0 && symlink("pid:[4026532001]", "proc/7/ns/pid") == 0);
    CHECK(read_tree(&m, true, &err) == 0 && m.kind == MACHINE_CONTAINER,
          "another pid namespace than the first is a container");
    MUST(unlink("proc/7/ns/pid") == 0);
    CHECK(read_tree(&m, true, &err) == 0 && m.kind == MACHINE_UNKNOWN,
          "one that cannot be read is unknown, never guessed");
    MUST(symlink("pid:[4026531836]", "proc/7/ns/pid") == 0);
    CHECK_TEXT(machine_kind_word(MACHINE_BARE), "bare", "words: bare");
    CHECK_TEXT(machine_kind_word(MACHINE_VM), "vm", "words: vm");
    CHECK_TEXT(machine_kind_word(MACHINE_CONTAINER), "container", "words: container");
    CHECK_TEXT(machine_kind_word(MACHINE_WSL), "wsl", "words: wsl");
    CHECK_TEXT(machine_kind_word(MACHINE_UNKNOWN), "unknown", "words: unknown");
}

/* --- Checks ------------------------------------------------------------------------------------ */

static void check_quiet(void)
{
    static const struct {
        struct machine m;
        enum err_what what;
        const char *why;
    } rows[] = {
        {{0, 1000, 4000, 0, GIB(16), GIB(6)}, ERR_NONE, ""},
        {{0, 0, 0, 0, GIB(6), GIB(6)}, ERR_NONE, ""},
        {{0, 1001, 0, 0, GIB(16), GIB(8)},
         ERR_PRESSURE_RETRY,
         "host pressure; native execution refused (available 8589934592, memory avg10 10.01, cpu "
         "avg10 0.00)"},
        {{0, 0, 4001, 0, GIB(16), GIB(8)},
         ERR_PRESSURE_RETRY,
         "host pressure; native execution refused (available 8589934592, memory avg10 0.00, cpu "
         "avg10 40.01)"},
        {{0, 0, 0, 0, GIB(7), GIB(6) - 1},
         ERR_PRESSURE_RETRY,
         "host pressure; native execution refused (available 6442450943, memory avg10 0.00, cpu "
         "avg10 0.00)"},
        {{0, 5, 0, 0, GIB(7) - 1, GIB(6) - 1},
         ERR_PRESSURE,
         "host pressure; native execution refused (available 6442450943, memory avg10 0.05, cpu "
         "avg10 0.00)"},
        {{0, 10000, 10000, 0, GIB(1), 0},
         ERR_PRESSURE,
         "host pressure; native execution refused (available 0, memory avg10 100.00, cpu avg10 "
         "100.00)"},
    };
    CHECK_ROWS(rows, 7, "check 9");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        err_clear(&err);
        int got = machine_check_quiet(&rows[i].m, &err);
        CHECK(got == (rows[i].what == ERR_NONE ? 0 : -1) && err.what == rows[i].what,
              "row %zu of check 9 is %s", i, err_word(rows[i].what));
        CHECK_TEXT(err.why, rows[i].why, "with exactly its text");
    }
}

static void check_here(void)
{
    struct machine_source s;
    struct machine m;
    uint64_t bytes = 0;
    struct err err;
    err_clear(&err);
    if (!CHECK(machine_source_open(&s, &err) == 0, "this machine's files open (%s: %s)", err.obj,
               err.why))
        return;
    CHECK(machine_read(&s, &m, &err) == 0, "and are read (%s: %s)", err.obj, err.why);
    CHECK(m.mem_total >= m.mem_available && m.mem_total > MIB(64),
          "memory in all: %" PRIu64 ", kind %s", m.mem_total,
          machine_kind_word((enum machine_kind)m.kind));
    CHECK(machine_free_bytes(s.root_fd, &bytes, &err) == 0 && bytes > 0, "free bytes are known");
    machine_source_close(&s);
    CHECK(s.proc_fd == -1 && s.cgroup_fd == -1 && s.root_fd == -1, "closed");
    CHECK(machine_free_bytes(-1, &bytes, &err) == -1 && err.what == ERR_IO, "or an error");
}

int main(void)
{
    fixture_begin();
    make_tree();
    int before = fixture_descriptors();
    check_plain();
    check_cgroups();
    check_refused();
    check_kind();
    check_quiet();
    check_here();
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
    fixture_end();
    return check_end();
}
