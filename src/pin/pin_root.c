/* Memory, texts and paths of lema-pin. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"
#include "pin/pin.h"

#define PIECE_BYTES ((size_t)4 << 20)
#define BLOCK_ALIGN sizeof(max_align_t)
#define LINKS_MAX 40 /* as the kernel counts */

/* --- Errors ------------------------------------------------------------------------------ */

void pin_die(const char *what, const char *why, ...)
{
    char text[1024];
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    pin_note(what, text);
    exit(1);
}

void pin_die_err(const struct err *err)
{
    char buffer[ERR_TEXT_BYTES];
    struct text t = text_on(buffer, sizeof buffer);
    err_format(err, &t);
    fprintf(stderr, "lema-pin: %s\n", buffer);
    exit(1);
}

void pin_die_errno(const char *what, int sys)
{
    pin_die(what, "%s", strerror(sys));
}

void pin_note(const char *what, const char *why)
{
    char buffer[2048];
    struct text t = text_on(buffer, sizeof buffer);
    text_add_escaped_within(&t, str_span(what), sizeof buffer / 2);
    fprintf(stderr, "lema-pin: %s: %s\n", buffer, why);
}

/* --- Memory and texts ---------------------------------------------------------------------- */

/* Blocks are cut from large pieces and kept until the program ends.  In front of each stands
 * its size. */
static void *take_block(size_t size)
{
    static struct {
        uint8_t *next;
        size_t left;
    } piece; /* the only state that outlives a call; lema-pin is one thread */
    size_t whole = (size + sizeof(max_align_t) + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    if (size > SIZE_MAX / 2)
        pin_die_errno("memory", ENOMEM);
    if (whole > piece.left) {
        size_t n = whole > PIECE_BYTES ? whole : PIECE_BYTES;
        piece.next = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        piece.left = n;
        if (piece.next == MAP_FAILED)
            pin_die_errno("memory", ENOMEM);
    }
    uint8_t *block = piece.next;
    piece.next += whole;
    piece.left -= whole;
    memcpy(block, &size, sizeof size);
    return block + sizeof(max_align_t);
}

void *pin_grow(void *memory, size_t n, size_t size)
{
    size_t old = 0;
    if (n == 0 || size > SIZE_MAX / n)
        pin_die("memory", "a size of %zu times %zu", n, size);
    uint8_t *block = take_block(n * size);
    if (memory == NULL)
        return block;
    memcpy(&old, (uint8_t *)memory - sizeof(max_align_t), sizeof old);
    memcpy(block, memory, old < n * size ? old : n * size);
    return block;
}

char *pin_copy(struct span s)
{
    char *copy = pin_grow(NULL, s.n + 1, 1);
    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

char *pin_join_all(const char *const *parts)
{
    size_t n = 0;
    for (size_t i = 0; parts[i] != NULL; i++)
        n += strlen(parts[i]);
    char *joined = pin_grow(NULL, n + 1, 1);
    n = 0;
    for (size_t i = 0; parts[i] != NULL; i++) {
        memcpy(joined + n, parts[i], strlen(parts[i]));
        n += strlen(parts[i]);
    }
    joined[n] = '\0';
    return joined;
}

void pin_add(struct pin_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        pin_die("text", "cannot be formatted");
    if (t->max - t->n <= (size_t)n) {
        t->max = 2 * t->max + (size_t)n + 4096;
        t->p = pin_grow(t->p, t->max, 1);
    }
    va_start(args, format);
    vsnprintf(t->p + t->n, t->max - t->n, format, args);
    va_end(args);
    t->n += (size_t)n;
}

void pin_print(const struct pin_text *t)
{
    if (fwrite(t->p, 1, t->n, stdout) != t->n || fflush(stdout) != 0)
        pin_die_errno("standard output", errno);
}

/* Let the element at i sink to its place in the heap of the first n. */
static void sink(void **p, size_t i, size_t n, int (*compare)(const void *a, const void *b))
{
    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && compare(p[child], p[child + 1]) < 0)
            child++;
        if (compare(p[i], p[child]) >= 0)
            return;
        void *swap = p[i];
        p[i] = p[child];
        p[child] = swap;
        i = child;
    }
}

void pin_sort(void **pointers, size_t n, int (*compare)(const void *a, const void *b))
{
    for (size_t i = n / 2; i > 0; i--)
        sink(pointers, i - 1, n, compare);
    for (size_t end = n; end > 1; end--) {
        void *swap = pointers[0];
        pointers[0] = pointers[end - 1];
        pointers[end - 1] = swap;
        sink(pointers, 0, end - 1, compare);
    }
}

/* --- Files ---------------------------------------------------------------------------------- */

struct span pin_read(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0)
        pin_die_errno(path, errno);
    if (!S_ISREG(st.st_mode))
        pin_die(path, "is not a regular file");
    size_t size = (size_t)st.st_size;
    size_t n = 0;
    uint8_t *bytes = pin_grow(NULL, size + 1, 1);
    while (n < size) {
        ssize_t got = read(fd, bytes + n, size - n);
        if (got <= 0)
            pin_die_errno(path, got < 0 ? errno : EIO);
        n += (size_t)got;
    }
    close(fd);
    return (struct span){bytes, n};
}

/* Cut the last component of a canonical path, "" being the root. */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    *(slash != NULL ? slash : path) = '\0';
}

/* Append one component to the resolved path.  Where it is a symlink, its target goes in
 * front of what is still to be resolved.  returns  false if it does not exist */
static bool step(const char *root, char **resolved, char **rest, const char *name, int *links)
{
    struct stat st;
    char target[PATH_BYTES_MAX + 1];
    char *path = pin_join(*resolved, "/", name);
    char *host = pin_join(root, path);
    if (lstat(host, &st) != 0)
        return false;
    if (!S_ISLNK(st.st_mode)) {
        *resolved = path;
        return true;
    }
    ssize_t n = readlink(host, target, sizeof target - 1);
    if (n < 0 || --*links < 0)
        return false;
    target[n] = '\0';
    if (target[0] == '/')
        (*resolved)[0] = '\0';
    *rest = pin_join(target, "/", *rest);
    return true;
}

char *pin_resolve(const char *root, const char *path)
{
    int links = LINKS_MAX;
    char *resolved = pin_join("");
    char *rest = pin_join(path);
    while (rest[0] != '\0') {
        size_t n = strcspn(rest, "/");
        char *name = pin_copy((struct span){(const uint8_t *)rest, n});
        rest += n + (rest[n] == '/');
        if (strcmp(name, "..") == 0)
            cut_last(resolved);
        else if (n > 0 && strcmp(name, ".") != 0 && !step(root, &resolved, &rest, name, &links))
            return NULL;
    }
    return resolved;
}
