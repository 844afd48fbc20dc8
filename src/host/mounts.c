/* Where an object lies on its own file system.  Layer: host. */
#include "host/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host/file.h"
#include "host/kernel.h"

/* One line of mountinfo: two paths of up to 4 KiB, every byte perhaps escaped
 * as \ooo, and options. */
#define LINE_BYTES_MAX 65536u
#define FDINFO_BYTES_MAX 8192u

struct lines {
    int fd;
    size_t n;     /* bytes in buffer */
    size_t taken; /* of them, given out */
    char buffer[LINE_BYTES_MAX];
};

/* What a line says of its mount. */
struct mount_line {
    uint64_t id, dev;
    struct span root, point; /* escaped */
};

/* --- Reading mountinfo ------------------------------------------------------------ */

static int refuse(struct err *err, const char *why)
{
    err_set(err, ERR_UNSUPPORTED, str_span("/proc/self/mountinfo"), "%s", why);
    return -1;
}

/* Move the rest to the front and read on. */
static ssize_t refill(struct lines *l)
{
    memmove(l->buffer, l->buffer + l->taken, l->n - l->taken);
    l->n -= l->taken;
    l->taken = 0;
    ssize_t got = read(l->fd, l->buffer + l->n, sizeof l->buffer - l->n);
    if (got > 0)
        l->n += (size_t)got;
    return got;
}

/* The next whole line.  returns  1, 0 at the end, -1 */
static int next_line(struct lines *l, struct span *line, struct err *err)
{
    for (;;) {
        char *begin = l->buffer + l->taken;
        char *end = memchr(begin, '\n', l->n - l->taken);
        if (end != NULL) {
            *line = (struct span){(const uint8_t *)begin, (size_t)(end - begin)};
            l->taken += line->n + 1;
            return 1;
        }
        ssize_t got = refill(l);
        if (got == 0 && l->n == 0)
            return 0;
        if (got <= 0)
            return refuse(err, got < 0 ? "cannot be read" : "has a line too long, or not ended");
    }
}

/* "MAJOR:MINOR" as a device number. */
static bool parse_dev(struct span s, uint64_t *dev)
{
    const uint8_t *colon = memchr(s.p, ':', s.n);
    uint64_t major_n, minor_n;
    if (colon == NULL)
        return false;
    size_t n = (size_t)(colon - s.p);
    if (!str_number((struct span){s.p, n}, 0, UINT32_MAX, &major_n) ||
        !str_number((struct span){colon + 1, s.n - n - 1}, 0, UINT32_MAX, &minor_n))
        return false;
    *dev = makedev((unsigned)major_n, (unsigned)minor_n);
    return true;
}

/* ID PARENT MAJOR:MINOR ROOT POINT … */
static bool parse_line(struct span line, struct mount_line *m)
{
    struct span id, parent, dev;
    return kernel_next_word(&line, &id) && str_number(id, 0, UINT32_MAX, &m->id) &&
           kernel_next_word(&line, &parent) && kernel_next_word(&line, &dev) &&
           parse_dev(dev, &m->dev) && kernel_next_word(&line, &m->root) &&
           kernel_next_word(&line, &m->point);
}

/* The line of a mount id.  m borrows from l. */
static int find_mount(struct lines *l, uint64_t id, struct mount_line *m, struct err *err)
{
    struct span line;
    int got;
    while ((got = next_line(l, &line, err)) > 0) {
        if (!parse_line(line, m))
            return refuse(err, "has a line of an unknown form");
        if (m->id == id)
            return 0;
    }
    return got < 0 ? -1 : refuse(err, "does not list the mount of an open descriptor");
}

/* --- The mount of a descriptor ------------------------------------------------------ */

static int mount_id(int self_fd, int fd, uint64_t *id, struct err *err)
{
    char path[32], buffer[FDINFO_BYTES_MAX];
    struct text t = text_on(path, sizeof path);
    text_adds(&t, "fdinfo/");
    text_add_number(&t, (uint64_t)fd);
    ssize_t n = kernel_read(self_fd, path, buffer, sizeof buffer, NULL, err);
    if (n < 0)
        return -1;
    struct span rest = {(const uint8_t *)buffer, (size_t)n}, line;
    while (kernel_next_line(&rest, &line)) {
        const size_t prefix = strlen("mnt_id:\t");
        if (str_starts(line, "mnt_id:\t") &&
            str_number((struct span){line.p + prefix, line.n - prefix}, 0, UINT32_MAX, id))
            return 0;
    }
    return err_set(err, ERR_UNSUPPORTED, str_span("/proc/self/fdinfo"), "says no mount id");
}

/* --- The place ------------------------------------------------------------------------ */

/* The byte that stands at *at, "\040" for a space, and so on; moves *at on. */
static uint8_t unescape(struct span s, size_t *at)
{
    const uint8_t *p = s.p + *at;
    if (p[0] != '\\' || s.n - *at < 4) {
        *at += 1;
        return p[0];
    }
    *at += 4;
    return (uint8_t)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
}

/* How much of path is the mount point, or SIZE_MAX if it does not begin with it. */
static size_t match_point(struct span path, struct span point)
{
    size_t n = 0;
    for (size_t at = 0; at < point.n; n++) {
        uint8_t c = unescape(point, &at);
        if (n >= path.n || path.p[n] != c)
            return SIZE_MAX;
    }
    if (n == 1) /* "/" ends with its separator */
        return 0;
    return n == path.n || path.p[n] == '/' ? n : SIZE_MAX;
}

static int set_place(const struct mount_line *m, struct span path, struct mounts_place *place,
                     struct err *err)
{
    size_t n = 0;
    size_t below = match_point(path, m->point);
    if (below == SIZE_MAX)
        return err_set(err, ERR_IO, path, "does not lie below its mount point");
    if (str_starts(m->root, "/.."))
        return err_set(err, ERR_UNSUPPORTED, path, "its mount's root cannot be seen from here");
    for (size_t at = 0; at < m->root.n && n < sizeof place->path; n++)
        place->path[n] = (char)unescape(m->root, &at);
    if (n == 1)
        n = 0; /* "/" */
    if (n + path.n - below >= sizeof place->path)
        return err_set(err, ERR_IO, path, "its place on the file system is too long");
    memcpy(place->path + n, path.p + below, path.n - below);
    n += path.n - below;
    if (n == 0)
        place->path[n++] = '/';
    place->path[n] = '\0';
    place->dev = m->dev;
    return 0;
}

static int find_place(int self_fd, int fd, struct span path, struct lines *l,
                      struct mounts_place *place, struct err *err)
{
    uint64_t id = 0;
    int sys = 0;
    struct mount_line m = {0};
    if (mount_id(self_fd, fd, &id, err) != 0)
        return -1;
    l->fd = walk_below(self_fd, "mountinfo", O_RDONLY, &sys);
    if (l->fd < 0)
        return refuse(err, "cannot be opened");
    if (find_mount(l, id, &m, err) != 0)
        return -1;
    return set_place(&m, path, place, err);
}

int mounts_place_of(const struct walk *w, struct span path, struct mounts_place *place,
                    struct err *err)
{
    struct lines lines = {.fd = -1};
    int result = -1;
    int proc_fd = kernel_open_proc(err);
    int self_fd = proc_fd < 0 ? -1 : kernel_open_self(proc_fd, err);
    if (self_fd >= 0)
        result = find_place(self_fd, w->fd, path, &lines, place, err);
    fd_close(&lines.fd);
    fd_close(&self_fd);
    fd_close(&proc_fd);
    return result;
}

bool mounts_is_inside(const struct mounts_place *a, const struct mounts_place *b)
{
    const struct span inner = str_span(a->path);
    const struct span outer = str_span(b->path);
    if (a->dev != b->dev || !str_starts(inner, b->path))
        return false;
    return outer.n == 1 || inner.n == outer.n || inner.p[outer.n] == '/';
}
