/* call/view, call/sandbox_bwrap: what a sandbox shows, and bubblewrap's arguments for it,
 * word by word (specification 10; the options are those of bwrap(1)). */
#include "call/view.h"

#include "call/sandbox.h"
#include "unit/check.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct pins pins;
static struct view view;
static struct sandbox_bwrap_arguments arguments;

static void test_rows(void)
{
    unsigned writable = 0;
    struct err err;

    err_clear(&err);
    memset(&pins, 0, sizeof pins);
    CHECK(view_make(&view, &pins, &err) == 0, "a view without libraries");
    CHECK_U64(view.n, 14, "has fourteen rows");
    for (size_t i = 0; i < view.n; i++)
        writable += view.row[i].kind == VIEW_WRITABLE;
    CHECK_U64(writable, 1, "one of them is writable");
    CHECK_TEXT(view.row[3].path, "/call", "which is /call");
    pins.host_n = HOST_FILES_MAX;
    for (size_t i = 0; i < HOST_FILES_MAX; i++)
        pins.host[i].role = HOST_LIB;
    err_clear(&err);
    if (HOST_FILES_MAX > VIEW_LIBS_MAX)
        CHECK(view_make(&view, &pins, &err) == -1 && err.what == ERR_PINS,
              "more libraries than a view has room for are refused");
}

static void test_environment(void)
{
    static const char *const want[] = {"PATH=/lean/bin",     "HOME=/call",
                                       "TMPDIR=/call/tmp",   "LANG=C.UTF-8",
                                       "LEAN_SYSROOT=/lean", "LEAN_PATH=/modules"};
    size_t n = 0;
    for (; view_environment[n] != NULL; n++)
        if (n < 6)
            CHECK_TEXT(view_environment[n], want[n], "environment: %s", want[n]);
    CHECK_U64(n, 6, "and nothing else");
}

/* Descriptor numbers: 3 lema, 4 control, 5 status, 6 log, 7 bwrap, 8 distribution,
 * 9 modules, 10 artifacts, 11 call, then the libraries. */
static void test_bwrap(void)
{
    static const char want[] =
        "bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts "
        "--unshare-cgroup --disable-userns --hostname lema --die-with-parent --new-session "
        "--as-pid-1 --clearenv --cap-drop ALL "
        "--ro-bind-fd 8 /lean --ro-bind-fd 9 /modules --ro-bind-fd 10 /artifacts "
        "--bind-fd 11 /call --proc /proc --remount-ro /proc "
        "--dev-bind /dev/null /dev/null --dev-bind /dev/zero /dev/zero "
        "--dev-bind /dev/full /dev/full --dev-bind /dev/random /dev/random "
        "--dev-bind /dev/urandom /dev/urandom "
        "--symlink /proc/self/fd /dev/fd --symlink /proc/self/fd/0 /dev/stdin "
        "--symlink /proc/self/fd/1 /dev/stdout --symlink /proc/self/fd/2 /dev/stderr "
        "--ro-bind-fd 12 /lib64/ld-linux-x86-64.so.2 --ro-bind-fd 13 /lib/libc.so.6 "
        "--remount-ro / --chdir /call -- /proc/self/fd/3 --init ";
    static const char host[] = "lema-host v1\n"
                               "dep " HEX " /usr/lib/libm.so.6\n"
                               "lib " HEX " /usr/lib/ld.so /lib64/ld-linux-x86-64.so.2\n"
                               "lib " HEX " /usr/lib/libc.so.6 /lib/libc.so.6\n";
    static char got[4096];
    struct text t = text_on(got, sizeof got);
    struct err err;

    memset(&pins, 0, sizeof pins);
    err_clear(&err);
    CHECK(pins_host_parse(&pins, str_span(host), &err) == 0 && view_libs(&pins) == 2,
          "pins with two libraries");
    CHECK(view_make(&view, &pins, &err) == 0 &&
              sandbox_bwrap_arguments(&arguments, &view, &err) == 0,
          "their view has arguments");
    for (size_t i = 0; i < arguments.n; i++) {
        text_adds(&t, arguments.word[i]);
        text_adds(&t, " ");
    }
    CHECK_TEXT(got, want, "which are these");
    CHECK(arguments.word[arguments.n] == NULL, "and end");
}

/* The largest view there can be has room. */
static void test_largest(void)
{
    struct err err;

    err_clear(&err);
    memset(&pins, 0, sizeof pins);
    pins.host_n = VIEW_LIBS_MAX;
    for (size_t i = 0; i < VIEW_LIBS_MAX; i++)
        pins.host[i].role = HOST_LIB;
    CHECK(view_make(&view, &pins, &err) == 0 &&
              sandbox_bwrap_arguments(&arguments, &view, &err) == 0,
          "%u libraries have room", VIEW_LIBS_MAX);
}

int main(void)
{
    test_rows();
    test_environment();
    test_bwrap();
    test_largest();
    return check_end();
}
