/* The shared lock.  Layer: evidence. */
#include "evidence/lock.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "host/file.h"
#include "host/kernel.h"
#include "limits.h"

#define NS_A_MS UINT64_C(1000000)
#define TELL_MS 1000u           /* between two calls of waiting */
#define LOCKS_BYTES_MAX KIB(64) /* of /proc/locks; where it is longer, no holder is named */
#define PID_MAX 4194304u        /* PID_MAX_LIMIT of Linux */

/* --- Who holds it ---------------------------------------------------------------- */

/* Lower-case hex, 1 to 8 digits. */
static bool parse_hex(struct span digits, uint64_t *out)
{
    uint64_t value = 0;
    if (digits.n < 1 || digits.n > 8)
        return false;
    for (size_t i = 0; i < digits.n; i++) {
        uint8_t c = digits.p[i];
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            return false;
    }
    *out = value;
    return true;
}

/* Split at the first colon. */
static bool take_part(struct span *rest, struct span *part)
{
    const uint8_t *colon = rest->n > 0 ? memchr(rest->p, ':', rest->n) : NULL;
    if (colon == NULL)
        return false;
    size_t n = (size_t)(colon - rest->p);
    *part = (struct span){rest->p, n};
    *rest = (struct span){colon + 1, rest->n - n - 1};
    return true;
}

/* Is this "MAJOR:MINOR:INODE", the first two in hex (fs/locks.c), that file? */
static bool place_is(struct span place, uint64_t dev, uint64_t ino)
{
    struct span part[2];
    uint64_t number[3];
    if (!take_part(&place, &part[0]) || !take_part(&place, &part[1]) ||
        !parse_hex(part[0], &number[0]) || !parse_hex(part[1], &number[1]) ||
        !str_number(place, 0, UINT64_MAX, &number[2]))
        return false;
    return number[0] == major(dev) && number[1] == minor(dev) && number[2] == ino;
}

/* One line of proc_locks(5): "1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF".
 * A waiter has "->" as its second word, and so holds nothing. */
static int holder_of_line(struct span line, uint64_t dev, uint64_t ino)
{
    enum { NUMBER, TYPE, MODE, ACCESS, PID, PLACE, WORDS };
    struct span word[WORDS];
    uint64_t pid;
    for (size_t i = 0; i < WORDS; i++)
        if (kernel_next_word(&line, &word[i]) != 1)
            return 0;
    if (!str_is(word[TYPE], "FLOCK") || !str_is(word[ACCESS], "WRITE") ||
        !place_is(word[PLACE], dev, ino) || !str_number(word[PID], 1, PID_MAX, &pid))
        return 0;
    return (int)pid;
}

int lock_holder_in(struct span locks, uint64_t dev, uint64_t ino)
{
    struct span line;
    while (kernel_next_line(&locks, &line) == 1) {
        int pid = holder_of_line(line, dev, ino);
        if (pid != 0)
            return pid;
    }
    return 0;
}

int lock_holder(int fd)
{
    char text[LOCKS_BYTES_MAX];
    struct stat st;
    struct err ignored;
    err_clear(&ignored);
    if (fstat(fd, &st) != 0)
        return 0;
    int proc_fd = kernel_open_proc(&ignored);
    if (proc_fd < 0)
        return 0;
    ssize_t n = kernel_read(proc_fd, "locks", text, sizeof text, NULL, &ignored);
    fd_close(&proc_fd);
    if (n < 0)
        return 0;
    return lock_holder_in((struct span){(const uint8_t *)text, (size_t)n}, st.st_dev, st.st_ino);
}

/* --- Taking it ------------------------------------------------------------------- */

/* One try.  returns 1 = taken, 0 = another holds it, -1 = failure */
static int try_lock(int fd, struct span shown, struct err *err)
{
    int result;
    int sys;
    do {
        result = flock(fd, LOCK_EX | LOCK_NB);
        sys = errno;
    } while (result != 0 && sys == EINTR);
    if (result == 0)
        return 1;
    if (sys == EWOULDBLOCK)
        return 0;
    return err_sys(err, ERR_IO, "flock", sys, shown, "the native lock cannot be taken");
}

int lock_take(int fd, const struct clock *clock, void (*waiting)(void *arg, int holder), void *arg,
              struct span shown, struct err *err)
{
    const uint64_t start = clock->boot_ns(clock->arg);
    uint64_t tell = start; /* not before */
    for (;;) {
        int result = try_lock(fd, shown, err);
        if (result != 0)
            return result == 1 ? 0 : -1;
        uint64_t now = clock->boot_ns(clock->arg);
        if (now < start || now - start >= (uint64_t)LOCK_WAIT_MS * NS_A_MS)
            return err_set(err, ERR_LOCK_BUSY, shown, "native lock busy");
        if (waiting != NULL && now >= tell) {
            waiting(arg, lock_holder(fd));
            tell = now + TELL_MS * NS_A_MS;
        }
        clock->sleep_ms(clock->arg, LOCK_POLL_MS);
    }
}

void lock_release(int fd)
{
    (void)flock(fd, LOCK_UN); /* fails only for a descriptor that is not open */
}
