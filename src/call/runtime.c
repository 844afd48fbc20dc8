/* Loading a configuration.  Layer: call.
 *
 * In order: the file is walked and read; its bytes are hashed and parsed by
 * workers; its three paths are walked; overlap is decided by device and inode
 * along the walks and by the place on the file system; a latch is proved
 * writable; the distribution is verified whole. */
#include "call/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "evidence/record.h"
#include "host/file.h"

#define SELF_PATH "/proc/self/exe"
#define COPY_BYTES 65536u

void runtime_init(struct runtime *rt)
{
    memset(rt, 0, sizeof *rt);
    rt->clock = &clock_system;
    delegated_init(&rt->delegated);
    rt->launcher.socket = -1;
    rt->config_worker.to = rt->config_worker.from = -1;
    rt->ledger_worker.to = rt->ledger_worker.from = -1;
    rt->record_worker.to = rt->record_worker.from = -1;
    rt->machine = (struct machine_source){-1, -1, -1};
    walk_init(&rt->config_file);
    walk_init(&rt->distribution);
    walk_init(&rt->output);
    walk_init(&rt->lock);
    rt->work_fd = rt->modules_fd = rt->artifacts_fd = rt->self_fd = -1;
}

static int copy_self(int from, int to, struct err *err)
{
    uint8_t buffer[COPY_BYTES];

    for (;;) {
        ssize_t n = read(from, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, ERR_IO, "read", errno, str_span(SELF_PATH), NULL);
        if (n == 0)
            return 0;
        if (file_write_all(to, buffer, (size_t)n, str_span("memfd"), err) != 0)
            return -1;
    }
}

/* A sealed copy of lema's own file: what INNER and INIT run from, so that
 * nothing can change it under them. */
static int seal_self(struct runtime *rt, struct err *err)
{
    int from = open(SELF_PATH, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return err_sys(err, ERR_IO, "open", errno, str_span(SELF_PATH), NULL);
    rt->self_fd = sys_memfd_executable("lema");
    int result = rt->self_fd < 0
                     ? err_sys(err, ERR_IO, "memfd_create", errno, str_span("lema"), NULL)
                     : copy_self(from, rt->self_fd, err);
    fd_close(&from);
    if (result == 0 && fcntl(rt->self_fd, F_ADD_SEALS,
                             F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        result = err_sys(err, ERR_IO, "fcntl", errno, str_span("F_ADD_SEALS"), NULL);
    if (result != 0)
        fd_close(&rt->self_fd);
    return result;
}

int runtime_delegate(struct runtime *rt, struct err *err)
{
    return delegated_take(&rt->delegated, geteuid(), err);
}

int runtime_start(struct runtime *rt, struct err *err)
{
    rt->uid = geteuid();
    (void)seal_self(rt, &rt->self_err); /* load_whole asks for it */
    if (launcher_start(&rt->launcher, rt->self_fd, err) != 0 ||
        worker_start(&rt->config_worker, config_duty, err) != 0 ||
        worker_start(&rt->ledger_worker, ledger_duty, err) != 0 ||
        worker_start(&rt->record_worker, record_duty, err) != 0 ||
        hash_pool_start(&rt->pool, 0, err) != 0)
        return -1;
    if (pins_load(&rt->pins, err) != 0)
        return -1;
    return machine_source_open(&rt->machine, err);
}

void runtime_close(struct runtime *rt)
{
    walk_close(&rt->config_file);
    walk_close(&rt->distribution);
    walk_close(&rt->output);
    walk_close(&rt->lock);
    fd_close(&rt->work_fd);
    fd_close(&rt->modules_fd);
    fd_close(&rt->artifacts_fd);
    fd_close(&rt->self_fd);
    machine_source_close(&rt->machine);
    hash_pool_stop(&rt->pool);
    worker_stop(&rt->record_worker);
    worker_stop(&rt->ledger_worker);
    worker_stop(&rt->config_worker);
    launcher_stop(&rt->launcher);
    delegated_leave(&rt->delegated); /* none of the others is in it any more */
}

/* Walk to the configuration file, read and hash it.
 * returns  its length, or -1 */
static ssize_t read_config_file(struct runtime *rt, struct walk *w, struct span path,
                                uint8_t bytes[static CONFIG_BYTES_MAX], struct digest *sha256,
                                struct err *err)
{
    if (walk_path(w, path, WALK_FILE, O_RDONLY, rt->uid, err) != 0)
        return -1;
    if (w->st.st_size > CONFIG_BYTES_MAX)
        return err_set(err, ERR_CONFIG, path, "%lld bytes, at most %u are taken",
                       (long long)w->st.st_size, CONFIG_BYTES_MAX);
    ssize_t n = file_read(w->fd, bytes, CONFIG_BYTES_MAX, path, err);
    if (n >= 0)
        sha256_of(bytes, (size_t)n, sha256);
    return n;
}

static int load_config(struct runtime *rt, struct span path, struct err *err)
{
    uint8_t bytes[CONFIG_BYTES_MAX];

    if (walk_check_text(path, err) != 0)
        return -1;
    if (!str_copy(rt->config_path, sizeof rt->config_path, path))
        return err_set(err, ERR_PATH, path, "too long");
    ssize_t n = read_config_file(rt, &rt->config_file, path, bytes, &rt->config_sha256, err);
    if (n < 0)
        return -1;
    return config_read(&rt->config_worker, bytes, (size_t)n, path, &rt->config, err);
}

static int walk_objects(struct runtime *rt, struct err *err)
{
    const struct config *c = &rt->config;

    if (walk_path(&rt->distribution, str_span(c->distribution), WALK_DIRECTORY, O_RDONLY, rt->uid,
                  err) != 0 ||
        walk_path(&rt->output, str_span(c->output), WALK_DIRECTORY, O_RDONLY, rt->uid, err) != 0)
        return -1;
    return walk_path(&rt->lock, str_span(c->shared_lock), WALK_FILE, O_RDONLY, rt->uid, err);
}

/* One object in another, by the walk and by the place on the file system. */
static int refuse_inside(const struct walk *object, const char *path, const struct walk *outer,
                         const char *outer_path, const char *what, struct err *err)
{
    struct mounts_place a, b;

    if (mounts_place_of(object, str_span(path), &a, err) != 0 ||
        mounts_place_of(outer, str_span(outer_path), &b, err) != 0)
        return -1;
    if (walk_is_inside(object, walk_id_of(&outer->st)) || mounts_is_inside(&a, &b))
        return err_set(err, ERR_OVERLAP, str_span(path), "%s", what);
    return 0;
}

static int refuse_overlaps(const struct runtime *rt, struct err *err)
{
    const struct config *c = &rt->config;

    if (refuse_inside(&rt->output, c->output, &rt->distribution, c->distribution,
                      "the output lies inside the distribution", err) != 0 ||
        refuse_inside(&rt->distribution, c->distribution, &rt->output, c->output,
                      "the distribution lies inside the output", err) != 0 ||
        refuse_inside(&rt->lock, c->shared_lock, &rt->distribution, c->distribution,
                      "the lock lies inside the distribution", err) != 0)
        return -1;
    return refuse_inside(&rt->config_file, rt->config_path, &rt->distribution, c->distribution,
                         "the configuration lies inside the distribution", err);
}

static int prove_latches(struct runtime *rt, struct err *err)
{
    if (latch_places(rt->latch, rt->output.fd, rt->lock.parent_fd, rt->lock.name, err) != 0)
        return -1;
    for (size_t i = 0; i < LATCHES; i++)
        if (latch_probe(&rt->latch[i], err) != 0)
            return -1;
    return 0;
}

static int make_directories(struct runtime *rt, struct err *err)
{
    if ((rt->work_fd = file_directory(rt->output.fd, "work", rt->uid, err)) < 0 ||
        (rt->modules_fd = file_directory(rt->output.fd, "modules", rt->uid, err)) < 0)
        return -1;
    rt->artifacts_fd = file_directory(rt->output.fd, "artifacts", rt->uid, err);
    return rt->artifacts_fd < 0 ? -1 : 0;
}

/* The directories of a verified distribution must not be one of those on the
 * way to the output, the lock or the configuration (specification 3). */
static int refuse_held(const struct runtime *rt, const struct walk *w, const char *path,
                       struct err *err)
{
    for (size_t i = 0; i < w->chain_n; i++)
        if (dist_holds_directory(&rt->dist, w->chain[i]))
            return err_set(err, ERR_OVERLAP, str_span(path), "lies inside the distribution");
    return 0;
}

static int hash_self(struct runtime *rt, struct err *err)
{
    struct stat st;

    if (rt->self_fd < 0) {
        *err = rt->self_err;
        return -1;
    }
    if (fstat(rt->self_fd, &st) != 0)
        return err_sys(err, ERR_IO, "fstat", errno, str_span("lema"), NULL);
    return hash_pool_file(&rt->pool, rt->self_fd, (uint64_t)st.st_size, str_span("lema"),
                          &rt->self_sha256, err);
}

static int load_whole(struct runtime *rt, const struct dist_progress *progress, struct err *err)
{
    if (make_directories(rt, err) != 0 || hash_self(rt, err) != 0)
        return -1;
    if (dist_verify(&rt->dist, &rt->pins.manifest, rt->distribution.fd, rt->uid, &rt->pool,
                    progress, err) != 0)
        return -1;
    if (refuse_held(rt, &rt->output, rt->config.output, err) != 0 ||
        refuse_held(rt, &rt->lock, rt->config.shared_lock, err) != 0 ||
        refuse_held(rt, &rt->config_file, rt->config_path, err) != 0)
        return -1;
    rt->whole = true;
    return 0;
}

int runtime_load(struct runtime *rt, struct span path, enum runtime_depth depth,
                 const struct dist_progress *progress, struct err *err)
{
    if (load_config(rt, path, err) != 0 || walk_objects(rt, err) != 0 ||
        refuse_overlaps(rt, err) != 0 || prove_latches(rt, err) != 0)
        return -1;
    return depth == RUNTIME_WHOLE ? load_whole(rt, progress, err) : 0;
}

/* Walk again: it must be protected still, and the object of the first walk. */
static int walk_again(const struct runtime *rt, const struct walk *before, const char *path,
                      enum walk_kind kind, struct err *err)
{
    struct walk now;

    walk_init(&now);
    if (walk_path(&now, str_span(path), kind, O_RDONLY, rt->uid, err) != 0)
        return -1;
    bool equal = walk_id_equal(walk_id_of(&now.st), walk_id_of(&before->st));
    walk_close(&now);
    if (!equal)
        return err_set(err, ERR_CHANGED, str_span(path), "replaced since it was loaded");
    return 0;
}

int runtime_recheck(struct runtime *rt, struct err *err)
{
    uint8_t bytes[CONFIG_BYTES_MAX];
    struct digest now;
    struct walk w;

    walk_init(&w);
    ssize_t n = read_config_file(rt, &w, str_span(rt->config_path), bytes, &now, err);
    walk_close(&w);
    if (n < 0)
        return -1;
    if (!digest_equal(&now, &rt->config_sha256))
        return err_set(err, ERR_CHANGED, str_span(rt->config_path),
                       "the configuration's contents changed since it was loaded");
    if (walk_again(rt, &rt->distribution, rt->config.distribution, WALK_DIRECTORY, err) != 0 ||
        walk_again(rt, &rt->output, rt->config.output, WALK_DIRECTORY, err) != 0)
        return -1;
    return walk_again(rt, &rt->lock, rt->config.shared_lock, WALK_FILE, err);
}
