/* call/wire: messages between the processes of a call: exact size, bounded descriptors, the
 * sender's pid, the other side's end (unix(7)). */
#include "call/wire.h"

#include <sys/socket.h>

#include "host/file.h"
#include "unit/check.h"
#include "unit/fixture.h"

static int pair[2];

static void begin(void)
{
    const int on = 1;
    MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    MUST(setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0);
}

static void end(void)
{
    fd_close(&pair[0]);
    fd_close(&pair[1]);
}

/* The lowest free descriptor: equal before and after if none was leaked. */
static int lowest_free(void)
{
    int fd = dup(0);
    MUST(fd >= 0);
    close(fd);
    return fd;
}

static void test_report(void)
{
    struct wire_report sent, got;
    int fds[2] = {0, 1}, taken[4] = {-1, -1, -1, -1};
    size_t n = 0;
    pid_t sender = 0;
    struct err err;

    begin();
    err_clear(&err);
    memset(&sent, 0, sizeof sent);
    sent.type = WIRE_READY;
    sent.stamp_ns = UINT64_MAX;
    sent.preflight.sys[11] = EPERM;
    CHECK_I64(wire_receive(pair[0], &got, sizeof got, NULL, 0, NULL, false, NULL, &err), 0,
              "where nothing is, nothing is received");
    CHECK(wire_send(pair[1], &sent, sizeof sent, fds, 2, &err) == 0,
          "a report with two descriptors");
    CHECK_I64(wire_receive(pair[0], &got, sizeof got, taken, 4, &n, true, &sender, &err), 1,
              "is received");
    CHECK_U64(n, 2, "with both");
    CHECK(memcmp(&sent, &got, sizeof sent) == 0, "byte for byte");
    CHECK_I64(sender, getpid(), "and its sender's pid is told by the kernel");
    CHECK(fcntl(taken[0], F_GETFD) == FD_CLOEXEC && fcntl(taken[1], F_GETFD) == FD_CLOEXEC,
          "the descriptors close on exec");
    fd_close(&taken[0]);
    fd_close(&taken[1]);
    end();
}

static void test_refused(void)
{
    char bytes[sizeof(struct wire_report) + 1] = {0};
    int many[4] = {0, 0, 0, 0}, taken[2];
    size_t n = 0;
    struct wire_report got;
    struct err err;
    static const struct {
        const char *what;
        size_t size, fds;
    } rows[] = {{"a byte too few", sizeof(struct wire_report) - 1, 0},
                {"a byte too many", sizeof(struct wire_report) + 1, 0},
                {"one byte", 1, 0},
                {"a descriptor too many", sizeof(struct wire_report), 3},
                {"two descriptors with another size", 7, 2}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        int before = lowest_free();
        err_clear(&err);
        MUST(wire_send(pair[1], bytes, rows[i].size, many, rows[i].fds, &err) == 0);
        CHECK(wire_receive(pair[0], &got, sizeof got, taken, 2, &n, true, NULL, &err) == -1 &&
                  err.what == ERR_IO,
              "%s is an error", rows[i].what);
        CHECK_I64(lowest_free(), before, "%s leaves no descriptor", rows[i].what);
        end();
    }
    begin();
    fd_close(&pair[1]);
    err_clear(&err);
    CHECK(wire_receive(pair[0], &got, sizeof got, NULL, 0, NULL, true, NULL, &err) == -1 &&
              err.sys == ECONNRESET,
          "the other side's end is ECONNRESET");
    err_clear(&err);
    CHECK(wire_send(pair[0], bytes, sizeof bytes, NULL, 0, &err) == -1 && err.sys == EPIPE,
          "sending to it is an error, no signal");
    end();
    err_clear(&err);
    CHECK(wire_send(0, bytes, 1, many, WIRE_DESCRIPTORS_MAX + 1, &err) == -1 &&
              err.what == ERR_INTERNAL,
          "more descriptors than a message has are refused");
}

static void test_fail(void)
{
    struct wire_report got;
    struct err err;
    static char object[400];

    begin();
    memset(object, '\n', sizeof object - 1);
    wire_fail(pair[1], "a step of more than thirty-two bytes", object, EACCES);
    err_clear(&err);
    MUST(wire_receive(pair[0], &got, sizeof got, NULL, 0, NULL, true, NULL, &err) == 1);
    CHECK(got.type == WIRE_FAILED && got.sys == EACCES, "a failure has its type and errno");
    CHECK(strncmp(got.step, "a step", 6) == 0 && strlen(got.step) < sizeof got.step,
          "its step is cut to its room, not lost: %s", got.step);
    CHECK(strncmp(got.object, "\\x0a\\x0a", 8) == 0 && strlen(got.object) > 200,
          "its object is escaped, and cut likewise");
    memset(got.step, 0x1b, sizeof got.step);
    memset(got.object, 0xff, sizeof got.object);
    wire_sanitize(&got);
    CHECK_U64(strlen(got.step), sizeof got.step - 1, "what came is made to end");
    CHECK(strspn(got.step, "?") == sizeof got.step - 1 &&
              strspn(got.object, "?") == sizeof got.object - 1,
          "and to be printable");
    end();
}

static void test_unit(void)
{
    struct wire_launch order = {.order = WIRE_RUN_SCOPE};
    char name[64];
    struct text t = text_on(name, sizeof name);

    memcpy(order.unit_hex, "0123456789abcdef0123456789abcdef", 32);
    wire_add_unit(&t, &order);
    CHECK_TEXT(name, "lema-native-0123456789abcdef0123456789abcdef.scope", "a unit's whole name");
}

/* "a" and a string of length bytes, among argc strings. */
static int pack(size_t argc, size_t length, struct wire_task *task, struct err *err)
{
    static const char *argv[ARGV_MAX + 2];
    static char word[ARGV_BYTES_MAX + 1];

    memset(word, 'w', sizeof word);
    word[length] = '\0';
    for (size_t i = 0; i < argc; i++)
        argv[i] = i == 1 ? word : "a";
    argv[argc] = NULL;
    err_clear(err);
    return wire_pack(task, argv, err);
}

/* limits.h: 1,024 arguments, 64 KiB with their NULs. */
static void test_pack(void)
{
    static struct wire_task task;
    struct err err;

    CHECK(pack(3, 4, &task, &err) == 0 && task.argc == 3 && task.bytes == 9 &&
              memcmp(task.argv, "a\0wwww\0a", 9) == 0,
          "arguments lie one after the other, each with its NUL");
    CHECK(pack(1024, 1, &task, &err) == 0 && task.argc == 1024, "1,024 arguments are taken");
    CHECK(pack(1025, 1, &task, &err) == -1 && err.what == ERR_USAGE, "1,025 are not");
    CHECK(pack(2, 65536 - 3, &task, &err) == 0 && task.bytes == 65536, "64 KiB are taken");
    CHECK(pack(2, 65536 - 2, &task, &err) == -1 && err.what == ERR_USAGE, "one byte more is not");
    CHECK(pack(0, 0, &task, &err) == -1 && err.what == ERR_USAGE, "no argument at all is refused");
}

int main(void)
{
    fixture_begin();
    test_pack();
    test_report();
    test_refused();
    test_fail();
    test_unit();
    fixture_end();
    return check_end();
}
