/* front/out.h: the same facts as JSON and as plain lines. */
#include "front/out.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "unit/check.h"

static struct out o;
static char got[1 << 20];

/* What state says, with its exit code. */
static int capture(void (*state)(struct out *o), bool json, int code)
{
    int fd = memfd_create("out", 0);

    out_open(&o, fd, "test", json);
    state(&o);
    int result = out_close(&o, code);
    ssize_t n = pread(fd, got, sizeof got - 1, 0);
    got[n > 0 ? n : 0] = '\0';
    close(fd);
    return result;
}

static void state_all(struct out *out)
{
    struct digest d = {{0xab, 0xcd}};

    out_chars(out, "text", "a\x1b[31m\"b");
    out_string(out, "bytes", (struct span){(const uint8_t *)"\xff", 1});
    out_u64(out, "u", UINT64_MAX);
    out_i64(out, "i", -7);
    out_centi(out, "c", 1205);
    out_bool(out, "b", true);
    out_null(out, "n");
    out_digest(out, "d", &d);
    out_array(out, "list");
    out_object(out, NULL);
    out_u64(out, "x", 1);
    out_object_end(out);
    out_chars(out, NULL, "y");
    out_array_end(out);
    out_plain(out, "plain %d\n", 3);
}

static void state_much(struct out *out)
{
    out_array(out, "lines");
    for (unsigned i = 0; i < 20000; i++)
        out_u64(out, NULL, i);
    out_array_end(out);
}

static void state_error(struct out *out)
{
    struct err err;

    err_clear(&err);
    err_sys(&err, ERR_IO, "open", 13, str_span("/a\nb"), "why");
    out_error(out, &err);
}

static void state_log(struct out *out)
{
    out_array(out, "log");
    out_log_line(out, str_span("a\tb\x1b\t\rc\\"));
    out_array_end(out);
}

#define DIGEST_TEXT "abcd000000000000000000000000000000000000000000000000000000000000"

int main(void)
{
    struct err err;

    CHECK_I64(capture(state_all, true, 3), 3, "the exit code is handed back");
    CHECK_TEXT(got,
               "{\"command\":\"test\",\"text\":\"a\\u001b[31m\\\"b\",\"bytes\":\"\\\\xff\","
               "\"u\":18446744073709551615,\"i\":-7,\"c\":12.05,\"b\":true,\"n\":null,"
               "\"d\":\"" DIGEST_TEXT "\",\"list\":[{\"x\":1},\"y\"],\"exit\":3}\n",
               "JSON: one object, escaped, in order, without the plain line");
    capture(state_log, true, 0);
    CHECK_TEXT(got, "{\"command\":\"test\",\"log\":[\"a\\tb\\u001b\\t\\rc\\\\\"],\"exit\":0}\n",
               "JSON: a line of a log is a string");
    capture(state_log, false, 0);
    CHECK_TEXT(got, "log:\n  a\tb\\x1b\t\\x0dc\\\\\n",
               "plain: a line of a log keeps its tabs, and nothing else of control");
    capture(state_all, false, 0);
    CHECK_TEXT(got,
               "text: a\\x1b[31m\"b\nbytes: \\xff\nu: 18446744073709551615\ni: -7\nc: 12.05\n"
               "b: yes\nn: none\nd: " DIGEST_TEXT "\nlist:\n    x: 1\n  y\nplain 3\\x0a\n",
               "plain: a line each, escaped, indented");
    capture(state_much, true, 0);
    err_clear(&err);
    CHECK(json_gate(str_span(got), &err) == 0, "what is longer than the buffer is JSON too");
    CHECK(strstr(got, ",19999],\"exit\":0}") != NULL, "and whole");
    int saved = dup(STDERR_FILENO), to = memfd_create("err", 0);
    dup2(to, STDERR_FILENO);
    capture(state_error, true, 1);
    dup2(saved, STDERR_FILENO);
    char message[256];
    ssize_t n = pread(to, message, sizeof message - 1, 0);
    message[n > 0 ? n : 0] = '\0';
    CHECK_TEXT(message, "lema: /a\\x0ab: why (open: EACCES)\n", "an error is one line, escaped");
    CHECK(strstr(got, "\"what\":\"io\"") != NULL && strstr(got, "\"errno\":\"EACCES\"") != NULL,
          "and an object in JSON");
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    out_open(&o, full, "test", true);
    CHECK_I64(out_close(&o, 0), 1, "output that cannot be written is a failure");
    return check_end();
}
