/* host/dist: the whole tree is as the manifest says, and stays as it was verified.
 *
 *   T/dist/
 *     bin/
 *       clang -> lean
 *       lean            0755  100 bytes
 *     bin-x/                  between "bin" and "bin/clang" bytewise
 *       tool            0755  5 bytes
 *     empty/
 *     lib/
 *       a/
 *         deep          0644  70000 bytes
 *       big             0644  3000000 bytes
 *       link -> a/deep
 *     top               0644  0 bytes
 */
#include "host/dist.h"

#include "check.h"
#include "fixture.h"
#include "host/file.h"

static const struct {
    const char *path;
    mode_t mode; /* 0: a directory, or a link with its target */
    size_t size;
    const char *target;
} entries[] = {
    {"bin", 0, 0, NULL},
    {"bin-x", 0, 0, NULL},
    {"bin-x/tool", 0755, 5, NULL},
    {"bin/clang", 0, 0, "lean"},
    {"bin/lean", 0755, 100, NULL},
    {"empty", 0, 0, NULL},
    {"lib", 0, 0, NULL},
    {"lib/a", 0, 0, NULL},
    {"lib/a/deep", 0644, 70000, NULL},
    {"lib/big", 0644, 3000000, NULL},
    {"lib/link", 0, 0, "a/deep"},
    {"top", 0644, 0, NULL},
};
#define ENTRIES (sizeof entries / sizeof entries[0])

static char manifest_text[8192];
static struct manifest manifest;
static struct dist dist;
static struct hash_pool pool;

static const uint8_t *contents(size_t i)
{
    static uint8_t bytes[3000000];
    memset(bytes, 'a' + (int)i, sizeof bytes);
    return bytes;
}

static void make_tree(void)
{
    MUST(system("rm -rf dist") == 0);
    fixture_mkdir("dist", 0755);
    for (size_t i = 0; i < ENTRIES; i++) {
        char path[64];
        snprintf(path, sizeof path, "dist/%s", entries[i].path);
        if (entries[i].target != NULL)
            MUST(symlink(entries[i].target, path) == 0);
        else if (entries[i].mode == 0)
            fixture_mkdir(path, 0755);
        else
            fixture_bytes(path, entries[i].mode, contents(i), entries[i].size);
    }
}

static void make_manifest(void)
{
    struct err err;
    struct text t = text_on(manifest_text, sizeof manifest_text);
    text_adds(&t, "lema-manifest v1 test\n");
    for (size_t i = 0; i < ENTRIES; i++) {
        struct digest digest;
        char row[256], hex[DIGEST_HEX_BYTES];
        sha256_of(contents(i), entries[i].size, &digest);
        digest_hex(&digest, hex);
        if (entries[i].target != NULL)
            snprintf(row, sizeof row, "l - - %s %s\n", entries[i].target, entries[i].path);
        else if (entries[i].mode == 0)
            snprintf(row, sizeof row, "d - - - %s\n", entries[i].path);
        else
            snprintf(row, sizeof row, "f %c %zu %s %s\n", entries[i].mode == 0755 ? 'x' : '-',
                     entries[i].size, hex, entries[i].path);
        text_adds(&t, row);
    }
    err_clear(&err);
    MUST(manifest_parse(&manifest, text_span(&t), &err) == 0);
}

/* Run a shell command in the tree. */
static void change(const char *command)
{
    char line[512];
    snprintf(line, sizeof line, "cd dist && { %s; } >/dev/null 2>&1", command);
    if (system(line) != 0)
        fixture_die(command, __LINE__);
}

static int verify(struct err *err)
{
    err_clear(err);
    int fd = open("dist", O_RDONLY | O_CLOEXEC);
    int got = dist_verify(&dist, &manifest, fd, geteuid(), &pool, NULL, err);
    if (got != 0)
        close(fd);
    return got;
}

/* --- Verification ---------------------------------------------------------------------- */

struct row {
    const char *command; /* done to a good tree */
    const char *obj, *why;
    bool root;
};

static const struct row verify_rows[] = {
    {"printf x | dd of=bin/lean bs=1 seek=50 conv=notrunc", "bin/lean", "expected sha256 ", false},
    {"printf x | dd of=lib/big bs=1 seek=2999999 conv=notrunc", "lib/big", "expected sha256 ",
     false},
    {"truncate -s 10 lib/big", "lib/big", "expected 3000000 bytes, found 10", false},
    {"printf x >>top", "top", "expected 0 bytes, found 1", false},
    {"rm top", "top", "does not exist", false},
    {"rm -r lib/a", "lib/a", "does not exist", false},
    {"rm bin/clang", "bin/clang", "does not exist", false},
    {"rm -r bin", "bin", "does not exist", false},
    {"touch extra", "extra", "is not in the manifest", false},
    {"touch .hidden", ".hidden", "is not in the manifest", false},
    {"touch bin/lean2", "bin/lean2", "is not in the manifest", false},
    {"mkdir bin-y", "bin-y", "is not in the manifest", false},
    {"ln -s nowhere lib/a/x", "lib/a/x", "is not in the manifest", false},
    {"mkfifo empty/pipe", "empty/pipe", "is not in the manifest", false},
    {"rm top; mkfifo top", "top", "expected a regular file, found a FIFO", false},
    {"rm top; mkdir top", "top", "expected a regular file, found a directory", false},
    {"rm top; ln -s bin/lean top", "top", "expected a regular file, found a symbolic link", false},
    {"rmdir empty; ln -s bin empty", "empty", "expected a directory, found a symbolic link", false},
    {"rmdir empty; touch empty", "empty", "expected a directory, found a regular file", false},
    {"rm bin/clang; cp bin/lean bin/clang", "bin/clang", "expected a symbolic link", false},
    {"ln -sfn ../top bin/clang", "bin/clang", "target is not the pinned one", false},
    {"ln -sfn lean2 bin/clang", "bin/clang", "target is not the pinned one", false},
    {"ln -sfn /etc/passwd bin/clang", "bin/clang", "target is not the pinned one", false},
    {"ln -sfn ../../../etc bin/clang", "bin/clang", "target is not the pinned one", false},
    {"chmod g+w top", "top", "writable by group or others (mode 0664)", false},
    {"chmod o+w lib", "lib", "writable by group or others (mode 0757)", false},
    {"chmod 1777 empty", "empty", "writable by group or others (mode 1777)", false},
    {"chmod 775 .", ".", "writable by group or others (mode 0775)", false},
    {"chmod a-x bin/lean", "bin/lean", "expected a file with an x bit, found mode 0644", false},
    {"chmod g+x top", "top", "expected a file without x bit, found mode 0654", false},
    {"chown 65534 top", "top", "expected owner root or uid 0, found uid 65534", true},
    {"chown 65534 lib/a", "lib/a", "expected owner root or uid 0, found uid 65534", true},
    {"chown -h 65534 bin/clang", "bin/clang", "expected owner root or uid 0, found uid 65534",
     true},
    {"chown 65534 .", ".", "expected owner root or uid 0, found uid 65534", true},
    {"printf x | dd of=bin/lean bs=1 conv=notrunc; rm top; touch zzz", "bin/lean", "sha256", false},
    {"printf x | dd of=lib/big bs=1 conv=notrunc; rm lib/a/deep", "lib/a/deep", "not exist", false},
};

static void check_verify(void)
{
    struct err err;
    CHECK_ROWS(verify_rows, 36, "changes before");
    make_tree();
    CHECK(verify(&err) == 0, "a good tree is verified (%s: %s)", err.obj, err.why);
    fd_close(&dist.root_fd);
    for (size_t i = 0; i < sizeof verify_rows / sizeof verify_rows[0]; i++) {
        const struct row *row = &verify_rows[i];
        if (row->root && !fixture_is_root()) {
            CHECK_SKIP("only root can do it", "verification after: %s", row->command);
            continue;
        }
        make_tree();
        change(row->command);
        CHECK(verify(&err) == -1 && err.what == ERR_DISTRIBUTION, "refused after: %s",
              row->command);
        CHECK_TEXT(err.obj, row->obj, "it names %s", row->obj);
        CHECK(strstr(err.why, row->why) != NULL, "and says: %s (%s)", row->why, err.why);
    }
}

/* --- Comparison ------------------------------------------------------------------------------ */

static const struct row compare_rows[] = {
    {"touch -d 2001-01-01 top", "top", "mtime in ns was", false},
    {"chmod 600 top", "top", "mode was", false},
    {"chmod 700 lib/a", "lib/a", "mode was", false},
    {"printf x >>top", "top", "size was 0, is 1", false},
    {"ln top ../outside", "top", "link count was 1, is 2", false},
    {"touch -r lib/big ../ref; printf x | dd of=lib/big bs=1 conv=notrunc; touch -r ../ref lib/big",
     "lib/big", "ctime in ns was", false},
    {"touch extra", ".", "mtime in ns was", false},
    {"rm top", ".", "mtime in ns was", false},
    {"rm lib/a/deep", "lib/a", "mtime in ns was", false},
    {"touch empty/x", "empty", "mtime in ns was", false},
    {"mkdir empty/x", "empty", "link count was 2, is 3", false},
    {"ln -sfn lean2 bin/clang", "bin", "mtime in ns was", false},
    {"cp -p top t; mv t top; touch -d 2001-01-01 .", ".", "mtime in ns was", false},
    {"chown 65534 bin/lean", "bin/lean", "owner was 0, is 65534", true},
    {"chown :65534 bin/lean", "bin/lean", "group was 0, is 65534", true},
    {"chown -h 65534 lib/link", "lib/link", "owner was 0, is 65534", true},
};

static void check_compare(void)
{
    struct err err;
    CHECK_ROWS(compare_rows, 16, "changes after");
    make_tree();
    MUST(verify(&err) == 0);
    CHECK(dist_compare(&dist, &err) == 0 && dist_compare(&dist, &err) == 0,
          "an unchanged tree equals its snapshot, again and again");
    fd_close(&dist.root_fd);
    for (size_t i = 0; i < sizeof compare_rows / sizeof compare_rows[0]; i++) {
        const struct row *row = &compare_rows[i];
        if (row->root && !fixture_is_root()) {
            CHECK_SKIP("only root can do it", "comparison after: %s", row->command);
            continue;
        }
        make_tree();
        MUST(verify(&err) == 0);
        change(row->command);
        CHECK(dist_compare(&dist, &err) == -1 && err.what == ERR_DISTRIBUTION, "refused after: %s",
              row->command);
        CHECK_TEXT(err.obj, row->obj, "it names %s", row->obj);
        CHECK(strstr(err.why, row->why) != NULL, "and says: %s (%s)", row->why, err.why);
        fd_close(&dist.root_fd);
        MUST(system("rm -f outside ref") == 0);
    }
}

/* A directory's times say that something was added; if they did not, its listing would. */
static void check_listing(void)
{
    static const struct {
        const char *command, *directory, *obj, *why;
    } rows[] = {
        {"touch lib/new", "lib", "lib/new", "is not in the manifest"},
        {"touch empty/new", "empty", "empty/new", "is not in the manifest"},
        {"rm lib/link", "lib", "lib/link", "does not exist any more"},
        {"rm lib/link; touch lib/new", "lib", "lib/link", "does not exist any more"},
    };
    CHECK_ROWS(rows, 4, "forged times");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        struct stat st;
        make_tree();
        MUST(verify(&err) == 0);
        change(rows[i].command);
        struct dist_metadata *d =
            &dist.entry[manifest_find(&manifest, str_span(rows[i].directory))];
        MUST(fstatat(dist.root_fd, rows[i].directory, &st, 0) == 0);
        d->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        d->ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
        CHECK(dist_compare(&dist, &err) == -1 && err.what == ERR_DISTRIBUTION,
              "with the times restored, refused after: %s", rows[i].command);
        CHECK_TEXT(err.obj, rows[i].obj, "it names %s", rows[i].obj);
        CHECK(strstr(err.why, rows[i].why) != NULL, "and says: %s (%s)", rows[i].why, err.why);
        fd_close(&dist.root_fd);
    }
}

/* --- Mounts, another user, progress ------------------------------------------------------------ */

static int with_mount(void *arg, struct err *err)
{
    fixture_own_mounts();
    MUST(verify(err) == 0);
    if (system(arg) != 0)
        return 9;
    int compared = dist_compare(&dist, err);
    if (compared == 0)
        return 8;
    return verify(err) == 0 ? 0 : 1;
}

static int as_other(void *arg, struct err *err)
{
    (void)arg;
    MUST(setuid(FIXTURE_OTHER_UID) == 0);
    return verify(err) == 0 ? 0 : 1;
}

static void check_privileged(void)
{
    static const struct {
        const char *command, *obj;
    } rows[] = {
        {"mount --bind dist/lib/a dist/lib/a", "lib/a"},
        {"mount -t tmpfs -o mode=755 none dist/empty", "empty"},
        {"mount --bind dist/bin/lean dist/lib/big", "lib/big"},
    };
    struct err err;
    if (!fixture_is_root()) {
        CHECK_SKIP("not root", "mount points and other users");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char command[128];
        snprintf(command, sizeof command, "%s", rows[i].command);
        make_tree();
        CHECK_I64(fixture_child(with_mount, command, &err), 1, "refused after: %s",
                  rows[i].command);
        CHECK_TEXT(err.obj, rows[i].obj, "it names %s", rows[i].obj);
        CHECK_TEXT(err.why, "is a mount point", "and says what it is");
    }
    make_tree();
    CHECK_I64(fixture_child(as_other, NULL, &err), 0, "root's tree is verified by another user");
    change("chmod 600 top");
    CHECK_I64(fixture_child(as_other, NULL, &err), 1, "but not what that user cannot read");
    CHECK(err.what == ERR_DISTRIBUTION && err.sys == EACCES && strcmp(err.obj, "top") == 0,
          "EACCES, and its path");
}

struct seen {
    uint64_t done, all, steps;
    bool backwards;
};

static void step(void *arg, uint64_t done, uint64_t all)
{
    struct seen *s = arg;
    s->backwards = s->backwards || done < s->done;
    s->done = done;
    s->all = all;
    s->steps++;
}

static void check_rest(void)
{
    struct seen seen = {0};
    const struct dist_progress progress = {step, &seen};
    struct stat st;
    struct err err;
    err_clear(&err);
    make_tree();
    int fd = open("dist", O_RDONLY | O_CLOEXEC);
    CHECK(dist_verify(&dist, &manifest, fd, geteuid(), &pool, &progress, &err) == 0, "progress:");
    CHECK(seen.steps == 5 && !seen.backwards && seen.done == seen.all && seen.all == 3070105,
          "five files, never backwards, all 3,070,105 bytes");
    CHECK(fstat(fd, &st) == 0 && dist_holds_directory(&dist, walk_id_of(&st)), "holds its root");
    CHECK(stat("dist/lib/a", &st) == 0 && dist_holds_directory(&dist, walk_id_of(&st)),
          "and lib/a");
    CHECK(stat("dist/top", &st) == 0 && !dist_holds_directory(&dist, walk_id_of(&st)),
          "not a file");
    CHECK(stat(".", &st) == 0 && !dist_holds_directory(&dist, walk_id_of(&st)),
          "not what is above");
    hash_pool_stop(&pool);
    CHECK(dist_verify(&dist, &manifest, fd, geteuid(), &pool, NULL, &err) == -1 &&
              err.what == ERR_WORKER,
          "without workers nothing is verified");
    close(fd);
}

int main(void)
{
    struct err err;
    err_clear(&err);
    MUST(hash_pool_start(&pool, 2, &err) == 0);
    fixture_begin();
    int before = fixture_descriptors();
    make_manifest();
    check_verify();
    check_compare();
    check_listing();
    check_privileged();
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
    check_rest();
    fixture_end();
    return check_end();
}
