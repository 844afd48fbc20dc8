/* call/capture: the log of a call: exactly 16 MiB pass, one byte more is an overflow, and
 * nothing is lost without being said (specification 6 and 9). */
#include "call/capture.h"

#include <signal.h>
#include <sys/resource.h>

#include "unit/check.h"
#include "unit/scratch.h"

#define MIB16 (16u << 20)

static struct capture c;
static int writer = -1;

static void begin(void)
{
    int ends[2];
    struct err err;

    scratch_begin();
    err_clear(&err);
    memset(&c, 0, sizeof c);
    if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
        abort();
    CHECK(capture_begin(&c, scratch_fd, "c1", &err) == 0, "a log begins");
    c.pipe_fd = ends[0];
    writer = ends[1];
}

static void end(void)
{
    if (writer >= 0)
        close(writer);
    writer = -1;
    capture_close(&c);
    scratch_end();
}

/* Write n bytes of a pattern, draining as the monitor does. */
static void feed(size_t n)
{
    static uint8_t piece[4096];
    for (size_t done = 0; done < n;) {
        size_t wanted = n - done < sizeof piece ? n - done : sizeof piece;
        for (size_t i = 0; i < wanted; i++)
            piece[i] = (uint8_t)((done + i) * 31);
        if (write(writer, piece, wanted) != (ssize_t)wanted)
            abort();
        done += wanted;
        capture_drain(&c);
    }
}

static void finish(void)
{
    close(writer);
    writer = -1;
    capture_finish(&c);
}

static bool stored_as_fed(void)
{
    static uint8_t bytes[MIB16];
    ssize_t n = pread(c.file.fd, bytes, sizeof bytes, 0);
    for (size_t i = 0; n >= 0 && i < (size_t)n; i++)
        if (bytes[i] != (uint8_t)(i * 31))
            return false;
    return n >= 0 && (uint64_t)n == c.bytes;
}

static void test_sizes(void)
{
    static const struct {
        size_t fed;
        uint64_t stored;
        bool overflow;
    } rows[] = {{0, 0, false},
                {1, 1, false},
                {100000, 100000, false},
                {MIB16 - 1, MIB16 - 1, false},
                {MIB16, MIB16, false},
                {MIB16 + 1, MIB16, true},
                {MIB16 + 40000, MIB16, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        feed(rows[i].fed);
        finish();
        CHECK_U64(c.bytes, rows[i].stored, "of %zu bytes that many are kept", rows[i].fed);
        CHECK_I64(c.overflow, rows[i].overflow, "%zu bytes: overflow", rows[i].fed);
        CHECK(!c.failed && stored_as_fed(), "%zu bytes are stored as they came", rows[i].fed);
        end();
    }
}

/* A writer that is alive after the scope is gone: the log may lack its bytes. */
static void test_left_open(void)
{
    begin();
    feed(10);
    capture_finish(&c);
    CHECK(c.failed && c.bytes == 10, "a pipe that is still open is an incomplete log");
    end();
    begin();
    finish();
    CHECK(!c.failed && c.bytes == 0, "one that ended without a byte is a whole, empty log");
    end();
}

/* A file that takes no more (RLIMIT_FSIZE, which SIGXFSZ would announce). */
static void test_full(void)
{
    begin();
    close(c.file.fd);
    c.file.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    feed(10);
    finish();
    CHECK(c.failed, "bytes that cannot be stored make the log incomplete");
    end();
}

/* A file that takes a part of a write: what was not counted is not kept. */
static void test_part(void)
{
    struct rlimit before, small = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
    struct stat st;

    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    begin();
    setrlimit(RLIMIT_FSIZE, &small);
    feed(200000);
    finish();
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(c.failed && c.bytes < 100000, "a log that could not be stored whole says so");
    CHECK(fstat(c.file.fd, &st) == 0 && (uint64_t)st.st_size == c.bytes,
          "and has the bytes that it counts, %lld", (long long)st.st_size);
    CHECK(stored_as_fed(), "which are the first ones");
    end();
}

int main(void)
{
    test_sizes();
    test_left_open();
    test_full();
    test_part();
    return check_end();
}
