/* The open ledger: appending.  Layer: evidence.
 *
 * States of a struct ledger: closed (fd -1), open, broken.  Broken is final:
 * nobody knows any more what stands behind the last line.  With host/file.c the
 * only file that calls fsync or fdatasync. */
#include "evidence/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file.h"
#include "host/walk.h"

#define LEDGER_NAME "ledger.jsonl"
#define TORN_PREFIX "ledger.torn-"
#define TORN_FILES_MAX 1000u

static struct span shown(void)
{
    return str_span(LEDGER_NAME);
}

/* --- Opening --------------------------------------------------------------------- */

static int check_file(const struct stat *st, struct err *err)
{
    if ((st->st_mode & 07777) != EVIDENCE_MODE)
        return err_set(err, ERR_LEDGER, shown(), "expected mode 0600, found %04o",
                       (unsigned)(st->st_mode & 07777));
    if (st->st_nlink != 1)
        return err_set(err, ERR_LEDGER, shown(), "expected one link, found %llu",
                       (unsigned long long)st->st_nlink);
    return 0;
}

/* Open the one that is there. */
static int open_existing(struct ledger *l, int output_fd, uid_t uid, bool *missing, struct err *err)
{
    struct stat st;
    struct err why;
    err_clear(&why);
    l->fd = walk_component(output_fd, LEDGER_NAME, WALK_FILE, O_RDWR | O_APPEND, uid, false,
                           shown(), &st, missing, &why);
    if (l->fd >= 0 && check_file(&st, err) == 0) {
        l->bytes = (uint64_t)st.st_size;
        return 0;
    }
    fd_close(&l->fd);
    if (*missing)
        return 0;
    if (why.what == ERR_PATH)
        why.what = ERR_LEDGER;
    if (err->what == ERR_NONE)
        *err = why;
    return -1;
}

/* Make an empty one.  Another process may have been first. */
static int create(int output_fd, struct err *err)
{
    struct file_pending f;
    struct err why;
    err_clear(&why);
    if (file_begin(&f, output_fd, LEDGER_NAME, 0, err) != 0)
        return -1;
    if (file_commit(&f, &why) == 0)
        return 0;
    file_abandon(&f);
    if (why.sys == EEXIST)
        return 0;
    *err = why;
    return -1;
}

int ledger_open(struct ledger *l, int output_fd, uid_t uid, bool create_it, bool *missing,
                struct err *err)
{
    memset(l, 0, sizeof *l);
    l->fd = -1;
    *missing = false;
    if (open_existing(l, output_fd, uid, missing, err) != 0)
        return -1;
    if (!*missing || !create_it)
        return 0;
    if (create(output_fd, err) != 0 || open_existing(l, output_fd, uid, missing, err) != 0)
        return -1;
    if (*missing)
        return err_set(err, ERR_LEDGER, shown(), "was removed while it was made");
    return 0;
}

void ledger_close(struct ledger *l)
{
    fd_close(&l->fd);
}

/* --- Where it ends --------------------------------------------------------------- */

static int read_size(const struct ledger *l, uint64_t *size, struct err *err)
{
    struct stat st;
    *size = 0;
    if (l->fd < 0)
        return 0;
    if (fstat(l->fd, &st) != 0)
        return err_sys(err, ERR_LEDGER, "fstat", errno, shown(), NULL);
    *size = (uint64_t)st.st_size;
    return 0;
}

int ledger_load(struct ledger *l, struct worker *w, const char *name,
                struct ledger_summary *summary,
                int (*on_line)(void *arg, const struct ledger_line *line, struct err *err),
                void *arg, struct err *err)
{
    uint64_t size;
    memset(summary, 0, sizeof *summary);
    summary->fault = FAULT_NONE;
    if (read_size(l, &size, err) != 0)
        return -1;
    if (l->fd >= 0 && ledger_read(w, l->fd, size, name, summary, on_line, arg, err) != 0)
        return -1;
    l->bytes = summary->bytes;
    l->lines = summary->lines;
    l->last = summary->last;
    return 0;
}

int ledger_reserve_space(struct ledger *l, uint32_t lines, struct err *err)
{
    const off_t bytes = (off_t)lines * (off_t)LEDGER_LINE_BYTES_MAX;
    int sys;
    if (l->fd < 0 || bytes == 0)
        return err_set(err, ERR_INTERNAL, shown(), "no space to take");
    do {
        sys = fallocate(l->fd, FALLOC_FL_KEEP_SIZE, (off_t)l->bytes, bytes) != 0 ? errno : 0;
    } while (sys == EINTR);
    if (sys == 0)
        return 0;
    if (sys == ENOSPC || sys == EDQUOT || sys == EFBIG)
        return err_sys(err, ERR_SPACE, "fallocate", sys, shown(), "no space for its next lines");
    if (sys == EOPNOTSUPP || sys == ENOSYS)
        return err_sys(err, ERR_UNSUPPORTED, "fallocate", sys, shown(),
                       "this file system cannot take space in advance");
    return err_sys(err, ERR_IO, "fallocate", sys, shown(), NULL);
}

/* --- Appending ------------------------------------------------------------------- */

static int refuse_other_writer(const struct ledger *l, struct err *err)
{
    uint64_t size;
    if (read_size(l, &size, err) != 0)
        return -1;
    if (size == l->bytes)
        return 0;
    return err_set(err, ERR_LEDGER, shown(),
                   "changed by another writer: expected %llu bytes, found %llu",
                   (unsigned long long)l->bytes, (unsigned long long)size);
}

static int break_off(struct ledger *l, const char *op, int sys, const char *why, struct err *err)
{
    l->broken = true;
    return err_sys(err, ERR_LEDGER_IO, op, sys, shown(), why);
}

/* One write, whole, and it stands where it should. */
static int write_line(struct ledger *l, struct span line, struct err *err)
{
    uint64_t size;
    struct err ignored;
    err_clear(&ignored);
    ssize_t n = write(l->fd, line.p, line.n);
    int sys = errno;
    if (n < 0)
        return break_off(l, "write", sys, NULL, err);
    if ((size_t)n != line.n)
        return break_off(l, "write", 0, "a line was written in part", err);
    if (fdatasync(l->fd) != 0)
        return break_off(l, "fdatasync", errno, NULL, err);
    if (read_size(l, &size, &ignored) != 0)
        return break_off(l, "fstat", ignored.sys, NULL, err);
    if (size != l->bytes + line.n)
        return break_off(l, "fstat", 0, "another writer came between", err);
    l->bytes = size;
    l->lines++;
    sha256_of(line.p, line.n, &l->last);
    return 0;
}

int ledger_append(struct ledger *l, struct ledger_line *line, struct err *err)
{
    char buffer[LEDGER_LINE_BYTES_MAX + 1];
    struct text t = text_on(buffer, sizeof buffer);
    if (l->fd < 0 || l->broken)
        return err_set(err, ERR_LEDGER_IO, shown(), "no append after a write that failed");
    if ((l->bytes == 0) != (l->lines == 0))
        return err_set(err, ERR_INTERNAL, shown(), "append to a ledger that was not read");
    line->number = l->lines + 1;
    line->prev = l->last;
    if (ledger_check_line(line, err) != 0)
        return err_wrap(err, ERR_LEDGER, shown());
    ledger_write_line(&t, line);
    text_adds(&t, "\n");
    if (t.overflow)
        return err_set(err, ERR_LEDGER, shown(), "a line of more than %u bytes",
                       LEDGER_LINE_BYTES_MAX);
    if (refuse_other_writer(l, err) != 0)
        return -1;
    return write_line(l, text_span(&t), err);
}

/* --- A torn last line ------------------------------------------------------------ */

/* Keep what is to be cut under the first free name. */
static int keep_torn(int output_fd, struct span torn, struct err *err)
{
    for (uint64_t n = 1; n <= TORN_FILES_MAX; n++) {
        char name[sizeof TORN_PREFIX + 20];
        struct file_pending f;
        struct err why;
        struct text t = text_on(name, sizeof name);
        err_clear(&why);
        text_adds(&t, TORN_PREFIX);
        text_add_number(&t, n);
        if (file_begin(&f, output_fd, name, 0, err) != 0)
            return -1;
        if (file_write_all(f.fd, torn.p, torn.n, text_span(&t), &why) == 0 &&
            file_commit(&f, &why) == 0)
            return 0;
        file_abandon(&f);
        if (why.sys != EEXIST) {
            *err = why;
            return -1;
        }
    }
    return err_set(err, ERR_IO, shown(), "more than %u torn lines were kept", TORN_FILES_MAX);
}

int ledger_cut_torn(struct ledger *l, int output_fd, const struct ledger_summary *summary,
                    struct digest *cut, struct err *err)
{
    uint8_t torn[LEDGER_LINE_BYTES_MAX];
    uint64_t size;
    const size_t n = (size_t)summary->torn_bytes;
    if (l->fd < 0 || l->broken || n == 0 || n > sizeof torn)
        return err_set(err, ERR_INTERNAL, shown(), "no torn line to cut");
    if (read_size(l, &size, err) != 0)
        return -1;
    if (size != summary->bytes + n)
        return err_set(err, ERR_LEDGER, shown(), "changed since it was read");
    ssize_t got = pread(l->fd, torn, n, (off_t)summary->bytes);
    if (got < 0 || (size_t)got != n)
        return err_sys(err, ERR_LEDGER, "pread", got < 0 ? errno : 0, shown(), NULL);
    if (memchr(torn, '\n', n) != NULL)
        return err_set(err, ERR_LEDGER, shown(), "changed since it was read");
    sha256_of(torn, n, cut);
    if (keep_torn(output_fd, (struct span){torn, n}, err) != 0)
        return -1;
    if (ftruncate(l->fd, (off_t)summary->bytes) != 0)
        return break_off(l, "ftruncate", errno, NULL, err);
    if (fdatasync(l->fd) != 0)
        return break_off(l, "fdatasync", errno, NULL, err);
    l->bytes = summary->bytes;
    l->lines = summary->lines;
    l->last = summary->last;
    return 0;
}
