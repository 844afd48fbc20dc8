/* Starting a call: channels, the scope, its limits, the sandbox, the program.
 * Layer: call.
 *
 * Each step waits for the one before it to be proved (launch.h): a scope that
 * was asked for is not believed until its process stands in it, a limit not
 * until it was read back, a sandbox not until INIT read back its confinement. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "call/native.h"
#include "host/file.h"

#define NS_PER_MS UINT64_C(1000000)

/* Both ends of everything between MONITOR and a call's processes. */
struct channels {
    int control[2], status[2];  /* [0] MONITOR's */
    int log[2], diagnostics[2]; /* [0] read */
    int null;
};

static void channels_init(struct channels *c)
{
    for (size_t i = 0; i < 2; i++)
        c->control[i] = c->status[i] = c->log[i] = c->diagnostics[i] = -1;
    c->null = -1;
}

static void channels_close(struct channels *c)
{
    for (size_t i = 0; i < 2; i++) {
        fd_close(&c->control[i]);
        fd_close(&c->status[i]);
        fd_close(&c->log[i]);
        fd_close(&c->diagnostics[i]);
    }
    fd_close(&c->null);
}

static int make_socket(int pair[2], struct err *err)
{
    const int on = 1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return err_sys(err, ERR_IO, "socketpair", errno, str_span("call"), NULL);
    if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
        return err_sys(err, ERR_IO, "setsockopt", errno, str_span("SO_PASSCRED"), NULL);
    return 0;
}

static int make_pipe(int pair[2], struct err *err)
{
    if (pipe2(pair, O_CLOEXEC) != 0)
        return err_sys(err, ERR_IO, "pipe2", errno, str_span("call"), NULL);
    if (fcntl(pair[0], F_SETFL, O_RDONLY | O_NONBLOCK) != 0)
        return err_sys(err, ERR_IO, "fcntl", errno, str_span("O_NONBLOCK"), NULL);
    return 0;
}

static int make_channels(struct channels *c, struct err *err)
{
    if (make_socket(c->control, err) != 0 || make_socket(c->status, err) != 0 ||
        make_pipe(c->log, err) != 0 || make_pipe(c->diagnostics, err) != 0)
        return -1;
    c->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (c->null < 0)
        return err_sys(err, ERR_IO, "open", errno, str_span("/dev/null"), NULL);
    return 0;
}

/* The descriptors of the order, in wire.h's order. */
static size_t order_descriptors(const struct native *n, const struct channels *c,
                                int fds[static WIRE_DESCRIPTORS_MAX])
{
    const struct runtime *rt = n->rt;
    const int *host = n->checks.host_fd;
    size_t count = 0;

    fds[count++] = n->request->scope == SCOPE_CGROUP
                       ? rt->delegated.fd
                       : host[pins_find_host(&rt->pins, HOST_SYSTEMD_RUN)];
    fds[count++] = c->diagnostics[1];
    fds[count++] = c->null;
    fds[count++] = c->control[1];
    fds[count++] = c->status[1];
    fds[count++] = c->log[1];
    fds[count++] =
        n->checks.sandbox == SANDBOX_BWRAP ? host[pins_find_host(&rt->pins, HOST_BWRAP)] : c->null;
    fds[count++] = rt->distribution.fd;
    fds[count++] = rt->modules_fd;
    fds[count++] = rt->artifacts_fd;
    fds[count++] = n->call_fd;
    for (size_t i = 0; i < rt->pins.host_n && count < WIRE_DESCRIPTORS_MAX; i++)
        if (rt->pins.host[i].role == HOST_LIB)
            fds[count++] = host[i];
    return count;
}
_Static_assert(INNER_FD_CALL - INNER_FD_CONTROL == 7, "order_descriptors lists every one");

/* Ask LAUNCHER for the scope. */
static int order_scope(struct native *n, struct channels *c, struct err *err)
{
    struct wire_launch order;
    int fds[WIRE_DESCRIPTORS_MAX];
    size_t count = order_descriptors(n, c, fds);

    memset(&order, 0, sizeof order);
    order.order = n->request->scope == SCOPE_CGROUP ? WIRE_RUN_CGROUP : WIRE_RUN_SCOPE;
    order.sandbox = n->request->sandbox;
    order.descriptors = (uint32_t)count;
    order.uid = n->rt->uid;
    memcpy(order.unit_hex, n->scope.unit + sizeof UNIT_PREFIX - 1, sizeof order.unit_hex);
    return launcher_order(&n->rt->launcher, &order, fds, count, &n->attend.child, err);
}

/* MONITOR keeps its ends; the others must not stay open here. */
static void keep_ends(struct native *n, struct channels *c)
{
    n->attend.control = c->control[0];
    n->attend.status = c->status[0];
    n->attend.diagnostics = c->diagnostics[0];
    n->log.pipe_fd = c->log[0];
    c->control[0] = c->status[0] = c->diagnostics[0] = c->log[0] = -1;
    channels_close(c);
}

static bool stop_asked(const struct attend *a)
{
    return a->protocol || a->interrupted || a->reaped || a->reap_failed || a->inner_ended;
}

static bool hello_or_stop(const struct attend *a)
{
    return a->hello || a->failed || stop_asked(a);
}

static bool ready_or_stop(const struct attend *a)
{
    return a->ready || a->failed || a->sandbox_ended || stop_asked(a);
}

/* Wait for INNER, find its cgroup, read the limits back (specification 9). */
static int prove_scope(struct native *n, struct err *err)
{
    struct record_limits asked = scope_limits(n->request->kind);
    uint64_t end = clock_boot_ns() + SCOPE_READY_MS * NS_PER_MS;

    if (attend_until(&n->attend, hello_or_stop, end, err) < 0)
        return -1;
    if (n->attend.interrupted) {
        native_setup_failed(n, "interrupted", "call", EINTR);
        return 0;
    }
    if (!n->attend.hello) {
        native_fault(n, FAULT_SCOPE_MISSING, "the scope's process did not appear");
        native_setup_failed(n, "scope", n->scope.unit, 0);
        return 0;
    }
    if (scope_find(&n->scope, n->attend.child, n->rt->uid, &n->detail) != 0) {
        native_setup_failed(n, "scope", n->scope.unit, n->detail.sys);
        native_fault(n, FAULT_SCOPE_MISSING, NULL);
        return 0;
    }
    n->scope_found = true;
    if (scope_read_limits(&n->scope, &n->result.enforced, &n->detail) != 0) {
        native_setup_failed(n, "limits", n->scope.unit, n->detail.sys);
        native_fault(n, FAULT_SCOPE_MISMATCH, NULL);
        return 0;
    }
    n->result.enforced_known = true;
    if (scope_compare_limits(&asked, &n->result.enforced, &n->detail) != 0) {
        native_setup_failed(n, "limits", n->detail.obj, 0);
        native_fault(n, FAULT_SCOPE_MISMATCH, NULL);
    }
    return 0;
}

/* What INIT's probes met; one that was not refused, and nothing is started. */
static void judge_preflight(struct native *n)
{
    for (size_t i = 0; i < PREFLIGHT_PROBES; i++) {
        int32_t sys = n->attend.preflight.sys[i];
        n->result.preflight[i] = (struct record_probe){preflight_word(i), sys};
        if (!preflight_refused(i, sys))
            native_setup_failed(n, "preflight", preflight_word(i), sys);
    }
    n->result.preflight_n = PREFLIGHT_PROBES;
}

/* got: what attend_until returned */
static const char *why_not_ready(const struct attend *a, int got)
{
    return got == 0           ? "wait for the sandbox"
           : a->sandbox_ended ? "sandbox"
           : a->protocol      ? "messages of the sandbox"
           : a->inner_ended   ? "inner stage"
                              : "launcher";
}

/* Let INNER enter the sandbox and wait until INIT stands in it. */
static int enter_sandbox(struct native *n, struct err *err)
{
    struct wire_order_inner order = {.word = WIRE_ENTER,
                                     .sandbox = n->request->sandbox,
                                     .libs = (uint32_t)view_libs(&n->rt->pins)};
    const char *sandbox = sandbox_word(n->request->sandbox);

    if (wire_send(n->attend.control, &order, sizeof order, NULL, 0, &n->detail) != 0) {
        native_setup_failed(n, "enter", "inner", n->detail.sys);
        return 0;
    }
    int got = attend_until(&n->attend, ready_or_stop, clock_boot_ns() + SETUP_MS * NS_PER_MS, err);
    if (got < 0)
        return -1;
    if (n->attend.failed)
        native_setup_failed(n, n->attend.failure.step, n->attend.failure.object,
                            n->attend.failure.sys);
    else if (n->attend.interrupted)
        native_setup_failed(n, "interrupted", "call", EINTR);
    else if (!n->attend.ready)
        native_setup_failed(n, why_not_ready(&n->attend, got), sandbox, got == 0 ? ETIMEDOUT : 0);
    else
        judge_preflight(n);
    return 0;
}

/* The wall time starts here (specification 6). */
static void release_program(struct native *n)
{
    const struct wire_order_inner go = {.word = WIRE_GO};

    if (wire_send(n->attend.status, &n->task, sizeof n->task, NULL, 0, &n->detail) != 0) {
        native_setup_failed(n, "task", "init", n->detail.sys);
        return;
    }
    n->released_ns = clock_boot_ns();
    n->deadline_ns = n->released_ns + kind_wall_ms(n->request->kind) * NS_PER_MS;
    if (wire_send(n->attend.status, &go, sizeof go, NULL, 0, &n->detail) != 0)
        native_setup_failed(n, "go", "init", n->detail.sys);
}

int native_start(struct native *n, struct err *err)
{
    struct channels c;

    channels_init(&c);
    if (make_channels(&c, err) != 0) {
        channels_close(&c);
        return -1;
    }
    if (order_scope(n, &c, &n->detail) != 0) {
        channels_close(&c);
        native_setup_failed(n, n->detail.op, n->detail.obj, n->detail.sys);
        n->attend.reaped = true; /* LAUNCHER started nothing, or is gone with it */
        return 0;
    }
    keep_ends(n, &c);
    if (prove_scope(n, err) != 0)
        return -1;
    if (!native_stopped(n) && enter_sandbox(n, err) != 0)
        return -1;
    if (!native_stopped(n))
        release_program(n);
    return 0;
}
