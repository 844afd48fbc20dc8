/* base/filter: what each role may do, decided by the kernel on real calls. */
#include "base/filter.h"

#include <linux/sched.h>
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "check.h"
#include "fixture.h"

#define X32_BIT 0x40000000u

struct call {
    long nr;
    unsigned long a, b, c, d, e;
};

static int make_call(const struct call *c)
{
    return syscall(c->nr, c->a, c->b, c->c, c->d, c->e, 0) < 0 ? errno : 0;
}

static int in_worker(void *arg, struct err *err)
{
    if (filter_load(FILTER_WORKER, err) != 0)
        return 1;
    make_call(arg);
    syscall(SYS_exit_group, 0); /* a sanitizer's _exit does more */
    return 2;
}

static void check_worker(void)
{
    static const struct {
        const char *name;
        struct call call;
        int end; /* signal, 0 for none */
    } rows[] = {
        {"write", {SYS_write, 1, 0, 0, 0, 0}, 0},
        {"read", {SYS_read, 0, 0, 0, 0, 0}, 0},
        {"exit_group", {SYS_exit_group, 0, 0, 0, 0, 0}, 0},
        {"getpid", {SYS_getpid, 0, 0, 0, 0, 0}, SIGSYS},
        {"openat", {SYS_openat, 0, 0, 0, 0, 0}, SIGSYS},
        {"openat2", {SYS_openat2, 0, 0, 0, 0, 0}, SIGSYS},
        {"mmap", {SYS_mmap, 0, 0, 0, 0, 0}, SIGSYS},
        {"brk", {SYS_brk, 0, 0, 0, 0, 0}, SIGSYS},
        {"close", {SYS_close, 99, 0, 0, 0, 0}, SIGSYS},
        {"socket", {SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0, 0}, SIGSYS},
        {"execve", {SYS_execve, 0, 0, 0, 0, 0}, SIGSYS},
        {"fork", {SYS_fork, 0, 0, 0, 0, 0}, SIGSYS},
        {"kill", {SYS_kill, 0, 0, 0, 0, 0}, SIGSYS},
        {"prctl", {SYS_prctl, 0, 0, 0, 0, 0}, SIGSYS},
        {"number 9999", {9999, 0, 0, 0, 0, 0}, SIGSYS},
        {"number -1", {-1, 0, 0, 0, 0, 0}, SIGSYS},
        {"x32 read", {X32_BIT | SYS_read, 0, 0, 0, 0, 0}, SIGSYS},
    };
    CHECK_ROWS(rows, 17, "calls of a worker");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        struct call call = rows[i].call;
        int got = fixture_child(in_worker, &call, &err);
        CHECK_I64(got, rows[i].end != 0 ? 128 + rows[i].end : 0, "a worker %s by %s",
                  rows[i].end != 0 ? "is killed" : "is not killed", rows[i].name);
    }
}

static int in_program(void *arg, struct err *err)
{
    if (filter_load(FILTER_PROGRAM, err) != 0)
        return 1;
    return make_call(arg);
}

static void check_program(void)
{
    static int pair[2];
    static uint64_t memory[8];
    const unsigned long high = 1ul << 32, where = (unsigned long)(uintptr_t)memory;
    const struct {
        const char *name;
        struct call call;
        int sys; /* errno; 0 for success; negative: a signal */
    } rows[] = {
        {"getpid", {SYS_getpid, 0, 0, 0, 0, 0}, 0},
        {"socket", {SYS_socket, AF_INET, SOCK_STREAM, 0, 0, 0}, EPERM},
        {"a unix socket", {SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0, 0}, EPERM},
        {"connect", {SYS_connect, 0, 0, 0, 0, 0}, EPERM},
        {"accept", {SYS_accept, 0, 0, 0, 0, 0}, ENOSYS},
        {"a unix stream pair",
         {SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, (unsigned long)(uintptr_t)pair,
          0},
         0},
        {"a seqpacket pair",
         {SYS_socketpair, AF_UNIX, SOCK_SEQPACKET, 0, (unsigned long)(uintptr_t)pair, 0},
         0},
        {"a unix datagram pair",
         {SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, (unsigned long)(uintptr_t)pair, 0},
         ENOSYS},
        {"a tipc pair",
         {SYS_socketpair, 30, SOCK_STREAM, 0, (unsigned long)(uintptr_t)pair, 0},
         ENOSYS},
        {"sendto without an address", {SYS_sendto, 99, 0, 0, 0, 0}, EBADF},
        {"sendto with an address", {SYS_sendto, 99, 0, 0, 0, where}, ENOSYS},
        {"io_uring_setup", {SYS_io_uring_setup, 1, where, 0, 0, 0}, ENOSYS},
        {"bpf", {SYS_bpf, 0, where, 0, 0, 0}, EPERM},
        {"keyctl", {SYS_keyctl, 0, 0, 0, 0, 0}, EPERM},
        {"add_key", {SYS_add_key, 0, 0, 0, 0, 0}, EPERM},
        {"ptrace", {SYS_ptrace, PTRACE_TRACEME, 0, 0, 0, 0}, EPERM},
        {"process_vm_readv", {SYS_process_vm_readv, 1, 0, 0, 0, 0}, EPERM},
        {"process_vm_writev", {SYS_process_vm_writev, 1, 0, 0, 0, 0}, EPERM},
        {"userfaultfd", {SYS_userfaultfd, 0, 0, 0, 0, 0}, EPERM},
        {"perf_event_open", {SYS_perf_event_open, where, 0, 0, 0, 0}, EPERM},
        {"mount", {SYS_mount, 0, 0, 0, 0, 0}, EPERM},
        {"open_tree", {SYS_open_tree, 0, 0, 0, 0, 0}, EPERM},
        {"unshare", {SYS_unshare, CLONE_NEWUSER, 0, 0, 0, 0}, EPERM},
        {"setns", {SYS_setns, 0, 0, 0, 0, 0}, EPERM},
        {"clone into a user namespace", {SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0}, EPERM},
        {"clone into a pid namespace", {SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0}, EPERM},
        {"the same with a high bit", {SYS_clone, high | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0}, EPERM},
        {"clone into two namespaces",
         {SYS_clone, CLONE_NEWNS | CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0},
         EPERM},
        {"clone3", {SYS_clone3, where, 64, 0, 0, 0}, ENOSYS},
        {"kexec_load", {SYS_kexec_load, 0, 0, 0, 0, 0}, EPERM},
        {"init_module", {SYS_init_module, 0, 0, 0, 0, 0}, EPERM},
        {"open_by_handle_at", {SYS_open_by_handle_at, 0, 0, 0, 0, 0}, EPERM},
        {"personality", {SYS_personality, 0x40000, 0, 0, 0, 0}, EPERM},
        {"mknod", {SYS_mknod, where, S_IFCHR, 0, 0, 0}, EPERM},
        {"TCGETS", {SYS_ioctl, 99, 0x5401, 0, 0, 0}, EBADF},
        {"TIOCSTI", {SYS_ioctl, 99, 0x5412, 0, 0, 0}, EPERM},
        {"TIOCSTI with a high bit", {SYS_ioctl, 99, high | 0x5412, 0, 0, 0}, EPERM},
        {"TIOCLINUX", {SYS_ioctl, 99, 0x541c, 0, 0, 0}, EPERM},
        {"TIOCLINUX with high bits", {SYS_ioctl, 99, ~0xfffffffful | 0x541c, 0, 0, 0}, EPERM},
        {"another ioctl", {SYS_ioctl, 99, 0x1234, 0, 0, 0}, ENOSYS},
        {"limits of another process", {SYS_prlimit64, 1, RLIMIT_NOFILE, 0, where, 0}, ENOSYS},
        {"own limits", {SYS_prlimit64, 0, RLIMIT_NOFILE, 0, where, 0}, 0},
        {"another filter", {SYS_seccomp, 0, 0, 0, 0, 0}, ENOSYS},
        {"landlock", {444, 0, 0, 0, 0, 0}, ENOSYS},
        {"number 9999", {9999, 0, 0, 0, 0, 0}, ENOSYS},
        {"number -1", {-1, 0, 0, 0, 0, 0}, ENOSYS},
        {"x32 getpid", {X32_BIT | SYS_getpid, 0, 0, 0, 0, 0}, -SIGSYS},
    };
    CHECK_ROWS(rows, 47, "calls of a program");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        struct call call = rows[i].call;
        int got = fixture_child(in_program, &call, &err);
        CHECK_I64(got, rows[i].sys < 0 ? 128 - rows[i].sys : rows[i].sys, "a program's %s",
                  rows[i].name);
    }
}

/* getpid of the 32-bit ABI.  returns  its result, which no filtered process sees */
static int in_int80(void *arg, struct err *err)
{
    long result = 20;
    signal(SIGSEGV, SIG_DFL);
    if (arg != NULL && filter_load(FILTER_PROGRAM, err) != 0)
        return 1;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "cc");
    return result > 0 ? 0 : 2;
}

/* A kernel without 32-bit calls (ia32_emulation=0; some hosts of virtual machines) answers the
 * instruction itself with SIGSEGV: then that is the end of a filtered program, too. */
static void check_int80(void)
{
    struct err err;
    int unfiltered = fixture_child(in_int80, NULL, &err);

    CHECK(unfiltered == 0 || unfiltered == 128 + SIGSEGV,
          "int $0x80 is known to this kernel or not");
    CHECK_I64(fixture_child(in_int80, &err, &err), unfiltered == 0 ? 128 + SIGSYS : 128 + SIGSEGV,
              "int $0x80 kills a program");
}

/* --- What must work ----------------------------------------------------------------------------- */

static void *in_thread(void *arg)
{
    *(int *)arg = 42;
    return NULL;
}

static int run_threads(void *arg, struct err *err)
{
    pthread_t thread[8];
    int answer[8] = {0}, sum = 0;
    (void)arg;
    if (filter_load(FILTER_PROGRAM, err) != 0)
        return 1;
    for (int i = 0; i < 8; i++)
        if (pthread_create(&thread[i], NULL, in_thread, &answer[i]) != 0)
            return 2;
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        sum += answer[i];
    }
    return sum == 8 * 42 ? 0 : 3;
}

static int run_shell(void *arg, struct err *err)
{
    if (filter_load(FILTER_PROGRAM, err) != 0)
        return 99;
    execl("/bin/sh", "sh", "-c", (const char *)arg, (char *)NULL);
    return 98;
}

static void check_working(void)
{
    static const struct {
        const char *what, *script;
    } scripts[] = {
        {"files", "mkdir d && echo a >d/a && ln -s a d/l && cp d/l d/b && mv d/b d/c && cat d/c "
                  "&& ls -l d && rm -r d"},
        {"children and pipes", "printf 'b\\na\\n' | sort | head -n 1 | grep -q a"},
        {"a compiler", "echo 'int f(void){return 0;}' >f.c && cc -O2 -c f.c"},
        {"a linker", "echo 'int main(void){return 0;}' >m.c && cc -o m m.c && ./m"},
    };
    struct err err;
    CHECK_I64(fixture_child(run_threads, NULL, &err), 0, "threads work");
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        char script[512];
        snprintf(script, sizeof script, "exec >out 2>&1; %s", scripts[i].script);
        if (i >= 2 && access("/usr/bin/cc", X_OK) != 0) {
            CHECK_SKIP("no cc here", "%s works", scripts[i].what);
            continue;
        }
        int got = fixture_child(run_shell, script, &err);
        if (!CHECK_I64(got, 0, "%s works under the program's filter", scripts[i].what))
            MUST(system("sed 's/^/# /' out") == 0);
    }
}

static int without_seccomp(void *arg, struct err *err)
{
    (void)arg;
    fixture_without_call(SYS_seccomp);
    return filter_load(FILTER_WORKER, err) == 0 ? 0 : 1;
}

int main(void)
{
    struct err err;
    fixture_begin();
    check_worker();
    check_program();
    check_int80();
    check_working();
    CHECK(fixture_child(without_seccomp, NULL, &err) == 1 && err.what == ERR_UNSUPPORTED &&
              strcmp(err.op, "seccomp") == 0,
          "a kernel without seccomp is refused");
    fixture_end();
    return check_end();
}
