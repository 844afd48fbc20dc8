/* host/worker: what a worker can, what a job brings, and what happens when a worker, a file or
 * a caller fails. */
#include "host/worker.h"

#include "check.h"
#include "fixture.h"
#include "host/file.h"

/* --- Duties of this test ------------------------------------------------------------------ */

/* What a reply of these duties is. */
struct answer {
    uint64_t bytes, flags, sum, replies;
};

/* For each job: flags replies of {bytes, flags, sum of the bytes, number}, at least one. */
static void sum_duty(int in, int out)
{
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        struct answer a = {job.bytes, job.flags, 0, 0};
        for (uint64_t i = 0; i < job.bytes; i++) {
            uint8_t byte;
            worker_read(in, &byte, 1);
            a.sum += byte;
        }
        do {
            a.replies++;
            worker_write(out, &a, sizeof a);
        } while (a.replies < job.flags);
    }
}

/* Answers while it reads: one reply for each byte. */
static void chatty_duty(int in, int out)
{
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        struct answer a = {job.bytes, 0, 0, 0};
        uint8_t byte;
        for (; a.replies < job.bytes; worker_write(out, &a, sizeof a)) {
            worker_read(in, &byte, 1);
            a.replies++;
        }
    }
}

/* Counts the descriptors that can be read from or written to, besides its two. */
static void descriptor_duty(int in, int out)
{
    struct worker_job job;
    char byte = 0;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        struct answer a = {0, 0, 0, 0};
        for (int fd = 2; fd < 1024; fd++)
            a.sum += read(fd, &byte, 0) >= 0 || write(fd, &byte, 0) >= 0;
        worker_write(out, &a, sizeof a);
    }
}

static void dying_duty(int in, int out)
{
    struct worker_job job;
    struct answer a = {0, 0, 0, 0};
    worker_read(in, &job, sizeof job);
    worker_write(out, &a, sizeof a / 2);
}

static void escaping_duty(int in, int out)
{
    struct worker_job job;
    struct answer a = {0, 0, 0, 0};
    worker_read(in, &job, sizeof job);
    int fd = open("/etc/hostname", O_RDONLY | O_CLOEXEC);
    a.sum = (uint64_t)fd;
    worker_write(out, &a, sizeof a);
}

/* --- One worker ---------------------------------------------------------------------------- */

struct taken {
    struct answer last;
    uint64_t n, stop_at; /* 0: take one reply */
    bool give_up;
};

static int take(void *arg, const void *reply)
{
    struct taken *t = arg;
    memcpy(&t->last, reply, sizeof t->last);
    t->n++;
    if (t->give_up)
        return -1;
    return t->n >= t->stop_at;
}

static int ask(struct worker *w, int fd, const void *memory, uint64_t size, uint64_t flags,
               struct taken *t, struct err *err)
{
    memset(t, 0, sizeof *t);
    t->stop_at = flags;
    err_clear(err);
    return worker_exchange(w, fd, memory, size, flags, sizeof t->last, take, t, str_span("bytes"),
                           err);
}

static void check_exchange(void)
{
    static uint8_t large[3 << 20];
    struct worker w;
    struct taken t;
    struct err err;
    err_clear(&err);
    memset(large, 1, sizeof large);
    MUST(worker_start(&w, sum_duty, &err) == 0);
    CHECK(ask(&w, -1, "abc", 3, 7, &t, &err) == 0 && t.last.bytes == 3 && t.last.flags == 7 &&
              t.last.sum == 'a' + 'b' + 'c' && t.n == 7,
          "a job's size, flags and bytes arrive, and seven replies come back");
    CHECK(ask(&w, -1, NULL, 0, 1, &t, &err) == 0 && t.last.bytes == 0 && t.last.sum == 0,
          "a job without bytes is one");
    CHECK(ask(&w, -1, large, sizeof large, 1, &t, &err) == 0 && t.last.sum == sizeof large,
          "bytes of more than a pipe's size arrive");
    fixture_bytes("file", 0600, large, sizeof large);
    int fd = open("file", O_RDONLY | O_CLOEXEC);
    MUST(lseek(fd, 1000, SEEK_SET) == 1000);
    CHECK(ask(&w, fd, NULL, sizeof large, 1, &t, &err) == 0 && t.last.sum == sizeof large,
          "a file's bytes arrive from its beginning");
    CHECK(lseek(fd, 0, SEEK_CUR) == 1000, "its offset stays");
    CHECK(ask(&w, fd, NULL, 100, 1, &t, &err) == 0 && t.last.sum == 100, "or its first bytes");
    CHECK(ask(&w, fd, NULL, sizeof large + 5000, 1, &t, &err) == -1 && err.what == ERR_CHANGED &&
              strcmp(err.obj, "bytes") == 0 && t.n == 1,
          "a file that is shorter is ERR_CHANGED");
    close(fd);
    CHECK(ask(&w, -1, "abc", 3, 1, &t, &err) == 0 && t.last.sum == 'a' + 'b' + 'c',
          "and the worker is still in step");
    fd = open("file", O_WRONLY | O_CLOEXEC);
    CHECK(ask(&w, fd, NULL, 10, 1, &t, &err) == -1 && err.what == ERR_IO &&
              strcmp(err.op, "splice") == 0,
          "a file that cannot be read is ERR_IO");
    close(fd);
    CHECK(ask(&w, -1, "abc", 3, 1, &t, &err) == 0 && t.last.sum == 'a' + 'b' + 'c',
          "and the worker is still in step");
    kill(w.pid, SIGTERM);
    kill(w.pid, SIGINT);
    CHECK(ask(&w, -1, "a", 1, 1, &t, &err) == 0, "SIGTERM and SIGINT do not end a worker");
    worker_stop(&w);
    worker_stop(&w);
    CHECK(w.pid == 0 && w.to == -1 && w.from == -1, "worker_stop twice is once");
    CHECK(ask(&w, -1, "a", 1, 1, &t, &err) == -1 && err.what == ERR_WORKER,
          "a stopped worker is ERR_WORKER");
}

static void check_bad_replies(void)
{
    struct worker w = {0};
    struct taken t = {.give_up = true};
    struct err err;
    worker_stop(&w);
    CHECK(w.pid == 0 && fcntl(0, F_GETFD) >= 0, "worker_stop of one never started does nothing");
    err_clear(&err);
    CHECK(worker_exchange(&w, -1, "", 0, 0, 0, take, &t, str_span("x"), &err) == -1 &&
              err.what == ERR_INTERNAL,
          "a reply of no bytes is a bug");
    err_clear(&err);
    CHECK(worker_exchange(&w, -1, "", 0, 0, WORKER_REPLY_BYTES_MAX + 1, take, &t, str_span("x"),
                          &err) == -1 &&
              err.what == ERR_INTERNAL,
          "so is one that is too large");
    err_clear(&err);
    MUST(worker_start(&w, sum_duty, &err) == 0);
    CHECK(worker_exchange(&w, -1, "a", 1, 1, sizeof t.last, take, &t, str_span("x"), &err) == -1 &&
              err.what == ERR_WORKER && w.pid == 0,
          "an answer that the caller refuses ends the worker");
}

static void check_duties(void)
{
    static const uint8_t bytes[100000];
    struct worker w;
    struct taken t;
    struct err err;
    err_clear(&err);
    MUST(worker_start(&w, chatty_duty, &err) == 0);
    memset(&t, 0, sizeof t);
    t.stop_at = sizeof bytes;
    CHECK(worker_exchange(&w, -1, bytes, sizeof bytes, 0, sizeof t.last, take, &t, str_span("x"),
                          &err) == 0 &&
              t.n == sizeof bytes && t.last.replies == sizeof bytes,
          "bytes and 3 MB of replies flow at the same time");
    worker_stop(&w);

    int inherited = open("/dev/zero", O_RDWR);
    err_clear(&err);
    MUST(worker_start(&w, descriptor_duty, &err) == 0);
    CHECK(ask(&w, -1, "", 0, 1, &t, &err) == 0 && t.last.sum == 0,
          "a worker has no descriptor but its two pipes");
    worker_stop(&w);
    close(inherited);

    err_clear(&err);
    MUST(worker_start(&w, dying_duty, &err) == 0);
    CHECK(ask(&w, -1, "a", 1, 1, &t, &err) == -1 && err.what == ERR_WORKER && t.n == 0 &&
              w.pid == 0 && strcmp(err.obj, "bytes") == 0,
          "half a reply is ERR_WORKER, never an answer");
    err_clear(&err);
    MUST(worker_start(&w, escaping_duty, &err) == 0);
    CHECK(ask(&w, -1, "a", 1, 1, &t, &err) == -1 && err.what == ERR_WORKER && t.n == 0,
          "a worker that opens a file is killed: ERR_WORKER");
}

/* A monitor that starts a worker and dies.  The worker's pid goes to *arg. */
static int short_monitor(void *arg, struct err *err)
{
    struct worker w;
    MUST(worker_start(&w, sum_duty, err) == 0);
    *(pid_t *)arg = w.pid;
    raise(SIGKILL);
    return 0;
}

static bool is_alive(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    MUST(read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    const char *state = strrchr(text, ')');
    return state != NULL && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

static void check_death(void)
{
    struct err err;
    pid_t *pid = mmap(NULL, sizeof *pid, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(pid != MAP_FAILED);
    MUST(fixture_child(short_monitor, pid, &err) == 128 + SIGKILL && *pid > 0);
    for (int i = 0; i < 500 && is_alive(*pid); i++)
        usleep(10000);
    CHECK(!is_alive(*pid), "a worker dies with its monitor");
}

int main(void)
{
    fixture_begin();
    int before = fixture_descriptors();
    check_exchange();
    check_bad_replies();
    check_duties();
    check_death();
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
    fixture_end();
    return check_end();
}
