/* evidence/latch: what stands there halts, whatever it is; and every way to set one. */
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "evidence/latch.h"

#include "unit/check.h"
#include "unit/scratch.h"

static struct latch_place place[LATCHES];

/* Both latches in the scratch directory: HALTED and native.lock.HALTED. */
static void begin(void)
{
    struct err err;
    err_clear(&err);
    scratch_begin();
    if (latch_places(place, scratch_fd, scratch_fd, "native.lock", &err) != 0)
        abort();
}

static bool set(enum latch_where where, const char *call, enum fault fault, struct err *err)
{
    struct file_pending pending;
    err_clear(err);
    return latch_prepare(&pending, &place[where], err) == 0 &&
           latch_set(&pending, call, fault, err) == 0;
}

static bool holds(const char *name, const char *want)
{
    char text[512];
    ssize_t n = scratch_read(name, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return n >= 0 && strcmp(text, want) == 0;
}

/* --- Places ---------------------------------------------------------------------- */

static void test_places(void)
{
    char lock[COMPONENT_BYTES_MAX + 1];
    struct err err;
    begin();
    CHECK_TEXT(place[LATCH_OUTPUT].name, "HALTED", "the output's latch");
    CHECK_TEXT(place[LATCH_HOST].name, "native.lock.HALTED", "the lock's latch");
    memset(lock, 'l', sizeof lock);
    lock[243] = '\0';
    err_clear(&err);
    CHECK(latch_places(place, scratch_fd, scratch_fd, lock, &err) == 0,
          "a lock's name of 243 bytes leaves room for its latch");
    CHECK(set(LATCH_HOST, "c1", FAULT_TIMEOUT, &err), "which can be written");
    lock[243] = 'l';
    lock[244] = '\0';
    err_clear(&err);
    CHECK(latch_places(place, scratch_fd, scratch_fd, lock, &err) == -1 && err.what == ERR_PATH,
          "one of 244 bytes is refused");
    lock[244] = 'l';
    lock[255] = '\0';
    err_clear(&err);
    CHECK(latch_places(place, scratch_fd, scratch_fd, lock, &err) == -1 && err.what == ERR_PATH,
          "so is one of 255");
}

/* --- Setting, looking, removing -------------------------------------------------- */

static void test_set(void)
{
    struct latch_state state;
    struct err err;
    struct stat st;
    enum fault fault = FAULT_NONE;
    begin();
    CHECK(latch_look(&place[LATCH_OUTPUT], geteuid(), &state, &err) == 0 && !state.present,
          "at first there is none");
    CHECK(latch_check(place, "/out", "/lock", geteuid(), &err) == 0, "and nothing is refused");
    CHECK(set(LATCH_OUTPUT, "c1", FAULT_LOG_OVERFLOW, &err), "a latch is set");
    CHECK(holds("HALTED", "c1: log-overflow\n"), "one line, CALL: FAULT");
    CHECK(fstatat(scratch_fd, "HALTED", &st, 0) == 0 && (st.st_mode & 07777) == 0600,
          "with mode 0600");
    CHECK(st.st_blocks * 512 <= 4096, "the space that was taken for it is given back");
    CHECK_U64(scratch_names(), 1, "nothing else is left");
    CHECK(latch_look(&place[LATCH_OUTPUT], geteuid(), &state, &err) == 0 && state.present,
          "it is seen");
    CHECK_TEXT(state.line, "c1: log-overflow", "with its line");
    CHECK(latch_is_of(&state, "c1", &fault) && fault == FAULT_LOG_OVERFLOW, "it is of c1");
    CHECK(!latch_is_of(&state, "c", &fault) && !latch_is_of(&state, "c1:", &fault) &&
              !latch_is_of(&state, "c11", &fault) && !latch_is_of(&state, "", &fault),
          "of no other call");
    err_clear(&err);
    CHECK(latch_check(place, "/out", "/lock", geteuid(), &err) == -1 && err.what == ERR_LATCHED,
          "a call is refused");
    CHECK_TEXT(err.obj, "/out/HALTED", "by the latch's path");
    CHECK_TEXT(err.why, "c1: log-overflow; no native call until lema recover", "and its line");
    CHECK(latch_remove(&place[LATCH_OUTPUT], &err) == 0 && scratch_names() == 0, "it is removed");
    CHECK(latch_remove(&place[LATCH_OUTPUT], &err) == 0, "also twice");
}

static void test_host(void)
{
    struct err err;
    begin();
    CHECK(set(LATCH_HOST, "c2", FAULT_SCOPE_NOT_GONE, &err), "a host latch is set");
    CHECK(holds("native.lock.HALTED", "c2: scope-not-gone\n"), "beside the lock");
    err_clear(&err);
    CHECK(latch_check(place, "/out", "/dir/native.lock", geteuid(), &err) == -1 &&
              err.what == ERR_LATCHED,
          "a call is refused");
    CHECK_TEXT(err.obj, "/dir/native.lock.HALTED", "by the latch's path");
    CHECK(set(LATCH_OUTPUT, "c3", FAULT_TIMEOUT, &err), "both");
    err_clear(&err);
    CHECK(latch_check(place, "/out", "/dir/native.lock", geteuid(), &err) == -1 &&
              strcmp(err.obj, "/out/HALTED") == 0,
          "then the output's is named first");
}

static void test_every_fault(void)
{
    char name[CALL_NAME_BYTES_MAX + 1];
    char want[256];
    struct err err;
    memset(name, 'n', sizeof name);
    name[100] = '\0';
    for (unsigned i = 0; i < FAULT_COUNT; i++) {
        begin();
        (void)snprintf(want, sizeof want, "%s: %s\n", name, fault_word((enum fault)i));
        CHECK(set(LATCH_OUTPUT, name, (enum fault)i, &err) && holds("HALTED", want),
              "%s of a call with the longest name is written whole", fault_word((enum fault)i));
    }
}

/* --- Whatever stands there ------------------------------------------------------- */

static void check_halts(const char *claim, const char *line)
{
    struct latch_state state;
    struct err err;
    enum fault fault;
    err_clear(&err);
    CHECK(latch_look(&place[LATCH_OUTPUT], geteuid(), &state, &err) == 0 && state.present,
          "%s halts", claim);
    CHECK_TEXT(state.line, line, "%s: what is read of it", claim);
    CHECK(!latch_is_of(&state, "c1", &fault), "%s is of no call", claim);
    CHECK(latch_check(place, "/out", "/lock", geteuid(), &err) == -1 && err.what == ERR_LATCHED,
          "%s refuses every call", claim);
    CHECK(set(LATCH_OUTPUT, "c1", FAULT_TIMEOUT, &err), "%s counts as a latch that is set", claim);
    CHECK_U64(scratch_names(), 1, "%s: and stays alone", claim);
}

static void check_not_removed(const char *claim)
{
    struct err err;
    err_clear(&err);
    CHECK(latch_remove(&place[LATCH_OUTPUT], &err) == -1 && err.what == ERR_LATCHED &&
              scratch_names() == 1,
          "%s is not removed", claim);
}

static void test_kinds(void)
{
    begin();
    CHECK(mkdirat(scratch_fd, "HALTED", 0700) == 0, "a directory there");
    check_halts("a directory", "");
    check_not_removed("a directory");
    begin();
    CHECK(symlinkat("/nowhere", scratch_fd, "HALTED") == 0, "a symlink to nothing there");
    check_halts("a symlink to nothing", "");
    check_not_removed("a symlink");
    begin();
    CHECK(symlinkat("/proc/version", scratch_fd, "HALTED") == 0, "a symlink to a file there");
    check_halts("a symlink to a file", "");
    begin();
    CHECK(mkfifoat(scratch_fd, "HALTED", 0600) == 0, "a FIFO there");
    check_halts("a FIFO", "");
    check_not_removed("a FIFO");
}

static void test_socket(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    begin();
    (void)snprintf(name.sun_path, sizeof name.sun_path, "%s/HALTED", scratch_path);
    CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)&name, sizeof name) == 0, "a socket there");
    check_halts("a socket", "");
    check_not_removed("a socket");
    close(fd);
}

static void test_owners(void)
{
    begin();
    scratch_write("HALTED", "c1: timeout\n", 12);
    if (fchmodat(scratch_fd, "HALTED", 0622, 0) != 0)
        abort();
    check_halts("a file writable by others", "");
    if (geteuid() != 0) {
        CHECK_SKIP("needs root", "a file or device of another owner halts");
        return;
    }
    begin();
    scratch_write("HALTED", "c1: timeout\n", 12);
    CHECK(fchownat(scratch_fd, "HALTED", 4711, 4711, 0) == 0, "another owner");
    check_halts("a file of another owner", "");
    begin();
    CHECK(mknodat(scratch_fd, "HALTED", S_IFCHR | 0600, makedev(1, 5)) == 0, "/dev/zero there");
    check_halts("a device", "");
    check_not_removed("a device");
}

static void test_contents(void)
{
    static const struct {
        const char *claim, *text, *line;
        size_t n;
    } rows[] = {
        {"an empty file", "", "", 0},
        {"a line without newline", "c9: timeout", "c9: timeout", 11},
        {"an unknown fault", "c1: bored\n", "c1: bored", 10},
        {"an interrupted call", "c1: interrupted\n", "c1: interrupted", 16},
        {"no fault", "c1: none\n", "c1: none", 9},
        {"no space", "c1:timeout\n", "c1:timeout", 11},
        {"a space too much", "c1:  timeout\n", "c1:  timeout", 13},
        {"something behind", "c1: timeout \n", "c1: timeout ", 13},
        {"two lines", "c9: timeout\nc1: timeout\n", "c9: timeout", 24},
        {"control bytes", "\x1b[2J\\\n", "\\x1b[2J\\\\", 6},
        {"a NUL", "c1: timeout\0\n", "c1: timeout\\x00", 13},
        {"bytes that are not UTF-8", "\xff\xfe\n", "\\xff\\xfe", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        scratch_write("HALTED", rows[i].text, rows[i].n);
        check_halts(rows[i].claim, rows[i].line);
    }
    static char large[100000];
    memset(large, 0x07, sizeof large);
    begin();
    scratch_write("HALTED", large, sizeof large);
    struct latch_state state;
    struct err err;
    err_clear(&err);
    CHECK(latch_look(&place[LATCH_OUTPUT], geteuid(), &state, &err) == 0 && state.present &&
              strlen(state.line) < sizeof state.line && strstr(state.line, "\\...") != NULL,
          "of a large file a part is shown, as a part");
}

static void test_cannot_tell(void)
{
    struct latch_state state;
    struct err err;
    begin();
    place[LATCH_OUTPUT].dirfd = -1;
    err_clear(&err);
    CHECK(latch_look(&place[LATCH_OUTPUT], geteuid(), &state, &err) == -1 && err.what == ERR_IO,
          "where one cannot look, that is an error");
    err_clear(&err);
    CHECK(latch_check(place, "/out", "/lock", geteuid(), &err) == -1, "and refuses every call");
}

/* --- Probing, and every way to set one ------------------------------------------- */

static void test_probe(void)
{
    struct file_pending pending;
    struct err err;
    begin();
    err_clear(&err);
    CHECK(latch_probe(&place[LATCH_OUTPUT], &err) == 0 && scratch_names() == 0,
          "a probe leaves nothing behind");
    CHECK(latch_prepare(&pending, &place[LATCH_OUTPUT], &err) == 0 &&
              latch_probe(&place[LATCH_OUTPUT], &err) == 0 && scratch_names() == 1,
          "it does not touch what a call has prepared");
    CHECK(latch_set(&pending, "c1", FAULT_TIMEOUT, &err) == 0 && holds("HALTED", "c1: timeout\n"),
          "which still can be set");
    CHECK(latch_probe(&place[LATCH_OUTPUT], &err) == 0 && holds("HALTED", "c1: timeout\n"),
          "nor a latch");
    place[LATCH_HOST].dirfd = -1;
    CHECK(latch_probe(&place[LATCH_HOST], &err) == -1, "where nothing can be made, it fails");
}

static void test_prepared_is_gone(void)
{
    struct file_pending pending;
    struct err err;
    begin();
    err_clear(&err);
    CHECK(latch_prepare(&pending, &place[LATCH_OUTPUT], &err) == 0 &&
              unlinkat(scratch_fd, ".HALTED.tmp", 0) == 0,
          "the prepared file was removed");
    CHECK(latch_set(&pending, "c1", FAULT_TIMEOUT, &err) == 0 && holds("HALTED", "c1: timeout\n") &&
              scratch_names() == 1,
          "a new one is made");
    CHECK(latch_set(&pending, "c2", FAULT_TIMEOUT, &err) == 0 && holds("HALTED", "c1: timeout\n"),
          "the first latch stays when one is set twice");
    begin();
    CHECK(latch_prepare(&pending, &place[LATCH_OUTPUT], &err) == 0, "prepared");
    file_abandon(&pending);
    CHECK(latch_set(&pending, "c1", FAULT_TIMEOUT, &err) == 0 && holds("HALTED", "c1: timeout\n"),
          "one that was given up can be set all the same");
    begin();
    CHECK(mkdirat(scratch_fd, ".HALTED.tmp", 0700) == 0 &&
              latch_prepare(&pending, &place[LATCH_OUTPUT], &err) == -1,
          "where none can be prepared");
    err_clear(&err);
    CHECK(latch_set(&pending, "c1", FAULT_TIMEOUT, &err) == 0 && holds("HALTED", "c1: timeout\n"),
          "it is set under its own name");
}

static void test_full(void)
{
    struct file_pending pending;
    struct file_pending late;
    struct err err;
    scratch_begin();
    if (!scratch_mount(64)) {
        CHECK_SKIP("needs root", "latches on full and read-only file systems");
        return;
    }
    err_clear(&err);
    (void)latch_places(place, scratch_fd, scratch_fd, "native.lock", &err);
    CHECK(latch_prepare(&pending, &place[LATCH_OUTPUT], &err) == 0, "prepared in time");
    scratch_fill();
    CHECK(latch_probe(&place[LATCH_OUTPUT], &err) == -1 && err.what == ERR_SPACE,
          "then on a full file system a probe fails");
    err_clear(&err);
    CHECK(latch_set(&pending, "c1", FAULT_TIMEOUT, &err) == 0 && holds("HALTED", "c1: timeout\n"),
          "but the latch is written");
    CHECK(latch_prepare(&late, &place[LATCH_HOST], &err) == -1 && err.what == ERR_SPACE,
          "another cannot be prepared");
    err_clear(&err);
    CHECK(latch_set(&late, "c1", FAULT_SCOPE_NOT_GONE, &err) == 0 &&
              holds("native.lock.HALTED", ""),
          "it is set empty, and halts");
    CHECK(unlinkat(scratch_fd, "native.lock.HALTED", 0) == 0 && scratch_remount(MS_RDONLY),
          "on a read-only file system");
    CHECK(latch_set(&late, "c1", FAULT_SCOPE_NOT_GONE, &err) == -1 && err.what != ERR_NONE,
          "that it cannot be set is told");
    err_clear(&err);
    CHECK(latch_probe(&place[LATCH_HOST], &err) == -1 && err.sys == EROFS, "a probe fails");
    err_clear(&err);
    CHECK(latch_remove(&place[LATCH_OUTPUT], &err) == -1 && err.what == ERR_IO,
          "nor is one removed");
    scratch_unmount();
}

int main(void)
{
    umask(077);
    test_places();
    test_set();
    test_host();
    test_every_fault();
    test_kinds();
    test_socket();
    test_owners();
    test_contents();
    test_cannot_tell();
    test_probe();
    test_prepared_is_gone();
    test_full();
    scratch_end();
    return check_end();
}
