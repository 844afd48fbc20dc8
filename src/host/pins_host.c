/* host.manifest: the files of the host that lema trusts.  Layer: host. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"
#include "host/kernel.h"
#include "host/pins.h"

#define HEADER "lema-host v1"
#define SHOWN "host.manifest"
#define REFUSE(p, ...) (err_set_at((p)->err, ERR_PINS, str_span(SHOWN), (p)->line, __VA_ARGS__), -1)

struct parse {
    struct pins *pins;
    struct err *err;
    uint64_t line;
};

const char *host_role_word(enum host_role role)
{
    static const char *const words[HOST_ROLES] = {
        [HOST_BWRAP] = "bwrap",
        [HOST_SYSTEMD_RUN] = "systemd-run",
        [HOST_SYSTEMCTL] = "systemctl",
        [HOST_DEP] = "dep",
        [HOST_LIB] = "lib",
    };
    return words[role];
}

size_t pins_find_host(const struct pins *pins, enum host_role role)
{
    for (size_t i = 0; i < pins->host_n; i++)
        if (pins->host[i].role == role)
            return i;
    return SIZE_MAX;
}

/* --- Parsing ------------------------------------------------------------------------ */

/* The next field of a line: not empty, ends at one space, or at the line's end, and *rest then
 * has no place left in the line. */
static bool next_field(struct span *rest, struct span *field)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ')
        n++;
    *field = (struct span){rest->p, n};
    if (n == rest->n)
        *rest = (struct span){NULL, 0};
    else
        *rest = (struct span){rest->p + n + 1, rest->n - n - 1};
    return n > 0;
}

static bool parse_role(struct span word, enum host_role *role)
{
    for (int i = 0; i < HOST_ROLES; i++)
        if (str_is(word, host_role_word((enum host_role)i))) {
            *role = (enum host_role)i;
            return true;
        }
    return false;
}

static int parse_path(struct parse *p, struct span path, char to[static PATH_BYTES_MAX + 1])
{
    struct err why;
    err_clear(&why);
    if (walk_check_text(path, &why) == 0 && str_copy(to, PATH_BYTES_MAX + 1, path))
        return 0;
    return REFUSE(p, "the path %s", why.why);
}

/* What every sandbox shows at fixed places (specification 10). */
static bool is_taken(const char *seen)
{
    static const char *const taken[] = {"/lean", "/modules", "/artifacts",
                                        "/call", "/proc",    "/dev"};
    const struct span path = str_span(seen);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        size_t n = strlen(taken[i]);
        if (str_starts(path, taken[i]) && (path.n == n || path.p[n] == '/'))
            return true;
    }
    return false;
}

static int check_seen(struct parse *p, const struct host_file *file)
{
    const struct pins *pins = p->pins;
    if (is_taken(file->seen))
        return REFUSE(p, "the seen path lies where every sandbox shows something else");
    for (size_t i = 0; i < pins->host_n; i++)
        if (strcmp(pins->host[i].seen, file->seen) == 0)
            return REFUSE(p, "the seen path is listed twice");
    return 0;
}

/* Is the order of the rows right, and may this one be there at all? */
static int check_order(struct parse *p, const struct host_file *file)
{
    const struct pins *pins = p->pins;
    if (pins->host_n == 0)
        return 0;
    const struct host_file *before = &pins->host[pins->host_n - 1];
    if (file->role < before->role)
        return REFUSE(p, "%s stands behind %s", host_role_word(file->role),
                      host_role_word(before->role));
    if (file->role > before->role)
        return 0;
    if (file->role < HOST_DEP)
        return REFUSE(p, "a second %s", host_role_word(file->role));
    int order = strcmp(before->path, file->path);
    if (order == 0)
        order = strcmp(before->seen, file->seen);
    if (order == 0)
        return REFUSE(p, "the path is listed twice");
    if (order > 0)
        return REFUSE(p, "the path is not sorted bytewise behind the one before");
    return 0;
}

static int parse_row(struct parse *p, struct span line)
{
    struct span word, hex, path, seen;
    struct pins *pins = p->pins;
    if (pins->host_n == HOST_FILES_MAX)
        return REFUSE(p, "more than %u rows", HOST_FILES_MAX);
    struct host_file *file = &pins->host[pins->host_n];
    memset(file, 0, sizeof *file);
    if (!next_field(&line, &word) || !parse_role(word, &file->role))
        return REFUSE(p, "expected bwrap, systemd-run, systemctl, dep or lib");
    if (!next_field(&line, &hex) || !digest_parse(hex, &file->sha256))
        return REFUSE(p, "expected a SHA-256 of 64 lower-case hex digits");
    if (!next_field(&line, &path) || parse_path(p, path, file->path) != 0)
        return REFUSE(p, "expected a path");
    if (file->role == HOST_LIB) {
        if (!next_field(&line, &seen) || parse_path(p, seen, file->seen) != 0)
            return REFUSE(p, "expected the path that a sandbox shows it at");
        if (check_seen(p, file) != 0)
            return -1;
    }
    if (line.p != NULL)
        return REFUSE(p, "has more fields than %s takes", host_role_word(file->role));
    if (check_order(p, file) != 0)
        return -1;
    pins->host_n++;
    return 0;
}

static int parse_lines(struct parse *p, struct span text)
{
    struct span line;
    p->line = 1;
    if (!kernel_next_line(&text, &line) || !str_is(line, HEADER))
        return REFUSE(p, "expected \"" HEADER "\"");
    while (kernel_next_line(&text, &line)) {
        p->line++;
        if (parse_row(p, line) != 0)
            return -1;
    }
    bool run = pins_find_host(p->pins, HOST_SYSTEMD_RUN) != SIZE_MAX;
    bool ctl = pins_find_host(p->pins, HOST_SYSTEMCTL) != SIZE_MAX;
    if (run != ctl)
        return REFUSE(p, "one of systemd-run and systemctl is listed without the other");
    return 0;
}

int pins_host_parse(struct pins *pins, struct span text, struct err *err)
{
    struct parse p = {.pins = pins, .err = err};
    pins->host_n = 0;
    pins->host_text = text;
    if (text.n == 0 || text.p[text.n - 1] != '\n')
        return err_set(err, ERR_PINS, str_span(SHOWN), "has no newline at its end");
    if (parse_lines(&p, text) == 0) {
        sha256_of(text.p, text.n, &pins->host_id);
        return 0;
    }
    pins->host_n = 0;
    return -1;
}

/* --- Checking the files ----------------------------------------------------------------- */

struct check {
    const struct pins *pins;
    uid_t uid;
    size_t next;
    int *fd;
};

static int next_file(void *arg, int *fd, uint64_t *size, uint64_t *cookie, struct err *err)
{
    struct check *c = arg;
    struct walk w;
    if (c->next == c->pins->host_n)
        return 0;
    if (walk_path(&w, str_span(c->pins->host[c->next].path), WALK_FILE, O_RDONLY, c->uid, err) != 0)
        return -1;
    fd_close(&w.parent_fd);
    *fd = w.fd;
    *size = (uint64_t)w.st.st_size;
    *cookie = c->next++;
    return 1;
}

static int file_done(void *arg, int fd, uint64_t cookie, bool whole, const struct digest *digest,
                     struct err *err)
{
    struct check *c = arg;
    const struct host_file *file = &c->pins->host[cookie];
    if (!whole)
        return err_set(err, ERR_HOST_FILE, str_span(file->path), "cannot be read whole");
    if (!digest_equal(digest, &file->sha256)) {
        char want[DIGEST_HEX_BYTES], found[DIGEST_HEX_BYTES];
        digest_hex(&file->sha256, want);
        digest_hex(digest, found);
        return err_set(err, ERR_HOST_FILE, str_span(file->path), "expected sha256 %s, found %s",
                       want, found);
    }
    c->fd[cookie] = fd;
    return 1;
}

void pins_close_host(int fd[static HOST_FILES_MAX])
{
    for (size_t i = 0; i < HOST_FILES_MAX; i++)
        fd_close(&fd[i]);
}

int pins_check_host(const struct pins *pins, uid_t uid, struct hash_pool *pool,
                    int fd[static HOST_FILES_MAX], struct err *err)
{
    struct check c = {.pins = pins, .uid = uid, .fd = fd};
    const struct hash_source source = {.next = next_file, .done = file_done, .arg = &c};
    for (size_t i = 0; i < HOST_FILES_MAX; i++)
        fd[i] = -1;
    if (pins->host_n == 0 || hash_pool_run(pool, &source, err) == 0)
        return 0;
    pins_close_host(fd);
    return -1;
}

int pins_check_fd(const struct pins *pins, enum host_role role, int fd, struct err *err)
{
    static uint8_t bytes[64u << 10];
    const struct span shown = str_span(host_role_word(role));
    struct sha256 hash;
    struct digest got;
    off_t at = 0;
    ssize_t n;

    sha256_init(&hash);
    while ((n = pread(fd, bytes, sizeof bytes, at)) > 0) {
        sha256_add(&hash, bytes, (size_t)n);
        at += n;
    }
    if (n < 0)
        return err_sys(err, ERR_HOST_FILE, "pread", errno, shown, NULL);
    sha256_end(&hash, &got);
    size_t row = pins_find_host(pins, role);
    if (row == SIZE_MAX || !digest_equal(&got, &pins->host[row].sha256))
        return err_set(err, ERR_HOST_FILE, shown, "is not the pinned file");
    return 0;
}
