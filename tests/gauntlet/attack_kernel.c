/* Attacks on kernel code that a Lean program has no use for. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "gauntlet/attack.h"

/* Did the call reach the kernel's own code?  A filter answers EPERM or ENOSYS; so does a
 * kernel that refuses or lacks it. */
static enum verdict reached(long result)
{
    return result < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES) ? HELD : SUCCEEDED;
}

#define CALL(word, ...)                                                                            \
    static enum verdict word(void)                                                                 \
    {                                                                                              \
        return reached(syscall(__VA_ARGS__));                                                      \
    }
static unsigned char zeros[4096];
static const struct timespec epoch;

CALL(io_uring, SYS_io_uring_setup, 1, zeros)
CALL(bpf, SYS_bpf, 0, zeros, 120)
CALL(userfaultfd, SYS_userfaultfd, 1)
CALL(perf, SYS_perf_event_open, zeros, 0, -1, -1, 0)
CALL(keyctl, SYS_keyctl, 0, -3, 0, 0, 0)
CALL(add_key, SYS_add_key, "user", "lema", "x", 1, -2)
CALL(personality, SYS_personality, 0x0040000)
CALL(modify_ldt, SYS_modify_ldt, 0, zeros, 64)
CALL(kexec, SYS_kexec_load, 0, 0, zeros, 0)
CALL(init_module, SYS_init_module, zeros, 0, "")
CALL(syslog_read, SYS_syslog, 3, zeros, 16)
CALL(reboot, SYS_reboot, 0, 0, 0, 0)
CALL(swapon, SYS_swapon, "/call", 0)
CALL(quotactl, SYS_quotactl, 0x800007, "/dev/vda", 0, zeros)
CALL(clock_set, SYS_clock_settime, CLOCK_REALTIME, &epoch)
CALL(time_set, SYS_settimeofday, &epoch, NULL)
CALL(shared_memory, SYS_shmget, 0, 4096, 01600)
CALL(messages, SYS_msgget, 0, 01600)
CALL(semaphores, SYS_semget, 0, 1, 01600)
CALL(posix_queue, SYS_mq_open, "lema", O_RDWR | O_CREAT, 0600, NULL)
CALL(fanotify, SYS_fanotify_init, 0, 0)
CALL(kcmp, SYS_kcmp, getpid(), getppid(), 0, 0, 0)
CALL(splice_memory, SYS_vmsplice, -1, zeros, 0, 0)
CALL(memory_policy, SYS_migrate_pages, 0, 0, zeros, zeros)
CALL(io_port, SYS_ioperm, 0x80, 1, 1)
CALL(accounting, SYS_acct, "/call/acct")
CALL(seccomp, SYS_seccomp, 0, 0, NULL)
CALL(landlock, 444, NULL, 0, 1)

/* getpid by the 32-bit gate and by an x32 number. */
static enum verdict int80(void)
{
    long result = 20;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return result > 0 ? SUCCEEDED : HELD;
}

static enum verdict x32(void)
{
    return worked(syscall(0x40000000 | SYS_getpid));
}

const struct attack kernel_attacks[] = {
    {"io_uring", "reach io_uring", io_uring},
    {"bpf", "reach bpf", bpf},
    {"userfaultfd", "reach userfaultfd", userfaultfd},
    {"perf", "reach perf_event_open", perf},
    {"keyctl", "reach keyctl", keyctl},
    {"add_key", "add a key", add_key},
    {"personality", "turn address randomization off", personality},
    {"modify_ldt", "reach modify_ldt", modify_ldt},
    {"kexec", "reach kexec_load", kexec},
    {"init_module", "reach init_module", init_module},
    {"syslog", "read the kernel's log", syslog_read},
    {"reboot", "reach reboot", reboot},
    {"swapon", "reach swapon", swapon},
    {"quotactl", "reach quotactl", quotactl},
    {"clock_settime", "set the clock", clock_set},
    {"settimeofday", "set the time", time_set},
    {"shmget", "make System V shared memory", shared_memory},
    {"msgget", "make a System V queue", messages},
    {"semget", "make a System V semaphore", semaphores},
    {"mq_open", "make a POSIX queue", posix_queue},
    {"fanotify", "reach fanotify", fanotify},
    {"kcmp", "compare kernel pointers", kcmp},
    {"vmsplice", "reach vmsplice", splice_memory},
    {"migrate_pages", "reach migrate_pages", memory_policy},
    {"ioperm", "open an io port", io_port},
    {"acct", "turn process accounting on", accounting},
    {"seccomp", "load a filter", seccomp},
    {"landlock", "reach landlock", landlock},
    {"int80", "make a 32-bit system call", int80},
    {"x32", "make an x32 system call", x32},
};
const unsigned kernel_attack_count = sizeof kernel_attacks / sizeof kernel_attacks[0];
