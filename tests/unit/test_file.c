/* host/file: bounded reads, and files that are durable under their final name or not there. */
#include "host/file.h"

#include "check.h"
#include "fixture.h"

static int top = -1; /* the scratch directory */

static bool exists(const char *name)
{
    struct stat st;
    return fstatat(top, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void check_read(void)
{
    static const struct {
        size_t max;
        ssize_t got;
    } reads[] = {{0, -1}, {1, -1}, {4, -1}, {5, 5}, {6, 5}, {100, 5}};
    uint8_t buffer[100];
    fixture_file("five", 0644, "12345");
    fixture_file("empty", 0644, "");
    int five = open("five", O_RDONLY | O_CLOEXEC);
    int empty = open("empty", O_RDONLY | O_CLOEXEC);
    CHECK_ROWS(reads, 6, "reads of five bytes");
    MUST(lseek(five, 3, SEEK_SET) == 3);
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        struct err err;
        err_clear(&err);
        ssize_t got = file_read(five, buffer, reads[i].max, str_span("five"), &err);
        CHECK_I64(got, reads[i].got, "five bytes into at most %zu", reads[i].max);
        CHECK(got >= 0 ? memcmp(buffer, "12345", 5) == 0
                       : err.what == ERR_IO && strstr(err.why, "is longer than") != NULL,
              "are whole or refused (%s)", err.why);
    }
    struct err err;
    err_clear(&err);
    CHECK_I64(file_read(empty, buffer, 0, str_span("empty"), &err), 0,
              "an empty file fits nothing");
    CHECK_I64(file_read(empty, buffer, 9, str_span("empty"), &err), 0, "an empty file is 0 bytes");
    CHECK(file_read(top, buffer, 9, str_span("dir"), &err) == -1 && err.sys == EISDIR &&
              strcmp(err.obj, "dir") == 0 && strcmp(err.op, "pread") == 0,
          "a failing read is named");
    close(five);
    close(empty);
}

static void check_write(void)
{
    struct err err;
    err_clear(&err);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    CHECK(file_write_all(full, "x", 1, str_span("full"), &err) == -1 && err.what == ERR_IO &&
              err.sys == ENOSPC && strcmp(err.op, "write") == 0,
          "a full device is ENOSPC");
    close(full);
}

static void check_commit(void)
{
    struct file_pending f;
    struct stat st;
    struct err err;
    err_clear(&err);
    file_init(&f);
    CHECK(file_begin(&f, top, "CALL-result.json", 65536, &err) == 0, "a file is begun (%s)",
          err.why);
    CHECK(exists(".CALL-result.json.tmp") && !exists("CALL-result.json"),
          "under its temporary name only");
    CHECK(fstat(f.fd, &st) == 0 && st.st_size == 0 && st.st_blocks * 512 >= 65536 &&
              (st.st_mode & 07777) == 0600,
          "with its space taken, size 0 and mode 0600");
    CHECK(file_write_all(f.fd, "result", 6, str_span("r"), &err) == 0 && file_commit(&f, &err) == 0,
          "it is committed");
    CHECK(stat("CALL-result.json", &st) == 0 && st.st_size == 6 && !exists(".CALL-result.json.tmp"),
          "under its final name only, whole");
    CHECK(st.st_blocks * 512 < 65536, "the space it did not need is given back");
    CHECK_I64(f.fd, -1, "and closed");
    file_abandon(&f);
    CHECK(exists("CALL-result.json"), "file_abandon after it removes nothing");
    CHECK(file_commit(&f, &err) == -1 && err.what == ERR_INTERNAL, "a second commit is a bug");
}

static void check_no_replacing(void)
{
    struct file_pending f;
    char text[8] = "";
    struct err err;
    err_clear(&err);
    fixture_file("there", 0600, "first");
    MUST(file_begin(&f, top, "there", 0, &err) == 0);
    MUST(file_write_all(f.fd, "second", 6, str_span("there"), &err) == 0);
    CHECK(file_commit(&f, &err) == -1 && err.what == ERR_IO && err.sys == EEXIST &&
              strcmp(err.obj, "there") == 0,
          "a file that exists is not replaced");
    CHECK_TEXT(err.why, "exists already", "and the message says so");
    int fd = open("there", O_RDONLY | O_CLOEXEC);
    CHECK(read(fd, text, sizeof text) == 5 && memcmp(text, "first", 5) == 0, "it is as it was");
    close(fd);
    file_abandon(&f);
    file_abandon(&f);
    CHECK(!exists(".there.tmp"), "file_abandon, twice, removes the temporary");
    MUST(symlink("nowhere", "link") == 0);
    err_clear(&err);
    CHECK(file_begin(&f, top, "link", 0, &err) == 0 && file_commit(&f, &err) == -1 &&
              err.sys == EEXIST,
          "nor is a dangling symlink");
    file_abandon(&f);
}

static void check_begin(void)
{
    static const char *const names[] = {"", "a/b", "/", "../x"};
    struct file_pending f;
    char longest[COMPONENT_BYTES_MAX + 2];
    struct err err;
    file_init(&f);
    file_abandon(&f);
    CHECK(fcntl(0, F_GETFD) >= 0, "file_abandon of one never begun closes nothing");
    CHECK_ROWS(names, 4, "names");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        err_clear(&err);
        CHECK(file_begin(&f, top, names[i], 0, &err) == -1 && err.what == ERR_IO && f.fd == -1,
              "the name \"%s\" is refused", names[i]);
    }
    memset(longest, 'n', sizeof longest);
    longest[COMPONENT_BYTES_MAX - 5 + 1] = '\0';
    err_clear(&err);
    CHECK(file_begin(&f, top, longest, 0, &err) == -1, "251 bytes are too long for a temporary");
    longest[COMPONENT_BYTES_MAX - 5] = '\0';
    err_clear(&err);
    CHECK(file_begin(&f, top, longest, 0, &err) == 0, "250 bytes are not");
    file_abandon(&f);

    fixture_file(".stale.tmp", 0600, "of a crash");
    CHECK(file_begin(&f, top, "stale", 0, &err) == 0, "a stale temporary is replaced");
    struct stat st;
    CHECK(fstat(f.fd, &st) == 0 && st.st_size == 0, "by an empty one");
    file_abandon(&f);
    fixture_mkdir(".dir.tmp", 0700);
    CHECK(file_begin(&f, top, "dir", 0, &err) == -1 && err.what == ERR_IO &&
              strcmp(err.op, "unlinkat") == 0 && strcmp(err.obj, ".dir.tmp") == 0,
          "a directory at the temporary's name is refused");
}

/* A tmpfs of 64 KiB, and a proc file system. */
static int on_small(void *arg, struct err *err)
{
    struct file_pending f;
    fixture_own_mounts();
    MUST(mount("tmpfs", "small", "tmpfs", 0, "size=64k") == 0);
    int small = open("small", O_RDONLY | O_CLOEXEC);
    int got = file_begin(&f, small, "a", *(const uint64_t *)arg, err);
    return got != 0 && faccessat(small, ".a.tmp", F_OK, 0) == 0 ? 9 : -got;
}

static void check_space(void)
{
    struct err err;
    if (!fixture_is_root()) {
        CHECK_SKIP("not root", "space on a small file system");
        return;
    }
    uint64_t space = 32768;
    fixture_mkdir("small", 0755);
    CHECK(fixture_child(on_small, &space, &err) == 0, "32 KiB fit into 64");
    space = 131072;
    CHECK(fixture_child(on_small, &space, &err) == 1 && err.what == ERR_SPACE &&
              strcmp(err.op, "fallocate") == 0 && err.sys == ENOSPC && strcmp(err.obj, "a") == 0,
          "128 KiB do not: ERR_SPACE, nothing is left");
}

static int without_fallocate(void *arg, struct err *err)
{
    struct file_pending f;
    (void)arg;
    fixture_without_call(SYS_fallocate);
    return file_begin(&f, top, "plain", 4096, err) == 0 ? 0 : 1;
}

static int without_rename(void *arg, struct err *err)
{
    struct file_pending f;
    (void)arg;
    fixture_without_call(SYS_renameat2);
    MUST(file_begin(&f, top, "plain", 4096, err) == 0);
    int got = file_commit(&f, err);
    file_abandon(&f);
    return got == 0 ? 0 : 1;
}

static void check_unsupported(void)
{
    struct err err;
    CHECK(fixture_child(without_fallocate, NULL, &err) == 1 && err.what == ERR_UNSUPPORTED &&
              strcmp(err.op, "fallocate") == 0 && !exists(".plain.tmp"),
          "without fallocate a file is refused, and nothing is left");
    CHECK(fixture_child(without_rename, NULL, &err) == 1 && err.what == ERR_IO &&
              strcmp(err.op, "renameat2") == 0 && !exists("plain"),
          "without renameat2 there is no fallback that replaces");
}

static void check_directory(void)
{
    struct stat st;
    struct err err;
    err_clear(&err);
    int fd = file_directory(top, "work", geteuid(), &err);
    CHECK(fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0700,
          "a missing directory is made 0700");
    fd_close(&fd);
    fd = file_directory(top, "work", geteuid(), &err);
    CHECK(fd >= 0, "one that is there is opened");
    fd_close(&fd);
    CHECK_I64(fd, -1, "fd_close sets -1");
    fd_close(&fd);
    MUST(chmod("work", 0770) == 0);
    CHECK(file_directory(top, "work", geteuid(), &err) == -1 && err.what == ERR_PATH &&
              strcmp(err.obj, "work") == 0,
          "one that the group may write is refused");
    err_clear(&err);
    fixture_file("plain-file", 0600, "");
    CHECK(file_directory(top, "plain-file", geteuid(), &err) == -1 && err.what == ERR_PATH,
          "a file is refused");
    err_clear(&err);
    CHECK(file_directory(top, "a/b", geteuid(), &err) == -1 && err.what == ERR_IO &&
              strcmp(err.op, "mkdirat") == 0,
          "what cannot be made is refused");
    err_clear(&err);
    CHECK(file_sync_directory(top, str_span("top"), &err) == 0, "a directory is synced");
    CHECK(file_sync_directory(-1, str_span("top"), &err) == -1 && err.what == ERR_IO &&
              strcmp(err.op, "fsync") == 0,
          "a failing sync is an error");
}

int main(void)
{
    fixture_begin();
    top = open(".", O_RDONLY | O_CLOEXEC);
    int before = fixture_descriptors();
    check_read();
    check_write();
    check_commit();
    check_no_replacing();
    check_begin();
    check_space();
    check_unsupported();
    check_directory();
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
    fixture_end();
    return check_end();
}
