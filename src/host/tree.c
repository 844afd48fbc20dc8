/* A descent through the distribution's directories.  Layer: host. */
#include "host/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "host/file.h"

#define LIST_BYTES 32768u

/* --- Metadata --------------------------------------------------------------------- */

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_nsec;
}

struct dist_metadata tree_metadata(const struct stat *st)
{
    return (struct dist_metadata){
        .dev = (uint64_t)st->st_dev,
        .ino = (uint64_t)st->st_ino,
        .size = (uint64_t)st->st_size,
        .mtime_ns = nanoseconds(st->st_mtim),
        .ctime_ns = nanoseconds(st->st_ctim),
        .mode = st->st_mode,
        .nlink = (uint32_t)st->st_nlink,
        .uid = st->st_uid,
        .gid = st->st_gid,
    };
}

int tree_compare(const struct dist_metadata *want, const struct stat *st, struct span shown,
                 struct err *err)
{
    const struct dist_metadata got = tree_metadata(st);
    const struct {
        const char *name;
        uint64_t want, got;
    } fields[] = {
        {"device", want->dev, got.dev},
        {"inode", want->ino, got.ino},
        {"mode", want->mode, got.mode},
        {"owner", want->uid, got.uid},
        {"group", want->gid, got.gid},
        {"link count", want->nlink, got.nlink},
        {"size", want->size, got.size},
        {"mtime in ns", (uint64_t)want->mtime_ns, (uint64_t)got.mtime_ns},
        {"ctime in ns", (uint64_t)want->ctime_ns, (uint64_t)got.ctime_ns},
    };
    if (memcmp(want, &got, sizeof got) == 0)
        return 0;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].want != fields[i].got)
            return err_set(err, ERR_DISTRIBUTION, shown,
                           "changed since it was verified: %s was %llu, is %llu", fields[i].name,
                           (unsigned long long)fields[i].want, (unsigned long long)fields[i].got);
    return 0;
}

/* --- Listing ------------------------------------------------------------------------ */

/* Names of one directory, one after the other. */
struct list {
    int fd;
    size_t n, at;
    alignas(8) char buffer[LIST_BYTES];
};

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The next name.  returns  1, 0 at the end, -1 with errno */
static int list_next(struct list *l, const char **name)
{
    for (;;) {
        if (l->at == l->n) {
            ssize_t got = sys_getdents64(l->fd, l->buffer, sizeof l->buffer);
            if (got <= 0)
                return (int)got;
            l->n = (size_t)got;
            l->at = 0;
        }
        /* getdents64(2): d_reclen at 16, d_name at 19, as in struct dirent of both libcs */
        const char *entry = l->buffer + l->at;
        unsigned short length;
        memcpy(&length, entry + offsetof(struct dirent, d_reclen), sizeof length);
        *name = entry + offsetof(struct dirent, d_name);
        l->at += length;
        if (!is_dot(*name))
            return 1;
    }
}

static struct span shown_path(const struct tree_level *level)
{
    return level->path.n > 0 ? level->path : str_span(".");
}

static int cannot_list(const struct tree_level *level, struct err *err, int sys)
{
    return err_sys(err, ERR_DISTRIBUTION, "getdents64", sys, shown_path(level), "cannot be listed");
}

static int count_entries(struct tree_level *level, struct err *err)
{
    struct list list;
    const char *name;
    int got;
    list.fd = level->fd;
    list.n = list.at = 0;
    if (lseek(level->fd, 0, SEEK_SET) != 0) /* the root's descriptor was listed before */
        return cannot_list(level, err, errno);
    level->listed = 0;
    while ((got = list_next(&list, &name)) > 0)
        level->listed++;
    return got == 0 ? 0 : cannot_list(level, err, errno);
}

/* There are more entries than rows: name one that has none. */
static int name_extra(const struct tree *t, const struct tree_level *level, struct err *err)
{
    struct list list;
    const char *name;
    char buffer[PATH_BYTES_MAX + COMPONENT_BYTES_MAX + 2];
    list.fd = level->fd;
    list.n = list.at = 0;
    if (lseek(level->fd, 0, SEEK_SET) != 0)
        return cannot_list(level, err, errno);
    while (list_next(&list, &name) > 0) {
        struct text path = text_on(buffer, sizeof buffer);
        text_add(&path, level->path);
        text_adds(&path, level->path.n > 0 ? "/" : "");
        text_adds(&path, name);
        if (manifest_find(t->d->manifest, text_span(&path)) == SIZE_MAX)
            return err_set(err, ERR_DISTRIBUTION, text_span(&path), "is not in the manifest");
    }
    return err_set(err, ERR_DISTRIBUTION, shown_path(level), "changed while it was read");
}

/* --- Levels ---------------------------------------------------------------------------- */

/* What a walk found wrong is wrong with the distribution. */
static int refuse_walk(const struct err *walked, struct err *err)
{
    if (err->what == ERR_NONE)
        *err = *walked;
    if (err->what == ERR_PATH)
        err->what = ERR_DISTRIBUTION;
    return -1;
}

/* Open the directory of row i below the top level. */
static int enter(struct tree *t, size_t i, struct span path, struct span name, struct err *err)
{
    const struct dist *d = t->d;
    struct tree_level *level = &t->level[t->depth];
    char buffer[COMPONENT_BYTES_MAX + 1];
    struct stat st;
    struct err walked;
    err_clear(&walked);
    if (t->depth > DISTRIBUTION_DEPTH_MAX || !str_copy(buffer, sizeof buffer, name))
        return err_set(err, ERR_INTERNAL, path, "is not a row of a parsed manifest");
    *level = (struct tree_level){.path = path};
    level->fd = walk_component(t->level[t->depth - 1].fd, buffer, WALK_DIRECTORY, O_RDONLY, d->uid,
                               true, path, &st, NULL, &walked);
    if (level->fd < 0)
        return refuse_walk(&walked, err);
    t->depth++;
    if (tree_compare(&d->entry[i], &st, path, err) != 0)
        return -1;
    return count_entries(level, err);
}

/* Leave the top level. */
static int leave(struct tree *t, struct err *err)
{
    struct tree_level *level = &t->level[t->depth - 1];
    int result = level->listed == level->seen ? 0 : name_extra(t, level, err);
    t->depth--;
    if (t->depth > 0)
        fd_close(&level->fd);
    return result;
}

/* Is the row's path below this level? */
static bool is_below(struct span path, const struct tree_level *level)
{
    struct span dir = level->path;
    if (dir.n == 0)
        return true;
    return path.n > dir.n && path.p[dir.n] == '/' && memcmp(path.p, dir.p, dir.n) == 0;
}

/* Bytes of path up to the end of the component that follows the level's path. */
static size_t next_component_end(struct span path, const struct tree_level *level)
{
    size_t end = level->path.n > 0 ? level->path.n + 1 : 0;
    while (end < path.n && path.p[end] != '/')
        end++;
    return end;
}

int tree_open(struct tree *t, const struct dist *d, struct err *err)
{
    struct stat st;
    t->d = d;
    t->depth = 1;
    t->level[0] = (struct tree_level){.fd = d->root_fd, .path = {NULL, 0}};
    if (fstat(d->root_fd, &st) != 0)
        return err_sys(err, ERR_DISTRIBUTION, "fstat", errno, str_span("."), NULL);
    if (tree_compare(&d->root, &st, str_span("."), err) != 0)
        return -1;
    return count_entries(&t->level[0], err);
}

int tree_go(struct tree *t, size_t i, char name[static COMPONENT_BYTES_MAX + 1], struct err *err)
{
    const struct manifest *m = t->d->manifest;
    const struct span path = manifest_path(m, i);
    while (!is_below(path, &t->level[t->depth - 1]))
        if (leave(t, err) != 0)
            return -1;
    for (;;) {
        struct tree_level *top = &t->level[t->depth - 1];
        size_t begin = top->path.n > 0 ? top->path.n + 1 : 0;
        size_t end = next_component_end(path, top);
        struct span last = {path.p + begin, end - begin};
        if (end == path.n) {
            top->seen++;
            if (str_copy(name, COMPONENT_BYTES_MAX + 1, last))
                return top->fd;
            return err_set(err, ERR_INTERNAL, path, "is not a row of a parsed manifest");
        }
        struct span dir = {path.p, end};
        if (enter(t, manifest_find(m, dir), dir, last, err) != 0)
            return -1;
    }
}

int tree_check_empty(struct tree *t, size_t i, struct err *err)
{
    const struct span path = manifest_path(t->d->manifest, i);
    const struct tree_level *top = &t->level[t->depth - 1];
    size_t begin = top->path.n > 0 ? top->path.n + 1 : 0;
    if (enter(t, i, path, (struct span){path.p + begin, path.n - begin}, err) != 0)
        return -1;
    return leave(t, err);
}

int tree_finish(struct tree *t, struct err *err)
{
    while (t->depth > 0)
        if (leave(t, err) != 0)
            return -1;
    return 0;
}

void tree_close(struct tree *t)
{
    for (; t->depth > 1; t->depth--)
        fd_close(&t->level[t->depth - 1].fd);
    t->depth = 0;
}
