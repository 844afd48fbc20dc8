/* The one error type.  Layer: base. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WHY_FORMATTED_BYTES 1024u /* a why before it is escaped and shortened */
#define OUTER_BYTES_MIN 16u       /* what err_wrap leaves for OUTER, or it drops OBJ */

static const struct word {
    const char *word;
    int exit_code;
} words[] = {
#define X(name, word, code) [name] = {word, code},
    ERR_TABLE(X)
#undef X
};
_Static_assert(sizeof words / sizeof words[0] == ERR_COUNT, "one row for each err_what");

/* Every errno of Linux on x86_64, asm-generic/errno.h.  EWOULDBLOCK, EDEADLOCK
 * and ENOTSUP are other names of EAGAIN, EDEADLK and EOPNOTSUPP. */
/* clang-format off */
static const char *const errno_names[] = {
#define E(name) [name] = #name,
    E(EPERM) E(ENOENT) E(ESRCH) E(EINTR) E(EIO) E(ENXIO) E(E2BIG) E(ENOEXEC) E(EBADF) E(ECHILD)
    E(EAGAIN) E(ENOMEM) E(EACCES) E(EFAULT) E(ENOTBLK) E(EBUSY) E(EEXIST) E(EXDEV) E(ENODEV)
    E(ENOTDIR) E(EISDIR) E(EINVAL) E(ENFILE) E(EMFILE) E(ENOTTY) E(ETXTBSY) E(EFBIG) E(ENOSPC)
    E(ESPIPE) E(EROFS) E(EMLINK) E(EPIPE) E(EDOM) E(ERANGE) E(EDEADLK) E(ENAMETOOLONG) E(ENOLCK)
    E(ENOSYS) E(ENOTEMPTY) E(ELOOP) E(ENOMSG) E(EIDRM) E(ECHRNG) E(EL2NSYNC) E(EL3HLT) E(EL3RST)
    E(ELNRNG) E(EUNATCH) E(ENOCSI) E(EL2HLT) E(EBADE) E(EBADR) E(EXFULL) E(ENOANO) E(EBADRQC)
    E(EBADSLT) E(EBFONT) E(ENOSTR) E(ENODATA) E(ETIME) E(ENOSR) E(ENONET) E(ENOPKG) E(EREMOTE)
    E(ENOLINK) E(EADV) E(ESRMNT) E(ECOMM) E(EPROTO) E(EMULTIHOP) E(EDOTDOT) E(EBADMSG)
    E(EOVERFLOW) E(ENOTUNIQ) E(EBADFD) E(EREMCHG) E(ELIBACC) E(ELIBBAD) E(ELIBSCN) E(ELIBMAX)
    E(ELIBEXEC) E(EILSEQ) E(ERESTART) E(ESTRPIPE) E(EUSERS) E(ENOTSOCK) E(EDESTADDRREQ)
    E(EMSGSIZE) E(EPROTOTYPE) E(ENOPROTOOPT) E(EPROTONOSUPPORT) E(ESOCKTNOSUPPORT) E(EOPNOTSUPP)
    E(EPFNOSUPPORT) E(EAFNOSUPPORT) E(EADDRINUSE) E(EADDRNOTAVAIL) E(ENETDOWN) E(ENETUNREACH)
    E(ENETRESET) E(ECONNABORTED) E(ECONNRESET) E(ENOBUFS) E(EISCONN) E(ENOTCONN) E(ESHUTDOWN)
    E(ETOOMANYREFS) E(ETIMEDOUT) E(ECONNREFUSED) E(EHOSTDOWN) E(EHOSTUNREACH) E(EALREADY)
    E(EINPROGRESS) E(ESTALE) E(EUCLEAN) E(ENOTNAM) E(ENAVAIL) E(EISNAM) E(EREMOTEIO) E(EDQUOT)
    E(ENOMEDIUM) E(EMEDIUMTYPE) E(ECANCELED) E(ENOKEY) E(EKEYEXPIRED) E(EKEYREVOKED)
    E(EKEYREJECTED) E(EOWNERDEAD) E(ENOTRECOVERABLE) E(ERFKILL) E(EHWPOISON)
#undef E
};
/* clang-format on */

void err_clear(struct err *e)
{
    memset(e, 0, sizeof *e);
}

/* Escape s into an array of size bytes, shortened to fit. */
static void put_escaped(char *array, size_t size, struct span s)
{
    struct text t = text_on(array, size);
    text_add_escaped_within(&t, s, size - 1);
}

/* Take the error's place: false if there is one already. */
static bool err_begin(struct err *e, enum err_what what, struct span obj)
{
    if (e->what != ERR_NONE)
        return false;
    err_clear(e);
    e->what = what;
    put_escaped(e->obj, sizeof e->obj, obj);
    return true;
}

__attribute__((format(printf, 2, 0))) static void err_put_why(struct err *e, const char *why,
                                                              va_list args)
{
    char formatted[WHY_FORMATTED_BYTES];
    int n = vsnprintf(formatted, sizeof formatted, why, args);
    if (n < 0)
        formatted[0] = '\0';
    put_escaped(e->why, sizeof e->why, str_span(formatted));
}

int err_set(struct err *e, enum err_what what, struct span obj, const char *why, ...)
{
    if (!err_begin(e, what, obj))
        return -1;
    va_list args;
    va_start(args, why);
    err_put_why(e, why, args);
    va_end(args);
    return -1;
}

int err_set_at(struct err *e, enum err_what what, struct span obj, uint64_t at, const char *why,
               ...)
{
    if (!err_begin(e, what, obj))
        return -1;
    e->at = at;
    va_list args;
    va_start(args, why);
    err_put_why(e, why, args);
    va_end(args);
    return -1;
}

int err_sys(struct err *e, enum err_what what, const char *op, int sys, struct span obj,
            const char *why)
{
    if (!err_begin(e, what, obj))
        return -1;
    e->sys = sys;
    put_escaped(e->op, sizeof e->op, str_span(op));
    if (why != NULL)
        put_escaped(e->why, sizeof e->why, str_span(why));
    return -1;
}

int err_wrap(struct err *e, enum err_what what, struct span outer)
{
    if (e->what == ERR_NONE)
        return -1;
    char inner[sizeof e->obj];
    memcpy(inner, e->obj, sizeof inner);
    size_t inner_n = strlen(inner);
    bool keep = inner_n > 0 && inner_n + 2 + OUTER_BYTES_MIN < sizeof e->obj;
    struct text t = text_on(e->obj, sizeof e->obj);
    text_add_escaped_within(&t, outer, sizeof e->obj - 1 - (keep ? inner_n + 2 : 0));
    if (keep) {
        text_adds(&t, ": ");
        text_adds(&t, inner);
    }
    e->what = what;
    return -1;
}

/* An array that another process filled: terminated, and escaped unless what it
 * holds may be shown as it is. */
static void sanitize_array(char *array, size_t size)
{
    char copy[sizeof(struct err)];
    array[size - 1] = '\0';
    struct span s = str_span(array);
    if (str_is_printable(s))
        return;
    memcpy(copy, array, s.n);
    put_escaped(array, size, (struct span){(const uint8_t *)copy, s.n});
}

void err_sanitize(struct err *e)
{
    if (e->what >= ERR_COUNT)
        e->what = ERR_WORKER;
    sanitize_array(e->op, sizeof e->op);
    sanitize_array(e->obj, sizeof e->obj);
    sanitize_array(e->why, sizeof e->why);
}

const char *err_word(enum err_what what)
{
    return words[what < ERR_COUNT ? what : ERR_INTERNAL].word;
}

int err_exit_code(enum err_what what)
{
    return words[what < ERR_COUNT ? what : ERR_INTERNAL].exit_code;
}

void err_add_errno_name(struct text *t, int sys)
{
    const size_t names = sizeof errno_names / sizeof errno_names[0];
    if (sys > 0 && (size_t)sys < names && errno_names[sys] != NULL) {
        text_adds(t, errno_names[sys]);
        return;
    }
    text_adds(t, sys < 0 ? "errno -" : "errno ");
    text_add_number(t, sys < 0 ? 0 - (uint64_t)sys : (uint64_t)sys);
}

/* "OP: EACCES", or what there is of it. */
static void add_call(const struct err *e, struct text *t)
{
    text_adds(t, e->op);
    if (e->op[0] != '\0' && e->sys != 0)
        text_adds(t, ": ");
    if (e->sys != 0)
        err_add_errno_name(t, e->sys);
}

void err_format(const struct err *e, struct text *t)
{
    size_t start = t->n;
    bool call = e->op[0] != '\0' || e->sys != 0;
    text_adds(t, e->obj);
    if (e->at != 0) {
        bool bytes = e->what == ERR_JSON || e->what == ERR_CONFIG;
        text_adds(t, t->n > start ? ": " : "");
        text_adds(t, bytes ? "byte " : "line ");
        text_add_number(t, e->at);
    }
    if (e->why[0] != '\0') {
        text_adds(t, t->n > start ? ": " : "");
        text_adds(t, e->why);
        text_adds(t, call ? " (" : "");
        if (call)
            add_call(e, t);
        text_adds(t, call ? ")" : "");
    } else if (call) {
        text_adds(t, t->n > start ? ": " : "");
        add_call(e, t);
    }
    if (t->n == start)
        text_adds(t, err_word(e->what));
}
