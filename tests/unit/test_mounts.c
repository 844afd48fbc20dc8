/* host/mounts: one object has one place, whatever it is mounted as.
 *
 *   T/
 *     store/dist/lib/     a directory on the file system of T
 *     bind/               mount of store/dist
 *     deep/               mount of bind/lib        (a mount of a mount)
 *     odd name\          mount of store
 *     other/              a tmpfs
 *       dist/
 */
#include "host/mounts.h"

#include "check.h"
#include "fixture.h"

/* Pairs: is inner inside outer? */
static const struct {
    const char *inner, *outer;
    bool inside;
} pairs[] = {
    {"store/dist", "store/dist", true},
    {"store/dist/lib", "store/dist", true},
    {"store/dist", "store/dist/lib", false},
    {"store", "", true},
    {"bind", "store/dist", true},
    {"store/dist", "bind", true},
    {"bind/lib", "store/dist", true},
    {"deep", "store/dist", true},
    {"deep", "bind", true},
    {"store/dist", "deep", false},
    {"odd name\\/dist", "bind", true},
    {"deep", "odd name\\", true},
    {"odd name\\", "deep", false},
    {"other/dist", "other", true},
    {"other/dist", "store/dist", false},
    {"store/dist", "other/dist", false},
    {"other", "", false},
    {"store/dist-2", "store/dist", false},
};

struct verdicts {
    int inside[sizeof pairs / sizeof pairs[0]]; /* 1, 0, -1: failed */
    char place[PATH_BYTES_MAX];
};

static int find(const char *path, struct mounts_place *place, struct err *err)
{
    struct walk w;
    const struct span full = str_span(fixture_path(path));
    if (walk_path(&w, full, WALK_DIRECTORY, O_RDONLY, geteuid(), err) != 0)
        return -1;
    int got = mounts_place_of(&w, full, place, err);
    walk_close(&w);
    return got;
}

static int look(void *arg, struct err *err)
{
    struct verdicts *v = arg;
    struct mounts_place a, b;
    fixture_own_mounts();
    MUST(mount("store/dist", "bind", NULL, MS_BIND, NULL) == 0);
    MUST(mount("bind/lib", "deep", NULL, MS_BIND, NULL) == 0);
    MUST(mount("store", "odd name\\", NULL, MS_BIND, NULL) == 0);
    MUST(mount("tmpfs", "other", "tmpfs", 0, "mode=755") == 0);
    fixture_mkdir("other/dist", 0755);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        bool found = find(pairs[i].inner, &a, err) == 0 && find(pairs[i].outer, &b, err) == 0;
        v->inside[i] = found ? mounts_is_inside(&a, &b) : -1;
        if (i == 7)
            memcpy(v->place, a.path, sizeof v->place);
    }
    return 0;
}

static void check_pairs(void)
{
    struct err err;
    struct verdicts *v =
        mmap(NULL, sizeof *v, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(v != MAP_FAILED);
    CHECK_ROWS(pairs, 18, "pairs");
    CHECK(fixture_child(look, v, &err) == 0, "all places are found (%s: %s)", err.obj, err.why);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        CHECK_I64(v->inside[i], pairs[i].inside, "%s is %sinside %s", pairs[i].inner,
                  pairs[i].inside ? "" : "not ", pairs[i].outer[0] != '\0' ? pairs[i].outer : "T");
    CHECK_TEXT(v->place + strlen(v->place) - strlen("/store/dist/lib"), "/store/dist/lib",
               "the place of deep is where its files lie");
}

static int without_proc(void *arg, struct err *err)
{
    struct mounts_place place;
    (void)arg;
    fixture_own_mounts();
    MUST(mount("tmpfs", "/proc", "tmpfs", 0, "mode=755") == 0);
    return find("store", &place, err) == 0 ? 0 : 1;
}

static void check_inside(void)
{
    const struct mounts_place root = {.dev = 1, .path = "/"}, a = {.dev = 1, .path = "/a"},
                              ab = {.dev = 1, .path = "/a/b"}, a_b = {.dev = 1, .path = "/a-b"},
                              other = {.dev = 2, .path = "/a/b"};
    CHECK(mounts_is_inside(&a, &root) && mounts_is_inside(&root, &root), "all is inside /");
    CHECK(mounts_is_inside(&ab, &a) && !mounts_is_inside(&a, &ab), "/a/b is inside /a");
    CHECK(!mounts_is_inside(&a_b, &a), "/a-b is not inside /a");
    CHECK(!mounts_is_inside(&other, &a), "nor is anything of another file system");
    CHECK(!mounts_is_inside(&root, &a), "/ is not inside /a");
}

int main(void)
{
    struct mounts_place place;
    struct err err;
    fixture_begin();
    fixture_mkdir("store", 0755);
    fixture_mkdir("store/dist", 0755);
    fixture_mkdir("store/dist-2", 0755);
    fixture_mkdir("store/dist/lib", 0755);
    fixture_mkdir("bind", 0755);
    fixture_mkdir("deep", 0755);
    fixture_mkdir("odd name\\", 0755);
    fixture_mkdir("other", 0755);
    int before = fixture_descriptors();
    check_inside();
    err_clear(&err);
    CHECK(find("store/dist", &place, &err) == 0, "a place is found without any privilege (%s: %s)",
          err.obj, err.why);
    if (fixture_is_root()) {
        check_pairs();
        CHECK(fixture_child(without_proc, NULL, &err) == 1 && err.what == ERR_UNSUPPORTED &&
                  strcmp(err.obj, "/proc") == 0 && strstr(err.why, "proc") != NULL,
              "a /proc that is none is refused");
    } else {
        CHECK_SKIP("not root", "places through bind mounts");
    }
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
    fixture_end();
    return check_end();
}
