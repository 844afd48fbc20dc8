/* The whole distribution: verified against the manifest, compared with its
 * snapshot.  Layer: host.
 *
 * Verification runs inside the hash pool's loop: the pool asks for the next
 * file (next_file), which looks at rows until one is a file to hash, and gives
 * digests back (file_done) in an order of its own.  So an error is kept with
 * its row, no more files are given out, and the lowest row wins. */
#include "host/dist.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file.h"
#include "host/tree.h"

struct verify {
    struct dist *d;
    struct tree tree;
    size_t row;   /* that comes next */
    bool stopped; /* by an error; nothing more is given to the pool */
    size_t wrong; /* the row that error is about */
    struct err why;
    const struct dist_progress *progress;
    uint64_t bytes_done, bytes_all;
};

/* --- One row ---------------------------------------------------------------------------- */

/* Keep an error if it is about an earlier row than the one that is kept. */
static void keep(struct verify *v, size_t row, const struct err *why)
{
    if (!v->stopped || row < v->wrong) {
        v->wrong = row;
        v->why = *why;
        if (v->why.what == ERR_PATH)
            v->why.what = ERR_DISTRIBUTION;
    }
    v->stopped = true;
}

static int check_directory(struct verify *v, size_t i, int dirfd, const char *name,
                           const struct manifest_row *row, struct err *err)
{
    struct stat st;
    int fd = walk_component(dirfd, name, WALK_DIRECTORY, O_RDONLY, v->d->uid, true, row->path, &st,
                            NULL, err);
    if (fd < 0)
        return -1;
    fd_close(&fd);
    v->d->entry[i] = tree_metadata(&st);
    return manifest_has_entries(v->d->manifest, i) ? 0 : tree_check_empty(&v->tree, i, err);
}

static int check_link(struct verify *v, size_t i, int dirfd, const char *name,
                      const struct manifest_row *row, struct err *err)
{
    struct stat st;
    char target[PATH_BYTES_MAX + 1];
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        int sys = errno;
        return err_sys(err, ERR_DISTRIBUTION, "fstatat", sys, row->path,
                       sys == ENOENT ? "does not exist" : "cannot be looked at");
    }
    if (!S_ISLNK(st.st_mode))
        return err_set(err, ERR_DISTRIBUTION, row->path, "expected a symbolic link");
    if (st.st_uid != 0 && st.st_uid != v->d->uid)
        return err_set(err, ERR_DISTRIBUTION, row->path,
                       "expected owner root or uid %lu, found uid %lu", (unsigned long)v->d->uid,
                       (unsigned long)st.st_uid);
    ssize_t n = readlinkat(dirfd, name, target, sizeof target);
    if (n < 0)
        return err_sys(err, ERR_DISTRIBUTION, "readlinkat", errno, row->path, NULL);
    if (!str_equal(row->target, (struct span){(const uint8_t *)target, (size_t)n}))
        return err_set(err, ERR_DISTRIBUTION, row->path, "the link's target is not the pinned one");
    v->d->entry[i] = tree_metadata(&st);
    return 0;
}

/* returns  an open descriptor, or -1 */
static int check_file(struct verify *v, size_t i, int dirfd, const char *name,
                      const struct manifest_row *row, struct err *err)
{
    struct stat st;
    int fd = walk_component(dirfd, name, WALK_FILE, O_RDONLY, v->d->uid, true, row->path, &st, NULL,
                            err);
    if (fd < 0)
        return -1;
    bool executable = (st.st_mode & 0111) != 0;
    if ((uint64_t)st.st_size != row->size)
        err_set(err, ERR_DISTRIBUTION, row->path, "expected %llu bytes, found %llu",
                (unsigned long long)row->size, (unsigned long long)st.st_size);
    else if (executable != row->executable)
        err_set(err, ERR_DISTRIBUTION, row->path, "expected a file %s x bit, found mode %04o",
                row->executable ? "with an" : "without", (unsigned)(st.st_mode & 07777));
    else {
        v->d->entry[i] = tree_metadata(&st);
        return fd;
    }
    fd_close(&fd);
    return -1;
}

/* Look at row i.  *fd is set if it is a file, which must be hashed. */
static int check_row(struct verify *v, size_t i, int *fd, uint64_t *size, struct err *err)
{
    struct manifest_row row;
    char name[COMPONENT_BYTES_MAX + 1];
    int dirfd = tree_go(&v->tree, i, name, err);
    if (dirfd < 0)
        return -1;
    manifest_row(v->d->manifest, i, &row);
    if (row.type == 'd')
        return check_directory(v, i, dirfd, name, &row, err);
    if (row.type == 'l')
        return check_link(v, i, dirfd, name, &row, err);
    *size = row.size;
    *fd = check_file(v, i, dirfd, name, &row, err);
    return *fd < 0 ? -1 : 0;
}

/* --- The pool's questions --------------------------------------------------------------- */

static int next_file(void *arg, int *fd, uint64_t *size, uint64_t *cookie, struct err *ignored)
{
    struct verify *v = arg;
    struct err err;
    (void)ignored; /* errors are kept by row */
    err_clear(&err);
    *fd = -1;
    while (!v->stopped && v->row < v->d->manifest->n) {
        size_t i = v->row++;
        if (check_row(v, i, fd, size, &err) != 0)
            keep(v, i, &err);
        *cookie = i;
        if (*fd >= 0)
            return 1;
    }
    if (!v->stopped && tree_finish(&v->tree, &err) != 0)
        keep(v, v->row, &err);
    return 0;
}

static int file_done(void *arg, int fd, uint64_t cookie, bool whole, const struct digest *digest,
                     struct err *ignored)
{
    struct verify *v = arg;
    struct manifest_row row;
    struct err err;
    (void)fd;
    (void)ignored;
    err_clear(&err);
    manifest_row(v->d->manifest, cookie, &row);
    if (!whole)
        err_set(&err, ERR_DISTRIBUTION, row.path, "cannot be read whole");
    else if (!digest_equal(digest, &row.sha256)) {
        char want[DIGEST_HEX_BYTES], found[DIGEST_HEX_BYTES];
        digest_hex(&row.sha256, want);
        digest_hex(digest, found);
        err_set(&err, ERR_DISTRIBUTION, row.path, "expected sha256 %s, found %s", want, found);
    }
    if (err.what != ERR_NONE)
        keep(v, cookie, &err);
    v->bytes_done += row.size;
    if (v->progress != NULL)
        v->progress->step(v->progress->arg, v->bytes_done, v->bytes_all);
    return 0;
}

/* --- The whole tree ------------------------------------------------------------------------ */

static uint64_t sum_of_sizes(const struct manifest *m)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct manifest_row row;
        if (manifest_type(m, i) != 'f')
            continue;
        manifest_row(m, i, &row);
        sum += row.size;
    }
    return sum;
}

static int check_root(struct dist *d, struct err *err)
{
    struct stat st;
    const struct span shown = str_span(".");
    if (fstat(d->root_fd, &st) != 0)
        return err_sys(err, ERR_DISTRIBUTION, "fstat", errno, shown, NULL);
    if (walk_check_protected(&st, d->uid, shown, err) != 0) {
        err->what = ERR_DISTRIBUTION;
        return -1;
    }
    d->root = tree_metadata(&st);
    return 0;
}

int dist_verify(struct dist *d, const struct manifest *m, int root_fd, uid_t uid,
                struct hash_pool *pool, const struct dist_progress *progress, struct err *err)
{
    struct verify v = {.d = d, .progress = progress};
    const struct hash_source source = {.next = next_file, .done = file_done, .arg = &v};
    d->root_fd = root_fd;
    d->uid = uid;
    d->manifest = m;
    if (check_root(d, err) != 0 || tree_open(&v.tree, d, err) != 0)
        return -1;
    v.bytes_all = progress != NULL ? sum_of_sizes(m) : 0;
    int run = hash_pool_run(pool, &source, err);
    tree_close(&v.tree);
    if (run != 0)
        return -1;
    if (!v.stopped)
        return dist_compare(d, err);
    if (err->what == ERR_NONE)
        *err = v.why;
    return -1;
}

static int compare_row(struct tree *t, size_t i, struct err *err)
{
    struct stat st;
    char name[COMPONENT_BYTES_MAX + 1];
    const struct dist *d = t->d;
    const struct span path = manifest_path(d->manifest, i);
    int dirfd = tree_go(t, i, name, err);
    if (dirfd < 0)
        return -1;
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        int sys = errno;
        return err_sys(err, ERR_DISTRIBUTION, "fstatat", sys, path,
                       sys == ENOENT ? "does not exist any more" : "cannot be looked at");
    }
    if (tree_compare(&d->entry[i], &st, path, err) != 0)
        return -1;
    if (manifest_type(d->manifest, i) != 'd' || manifest_has_entries(d->manifest, i))
        return 0;
    return tree_check_empty(t, i, err);
}

int dist_compare(const struct dist *d, struct err *err)
{
    struct tree tree;
    int result = tree_open(&tree, d, err);
    for (size_t i = 0; i < d->manifest->n && result == 0; i++)
        result = compare_row(&tree, i, err);
    if (result == 0)
        result = tree_finish(&tree, err);
    tree_close(&tree);
    return result;
}

bool dist_holds_directory(const struct dist *d, struct walk_id id)
{
    if (d->root.dev == id.dev && d->root.ino == id.ino)
        return true;
    for (size_t i = 0; i < d->manifest->n; i++)
        if (manifest_type(d->manifest, i) == 'd' && d->entry[i].dev == id.dev &&
            d->entry[i].ino == id.ino)
            return true;
    return false;
}
