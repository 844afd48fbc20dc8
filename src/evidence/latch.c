/* HALTED latches.  Layer: evidence.
 *
 * What stands at a latch's name halts, whatever it is; so every way to put
 * something there is tried before a fault stays without its latch. */
#include "evidence/latch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/walk.h"

#define LATCH_NAME "HALTED"
#define LINE_BYTES 160u /* CALL_NAME_BYTES_MAX, ": ", a fault, newline, NUL: less */

/* --- Places ---------------------------------------------------------------------- */

static int set_place(struct latch_place *place, int dirfd, const char *before, struct err *err)
{
    /* file_begin's temporary name is five bytes longer */
    struct text t = text_on(place->name, sizeof place->name - 5);
    place->dirfd = dirfd;
    text_adds(&t, before);
    text_adds(&t, LATCH_NAME);
    if (!t.overflow)
        return 0;
    place->name[0] = '\0';
    return err_set(err, ERR_PATH, str_span(before), "too long: no room for its latch's name");
}

int latch_places(struct latch_place place[static LATCHES], int output_fd, int lock_dir_fd,
                 const char *lock_name, struct err *err)
{
    char before[COMPONENT_BYTES_MAX + 2];
    struct text t = text_on(before, sizeof before);
    text_adds(&t, lock_name);
    text_adds(&t, ".");
    if (t.overflow)
        return err_set(err, ERR_PATH, str_span(lock_name),
                       "too long: no room for its latch's name");
    if (set_place(&place[LATCH_OUTPUT], output_fd, "", err) != 0)
        return -1;
    return set_place(&place[LATCH_HOST], lock_dir_fd, before, err);
}

/* --- Looking --------------------------------------------------------------------- */

/* The beginning of a latch's text, up to its first newline.
 * returns  its length; 0 if it is not a file that lema could have written */
static size_t read_line(const struct latch_place *place, uid_t uid, uint8_t *line, size_t max)
{
    struct stat st;
    struct err ignored;
    err_clear(&ignored);
    int fd = walk_component(place->dirfd, place->name, WALK_FILE, O_RDONLY, uid, false,
                            str_span(place->name), &st, NULL, &ignored);
    if (fd < 0)
        return 0;
    ssize_t n = pread(fd, line, max, 0);
    fd_close(&fd);
    if (n <= 0)
        return 0;
    const uint8_t *end = memchr(line, '\n', (size_t)n);
    return end != NULL ? (size_t)(end - line) : (size_t)n;
}

int latch_look(const struct latch_place *place, uid_t uid, struct latch_state *state,
               struct err *err)
{
    struct stat st;
    uint8_t line[LINE_BYTES];
    memset(state, 0, sizeof *state);
    if (fstatat(place->dirfd, place->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        int sys = errno;
        if (sys == ENOENT)
            return 0;
        return err_sys(err, ERR_IO, "fstatat", sys, str_span(place->name),
                       "cannot tell whether it is there");
    }
    state->present = true;
    size_t n = read_line(place, uid, line, sizeof line);
    struct text t = text_on(state->line, sizeof state->line);
    text_add_escaped_within(&t, (struct span){line, n}, sizeof state->line - 1);
    return 0;
}

bool latch_is_of(const struct latch_state *state, const char *call, enum fault *fault)
{
    const struct span line = str_span(state->line);
    const struct span name = str_span(call);
    const size_t before = name.n + 2;
    if (!state->present || !call_name_valid(name) || !str_starts(line, call))
        return false;
    if (line.n <= before || memcmp(line.p + name.n, ": ", 2) != 0)
        return false;
    enum fault found;
    if (!fault_parse((struct span){line.p + before, line.n - before}, &found) ||
        found == FAULT_INTERRUPTED)
        return false;
    *fault = found;
    return true;
}

static int check_one(const struct latch_place *place, const char *shown, const char *suffix,
                     uid_t uid, struct err *err)
{
    char path[PATH_BYTES_MAX + 1 + sizeof "." LATCH_NAME];
    struct latch_state state;
    struct text t = text_on(path, sizeof path);
    text_adds(&t, shown);
    text_adds(&t, suffix);
    if (latch_look(place, uid, &state, err) != 0)
        return -1;
    if (!state.present)
        return 0;
    return err_set(err, ERR_LATCHED, text_span(&t), "%s; no native call until lema recover",
                   state.line[0] != '\0' ? state.line : "not a latch that lema can read");
}

int latch_check(const struct latch_place place[static LATCHES], const char *output_shown,
                const char *lock_shown, uid_t uid, struct err *err)
{
    if (check_one(&place[LATCH_OUTPUT], output_shown, "/" LATCH_NAME, uid, err) != 0)
        return -1;
    return check_one(&place[LATCH_HOST], lock_shown, "." LATCH_NAME, uid, err);
}

/* --- Setting --------------------------------------------------------------------- */

int latch_probe(const struct latch_place *place, struct err *err)
{
    /* A name of its own: the latch's temporary belongs to a call that may be
     * running now, and file_begin removes what it takes for stale. */
    struct file_pending probe;
    uint8_t number[8];
    char name[sizeof "lema-probe-" + 2 * sizeof number];
    struct text t = text_on(name, sizeof name);
    if (getrandom(number, sizeof number, 0) != (ssize_t)sizeof number)
        return err_sys(err, ERR_UNSUPPORTED, "getrandom", errno, str_span(place->name), NULL);
    text_adds(&t, "lema-probe-");
    text_add_hex(&t, number, sizeof number);
    if (file_begin(&probe, place->dirfd, name, RESERVE_LATCH_BYTES, err) != 0)
        return -1;
    file_abandon(&probe);
    return 0;
}

int latch_prepare(struct file_pending *pending, const struct latch_place *place, struct err *err)
{
    return file_begin(pending, place->dirfd, place->name, RESERVE_LATCH_BYTES, err);
}

static bool stands(const struct file_pending *f)
{
    struct stat st;
    return fstatat(f->dirfd, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The prepared way: line into the temporary, temporary to the name. */
static int commit_line(struct file_pending *f, struct span line, struct err *err)
{
    if (f->fd < 0)
        return err_set(err, ERR_INTERNAL, str_span(f->name), "the latch was not prepared");
    if (file_write_all(f->fd, line.p, line.n, str_span(f->name), err) != 0)
        return -1;
    return file_commit(f, err);
}

/* The last way: the name itself.  Even an empty latch halts. */
static int create_line(const struct file_pending *f, struct span line, struct err *err)
{
    const struct span shown = str_span(f->name);
    struct err ignored;
    err_clear(&ignored);
    int fd = walk_create(f->dirfd, f->name, EVIDENCE_MODE, shown, err);
    if (fd < 0)
        return -1;
    (void)file_write_all(fd, line.p, line.n, shown, &ignored);
    fd_close(&fd);
    return 0;
}

int latch_set(struct file_pending *pending, const char *call, enum fault fault, struct err *err)
{
    char buffer[LINE_BYTES];
    struct text line = text_on(buffer, sizeof buffer);
    struct err first;
    struct err later;
    err_clear(&first);
    err_clear(&later);
    text_add_escaped_within(&line, str_span(call), CALL_NAME_BYTES_MAX);
    text_adds(&line, ": ");
    text_adds(&line, fault_word(fault));
    text_adds(&line, "\n");
    if (commit_line(pending, text_span(&line), &first) == 0)
        return 0;
    file_abandon(pending);
    if (!stands(pending)) {
        struct file_pending again;
        if (file_begin(&again, pending->dirfd, pending->name, 0, &later) == 0 &&
            commit_line(&again, text_span(&line), &later) == 0)
            return 0;
        file_abandon(&again);
    }
    err_clear(&later);
    if (stands(pending) || create_line(pending, text_span(&line), &later) == 0)
        return file_sync_directory(pending->dirfd, str_span(pending->name), err);
    *err = err->what == ERR_NONE ? first : *err;
    return -1;
}

int latch_remove(const struct latch_place *place, struct err *err)
{
    const struct span shown = str_span(place->name);
    struct stat st;
    if (fstatat(place->dirfd, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
        return err_set(err, ERR_LATCHED, shown, "is not a file: look at it and remove it by hand");
    if (unlinkat(place->dirfd, place->name, 0) != 0) {
        int sys = errno;
        if (sys != ENOENT)
            return err_sys(err, ERR_IO, "unlinkat", sys, shown, "the latch cannot be removed");
    }
    return file_sync_directory(place->dirfd, shown, err);
}
