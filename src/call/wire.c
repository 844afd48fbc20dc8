/* Messages between the processes of a call.  Layer: call. */
#include "call/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "evidence/terms.h"
#include "host/file.h"

/* Room for descriptors and credentials; aligned as CMSG_FIRSTHDR needs it. */
union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int) * WIRE_DESCRIPTORS_MAX) + CMSG_SPACE(sizeof(struct ucred))];
};

static const struct span SOCKET = {(const uint8_t *)"socket", 6};

int wire_pack(struct wire_task *task, const char *const *argv, struct err *err)
{
    size_t at = 0;

    memset(task, 0, sizeof *task);
    for (; argv[task->argc] != NULL; task->argc++) {
        size_t length = strlen(argv[task->argc]) + 1;
        if (task->argc >= ARGV_MAX || length > ARGV_BYTES_MAX - at)
            return err_set(err, ERR_USAGE, str_span("arguments"),
                           "more than %u, or more than %llu bytes", ARGV_MAX,
                           (unsigned long long)ARGV_BYTES_MAX);
        memcpy(task->argv + at, argv[task->argc], length);
        at += length;
    }
    task->bytes = (uint32_t)at;
    return task->argc > 0 ? 0 : err_set(err, ERR_USAGE, str_span("arguments"), "there are none");
}

int wire_send(int socket, const void *message, size_t size, const int *fds, size_t n,
              struct err *err)
{
    union control control;
    struct iovec iov = {(void *)(uintptr_t)message, size};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};

    if (n > WIRE_DESCRIPTORS_MAX)
        return err_set(err, ERR_INTERNAL, SOCKET, "%zu descriptors in one message", n);
    if (n > 0) {
        memset(&control, 0, sizeof control);
        header.msg_control = control.bytes;
        /* size_t in glibc, socklen_t in musl; at most sizeof control */
        header.msg_controllen = (__typeof__(header.msg_controllen))CMSG_SPACE(sizeof(int) * n);
        struct cmsghdr *c = CMSG_FIRSTHDR(&header);
        if (c == NULL)
            return err_set(err, ERR_INTERNAL, SOCKET, "no room for %zu descriptors", n);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = (__typeof__(c->cmsg_len))CMSG_LEN(sizeof(int) * n);
        memcpy(CMSG_DATA(c), fds, sizeof(int) * n);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return err_sys(err, ERR_IO, "sendmsg", errno, SOCKET, NULL);
    if ((size_t)sent != size)
        return err_set(err, ERR_IO, SOCKET, "sent %zd of %zu bytes", sent, size);
    return 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* inside musl's CMSG_NXTHDR */
#pragma GCC diagnostic ignored "-Wsign-compare"    /* likewise, said by clang */

/* Take descriptors and credentials out of a received header.  Descriptors over
 * max are closed and counted, so that the caller refuses the message. */
static size_t take_control(struct msghdr *header, int *fds, size_t max, pid_t *sender)
{
    size_t got = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level != SOL_SOCKET)
            continue;
        if (c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len == CMSG_LEN(sizeof(struct ucred))) {
            struct ucred credentials;
            memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
            if (sender != NULL)
                *sender = credentials.pid;
        }
        if (c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (got < max)
                fds[got] = fd;
            else
                fd_close(&fd);
            got++;
        }
    }
    return got;
}

#pragma GCC diagnostic pop

static void close_received(int *fds, size_t got, size_t max)
{
    for (size_t i = 0; i < got && i < max; i++)
        fd_close(&fds[i]);
}

int wire_receive(int socket, void *message, size_t size, int *fds, size_t max, size_t *n, bool wait,
                 pid_t *sender, struct err *err)
{
    union control control;
    /* cppcheck-suppress ctuuninitvar ; recvmsg(2) writes what message points at */
    struct iovec iov = {message, size};
    struct msghdr header = {.msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    int flags = MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT);
    ssize_t got;

    if (sender != NULL)
        *sender = 0;
    do
        got = recvmsg(socket, &header, flags);
    while (got < 0 && errno == EINTR);
    if (got < 0 && !wait && errno == EAGAIN)
        return 0;
    if (got < 0)
        return err_sys(err, ERR_IO, "recvmsg", errno, SOCKET, NULL);
    size_t received = take_control(&header, fds, max, sender);
    if (got == 0) {
        close_received(fds, received, max);
        return err_sys(err, ERR_IO, "recvmsg", ECONNRESET, SOCKET, "the other side ended");
    }
    if ((size_t)got != size || received > max || (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
        close_received(fds, received, max);
        return err_set(err, ERR_IO, SOCKET,
                       "a message of %zd bytes with %zu descriptors, expected %zu bytes", got,
                       received, size);
    }
    if (n != NULL)
        *n = received;
    return 1;
}

void wire_fail(int socket, const char *step, const char *object, int sys)
{
    struct wire_report report;
    struct err ignored;

    memset(&report, 0, sizeof report);
    report.type = WIRE_FAILED;
    report.sys = sys;
    struct text t = text_on(report.step, sizeof report.step);
    text_add_escaped_within(&t, str_span(step), sizeof report.step - 1);
    t = text_on(report.object, sizeof report.object);
    text_add_escaped_within(&t, str_span(object), sizeof report.object - 1);
    err_clear(&ignored);
    (void)wire_send(socket, &report, sizeof report, NULL, 0, &ignored);
}

void wire_add_unit(struct text *t, const struct wire_launch *order)
{
    text_adds(t, UNIT_PREFIX);
    text_add(t, (struct span){(const uint8_t *)order->unit_hex, sizeof order->unit_hex});
    text_adds(t, ".scope");
}

static void sanitize(char *s, size_t size)
{
    s[size - 1] = '\0';
    for (; *s != '\0'; s++)
        if ((unsigned char)*s < 0x20 || (unsigned char)*s > 0x7e)
            *s = '?';
}

void wire_sanitize(struct wire_report *report)
{
    sanitize(report->step, sizeof report->step);
    sanitize(report->object, sizeof report->object);
}
