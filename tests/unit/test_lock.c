/* evidence/lock: taken, waited for, given up; and who holds it. */
#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "evidence/lock.h"
#include "limits.h"

#include "unit/check.h"
#include "unit/scratch.h"

#define NS_A_MS UINT64_C(1000000)

/* A clock that moves when one sleeps, and lets the lock go at a time. */
struct fake {
    uint64_t now_ns;
    uint64_t release_at_ns; /* 0: never */
    int holder_fd;
    unsigned sleeps;
    unsigned told;
    uint64_t last_told_ns;
    uint64_t least_between_ns;
    int holder; /* as last told */
};

static uint64_t fake_now(void *arg)
{
    return ((struct fake *)arg)->now_ns;
}

static void fake_sleep(void *arg, uint32_t ms)
{
    struct fake *f = arg;
    f->sleeps++;
    f->now_ns += ms * NS_A_MS;
    if (f->release_at_ns != 0 && f->now_ns >= f->release_at_ns && f->holder_fd >= 0) {
        close(f->holder_fd);
        f->holder_fd = -1;
    }
}

static void tell(void *arg, int holder)
{
    struct fake *f = arg;
    if (f->told > 0 && f->now_ns - f->last_told_ns < f->least_between_ns)
        f->least_between_ns = f->now_ns - f->last_told_ns;
    f->told++;
    f->last_told_ns = f->now_ns;
    f->holder = holder;
}

static int open_lock(void)
{
    int fd = openat(scratch_fd, "native.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        abort();
    return fd;
}

static int take(int fd, struct fake *f, struct err *err)
{
    const struct clock clock = {fake_now, fake_sleep, f};
    err_clear(err);
    return lock_take(fd, &clock, tell, f, str_span("/dir/native.lock"), err);
}

static struct fake fake_with(int holder_fd)
{
    return (struct fake){
        .now_ns = 77 * NS_A_MS, .holder_fd = holder_fd, .least_between_ns = UINT64_MAX};
}

static void test_free(void)
{
    struct err err;
    struct fake f = fake_with(-1);
    scratch_begin();
    int fd = open_lock();
    int other = open_lock();
    CHECK(take(fd, &f, &err) == 0 && f.sleeps == 0 && f.told == 0, "a free lock is taken at once");
    CHECK(flock(other, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK,
          "exclusively: no other descriptor gets it");
    CHECK(take(fd, &f, &err) == 0, "its holder may take it again");
    lock_release(fd);
    CHECK(flock(other, LOCK_EX | LOCK_NB) == 0, "released, another gets it");
    close(fd);
    close(other);
}

static void test_busy(void)
{
    struct err err;
    char message[ERR_TEXT_BYTES];
    struct text t = text_on(message, sizeof message);
    scratch_begin();
    int fd = open_lock();
    int other = open_lock();
    struct fake f = fake_with(-1);
    CHECK(flock(other, LOCK_EX) == 0, "another holds it");
    CHECK(take(fd, &f, &err) == -1 && err.what == ERR_LOCK_BUSY, "it is waited for, then refused");
    err_format(&err, &t);
    CHECK_TEXT(message, "/dir/native.lock: native lock busy", "with the words of specification 7");
    CHECK_U64((f.now_ns - 77 * NS_A_MS) / NS_A_MS, 600000, "after 10 minutes");
    CHECK_U64(f.sleeps, 2400, "four looks a second");
    CHECK_U64(f.told, 600, "a person is told at once and then every second");
    CHECK(f.least_between_ns >= 1000 * NS_A_MS, "never more often");
    CHECK(f.holder == (int)getpid(), "who holds it is told");
    const struct clock clock = {fake_now, fake_sleep, &f};
    err_clear(&err);
    CHECK(lock_take(fd, &clock, NULL, NULL, str_span("l"), &err) == -1 && err.what == ERR_LOCK_BUSY,
          "nobody need be told");
    close(other);
    CHECK(take(fd, &f, &err) == 0, "then it is free");
    close(fd);
}

static void test_released_midway(void)
{
    struct err err;
    scratch_begin();
    int fd = open_lock();
    int other = open_lock();
    struct fake f = fake_with(other);
    f.release_at_ns = f.now_ns + 3100 * NS_A_MS;
    CHECK(flock(other, LOCK_EX) == 0, "another holds it for 3.1 seconds");
    CHECK(take(fd, &f, &err) == 0, "then it is taken");
    CHECK_U64(f.sleeps, 13, "at the next look");
    CHECK_U64(f.told, 4, "after four words");
    close(fd);
    other = open_lock();
    fd = open_lock();
    f = fake_with(other);
    f.release_at_ns = f.now_ns + 599900 * NS_A_MS;
    CHECK(flock(other, LOCK_SH) == 0 && take(fd, &f, &err) == 0,
          "a shared lock is waited for too, to the last moment");
    close(fd);
}

static void test_dead_holder(void)
{
    struct err err;
    struct fake f = fake_with(-1);
    int ready[2];
    char byte;
    scratch_begin();
    int fd = open_lock();
    if (pipe(ready) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        int own = open_lock();
        if (flock(own, LOCK_EX) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    CHECK(read(ready[0], &byte, 1) == 1, "another process holds it");
    CHECK(lock_holder(fd) == child, "its process id is found");
    CHECK(take(fd, &f, &err) == -1 && f.holder == child, "and told to who waits");
    kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    CHECK(take(fd, &f, &err) == 0, "when it dies, the lock is free");
    CHECK(lock_holder(fd) == (int)getpid(), "and this process is its holder");
    lock_release(fd);
    CHECK(lock_holder(fd) == 0, "nobody holds a free lock");
    close(fd);
    close(ready[0]);
    close(ready[1]);
}

static void on_signal(int number)
{
    (void)number;
}

static void test_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct err err;
    scratch_begin();
    int fd = open_lock();
    int other = open_lock();
    struct fake f = fake_with(other);
    CHECK(flock(other, LOCK_EX) == 0 && sigaction(SIGALRM, &action, NULL) == 0, "with signals");
    ualarm(1, 1000);
    f.release_at_ns = f.now_ns + 60000 * NS_A_MS;
    CHECK(take(fd, &f, &err) == 0, "a lock is taken, whatever interrupts");
    ualarm(0, 0);
    close(fd);
}

static void test_failures(void)
{
    struct fake f = fake_with(-1);
    struct err err;
    CHECK(take(-1, &f, &err) == -1 && err.what == ERR_IO && err.sys == EBADF &&
              strcmp(err.op, "flock") == 0,
          "a lock that cannot be taken for another reason is an error");
    CHECK(f.sleeps == 0, "at once");
    CHECK(lock_holder(-1) == 0, "nothing is known of a closed descriptor");
    scratch_begin();
    int fd = open_lock();
    int other = open_lock();
    (void)flock(other, LOCK_EX);
    f.now_ns = UINT64_MAX;
    CHECK(take(fd, &f, &err) == -1, "a clock that stands at its end does not wait forever");
    close(fd);
    close(other);
}

/* --- /proc/locks ----------------------------------------------------------------- */

#define PLACE "fd:1a3:4711"

static const struct {
    const char *claim;
    const char *text;
    int holder;
} locks[] = {
    {"no locks", "", 0},
    {"the lock", "1: FLOCK  ADVISORY  WRITE 99 " PLACE " 0 EOF\n", 99},
    {"the lock among others",
     "1: POSIX  ADVISORY  WRITE 7 " PLACE " 0 EOF\n"
     "2: FLOCK  ADVISORY  WRITE 8 fd:1a3:4712 0 EOF\n"
     "3: FLOCK  ADVISORY  WRITE 9 fd:1a4:4711 0 EOF\n"
     "4: FLOCK  ADVISORY  WRITE 10 fc:1a3:4711 0 EOF\n"
     "5: FLOCK  ADVISORY  WRITE 11 " PLACE " 0 EOF\n",
     11},
    {"one who waits only", "1: -> FLOCK  ADVISORY  WRITE 99 " PLACE " 0 EOF\n", 0},
    {"a shared lock", "1: FLOCK  ADVISORY  READ 99 " PLACE " 0 EOF\n", 0},
    {"a lease", "1: LEASE  ACTIVE    WRITE 99 " PLACE " 0 EOF\n", 0},
    {"a holder in another pid namespace", "1: FLOCK  ADVISORY  WRITE 0 " PLACE " 0 EOF\n", 0},
    {"a negative holder", "1: FLOCK  ADVISORY  WRITE -1 " PLACE " 0 EOF\n", 0},
    {"a holder that no process can be", "1: FLOCK  ADVISORY  WRITE 99999999 " PLACE "\n", 0},
    {"upper-case hex", "1: FLOCK  ADVISORY  WRITE 99 FD:1A3:4711 0 EOF\n", 0},
    {"too many digits", "1: FLOCK  ADVISORY  WRITE 99 000000fd0:1a3:4711 0 EOF\n", 0},
    {"a cut line", "1: FLOCK  ADVISORY  WRITE 99", 0},
    {"a cut place", "1: FLOCK  ADVISORY  WRITE 99 fd:1a3", 0},
    {"empty parts", "1: FLOCK  ADVISORY  WRITE 99 :: 0 EOF\n", 0},
    {"words without sense", "a b c d e f g\n\n \n", 0},
};

static void test_proc_locks(void)
{
    CHECK_ROWS(locks, 15, "locks");
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++)
        CHECK_I64(lock_holder_in(str_span(locks[i].text), makedev(0xfd, 0x1a3), 4711),
                  locks[i].holder, "of %s the holder is %d", locks[i].claim, locks[i].holder);
    CHECK_I64(
        lock_holder_in(str_span("1: FLOCK  ADVISORY  WRITE 5 08:01:1 0 EOF\n"), makedev(8, 1), 1),
        5, "small numbers are written with a leading zero");
}

int main(void)
{
    umask(077);
    test_free();
    test_busy();
    test_released_midway();
    test_dead_holder();
    test_signals();
    test_failures();
    test_proc_locks();
    scratch_end();
    return check_end();
}
