/* Hash workers: many files at once.  Layer: host.
 *
 * Each worker has a lane: a short queue of files in the order they were sent.
 * The last of them may still be on its way into the pipe (feeding); all before
 * it wait for their digests, which come back in the same order.  So a worker
 * finds its next file in its pipe when it is done with one, and the monitor
 * only moves pages (splice), which costs next to nothing. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"
#include "host/worker.h"

#define HASH_BUFFER_BYTES 65536u
#define LANE_FILES 4u /* open files of one worker at a time */

struct lane_file {
    uint64_t cookie;
    struct worker_feed feed; /* its fd is owned by the pool */
};

struct lane {
    struct worker *w;
    size_t first, n; /* ring of files that were given and are not done */
    struct lane_file file[LANE_FILES];
    size_t got; /* bytes of the digest that comes next */
    struct digest digest;
};

struct run {
    struct lane lane[WORKERS_MAX];
    size_t n;
    const struct hash_source *source;
    bool no_more; /* the source is empty, or a failure stopped it */
    bool failed;
};

/* --- The duty ------------------------------------------------------------------------ */

/* A job that ends early ends the worker (worker_read): it stays in step or it is gone. */
static void hash_duty(int in, int out)
{
    uint8_t buffer[HASH_BUFFER_BYTES];
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        struct sha256 h;
        struct digest digest;
        sha256_init(&h);
        for (uint64_t left = job.bytes; left > 0;) {
            size_t want = left < sizeof buffer ? (size_t)left : sizeof buffer;
            ssize_t got = read(in, buffer, want);
            if (got <= 0)
                return;
            sha256_add(&h, buffer, (size_t)got);
            left -= (uint64_t)got;
        }
        sha256_end(&h, &digest);
        worker_write(out, &digest, sizeof digest);
    }
}

/* --- Start and stop ------------------------------------------------------------------ */

static size_t processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (size_t)n : 1;
}

int hash_pool_start(struct hash_pool *pool, size_t count, struct err *err)
{
    memset(pool, 0, sizeof *pool);
    size_t want = count > 0 ? count : processors();
    if (want > WORKERS_MAX)
        want = WORKERS_MAX;
    for (; pool->n < want; pool->n++) {
        if (worker_start(&pool->worker[pool->n], hash_duty, err) == 0)
            continue;
        hash_pool_stop(pool);
        return -1;
    }
    return 0;
}

void hash_pool_stop(struct hash_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++)
        worker_stop(&pool->worker[i]);
    pool->n = 0;
}

/* --- One lane -------------------------------------------------------------------------- */

static struct lane_file *lane_last(struct lane *l)
{
    return &l->file[(l->first + l->n - 1) % LANE_FILES];
}

static bool lane_is_feeding(struct lane *l)
{
    return l->n > 0 && !worker_feed_done(&lane_last(l)->feed);
}

/* Take the next file of the source into the lane.  returns  1, 0 no more, -1 */
static int lane_take(struct run *r, struct lane *l, struct err *err)
{
    struct lane_file *f = &l->file[(l->first + l->n) % LANE_FILES];
    int fd = -1;
    uint64_t size = 0, cookie = 0;
    int got = r->source->next(r->source->arg, &fd, &size, &cookie, err);
    if (got <= 0)
        return got;
    *f = (struct lane_file){.cookie = cookie, .feed = {.fd = fd, .size = size}};
    l->n++;
    return 1;
}

/* Feed the lane until its pipe is full, its queue is, or there are no more files. */
static int lane_feed(struct run *r, struct lane *l, struct err *err)
{
    for (;;) {
        if (lane_is_feeding(l) && worker_feed_on(l->w->to, &lane_last(l)->feed) != 0)
            return worker_lost(err, str_span("hash worker"));
        if (lane_is_feeding(l) || l->n == LANE_FILES || r->no_more)
            return 0;
        int got = lane_take(r, l, err);
        r->no_more = got <= 0;
        r->failed = r->failed || got < 0;
    }
}

/* The digest of the lane's first file has come. */
static void lane_done(struct run *r, struct lane *l, struct err *err)
{
    struct lane_file *f = &l->file[l->first];
    l->first = (l->first + 1) % LANE_FILES;
    l->n--;
    int verdict = 0;
    if (!r->failed)
        verdict = r->source->done(r->source->arg, f->feed.fd, f->cookie, !f->feed.short_file,
                                  &l->digest, err);
    if (verdict < 0) {
        r->failed = true;
        r->no_more = true;
    }
    if (verdict <= 0)
        fd_close(&f->feed.fd);
}

static int lane_answers(struct run *r, struct lane *l, struct err *err)
{
    while (l->n > 0) {
        ssize_t n = read(l->w->from, l->digest.b + l->got, sizeof l->digest - l->got);
        int sys = errno;
        if (n < 0 && (sys == EAGAIN || sys == EINTR))
            return 0;
        if (n <= 0 || (l->n == 1 && lane_is_feeding(l)))
            return worker_lost(err, str_span("hash worker"));
        l->got += (size_t)n;
        if (l->got < sizeof l->digest)
            continue;
        l->got = 0;
        lane_done(r, l, err);
    }
    return 0;
}

/* --- All lanes --------------------------------------------------------------------------- */

static size_t run_open_files(const struct run *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += r->lane[i].n;
    return n;
}

static int run_wait(struct run *r, struct pollfd ends[static 2 * WORKERS_MAX], struct err *err)
{
    for (size_t i = 0; i < r->n; i++) {
        struct lane *l = &r->lane[i];
        ends[2 * i] = (struct pollfd){.fd = l->n > 0 ? l->w->from : -1, .events = POLLIN};
        ends[2 * i + 1] =
            (struct pollfd){.fd = lane_is_feeding(l) ? l->w->to : -1, .events = POLLOUT};
    }
    int ready = poll(ends, (nfds_t)(2 * r->n), WORKER_SILENCE_MS);
    int sys = errno;
    if (ready < 0 && sys != EINTR)
        return err_sys(err, ERR_WORKER, "poll", sys, str_span("hash worker"), NULL);
    if (ready == 0)
        return err_set(err, ERR_WORKER, str_span("hash worker"), "no answer in %d s",
                       WORKER_SILENCE_MS / 1000);
    if (ready < 0)
        memset(ends, 0, 2 * r->n * sizeof ends[0]);
    return 0;
}

static int run_step(struct run *r, struct err *err)
{
    struct pollfd ends[2 * WORKERS_MAX];
    for (size_t i = 0; i < r->n; i++)
        if (!lane_is_feeding(&r->lane[i]) && lane_feed(r, &r->lane[i], err) != 0)
            return -1;
    if (run_open_files(r) == 0)
        return 0;
    if (run_wait(r, ends, err) != 0)
        return -1;
    for (size_t i = 0; i < r->n; i++) {
        if (ends[2 * i].revents != 0 && lane_answers(r, &r->lane[i], err) != 0)
            return -1;
        if (ends[2 * i + 1].revents != 0 && lane_feed(r, &r->lane[i], err) != 0)
            return -1;
    }
    return 0;
}

/* A worker is lost: nothing that the others still say belongs to a known file. */
static void run_give_up(struct run *r, struct hash_pool *pool)
{
    for (size_t i = 0; i < r->n; i++)
        for (struct lane *l = &r->lane[i]; l->n > 0; l->n--)
            fd_close(&lane_last(l)->feed.fd);
    for (size_t i = 0; i < pool->n; i++)
        worker_stop(&pool->worker[i]);
}

int hash_pool_run(struct hash_pool *pool, const struct hash_source *source, struct err *err)
{
    struct run r;
    memset(&r, 0, sizeof r);
    r.source = source;
    for (; r.n < pool->n; r.n++)
        r.lane[r.n].w = &pool->worker[r.n];
    if (r.n == 0 || pool->worker[0].pid <= 0)
        return err_set(err, ERR_WORKER, str_span("hash worker"), "is not running");
    do {
        if (run_step(&r, err) == 0)
            continue;
        run_give_up(&r, pool);
        return -1;
    } while (!r.no_more || run_open_files(&r) > 0);
    return r.failed ? -1 : 0;
}

static int take_digest(void *arg, const void *reply)
{
    memcpy(arg, reply, sizeof(struct digest));
    return 1;
}

int hash_pool_file(struct hash_pool *pool, int fd, uint64_t size, struct span shown,
                   struct digest *digest, struct err *err)
{
    if (pool->n == 0)
        return err_set(err, ERR_WORKER, shown, "no worker is running");
    return worker_exchange(&pool->worker[0], fd, NULL, size, 0, sizeof *digest, take_digest, digest,
                           shown, err);
}
