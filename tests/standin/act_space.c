/* Directives: memory, disk, numbers of entries. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "act.h"
#include "files.h"
#include "names.h"

#define MIB_BYTES ((size_t)1 << 20)

void act_allocate(struct directive_context *c, const struct arguments *a)
{
    uint64_t asked = argument_number(a, 0, 0);
    uint64_t made = 0;
    int error = 0;

    (void)c;
    while (made < asked && error == 0) {
        void *at =
            mmap(NULL, MIB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (at == MAP_FAILED) {
            error = errno;
        } else {
            memset(at, 0x5a, MIB_BYTES);
            made++;
        }
    }
    say("allocate: asked %llu MiB, made %llu, error %s", (unsigned long long)asked,
        (unsigned long long)made, errno_name(error));
}

/* Writes `bytes` bytes; returns how many were written and leaves errno, 0 for none. */
static uint64_t fill(int fd, uint64_t bytes)
{
    char block[65536];
    uint64_t made = 0;

    memset(block, 0x5a, sizeof block);
    errno = 0;
    while (made < bytes) {
        size_t n = bytes - made < sizeof block ? (size_t)(bytes - made) : sizeof block;
        ssize_t wrote = write(fd, block, n);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return made;
        made += (uint64_t)wrote;
    }
    errno = 0;
    return made;
}

/* The descriptor stays open, so that the space stays taken. */
static void fill_and_say(const char *name, int fd, uint64_t bytes)
{
    int error = errno;
    uint64_t made = 0;

    if (fd >= 0) {
        made = fill(fd, bytes);
        error = errno;
    }
    say("%s: asked %llu bytes, made %llu, error %s", name, (unsigned long long)bytes,
        (unsigned long long)made, errno_name(error));
}

void act_allocate_tmpfile(struct directive_context *c, const struct arguments *a)
{
    struct text path = {0};
    const char *folder = getenv("TMPDIR");
    int fd;

    (void)c;
    text_addf(&path, "%s/standin-XXXXXX", folder == NULL ? "/tmp" : folder);
    fd = mkstemp(path.p);
    if (fd >= 0)
        unlink(path.p);
    fill_and_say("allocate-tmpfile", fd, argument_number(a, 0, 0) * MIB_BYTES);
}

void act_allocate_memfd(struct directive_context *c, const struct arguments *a)
{
    int fd = (int)syscall(SYS_memfd_create, "standin", 0U);

    (void)c;
    fill_and_say("allocate-memfd", fd, argument_number(a, 0, 0) * MIB_BYTES);
}

void act_fill_disk(struct directive_context *c, const struct arguments *a)
{
    int fd = open(a->at[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    (void)c;
    fill_and_say("fill-disk", fd, argument_number(a, 0, 0));
    if (fd >= 0)
        close(fd);
}

void act_sparse_file(struct directive_context *c, const struct arguments *a)
{
    int fd = open(a->at[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int result = fd < 0 ? -1 : ftruncate(fd, (off_t)argument_number(a, 0, 0));

    (void)c;
    say("sparse-file: %s", errno_name(result == 0 ? 0 : errno));
    if (fd >= 0)
        close(fd);
}

void act_many_files(struct directive_context *c, const struct arguments *a)
{
    const char *folder = argument(a, 1, "many");
    uint64_t asked = argument_number(a, 0, 0);
    uint64_t made = 0;
    int error = 0;

    (void)c;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        error = errno;
    while (made < asked && error == 0) {
        struct text path = {0};
        int fd;

        text_addf(&path, "%s/%08llu", folder, (unsigned long long)made);
        fd = open(path.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) {
            error = errno;
        } else {
            close(fd);
            made++;
        }
        free(path.p);
    }
    say("many-files: asked %llu, made %llu, error %s", (unsigned long long)asked,
        (unsigned long long)made, errno_name(error));
}

/* Makes and enters one folder named "d"; -1 if that fails. */
static int deeper(int *at)
{
    int below;

    if (mkdirat(*at, "d", 0777) != 0 && errno != EEXIST)
        return -1;
    below = openat(*at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (below < 0)
        return -1;
    if (*at != AT_FDCWD)
        close(*at);
    *at = below;
    return 0;
}

void act_deep_dirs(struct directive_context *c, const struct arguments *a)
{
    uint64_t asked = argument_number(a, 0, 0);
    uint64_t made = 0;
    int at = AT_FDCWD;
    int error = 0;

    (void)c;
    while (made < asked && error == 0) {
        if (deeper(&at) != 0)
            error = errno;
        else
            made++;
    }
    if (at != AT_FDCWD)
        close(at);
    say("deep-dirs: asked %llu, made %llu, error %s", (unsigned long long)asked,
        (unsigned long long)made, errno_name(error));
}
