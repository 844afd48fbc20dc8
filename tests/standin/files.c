/* Files and descriptors: see files.h. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int fd_write(int fd, struct span bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes = span_after(bytes, (size_t)n);
    }
    return 0;
}

__attribute__((format(printf, 2, 0))) static void line_to(int fd, const char *format, va_list args)
{
    char line[8192];
    int n = vsnprintf(line, sizeof line - 1, format, args);
    size_t length = n < 0 ? 0 : (size_t)n;

    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length] = '\n';
    if (fd_write(fd, (struct span){line, length + 1}) != 0)
        return;
}

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    line_to(1, format, args);
    va_end(args);
}

void die(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    line_to(2, format, args);
    va_end(args);
    exit(code);
}

int fd_read(int fd, struct text *out)
{
    char block[16384];

    for (;;) {
        ssize_t n = read(fd, block, sizeof block);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        text_add(out, (struct span){block, (size_t)n});
    }
}

int file_read(const char *path, struct text *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int result;
    int saved;

    if (fd < 0)
        return -1;
    result = fd_read(fd, out);
    saved = errno;
    close(fd);
    errno = saved;
    return result;
}

int file_map(const char *path, struct span *out)
{
    struct stat st;
    void *at = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int saved;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0)
        goto out;
    if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        goto out;
    }
    if (st.st_size > 0)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        goto out;
    close(fd);
    *out = (struct span){at, (size_t)st.st_size};
    return 0;
out:
    saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

int file_write(const char *path, struct span bytes, bool executable)
{
    mode_t mode = executable ? 0777 : 0666;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    int saved;

    if (fd < 0)
        return -1;
    if (fd_write(fd, bytes) != 0) {
        saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return close(fd);
}

bool file_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

bool is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int own_root(unsigned levels, struct text *root)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    struct span left;

    if (n < 0)
        return -1;
    left = (struct span){path, (size_t)n};
    for (unsigned i = 0; i < levels; i++) {
        while (left.n > 0 && left.p[left.n - 1] != '/')
            left.n--;
        if (left.n > 1)
            left.n--;
    }
    text_add(root, left);
    return 0;
}
