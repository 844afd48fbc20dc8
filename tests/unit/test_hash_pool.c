/* host/hash_pool: many files at once, and failures of a source, a file and a worker. */
#include "check.h"
#include "fixture.h"
#include "host/worker.h"

#define FILES 40u

struct files {
    size_t next, stop_at; /* next fails there */
    size_t done, wrong, shorter;
    size_t fail_at; /* done fails at this file */
    size_t keep_at; /* done keeps this file's descriptor */
    int kept;
    bool seen[FILES];
    struct digest want[FILES];
};

static size_t size_of(size_t i)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 65536, 65537, 1 << 20, (3 << 20) + 1};
    return sizes[i % (sizeof sizes / sizeof sizes[0])];
}

static void make_files(struct files *f)
{
    static uint8_t bytes[(3 << 20) + 1];
    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < FILES; i++) {
        char name[32];
        memset(bytes, (int)i + 1, sizeof bytes);
        snprintf(name, sizeof name, "f%zu", i);
        fixture_bytes(name, 0600, bytes, size_of(i));
        sha256_of(bytes, size_of(i), &f->want[i]);
    }
}

static int next_file(void *arg, int *fd, uint64_t *size, uint64_t *cookie, struct err *err)
{
    struct files *f = arg;
    char name[32];
    if (f->next == f->stop_at)
        return err_set(err, ERR_PATH, str_span("next"), "fails");
    if (f->next == FILES)
        return 0;
    snprintf(name, sizeof name, "f%zu", f->next);
    *fd = open(name, O_RDONLY | O_CLOEXEC);
    MUST(*fd >= 0);
    *size = size_of(f->next) + (f->next == f->shorter ? 10 : 0);
    *cookie = f->next++;
    return 1;
}

static int file_done(void *arg, int fd, uint64_t cookie, bool whole, const struct digest *digest,
                     struct err *err)
{
    struct files *f = arg;
    MUST(fcntl(fd, F_GETFD) >= 0 && cookie < FILES);
    f->wrong += f->seen[cookie] || whole == (cookie == f->shorter);
    if (whole)
        f->wrong += !digest_equal(digest, &f->want[cookie]);
    f->seen[cookie] = true;
    f->done++;
    if (cookie == f->fail_at)
        return err_set(err, ERR_HOST_FILE, str_span("done"), "fails");
    if (cookie == f->keep_at)
        f->kept = fd;
    return cookie == f->keep_at;
}

static void reset(struct files *f)
{
    f->next = f->done = f->wrong = 0;
    f->stop_at = f->fail_at = f->keep_at = f->shorter = SIZE_MAX;
    f->kept = -1;
    memset(f->seen, 0, sizeof f->seen);
}

static void check_pool(size_t workers, struct files *f)
{
    struct hash_pool pool;
    struct err err;
    const struct hash_source source = {next_file, file_done, f};
    err_clear(&err);
    MUST(hash_pool_start(&pool, workers, &err) == 0);
    int before = fixture_descriptors();
    reset(f);
    CHECK(hash_pool_run(&pool, &source, &err) == 0 && f->done == FILES && f->wrong == 0,
          "%zu workers hash %u files of 0 bytes to 3 MiB, each once", workers, FILES);
    reset(f);
    f->shorter = 17;
    f->keep_at = 18;
    CHECK(hash_pool_run(&pool, &source, &err) == 0 && f->done == FILES && f->wrong == 0,
          "one that is shorter is not whole, and the others are right");
    CHECK(fcntl(f->kept, F_GETFD) >= 0, "a descriptor that done keeps stays open");
    close(f->kept);
    reset(f);
    f->stop_at = 20;
    CHECK(hash_pool_run(&pool, &source, &err) == -1 && err.what == ERR_PATH,
          "a failure of next is the run's");
    reset(f);
    f->fail_at = 3;
    err_clear(&err);
    CHECK(hash_pool_run(&pool, &source, &err) == -1 && err.what == ERR_HOST_FILE,
          "and so is one of done");
    CHECK_I64(fixture_descriptors(), before, "every file given was closed");
    reset(f);
    err_clear(&err);
    CHECK(hash_pool_run(&pool, &source, &err) == 0 && f->done == FILES && f->wrong == 0,
          "after failures the workers are in step");
    reset(f);
    kill(pool.worker[workers - 1].pid, SIGKILL);
    CHECK(hash_pool_run(&pool, &source, &err) == -1 && err.what == ERR_WORKER,
          "a worker that was killed is ERR_WORKER");
    err_clear(&err);
    CHECK(hash_pool_run(&pool, &source, &err) == -1 && err.what == ERR_WORKER,
          "and no later run says anything");
    hash_pool_stop(&pool);
}

static void check_pool_file(void)
{
    struct hash_pool pool;
    struct digest digest, want;
    struct err err;
    err_clear(&err);
    sha256_of("abc", 3, &want);
    fixture_file("abc", 0600, "abc");
    int fd = open("abc", O_RDONLY | O_CLOEXEC);
    MUST(hash_pool_start(&pool, 0, &err) == 0);
    CHECK(pool.n >= 1 && pool.n <= WORKERS_MAX, "a pool of 0 has a worker for each processor: %zu",
          pool.n);
    CHECK(hash_pool_file(&pool, fd, 3, str_span("abc"), &digest, &err) == 0 &&
              digest_equal(&digest, &want),
          "one file is hashed");
    CHECK(hash_pool_file(&pool, fd, 4, str_span("abc"), &digest, &err) == -1 &&
              err.what == ERR_CHANGED && strcmp(err.obj, "abc") == 0,
          "one that is shorter is ERR_CHANGED");
    CHECK(fcntl(fd, F_GETFD) >= 0, "and stays open");
    hash_pool_stop(&pool);
    hash_pool_stop(&pool);
    err_clear(&err);
    CHECK(hash_pool_file(&pool, fd, 3, str_span("abc"), &digest, &err) == -1 &&
              err.what == ERR_WORKER,
          "a stopped pool is ERR_WORKER");
    close(fd);
    MUST(hash_pool_start(&pool, WORKERS_MAX + 5, &err) == -1 || pool.n == WORKERS_MAX);
    CHECK_U64(pool.n, WORKERS_MAX, "a pool has at most %u workers", WORKERS_MAX);
    hash_pool_stop(&pool);
}

int main(void)
{
    static struct files files;
    fixture_begin();
    int before = fixture_descriptors();
    make_files(&files);
    check_pool(1, &files);
    check_pool(2, &files);
    check_pool(7, &files);
    check_pool_file();
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
    fixture_end();
    return check_end();
}
