/* host/walk: which paths lema reaches, and what it says of the others.
 *
 *   T/                       0755
 *     file                   0644
 *     group                  0664     writable by group
 *     others                 0646     writable by others
 *     dir/                   0755
 *       inner                0644
 *       link -> inner                 a symlink at the end
 *     loose/                 0775     a parent writable by group
 *       inner                0644
 *     open/                  0777
 *       inner                0644
 *     sticky/                1777     allowed on the way if root owns it
 *       inner                0644
 *     shut/                  0711     can be passed, not listed
 *       sub/                 0755
 *         inner              0644
 *     secret                 0600
 *     link-dir -> dir                 a symlink in the middle
 *     dangling -> nowhere
 *     fifo socket                     never opened
 *   as root also:
 *     their-sticky/          1777     owned by uid 65534
 *       inner                0644
 *     their-file             0644     owned by uid 65534
 *     their-dir/             0755     owned by uid 65534
 *       inner                0644
 *     null                            a character device
 */
#include "host/walk.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "check.h"
#include "fixture.h"

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memcpy(address.sun_path, path, strlen(path) + 1);
    MUST(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && close(fd) == 0);
}

static void make_tree(void)
{
    static const struct {
        const char *path;
        mode_t mode;
    } directories[] = {{"dir", 0755},     {"loose", 0775}, {"open", 0777},
                       {"sticky", 01777}, {"shut", 0711},  {"shut/sub", 0755}};
    static const char *const inner[] = {"dir/inner", "loose/inner", "open/inner", "sticky/inner",
                                        "shut/sub/inner"};
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        fixture_mkdir(directories[i].path, directories[i].mode);
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
        fixture_file(inner[i], 0644, "inner");
    fixture_file("file", 0644, "file");
    fixture_file("group", 0664, "");
    fixture_file("others", 0646, "");
    fixture_file("secret", 0600, "");
    MUST(symlink("inner", "dir/link") == 0 && symlink("dir", "link-dir") == 0);
    MUST(symlink("nowhere", "dangling") == 0 && mkfifo("fifo", 0644) == 0);
    make_socket("socket");
    if (!fixture_is_root())
        return;
    fixture_mkdir("their-sticky", 01777);
    fixture_file("their-sticky/inner", 0644, "");
    fixture_file("their-file", 0644, "");
    fixture_mkdir("their-dir", 0755);
    fixture_file("their-dir/inner", 0644, "");
    MUST(chown("their-sticky", FIXTURE_OTHER_UID, 0) == 0);
    MUST(chown("their-file", FIXTURE_OTHER_UID, 0) == 0);
    MUST(chown("their-dir", FIXTURE_OTHER_UID, 0) == 0);
    MUST(mknod("null", S_IFCHR | 0644, makedev(1, 3)) == 0);
}

static const struct {
    const char *path;
    enum walk_kind kind;
    const char *why; /* NULL: reached; otherwise what the message must hold */
    const char *obj; /* where it stopped; NULL: at path itself */
    bool root;       /* can only be made by root */
} rows[] = {
    {"file", WALK_FILE, NULL, NULL, false},
    {"dir", WALK_DIRECTORY, NULL, NULL, false},
    {"dir/inner", WALK_FILE, NULL, NULL, false},
    {"secret", WALK_FILE, NULL, NULL, false},
    {"shut/sub/inner", WALK_FILE, NULL, NULL, false},
    {"sticky/inner", WALK_FILE, NULL, NULL, true},
    {"file", WALK_DIRECTORY, "expected a directory, found a regular file", NULL, false},
    {"dir", WALK_FILE, "expected a regular file, found a directory", NULL, false},
    {"dir/link", WALK_FILE, "expected a regular file, found a symbolic link", NULL, false},
    {"link-dir", WALK_DIRECTORY, "expected a directory, found a symbolic link", NULL, false},
    {"link-dir/inner", WALK_FILE, "expected a directory, found a symbolic link", "link-dir", false},
    {"dangling", WALK_FILE, "expected a regular file, found a symbolic link", NULL, false},
    {"dangling/x", WALK_FILE, "expected a directory, found a symbolic link", "dangling", false},
    {"missing", WALK_FILE, "does not exist", NULL, false},
    {"missing/x", WALK_FILE, "does not exist", "missing", false},
    {"file/x", WALK_FILE, "expected a directory, found a regular file", "file", false},
    {"fifo", WALK_FILE, "expected a regular file, found a FIFO", NULL, false},
    {"socket", WALK_FILE, "expected a regular file, found a socket", NULL, false},
    {"null", WALK_FILE, "expected a regular file, found a character device", NULL, true},
    {"group", WALK_FILE, "writable by group or others (mode 0664)", NULL, false},
    {"others", WALK_FILE, "writable by group or others (mode 0646)", NULL, false},
    {"loose/inner", WALK_FILE, "writable by group or others (mode 0775)", "loose", false},
    {"open/inner", WALK_FILE, "writable by group or others (mode 0777)", "open", false},
    {"sticky", WALK_DIRECTORY, "writable by group or others (mode 1777)", NULL, false},
    {"their-sticky/inner", WALK_FILE, "found uid 65534", "their-sticky", true},
    {"their-file", WALK_FILE, "expected owner root or uid 0, found uid 65534", NULL, true},
    {"their-dir/inner", WALK_FILE, "found uid 65534", "their-dir", true},
};

static void check_tree(void)
{
    CHECK_ROWS(rows, 27, "the tree");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct walk w;
        struct err err;
        err_clear(&err);
        if (rows[i].root && !fixture_is_root()) {
            CHECK_SKIP("only root can make it", "walk of %s", rows[i].path);
            continue;
        }
        int got = walk_path(&w, str_span(fixture_path(rows[i].path)), rows[i].kind, O_RDONLY,
                            geteuid(), &err);
        if (rows[i].why == NULL) {
            CHECK(got == 0 && w.fd >= 0 && w.parent_fd >= 0, "walk reaches %s (%s%s)", rows[i].path,
                  err.obj, err.why);
        } else {
            const char *obj = rows[i].obj != NULL ? rows[i].obj : rows[i].path;
            CHECK(got == -1 && err.what == ERR_PATH && w.fd == -1 && w.parent_fd == -1,
                  "walk refuses %s", rows[i].path);
            CHECK_TEXT(err.obj, fixture_path(obj), "it names %s", obj);
            CHECK(strstr(err.why, rows[i].why) != NULL, "and says: %s (%s)", rows[i].why, err.why);
        }
        walk_close(&w);
    }
}

static void check_texts(void)
{
    static char longest[PATH_BYTES_MAX + 2], component[COMPONENT_BYTES_MAX + 3];
    static const struct {
        const char *path;
        size_t n; /* 0: strlen */
        const char *why;
    } refused[] = {
        {"", 0, "is not an absolute path"},       {"a/b", 0, "is not an absolute path"},
        {"./a", 0, "is not an absolute path"},    {"/", 0, "has an empty component"},
        {"//a", 0, "has an empty component"},     {"/a//b", 0, "has an empty component"},
        {"/a/", 0, "has an empty component"},     {"/.", 0, "component \".\""},
        {"/a/./b", 0, "component \".\""},         {"/..", 0, "component \"..\""},
        {"/a/../b", 0, "component \"..\""},       {"/a/..", 0, "component \"..\""},
        {"/a\nb", 0, "control byte 0x0a at 3"},   {"/a\0b", 4, "control byte 0x00 at 3"},
        {"/\x7f", 0, "control byte 0x7f at 2"},   {longest, 0, "has 4096 bytes, more than 4095"},
        {component, 0, "component of 256 bytes"},
    };
    for (size_t i = 0; i < PATH_BYTES_MAX + 1; i++)
        longest[i] = i % 2 == 0 ? '/' : 'a';
    memset(component, 'a', sizeof component - 1);
    component[0] = '/';
    component[COMPONENT_BYTES_MAX + 2] = '\0';
    CHECK_ROWS(refused, 17, "refused texts");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct err err;
        size_t n = refused[i].n != 0 ? refused[i].n : strlen(refused[i].path);
        struct span path = {(const uint8_t *)refused[i].path, n};
        err_clear(&err);
        CHECK(walk_check_text(path, &err) == -1 && err.what == ERR_PATH &&
                  strstr(err.why, refused[i].why) != NULL,
              "the text of a path is refused: %s (%s)", refused[i].why, err.why);
    }
    struct err err;
    err_clear(&err);
    longest[PATH_BYTES_MAX - 1] = '\0';
    component[COMPONENT_BYTES_MAX + 1] = '\0';
    CHECK(walk_check_text(str_span(longest), &err) == 0, "4,094 bytes in 2,047 components pass");
    CHECK(walk_check_text(str_span(component), &err) == 0, "a component of 255 bytes passes");
    CHECK(walk_check_text(str_span("/a/..b/c.. /...\xc3\xa9"), &err) == 0, "odd names pass");
}

static void check_result(void)
{
    struct walk w, dir;
    struct stat st;
    struct err err;
    char text[8];
    err_clear(&err);
    MUST(walk_path(&dir, str_span(fixture_path("dir")), WALK_DIRECTORY, O_RDONLY, geteuid(),
                   &err) == 0);
    MUST(walk_path(&w, str_span(fixture_path("dir/inner")), WALK_FILE, O_RDWR, geteuid(), &err) ==
         0);
    CHECK(read(w.fd, text, sizeof text) == 5 && memcmp(text, "inner", 5) == 0, "fd is the file");
    CHECK(pwrite(w.fd, "inner", 5, 0) == 5, "and open for writing with O_RDWR");
    CHECK(fstatat(w.parent_fd, w.name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == w.st.st_ino,
          "name in parent_fd is the file");
    CHECK(fsync(w.parent_fd) == 0, "parent_fd can be synced");
    CHECK_U64(w.chain_n, 5, "the chain holds /, tmp, T, dir and inner");
    CHECK(walk_is_inside(&w, walk_id_of(&dir.st)), "dir/inner is inside dir");
    CHECK(walk_is_inside(&w, walk_id_of(&w.st)), "and inside itself");
    CHECK(!walk_is_inside(&dir, walk_id_of(&w.st)), "dir is not inside dir/inner");
    CHECK((fcntl(w.fd, F_GETFD) & FD_CLOEXEC) != 0 &&
              (fcntl(w.parent_fd, F_GETFD) & FD_CLOEXEC) != 0,
          "both descriptors close at exec");
    walk_close(&w);
    walk_close(&w);
    walk_close(&dir);
    CHECK(w.fd == -1 && w.parent_fd == -1, "walk_close twice is once");
}

/* As another user: what that user may not read or pass. */
static int as_other(void *arg, struct err *err)
{
    struct walk w;
    MUST(setuid(FIXTURE_OTHER_UID) == 0);
    return walk_path(&w, str_span(arg), WALK_FILE, O_RDONLY, geteuid(), err) == 0 ? 0 : 1;
}

static void check_other_user(void)
{
    struct err err;
    char path[128];
    if (!fixture_is_root()) {
        CHECK_SKIP("not root", "walks of another user");
        return;
    }
    memcpy(path, fixture_path("shut/sub/inner"), sizeof path);
    CHECK(fixture_child(as_other, path, &err) == 0,
          "a directory on the way needs search permission only (%s)", err.why);
    memcpy(path, fixture_path("their-dir/inner"), sizeof path);
    CHECK(fixture_child(as_other, path, &err) == 0, "the user's own directory is passed");
    memcpy(path, fixture_path("secret"), sizeof path);
    CHECK(fixture_child(as_other, path, &err) == 1 && err.what == ERR_PATH && err.sys == EACCES &&
              strcmp(err.obj, path) == 0,
          "an unreadable file is refused with EACCES");
    memcpy(path, "/root/x", 8);
    CHECK(fixture_child(as_other, path, &err) == 1 && err.what == ERR_PATH,
          "a directory that cannot be passed is refused");
}

static int without_openat2(void *arg, struct err *err)
{
    struct walk w;
    fixture_without_call(SYS_openat2);
    return walk_path(&w, str_span(arg), WALK_FILE, O_RDONLY, geteuid(), err) == 0 ? 0 : 1;
}

static void check_unsupported(void)
{
    struct err err;
    char path[128];
    memcpy(path, fixture_path("file"), sizeof path);
    CHECK(fixture_child(without_openat2, path, &err) == 1, "a kernel without openat2 is refused");
    CHECK(err.what == ERR_UNSUPPORTED && strcmp(err.op, "openat2") == 0 && err.sys == ENOSYS,
          "with ERR_UNSUPPORTED and the call's name");
}

/* bind/ is a mount of dir/: a walk passes it, walk_component with no_xdev does not. */
static int at_mount(void *arg, struct err *err)
{
    struct stat st;
    struct walk w;
    (void)arg;
    fixture_own_mounts();
    MUST(mkdir("bind", 0755) == 0 && mount("dir", "bind", NULL, MS_BIND, NULL) == 0);
    if (walk_path(&w, str_span(fixture_path("bind/inner")), WALK_FILE, O_RDONLY, 0, err) != 0)
        return 1;
    int top = open(".", O_RDONLY | O_CLOEXEC);
    if (walk_component(top, "bind", WALK_DIRECTORY, O_RDONLY, 0, false, str_span("bind"), &st, NULL,
                       err) < 0)
        return 2;
    return walk_component(top, "bind", WALK_DIRECTORY, O_RDONLY, 0, true, str_span("bind"), &st,
                          NULL, err) < 0
               ? 3
               : 4;
}

static void check_components(void)
{
    struct stat st;
    struct err err;
    bool missing = false;
    int top = open(".", O_RDONLY | O_CLOEXEC);
    err_clear(&err);
    CHECK(walk_component(top, "no", WALK_FILE, O_RDONLY, geteuid(), false, str_span("x/no"), &st,
                         &missing, &err) == -1 &&
              missing && strcmp(err.obj, "x/no") == 0,
          "walk_component tells a missing object apart");
    err_clear(&err);
    CHECK(walk_component(top, "group", WALK_FILE, O_RDONLY, geteuid(), false, str_span("group"),
                         &st, &missing, &err) == -1 &&
              !missing && err.what == ERR_PATH,
          "and one that is not protected");
    err_clear(&err);
    CHECK(walk_component(top, "../etc", WALK_DIRECTORY, O_RDONLY, geteuid(), false, str_span("x"),
                         &st, &missing, &err) == -1,
          "nothing above the directory is reached");
    close(top);
    if (!fixture_is_root()) {
        CHECK_SKIP("not root", "walk_component at a mount point");
        return;
    }
    CHECK_U64((uint64_t)fixture_child(at_mount, NULL, &err), 3, "no_xdev refuses a bind mount");
    CHECK_TEXT(err.why, "is a mount point", "and says so");
}

static void check_create(void)
{
    struct stat st;
    struct err err;
    int sys = 0;
    int top = open(".", O_RDONLY | O_CLOEXEC);
    err_clear(&err);
    int fd = walk_create(top, "made", 0600, str_span("made"), &err);
    CHECK(fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0600 && write(fd, "x", 1) == 1,
          "walk_create makes a file of its mode");
    close(fd);
    CHECK(walk_create(top, "made", 0600, str_span("made"), &err) == -1 && err.what == ERR_IO &&
              err.sys == EEXIST,
          "but not over another");
    err_clear(&err);
    CHECK(walk_create(top, "dangling", 0600, str_span("d"), &err) == -1 && err.sys == EEXIST,
          "nor through a symlink");
    fd = walk_below(top, "loose/inner", O_RDONLY, &sys);
    CHECK(fd >= 0, "walk_below has no rule of ownership");
    close(fd);
    CHECK(walk_below(top, "link-dir/inner", O_RDONLY, &sys) == -1 && sys == ELOOP,
          "but follows no symlink");
    CHECK(walk_below(top, "../x", O_RDONLY, &sys) == -1 && sys == EXDEV, "and goes nowhere above");
    close(top);
}

int main(void)
{
    fixture_begin();
    make_tree();
    int before = fixture_descriptors();
    check_texts();
    check_tree();
    check_result();
    check_other_user();
    check_unsupported();
    check_components();
    check_create();
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
    fixture_end();
    return check_end();
}
