/* WORKERs: the only processes that look into outside bytes.  Layer: host.
 *
 * Specification 10: a worker can read, write and exit and nothing else, takes
 * bytes in and gives fixed-size, pointer-free structures out.  It never holds a
 * descriptor of a file: the monitor moves the bytes with splice(2).  Workers
 * are forked before the monitor reads anything; a worker has one duty for life,
 * so that hostile bytes of one kind cannot spoil the answers about another.
 *
 *   MONITOR --- struct worker_job, bytes -----------------> WORKER
 *   MONITOR <-- replies of the duty's fixed sizes --------- WORKER
 *
 * A duty ends at the end of its input; any other surprise ends the worker, and
 * a worker that ended is ERR_WORKER for the monitor, never an answer. */
#ifndef LEMA_HOST_WORKER_H
#define LEMA_HOST_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/sha256.h"
#include "limits.h"

/* What the monitor says before the bytes of one job. */
struct worker_job {
    uint64_t bytes; /* that follow */
    uint64_t flags; /* of the duty */
};

/* A duty: reads jobs from in until its end, writes replies to out. */
typedef void worker_duty(int in, int out);

/* Numbers of a worker's descriptors: all it has. */
#define WORKER_IN 0
#define WORKER_OUT 1

#define WORKER_REPLY_BYTES_MAX 65536u  /* one reply of any duty */
#define WORKER_SILENCE_MS (120 * 1000) /* a worker that moves no byte for so long is given up */

struct worker {
    pid_t pid; /* 0 when not running */
    int to;    /* monitor's ends of the pipes, -1 when closed */
    int from;
};

/* For duties: read exactly n bytes (0 at the end of input before the first
 * byte, n when whole; the process ends on anything else), write exactly n. */
size_t worker_read(int in, void *buffer, size_t n);
void worker_write(int out, const void *bytes, size_t n);

/* Fork a worker.  In the child: parent-death signal, every descriptor closed
 * but its two pipes, the worker's filter loaded, then duty, then _exit.
 * Called before the monitor loads its own filter and reads any outside byte;
 * from then on SIGPIPE is ignored in the monitor.  A worker whose filter cannot
 * be loaded ends before it reads anything: the first exchange then fails.
 * returns  0, or -1 with ERR_IO */
int worker_start(struct worker *w, worker_duty *duty, struct err *err);

/* Close the pipes, end it, wait.  Safe on one never started (all zero), and twice. */
void worker_stop(struct worker *w);

/* One job with bytes from memory or from a file, and its replies.
 * Bytes and replies flow at the same time (poll), so a duty may answer while
 * it reads.
 * fd       -1: take bytes from memory; otherwise splice size bytes from fd's
 *          offset 0.  A file that ends early is padded with zeros, so that the
 *          worker stays in step, and the job fails with ERR_CHANGED.
 * reply_size  1 to WORKER_REPLY_BYTES_MAX; replies are aligned for any struct
 * on_reply called for each whole reply of reply_size bytes; 0 = want more,
 *          1 = that was the last, -1 = give up (the caller's own error)
 * returns  0 when the last reply came and every byte was taken, or -1 with
 *          ERR_WORKER, ERR_CHANGED, ERR_IO, or what on_reply had to say
 * state    after ERR_CHANGED, and ERR_IO of the file, the worker is in step and
 *          may be used again; after any other failure it was stopped */
int worker_exchange(struct worker *w, int fd, const void *memory, uint64_t size, uint64_t flags,
                    size_t reply_size, int (*on_reply)(void *arg, const void *reply), void *arg,
                    struct span shown, struct err *err);

/* What both ways to use a worker are made of: the bytes of one job on their way. */
struct worker_feed {
    int fd;             /* -1: from memory */
    const void *memory; /* borrowed */
    uint64_t size, flags, sent;
    size_t head_sent; /* bytes of struct worker_job */
    bool short_file;  /* ended early, or could not be read: zeros since */
    int sys;          /* errno of the reading, 0 if it only ended early */
};

/* Send on until the pipe is full or all was sent.  returns 0, or -1: the worker ended */
int worker_feed_on(int to, struct worker_feed *f);
bool worker_feed_done(const struct worker_feed *f);

/* ERR_WORKER for an object whose worker ended.  returns -1 */
int worker_lost(struct err *err, struct span shown);

/* Hash workers: as many as there are processors, WORKERS_MAX at most. */
struct hash_pool {
    struct worker worker[WORKERS_MAX];
    size_t n;
};

/* count 0: one for each processor this process may run on. */
int hash_pool_start(struct hash_pool *pool, size_t count, struct err *err);
void hash_pool_stop(struct hash_pool *pool);

/* Hash many files at once: next gives a descriptor with its size and a cookie
 * (owned by the pool until done), done gets the digest.
 * next     1 = a file was given, 0 = there are no more, -1 = failure (err set)
 * done     0 = go on, and the pool closes fd; 1 = go on, and fd is the caller's
 *          again; -1 = failure (err set), fd is closed;
 *          whole is false if the file was shorter than the size given, or could
 *          not be read; files of one worker are done in order, those of two are not
 * returns  0 when every file given was done; -1 after a failure: what was
 *          given was still brought to its end and closed, without done.  With
 *          ERR_WORKER every worker of the pool was stopped. */
struct hash_source {
    int (*next)(void *arg, int *fd, uint64_t *size, uint64_t *cookie, struct err *err);
    int (*done)(void *arg, int fd, uint64_t cookie, bool whole, const struct digest *digest,
                struct err *err);
    void *arg;
};
int hash_pool_run(struct hash_pool *pool, const struct hash_source *source, struct err *err);

/* One file's digest through the pool; fd stays the caller's and its offset is
 * not used.  Fails with ERR_CHANGED if it is shorter than size. */
int hash_pool_file(struct hash_pool *pool, int fd, uint64_t size, struct span shown,
                   struct digest *digest, struct err *err);

#endif
