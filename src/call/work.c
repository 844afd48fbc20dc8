/* work/CALL.  Layer: call. */
#include "call/work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "host/file.h"
#include "host/machine.h"
#include "host/walk.h"

#define BLOCK_BYTES 512u /* unit of st_blocks, stat(2) */
#define TMP_NAME "tmp"

static int make_input(int call_fd, const struct work_input *input, struct record_input *record,
                      struct err *err)
{
    struct span shown = str_span(input->name);
    int fd = openat(call_fd, input->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    EVIDENCE_MODE);
    if (fd < 0)
        return err_sys(err, ERR_IO, "openat", errno, shown, NULL);
    int result = file_write_all(fd, input->bytes.p, input->bytes.n, shown, err);
    fd_close(&fd);
    record->path = input->name;
    record->size = input->bytes.n;
    sha256_of(input->bytes.p, input->bytes.n, &record->sha256);
    return result;
}

int work_make(int work_fd, const char *call, const struct work_input *input, size_t n,
              struct record_input *record, uid_t uid, struct err *err)
{
    struct stat st;
    struct span shown = str_span(call);

    if (mkdirat(work_fd, call, OUTPUT_DIRECTORY_MODE) != 0)
        return err_sys(err, errno == EEXIST ? ERR_CALL_NAME : ERR_IO, "mkdirat", errno, shown,
                       errno == EEXIST ? "this call's work directory exists already" : NULL);
    int fd =
        walk_component(work_fd, call, WALK_DIRECTORY, O_RDONLY, uid, true, shown, &st, NULL, err);
    if (fd < 0)
        goto out;
    if (mkdirat(fd, TMP_NAME, OUTPUT_DIRECTORY_MODE) != 0) {
        err_sys(err, ERR_IO, "mkdirat", errno, str_span(TMP_NAME), NULL);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        if (make_input(fd, &input[i], &record[i], err) != 0)
            goto out;
    return fd;
out:
    fd_close(&fd);
    work_unmake(work_fd, call, input, n);
    return -1;
}

void work_unmake(int work_fd, const char *call, const struct work_input *input, size_t n)
{
    int fd = openat(work_fd, call, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    for (size_t i = 0; i < n; i++)
        unlinkat(fd, input[i].name, 0);
    unlinkat(fd, TMP_NAME, AT_REMOVEDIR);
    fd_close(&fd);
    unlinkat(work_fd, call, AT_REMOVEDIR);
}

enum work_type work_type_of(const struct stat *st)
{
    switch (st->st_mode & S_IFMT) {
    case S_IFREG: return WORK_FILE;
    case S_IFDIR: return WORK_DIRECTORY;
    case S_IFLNK: return WORK_SYMLINK;
    case S_IFIFO: return WORK_FIFO;
    case S_IFSOCK: return WORK_SOCKET;
    case S_IFCHR:
    case S_IFBLK: return WORK_DEVICE;
    default: return WORK_OTHER;
    }
}

bool work_links_first(struct work_links *links, const struct stat *st)
{
    const uint64_t slots = sizeof links->ino / sizeof links->ino[0];
    uint64_t slot = (uint64_t)st->st_ino * UINT64_C(0x9e3779b97f4a7c15) % slots;

    if (st->st_nlink < 2 || S_ISDIR(st->st_mode))
        return true;
    while (links->ino[slot] != 0) {
        if (links->ino[slot] == st->st_ino)
            return false;
        slot = (slot + 1) % slots;
    }
    if (links->n >= WORK_ENTRIES_MAX)
        return true; /* counted once too often, never too seldom */
    links->ino[slot] = st->st_ino;
    links->n++;
    return true;
}

int work_iterate(struct work_iterator *it, int call_fd, struct err *err)
{
    it->depth = 0;
    it->too_deep = it->unreadable = false;
    int fd = openat(call_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    it->unreadable = fd < 0 && errno == EACCES; /* the program may change the mode of /call */
    if (it->unreadable)
        return 0;
    if (fd < 0)
        return err_sys(err, ERR_IO, "openat", errno, str_span("work directory"), NULL);
    it->level[0].fd = fd;
    it->level[0].at = it->level[0].n = 0;
    it->level[0].path_n = 0;
    it->depth = 1;
    return 0;
}

void work_iterate_end(struct work_iterator *it)
{
    while (it->depth > 0)
        fd_close(&it->level[--it->depth].fd);
}

/* Enter a directory that was just met.  One that cannot be entered (gone, replaced, mode
 * 000) is still an entry of its own. */
static void descend(struct work_iterator *it, const struct work_entry *entry)
{
    struct stat st;

    if (it->depth > WORK_DEPTH_MAX) {
        it->too_deep = true;
        return;
    }
    int fd = openat(entry->dirfd, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    it->unreadable = it->unreadable || (fd < 0 && errno != ENOENT && errno != ENOTDIR);
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_ino != entry->st.st_ino ||
        st.st_dev != entry->st.st_dev) {
        fd_close(&fd);
        return;
    }
    struct work_level *level = &it->level[it->depth++];
    level->fd = fd;
    level->at = level->n = 0;
    level->path_n = (uint16_t)entry->path.n;
}

/* The next name of the deepest level, NULL at its end.  returns  0, or -1 with ERR_IO */
static int next_name(struct work_level *level, const char **name, struct err *err)
{
    *name = NULL;
    for (;;) {
        if (level->at >= level->n) {
            ssize_t n = sys_getdents64(level->fd, level->buffer, sizeof level->buffer);
            if (n < 0 && errno != ENOENT)
                return err_sys(err, ERR_IO, "getdents64", errno, str_span("work directory"), NULL);
            if (n <= 0)
                return 0;
            level->n = (uint32_t)n;
            level->at = 0;
        }
        const struct dirent *entry =
            (const struct dirent *)(const void *)(level->buffer + level->at);
        level->at += entry->d_reclen;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        *name = entry->d_name;
        return 0;
    }
}

int work_next(struct work_iterator *it, struct work_entry *entry, struct err *err)
{
    while (it->depth > 0) {
        struct work_level *level = &it->level[it->depth - 1];
        const char *name = NULL;
        if (next_name(level, &name, err) != 0)
            return -1;
        if (name == NULL) {
            fd_close(&level->fd);
            it->depth--;
            continue;
        }
        if (fstatat(level->fd, name, &entry->st, AT_SYMLINK_NOFOLLOW) != 0) {
            it->unreadable = it->unreadable || errno == EACCES; /* mode 0400: names, no more */
            if (errno == ENOENT || errno == EACCES)
                continue;
            return err_sys(err, ERR_IO, "fstatat", errno, str_span(name), NULL);
        }
        /* the directory's own path stands there already: add behind it */
        struct text t = {it->path, sizeof it->path, level->path_n, false};
        if (t.n > 0)
            text_adds(&t, "/");
        text_adds(&t, name);
        if (t.overflow)
            return err_set(err, ERR_IO, str_span(name), "a path too long for its depth");
        entry->path = text_span(&t);
        entry->name = name;
        entry->dirfd = level->fd;
        if (S_ISDIR(entry->st.st_mode))
            descend(it, entry);
        return 1;
    }
    return 0;
}

static void judge(struct work_usage *usage, const struct work_iterator *it)
{
    struct text t = text_on(usage->why, sizeof usage->why);

    usage->overflow = true;
    if (usage->bytes > WORK_BYTES_MAX)
        text_adds(&t, "more than 8 GiB");
    else if (usage->entries > WORK_ENTRIES_MAX)
        text_adds(&t, "more than 65,536 entries");
    else if (usage->name_bytes > WORK_NAMES_BYTES_MAX)
        text_adds(&t, "more than 8 MiB of names");
    else if (it->too_deep)
        text_adds(&t, "deeper than 32 directories");
    else if (it->unreadable)
        text_adds(&t, "a directory that cannot be read");
    else if (usage->free_bytes < WORK_FREE_MIN_BYTES)
        text_adds(&t, "less than 1 GiB is free");
    else
        usage->overflow = false;
}

/* A sparse file is as long as it is to whoever hashes it. */
static uint64_t size_of(const struct stat *st)
{
    uint64_t blocks = (uint64_t)st->st_blocks * BLOCK_BYTES;
    uint64_t length = S_ISREG(st->st_mode) && st->st_size > 0 ? (uint64_t)st->st_size : 0;

    return blocks > length ? blocks : length;
}

bool work_count(struct work_usage *usage, struct work_links *links, const struct work_iterator *it,
                struct work_entry *entry)
{
    usage->entries++;
    usage->name_bytes += entry->path.n;
    entry->first = work_links_first(links, &entry->st);
    if (entry->first)
        usage->bytes += size_of(&entry->st);
    judge(usage, it);
    return !usage->overflow;
}

int work_look(int call_fd, struct work_usage *usage, struct err *err)
{
    static struct work_iterator it; /* 200 KiB and 1 MiB: not on the stack */
    static struct work_links links;
    struct work_entry entry;
    int got;

    memset(usage, 0, sizeof *usage);
    if (links.n > 0)
        memset(&links, 0, sizeof links);
    if (machine_free_bytes(call_fd, &usage->free_bytes, err) != 0 ||
        work_iterate(&it, call_fd, err) != 0)
        return -1;
    while ((got = work_next(&it, &entry, err)) == 1)
        if (!work_count(usage, &links, &it, &entry))
            break;
    work_iterate_end(&it);
    judge(usage, &it);
    return got < 0 ? -1 : 0;
}
