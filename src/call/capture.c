/* The log of a call.  Layer: call. */
#include "call/capture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "limits.h"

#define READ_BYTES 65536u
#define READS_AT_ONCE 16u /* then the other descriptors are looked at again */

int capture_begin(struct capture *c, int output_fd, const char *call, struct err *err)
{
    char name[CALL_NAME_BYTES_MAX + sizeof ".log"];
    struct text t = text_on(name, sizeof name);

    memset(c, 0, sizeof *c);
    c->pipe_fd = -1;
    c->file.fd = -1;
    text_adds(&t, call);
    text_adds(&t, ".log");
    return file_begin(&c->file, output_fd, name, LOG_BYTES_MAX, err);
}

static void store(struct capture *c, const uint8_t *bytes, size_t n)
{
    struct err ignored;
    size_t room = (size_t)num_min(n, LOG_BYTES_MAX - c->bytes);

    if (room < n)
        c->overflow = true;
    if (room == 0 || c->failed)
        return;
    err_clear(&ignored);
    if (file_write_all(c->file.fd, bytes, room, str_span("log"), &ignored) != 0)
        c->failed = true;
    else
        c->bytes += room;
}

void capture_drain(struct capture *c)
{
    uint8_t buffer[READ_BYTES];

    for (unsigned int i = 0; i < READS_AT_ONCE && c->pipe_fd >= 0 && !c->overflow; i++) {
        ssize_t n = read(c->pipe_fd, buffer, sizeof buffer);
        if (n > 0) {
            store(c, buffer, (size_t)n);
        } else if (n == 0) {
            fd_close(&c->pipe_fd);
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            c->failed = true;
            fd_close(&c->pipe_fd);
        }
    }
}

void capture_finish(struct capture *c)
{
    uint64_t before;

    do {
        before = c->bytes;
        capture_drain(c);
    } while (c->pipe_fd >= 0 && !c->overflow && c->bytes > before);
    if (c->pipe_fd >= 0 && !c->overflow)
        c->failed = true;
    fd_close(&c->pipe_fd);
    /* A write that failed half-way left bytes that nobody counted. */
    if (c->failed && ftruncate(c->file.fd, (off_t)c->bytes) != 0)
        c->failed = true;
}

void capture_close(struct capture *c)
{
    fd_close(&c->pipe_fd);
    file_abandon(&c->file);
}
