/* Names of errors and signals: see names.h. */
#include "names.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "text.h"

struct name {
    int number;
    const char *name;
};

static const struct name errors[] = {
    {0, "none"},
    {E2BIG, "E2BIG"},
    {EACCES, "EACCES"},
    {EADDRNOTAVAIL, "EADDRNOTAVAIL"},
    {EAFNOSUPPORT, "EAFNOSUPPORT"},
    {EAGAIN, "EAGAIN"},
    {EBADF, "EBADF"},
    {EBUSY, "EBUSY"},
    {ECONNREFUSED, "ECONNREFUSED"},
    {EDQUOT, "EDQUOT"},
    {EEXIST, "EEXIST"},
    {EFAULT, "EFAULT"},
    {EFBIG, "EFBIG"},
    {EINTR, "EINTR"},
    {EINVAL, "EINVAL"},
    {EIO, "EIO"},
    {EISDIR, "EISDIR"},
    {ELOOP, "ELOOP"},
    {EMFILE, "EMFILE"},
    {EMLINK, "EMLINK"},
    {ENAMETOOLONG, "ENAMETOOLONG"},
    {ENETDOWN, "ENETDOWN"},
    {ENETUNREACH, "ENETUNREACH"},
    {ENFILE, "ENFILE"},
    {ENODEV, "ENODEV"},
    {ENOENT, "ENOENT"},
    {ENOEXEC, "ENOEXEC"},
    {ENOMEM, "ENOMEM"},
    {ENOSPC, "ENOSPC"},
    {ENOSYS, "ENOSYS"},
    {ENOTDIR, "ENOTDIR"},
    {ENOTEMPTY, "ENOTEMPTY"},
    {ENOTTY, "ENOTTY"},
    {ENXIO, "ENXIO"},
    {EOPNOTSUPP, "EOPNOTSUPP"},
    {EPERM, "EPERM"},
    {EPIPE, "EPIPE"},
    {EPROTONOSUPPORT, "EPROTONOSUPPORT"},
    {EROFS, "EROFS"},
    {ESOCKTNOSUPPORT, "ESOCKTNOSUPPORT"},
    {ESRCH, "ESRCH"},
    {ETXTBSY, "ETXTBSY"},
    {EUSERS, "EUSERS"},
    {EXDEV, "EXDEV"},
};

static const struct name signals[] = {
    {SIGABRT, "ABRT"}, {SIGALRM, "ALRM"},     {SIGBUS, "BUS"},     {SIGCHLD, "CHLD"},
    {SIGCONT, "CONT"}, {SIGFPE, "FPE"},       {SIGHUP, "HUP"},     {SIGILL, "ILL"},
    {SIGINT, "INT"},   {SIGIO, "IO"},         {SIGKILL, "KILL"},   {SIGPIPE, "PIPE"},
    {SIGPROF, "PROF"}, {SIGQUIT, "QUIT"},     {SIGSEGV, "SEGV"},   {SIGSTOP, "STOP"},
    {SIGSYS, "SYS"},   {SIGTERM, "TERM"},     {SIGTRAP, "TRAP"},   {SIGTSTP, "TSTP"},
    {SIGTTIN, "TTIN"}, {SIGTTOU, "TTOU"},     {SIGURG, "URG"},     {SIGUSR1, "USR1"},
    {SIGUSR2, "USR2"}, {SIGVTALRM, "VTALRM"}, {SIGWINCH, "WINCH"}, {SIGXCPU, "XCPU"},
    {SIGXFSZ, "XFSZ"},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

const char *errno_name(int number)
{
    for (size_t i = 0; i < COUNT(errors); i++) {
        if (errors[i].number == number)
            return errors[i].name;
    }
    return "EOTHER";
}

const char *signal_name(int number)
{
    for (size_t i = 0; i < COUNT(signals); i++) {
        if (signals[i].number == number)
            return signals[i].name;
    }
    return "other";
}

int signal_number(const char *name)
{
    uint64_t number;

    if (span_number(span_of(name), 64, &number))
        return (int)number;
    if (strncmp(name, "SIG", 3) == 0)
        name += 3;
    for (size_t i = 0; i < COUNT(signals); i++) {
        if (strcmp(signals[i].name, name) == 0)
            return signals[i].number;
    }
    return 0;
}
