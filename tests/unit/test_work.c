/* call/work: what a work directory counts as, and how it is walked (specification 9). */
#include "call/work.h"

#include "host/file.h"
#include "unit/check.h"
#include "unit/fixture.h"

static struct work_usage usage;
static struct err err;

static int look(const char *below)
{
    int fd = open(fixture_path(below), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    MUST(fd >= 0);
    err_clear(&err);
    int result = work_look(fd, &usage, &err);
    close(fd);
    return result;
}

/* A file that is long and has no block. */
static void sparse(const char *path, off_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    MUST(fd >= 0 && ftruncate(fd, bytes) == 0 && close(fd) == 0);
}

static void test_counting(void)
{
    fixture_mkdir("one", 0700);
    CHECK(look("one") == 0 && usage.entries == 0 && usage.bytes == 0 && !usage.overflow,
          "an empty directory counts as nothing");
    fixture_file("one/a", 0600, "text");
    CHECK(look("one") == 0 && usage.entries == 1 && usage.bytes >= 4, "a file counts");
    uint64_t once = usage.bytes;
    MUST(link("one/a", "one/b") == 0);
    CHECK(look("one") == 0 && usage.entries == 2 && usage.bytes == once,
          "two names of one file are two entries and its bytes once");
    MUST(symlink("/etc/passwd", "one/l") == 0 && mkfifo("one/f", 0600) == 0);
    CHECK(look("one") == 0 && usage.entries == 4 && !usage.overflow,
          "a symlink and a FIFO are entries, and nothing behind them is counted");
    CHECK_U64(usage.name_bytes, 4, "the names of four entries have four bytes");
    sparse("one/s", 5000000);
    CHECK(look("one") == 0 && usage.bytes >= once + 5000000, "a hole counts as it is long");
}

static void test_bounds(void)
{
    fixture_mkdir("size", 0700);
    sparse("size/a", (off_t)(UINT64_C(8) << 30));
    CHECK(look("size") == 0 && !usage.overflow, "8 GiB pass");
    sparse("size/b", 1);
    CHECK(look("size") == 0 && usage.overflow, "a byte more does not");
    CHECK_TEXT(usage.why, "more than 8 GiB", "and is called so");
    fixture_mkdir("deep", 0700);
    MUST(chdir("deep") == 0);
    for (int i = 0; i < 33; i++) {
        if (i == 32)
            CHECK(look("deep") == 0 && !usage.overflow, "32 directories in each other pass");
        MUST(mkdir("d", 0700) == 0 && chdir("d") == 0);
    }
    CHECK(look("deep") == 0 && usage.overflow, "33 do not");
    CHECK_TEXT(usage.why, "deeper than 32 directories", "and are called so");
    MUST(chdir(fixture_dir) == 0);
}

/* 34,000 empty files with names of 250 bytes: 8.1 MiB. */
static void test_names(void)
{
    char path[300];

    fixture_mkdir("names", 0700);
    for (unsigned i = 0; i < 34000; i++) {
        (void)snprintf(path, sizeof path, "names/%0250u", i);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        MUST(fd >= 0 && close(fd) == 0);
    }
    CHECK(look("names") == 0 && usage.overflow, "more than 8 MiB of names are too many");
    CHECK_TEXT(usage.why, "more than 8 MiB of names", "and are called so");
}

/* As another user than root, who reads every directory. */
static int look_as_user(void *arg, struct err *shared)
{
    (void)arg;
    (void)shared;
    if (fixture_is_root() && (setgid(FIXTURE_OTHER_UID) != 0 || setuid(FIXTURE_OTHER_UID) != 0))
        return 3;
    return look("dark") == 0 && usage.overflow &&
                   strcmp(usage.why, "a directory that cannot be read") == 0
               ? 0
               : 1;
}

static void test_dark(void)
{
    fixture_mkdir("dark", 0755);
    fixture_mkdir("dark/d", 0000);
    CHECK_I64(fixture_child(look_as_user, NULL, &err), 0,
              "a directory that cannot be read is not called empty");
    MUST(chmod("dark/d", 0700) == 0);
}

int main(void)
{
    fixture_begin();
    test_counting();
    test_bounds();
    test_names();
    test_dark();
    fixture_end();
    return check_end();
}
