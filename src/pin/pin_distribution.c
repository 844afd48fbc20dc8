/* lema-pin distribution DIR NAME: a tree's manifest (specification 2). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/dist.h"
#include "pin/pin.h"

struct entry {
    char *path; /* relative */
    struct stat st;
    char *target;         /* of a symlink */
    struct digest sha256; /* of a file */
};

struct entries {
    struct entry **p;
    size_t n, max;
};

static int compare_paths(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static struct entry *new_entry(struct entries *list, const char *path)
{
    if (list->n == DISTRIBUTION_ENTRIES_MAX)
        pin_die(path, "the tree has more than %u entries", DISTRIBUTION_ENTRIES_MAX);
    for (const char *c = path; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            pin_die(path, "the path holds a control byte");
    if (list->n == list->max) {
        list->max = 2 * list->max + 1024;
        list->p = pin_grow(list->p, list->max, sizeof(struct entry *));
    }
    struct entry *e = pin_grow(NULL, 1, sizeof *e);
    memset(e, 0, sizeof *e);
    e->path = pin_join(path);
    list->p[list->n++] = e;
    return e;
}

/* The descriptor must be the object that was looked at. */
static int open_entry(int dirfd, const char *name, const struct entry *e, int flags)
{
    struct stat st;
    int fd = openat(dirfd, name, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0)
        pin_die_errno(e->path, errno);
    if (st.st_dev != e->st.st_dev || st.st_ino != e->st.st_ino)
        pin_die(e->path, "was replaced while it was read");
    return fd;
}

static void read_file(int dirfd, const char *name, struct entry *e)
{
    static uint8_t buffer[1 << 20];
    struct sha256 h;
    uint64_t size = 0;
    ssize_t n;
    int fd = open_entry(dirfd, name, e, 0);
    sha256_init(&h);
    while ((n = read(fd, buffer, sizeof buffer)) > 0) {
        sha256_add(&h, buffer, (size_t)n);
        size += (uint64_t)n;
    }
    if (n < 0)
        pin_die_errno(e->path, errno);
    if (size != (uint64_t)e->st.st_size)
        pin_die(e->path, "changed its size while it was read");
    sha256_end(&h, &e->sha256);
    close(fd);
}

static void read_target(int dirfd, const char *name, struct entry *e)
{
    char target[PATH_BYTES_MAX + 1];
    ssize_t n = readlinkat(dirfd, name, target, sizeof target);
    if (n < 0)
        pin_die_errno(e->path, errno);
    struct span s = {(const uint8_t *)target, (size_t)n};
    if (!manifest_target_stays(str_span(e->path), s))
        pin_die(e->path,
                "the link's target is not relative inside the tree, with every \"..\" first");
    e->target = pin_copy(s);
}

static void read_directory(struct entries *list, int fd, const char *path);

static void read_entry(struct entries *list, int dirfd, const char *name, const char *path)
{
    struct entry *e = new_entry(list, path);
    if (fstatat(dirfd, name, &e->st, AT_SYMLINK_NOFOLLOW) != 0)
        pin_die_errno(path, errno);
    if (S_ISDIR(e->st.st_mode))
        read_directory(list, open_entry(dirfd, name, e, O_DIRECTORY), path);
    else if (S_ISREG(e->st.st_mode))
        read_file(dirfd, name, e);
    else if (S_ISLNK(e->st.st_mode))
        read_target(dirfd, name, e);
    else
        pin_die(path, "is neither a regular file nor a directory nor a symbolic link");
}

/* Recursion is bounded by the tree's depth, which manifest_parse checks in the end. */
static void read_directory(struct entries *list, int fd, const char *path)
{
    DIR *dir = fdopendir(fd);
    if (dir == NULL)
        pin_die_errno(path, errno);
    for (;;) {
        errno = 0;
        struct dirent *d = readdir(dir);
        if (d == NULL && errno != 0)
            pin_die_errno(path, errno);
        if (d == NULL)
            break;
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0) {
            char *below = pin_join(path, path[0] != '\0' ? "/" : "", d->d_name);
            read_entry(list, dirfd(dir), d->d_name, below);
        }
    }
    closedir(dir);
}

static void add_row(struct pin_text *t, const struct entry *e)
{
    if (S_ISDIR(e->st.st_mode)) {
        pin_add(t, "d - - - %s\n", e->path);
    } else if (S_ISLNK(e->st.st_mode)) {
        pin_add(t, "l - - %s %s\n", e->target, e->path);
    } else {
        char hex[DIGEST_HEX_BYTES];
        digest_hex(&e->sha256, hex);
        pin_add(t, "f %c %llu %s %s\n", (e->st.st_mode & 0111) != 0 ? 'x' : '-',
                (unsigned long long)e->st.st_size, hex, e->path);
    }
}

int pin_distribution(const char *dir, const char *name)
{
    struct entries list = {NULL, 0, 0};
    struct pin_text text = {NULL, 0, 0};
    struct err err;
    err_clear(&err);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        pin_die_errno(dir, errno);
    read_directory(&list, fd, "");
    if (list.n > 0)
        pin_sort((void **)list.p, list.n, compare_paths);
    pin_add(&text, "lema-manifest v1 %s\n", name);
    for (size_t i = 0; i < list.n; i++)
        add_row(&text, list.p[i]);
    struct manifest *m = pin_grow(NULL, 1, sizeof *m);
    if (manifest_parse(m, (struct span){(const uint8_t *)text.p, text.n}, &err) != 0)
        pin_die_err(&err);
    pin_print(&text);
    return 0;
}
