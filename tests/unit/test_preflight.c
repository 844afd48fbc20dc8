/* call/preflight: what counts as refused (specification 10).  Inside a sandbox the probes
 * are looked at by tests/vmtests. */
#include "call/preflight.h"

#include <sys/prctl.h>

#include "base/filter.h"
#include "unit/check.h"
#include "unit/fixture.h"

static size_t probe_of(const char *word)
{
    for (size_t i = 0; i < PREFLIGHT_PROBES; i++)
        if (strcmp(preflight_word(i), word) == 0)
            return i;
    return PREFLIGHT_PROBES;
}

static void test_verdicts(void)
{
    static const struct {
        const char *probe;
        int32_t sys;
        bool refused;
    } rows[] = {
        {"write-root", EROFS, true},
        {"write-root", ENOSPC, false}, /* it would have been made but for the room */
        {"write-distribution", EACCES, true},
        {"write-distribution", EEXIST, false},
        {"write-modules", EROFS, true},
        {"write-kernel-setting", EROFS, true},
        {"write-kernel-setting", ENOENT, false}, /* no proc: another sandbox than the reviewed */
        {"read-memory-of-init", EACCES, true},
        {"read-memory-of-init", EPERM, true}, /* hidden from root */
        {"read-memory-of-init", ENOENT, false},
        {"host-path", ENOENT, true},
        {"host-path", EACCES, false}, /* it is there */
        {"inherited-descriptor", EBADF, true},
        {"network-socket", EPERM, true},
        {"network-socket", EMFILE, false},
        {"unix-socket", EPERM, true},
        {"user-namespace", EPERM, true},
        {"user-namespace", ENOSPC, false}, /* only the limit of this moment */
        {"trace-init", EPERM, true},
        {"mount", EPERM, true},
        {"mount", ENODEV, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t probe = probe_of(rows[i].probe);
        if (CHECK(probe < PREFLIGHT_PROBES, "there is a probe %s", rows[i].probe))
            CHECK_I64(preflight_refused(probe, rows[i].sys), rows[i].refused, "%s: %s is %s",
                      rows[i].probe, strerrorname_np(rows[i].sys),
                      rows[i].refused ? "refused" : "not refused");
    }
    for (size_t i = 0; i < PREFLIGHT_PROBES; i++) {
        CHECK(!preflight_refused(i, 0), "%s: a success is not refused", preflight_word(i));
        CHECK_U64(probe_of(preflight_word(i)), i, "%s: its name is its own", preflight_word(i));
    }
}

/* An ordinary process, and one with the program's filter; out is shared memory. */
static int try_plain(void *out, struct err *err)
{
    (void)err;
    preflight_try(out);
    return 0;
}

static int try_filtered(void *out, struct err *err)
{
    if (filter_load(FILTER_PROGRAM, err) != 0)
        return 1;
    preflight_try(out);
    return 0;
}

static void test_probes(void)
{
    static const char *const by_filter[] = {"network-socket", "unix-socket", "user-namespace",
                                            "trace-init", "mount"};
    struct err err;
    struct preflight *out =
        mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    MUST(out != MAP_FAILED);
    CHECK_I64(fixture_child(try_plain, out, &err), 0, "the probes run in an ordinary process");
    CHECK_I64(out->sys[probe_of("host-path")], 0, "which sees the host");
    CHECK_I64(out->sys[probe_of("unix-socket")], 0, "and makes a socket");
    int extra = dup(0);
    MUST(fixture_child(try_plain, out, &err) == 0);
    CHECK_I64(out->sys[probe_of("inherited-descriptor")], 0, "and has descriptor %d", extra);
    close(extra);
    CHECK_I64(fixture_child(try_filtered, out, &err), 0, "they run under the program's filter");
    for (size_t i = 0; i < sizeof by_filter / sizeof by_filter[0]; i++)
        CHECK(preflight_refused(probe_of(by_filter[i]), out->sys[probe_of(by_filter[i])]),
              "%s: the filter alone refuses it", by_filter[i]);
    CHECK_I64(out->sys[probe_of("host-path")], 0, "the filter alone hides no path");
    MUST(munmap(out, sizeof *out) == 0);
}

int main(void)
{
    fixture_begin();
    test_verdicts();
    test_probes();
    fixture_end();
    return check_end();
}
