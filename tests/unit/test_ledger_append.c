/* evidence/ledger: opening, appending, what fails, what was torn. */
#include <signal.h>
#include <sys/resource.h>

#include "evidence/ledger.h"
#include "host/file.h"

#include "unit/check.h"
#include "unit/ledger_sample.h"
#include "unit/scratch.h"

#define NAME "ledger.jsonl"

static struct worker worker;

static int open_ledger(struct ledger *l, bool create, bool *missing, struct err *err)
{
    err_clear(err);
    return ledger_open(l, scratch_fd, geteuid(), create, missing, err);
}

static int load(struct ledger *l, struct ledger_summary *s, struct err *err)
{
    err_clear(err);
    return ledger_load(l, &worker, "", s, NULL, NULL, err);
}

/* A new ledger with the first n lines of the sample, open and loaded. */
static void begin(struct ledger *l, size_t n)
{
    struct ledger_summary s;
    struct err err;
    bool missing;
    scratch_begin();
    if (open_ledger(l, true, &missing, &err) != 0 || load(l, &s, &err) != 0)
        abort();
    for (size_t i = 0; i < n; i++) {
        struct ledger_line line = sample_line(i);
        if (ledger_append(l, &line, &err) != 0)
            abort();
    }
}

/* The ledger's file holds exactly the first n lines of the sample. */
static bool holds_sample(size_t n)
{
    static struct sample_ledger want;
    static char got[sizeof want.bytes];
    sample_clear(&want);
    for (size_t i = 0; i < n; i++)
        sample_append_text(&want, sample_text[i]);
    ssize_t size = scratch_read(NAME, got, sizeof got);
    return size == (ssize_t)want.n && memcmp(got, want.bytes, want.n) == 0;
}

/* --- Opening --------------------------------------------------------------------- */

static void test_open(void)
{
    struct ledger l;
    struct ledger_summary s;
    struct err err;
    struct stat st;
    bool missing = false;
    scratch_begin();
    CHECK(open_ledger(&l, false, &missing, &err) == 0 && missing && l.fd == -1,
          "a ledger that is not there is missing, not an error");
    CHECK(load(&l, &s, &err) == 0 && s.lines == 0 && s.fault == FAULT_NONE, "it reads as empty");
    struct ledger_line line = sample_line(0);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_LEDGER_IO,
          "and is not appended to");
    CHECK(open_ledger(&l, true, &missing, &err) == 0 && !missing && l.fd >= 0, "it can be made");
    CHECK(fstatat(scratch_fd, NAME, &st, 0) == 0 && (st.st_mode & 07777) == 0600 && st.st_size == 0,
          "empty and with mode 0600");
    CHECK_U64(scratch_names(), 1, "nothing else is left in the output");
    CHECK((fcntl(l.fd, F_GETFL) & O_APPEND) != 0 && (fcntl(l.fd, F_GETFD) & FD_CLOEXEC) != 0,
          "it is open for appending and does not pass an exec");
    ledger_close(&l);
    ledger_close(&l);
    CHECK(l.fd == -1, "it can be closed twice");
}

static void refuse_open(const char *claim, const char *why)
{
    struct ledger l;
    struct err err;
    bool missing = true;
    int result = open_ledger(&l, true, &missing, &err);
    CHECK(result == -1 && err.what == ERR_LEDGER && l.fd == -1 && !missing,
          "a ledger that is %s is refused", claim);
    CHECK(strncmp(err.why, why, strlen(why)) == 0, "%s: %s", claim, why);
    if (result == 0)
        ledger_close(&l);
    (void)unlinkat(scratch_fd, NAME, 0);
}

static void test_open_refused(void)
{
    scratch_begin();
    scratch_write(NAME, "", 0);
    fchmodat(scratch_fd, NAME, 0644, 0);
    refuse_open("readable by others", "expected mode 0600, found 0644");
    scratch_write(NAME, "", 0);
    fchmodat(scratch_fd, NAME, 0660, 0);
    refuse_open("writable by its group", "writable by group or others (mode 0660)");
    scratch_write(NAME, "", 0);
    fchmodat(scratch_fd, NAME, 04600, 0);
    refuse_open("setuid", "expected mode 0600, found 4600");
    scratch_write(NAME, "", 0);
    CHECK(linkat(scratch_fd, NAME, scratch_fd, "other", 0) == 0, "a second link");
    refuse_open("linked twice", "expected one link, found 2");
    scratch_write("target", "", 0);
    CHECK(symlinkat("target", scratch_fd, NAME) == 0, "a symlink");
    refuse_open("a symlink", "expected a regular file, found a symbolic link");
    CHECK(mkfifoat(scratch_fd, NAME, 0600) == 0, "a FIFO");
    refuse_open("a FIFO", "expected a regular file, found a FIFO");
    CHECK(mkdirat(scratch_fd, NAME, 0700) == 0, "a directory");
    refuse_open("a directory", "expected a regular file, found a directory");
    (void)unlinkat(scratch_fd, NAME, AT_REMOVEDIR);
    if (geteuid() != 0) {
        CHECK_SKIP("needs root", "a ledger of another owner is refused");
        return;
    }
    scratch_write(NAME, "", 0);
    CHECK(fchownat(scratch_fd, NAME, 4711, 0, 0) == 0, "another owner");
    refuse_open("of another owner", "expected owner root");
}

/* --- Appending ------------------------------------------------------------------- */

static void test_append(void)
{
    struct ledger l;
    struct ledger_summary s;
    struct err err;
    char hex[DIGEST_HEX_BYTES];
    bool missing;
    begin(&l, 0);
    for (size_t i = 0; i < SAMPLE_LINES; i++) {
        struct ledger_line line = sample_line(i);
        CHECK(ledger_append(&l, &line, &err) == 0, "line %zu is appended", i + 1);
        CHECK(line.number == i + 1, "with its number");
        digest_hex(&l.last, hex);
        CHECK_TEXT(hex, sample_sha256[i], "the chain goes on as sha256sum says");
        CHECK(holds_sample(i + 1), "the file is byte for byte the one that printf made");
    }
    ledger_close(&l);
    CHECK(open_ledger(&l, true, &missing, &err) == 0 && load(&l, &s, &err) == 0 && s.lines == 8 &&
              l.lines == 8 && l.bytes == s.bytes,
          "what was appended is read");
    struct ledger_line line = sample_reserve("c4", KIND_REVERIFY);
    CHECK(ledger_append(&l, &line, &err) == 0 && load(&l, &s, &err) == 0 && s.lines == 9,
          "and goes on behind it");
    ledger_close(&l);
}

static void test_append_refused(void)
{
    struct ledger l;
    struct err err;
    bool missing;
    begin(&l, 2);
    struct ledger_line line = sample_line(2);
    line.unit[0] = 'L';
    err_clear(&err);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_LEDGER,
          "a line that could not be read is refused");
    CHECK_TEXT(err.obj, "ledger.jsonl: unit", "by its field");
    CHECK(holds_sample(2), "nothing is written");
    err_clear(&err);
    line = sample_line(2);
    CHECK(ledger_append(&l, &line, &err) == 0 && holds_sample(3), "the ledger stays usable");
    ledger_close(&l);
    CHECK(open_ledger(&l, true, &missing, &err) == 0, "opened again");
    line = sample_line(3);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_INTERNAL && holds_sample(3),
          "a ledger that was not read is not appended to");
    ledger_close(&l);
}

static void test_other_writer(void)
{
    struct ledger l;
    struct ledger_summary s;
    struct err err;
    begin(&l, 2);
    struct ledger other = l;
    struct ledger_line line = sample_line(2);
    err_clear(&err);
    CHECK(ledger_append(&other, &line, &err) == 0, "another writer appends");
    line = sample_reserve("mine", KIND_ELABORATE);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_LEDGER,
          "then this one is refused");
    CHECK(strncmp(err.why, "changed by another writer", 25) == 0, "because of that");
    CHECK(holds_sample(3), "nothing is written");
    CHECK(load(&l, &s, &err) == 0, "after it was read again");
    line = sample_line(3);
    CHECK(ledger_append(&l, &line, &err) == 0 && holds_sample(4), "it goes on");
    CHECK(ftruncate(l.fd, 100) == 0, "a ledger that was cut");
    line = sample_line(4);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_LEDGER, "is refused as well");
    ledger_close(&l);
}

/* --- What cannot be written ------------------------------------------------------ */

static void set_file_size_limit(rlim_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
        abort();
    limit.rlim_cur = bytes;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        abort();
}

static void test_short_write(void)
{
    struct ledger l;
    struct ledger_summary s;
    struct err err;
    begin(&l, 2);
    uint64_t before = l.bytes;
    struct ledger_line line = sample_line(2);
    set_file_size_limit(before + 50);
    err_clear(&err);
    int result = ledger_append(&l, &line, &err);
    set_file_size_limit(RLIM_INFINITY); /* standard output may be a file as well */
    CHECK(result == -1 && err.what == ERR_LEDGER_IO && l.broken, "a short write breaks the ledger");
    CHECK_TEXT(err.why, "a line was written in part", "and says so");
    err_clear(&err);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_LEDGER_IO,
          "this process appends no more, though there is room again");
    CHECK(load(&l, &s, &err) == -1 && err.what == ERR_LEDGER && s.torn_bytes == 50 &&
              s.bytes == before && s.lines == 2,
          "what is left is a torn last line");
    ledger_close(&l);
}

static void test_no_write(void)
{
    struct ledger l;
    struct err err;
    begin(&l, 2);
    set_file_size_limit(l.bytes);
    struct ledger_line line = sample_line(2);
    err_clear(&err);
    int result = ledger_append(&l, &line, &err);
    set_file_size_limit(RLIM_INFINITY);
    CHECK(result == -1 && err.what == ERR_LEDGER_IO && l.broken && err.sys == EFBIG &&
              strcmp(err.op, "write") == 0,
          "a write that fails breaks the ledger");
    CHECK(holds_sample(2), "nothing was written");
    ledger_close(&l);
}

static void test_no_sync(void)
{
    int pair[2];
    struct err err;
    if (pipe(pair) != 0)
        abort();
    struct ledger l = {.fd = pair[1]};
    struct ledger_line line = sample_line(0);
    err_clear(&err);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_LEDGER_IO && l.broken &&
              strcmp(err.op, "fdatasync") == 0,
          "a line that cannot be synced breaks the ledger");
    close(pair[0]);
    close(pair[1]);
}

static void test_full(void)
{
    struct ledger l;
    struct ledger_summary s;
    struct err err;
    bool missing;
    scratch_begin();
    if (!scratch_mount(64)) {
        CHECK_SKIP("needs root", "a full file system");
        return;
    }
    CHECK(open_ledger(&l, true, &missing, &err) == 0 && load(&l, &s, &err) == 0, "a ledger");
    CHECK(ledger_reserve_space(&l, 2, &err) == 0, "space for two lines is taken");
    struct stat st;
    CHECK(fstat(l.fd, &st) == 0 && st.st_size == 0 && st.st_blocks * 512 >= 16384,
          "without a change of its size");
    scratch_fill();
    unsigned good = 0;
    for (size_t i = 0; i < 2; i++) {
        struct ledger_line line = sample_line(i);
        good += ledger_append(&l, &line, &err) == 0;
    }
    CHECK(good == 2 && holds_sample(2), "then they can be written on a full file system");
    CHECK(ledger_reserve_space(&l, 4, &err) == -1 && err.what == ERR_SPACE,
          "more space is refused");
    ledger_close(&l);
    scratch_unmount();
    scratch_begin();
    if (!scratch_mount(16))
        abort();
    CHECK(open_ledger(&l, true, &missing, &err) == 0 && load(&l, &s, &err) == 0, "another");
    scratch_fill();
    struct ledger_line line = sample_line(0);
    err_clear(&err);
    CHECK(ledger_append(&l, &line, &err) == -1 && err.what == ERR_LEDGER_IO && l.broken &&
              err.sys == ENOSPC,
          "without that, a full file system breaks the ledger");
    ledger_close(&l);
    CHECK(scratch_remount(MS_RDONLY), "a read-only file system");
    CHECK(open_ledger(&l, true, &missing, &err) == -1 && err.what == ERR_LEDGER && err.sys == EROFS,
          "is refused when the ledger is opened");
    scratch_unmount();
}

/* --- A torn last line ------------------------------------------------------------ */

#define TORN "{\"event\":\"comp"

static void tear(const struct ledger *l)
{
    if (write(l->fd, TORN, sizeof TORN - 1) != sizeof TORN - 1)
        abort();
}

static void test_cut(void)
{
    struct ledger l;
    struct ledger_summary s;
    struct err err;
    struct digest cut;
    struct digest want;
    char bytes[64];
    begin(&l, 1);
    tear(&l);
    CHECK(load(&l, &s, &err) == -1 && s.torn_bytes == sizeof TORN - 1, "a torn ledger");
    struct ledger_line line = sample_resolve("c1", FAULT_INTERRUPTED, RESOLVE_SCOPE_OUTPUT, "torn");
    err_clear(&err);
    CHECK(ledger_append(&l, &line, &err) == -1, "is not appended to");
    err_clear(&err);
    scratch_write("ledger.torn-1", "older", 5);
    CHECK(ledger_cut_torn(&l, scratch_fd, &s, &cut, &err) == 0, "the torn line can be cut");
    CHECK(holds_sample(1), "the whole lines stay");
    CHECK(scratch_read("ledger.torn-2", bytes, sizeof bytes) == sizeof TORN - 1 &&
              memcmp(bytes, TORN, sizeof TORN - 1) == 0,
          "what was cut is kept under the first free name");
    CHECK(scratch_read("ledger.torn-1", bytes, sizeof bytes) == 5, "an older one stays");
    sha256_of(TORN, sizeof TORN - 1, &want);
    CHECK(digest_equal(&cut, &want), "its digest is told");
    CHECK(ledger_append(&l, &line, &err) == 0 && load(&l, &s, &err) == 0 && s.lines == 2 &&
              s.open_calls == 0,
          "the resolution goes behind it");
    ledger_close(&l);
}

static void test_cut_refused(void)
{
    struct ledger l;
    struct ledger_summary s;
    struct err err;
    struct digest cut;
    begin(&l, 2);
    CHECK(load(&l, &s, &err) == 0, "a whole ledger");
    CHECK(ledger_cut_torn(&l, scratch_fd, &s, &cut, &err) == -1 && err.what == ERR_INTERNAL &&
              holds_sample(2),
          "has nothing to cut");
    tear(&l);
    CHECK(load(&l, &s, &err) == -1 && s.torn_bytes > 0, "a torn one");
    CHECK(write(l.fd, "more", 4) == 4, "that was written to since");
    err_clear(&err);
    CHECK(ledger_cut_torn(&l, scratch_fd, &s, &cut, &err) == -1 && err.what == ERR_LEDGER,
          "is not cut");
    CHECK(scratch_names() == 1, "nothing is left behind");
    CHECK(ftruncate(l.fd, (off_t)s.bytes) == 0 && write(l.fd, "{\"whole\":\n123", 13) == 13,
          "a line that became whole");
    err_clear(&err);
    CHECK(ledger_cut_torn(&l, scratch_fd, &s, &cut, &err) == -1 && err.what == ERR_LEDGER,
          "is not cut either");
    ledger_close(&l);
}

int main(void)
{
    struct err err;
    err_clear(&err);
    umask(077);
    (void)signal(SIGXFSZ, SIG_IGN);
    if (worker_start(&worker, ledger_duty, &err) != 0)
        abort();
    test_open();
    test_open_refused();
    test_append();
    test_append_refused();
    test_other_writer();
    test_short_write();
    test_no_write();
    test_no_sync();
    test_cut();
    test_cut_refused();
    test_full();
    worker_stop(&worker);
    scratch_end();
    return check_end();
}
