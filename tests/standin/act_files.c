/* Directives: entries of every kind. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "act.h"
#include "files.h"
#include "names.h"

static void result(const char *name, const char *path, int outcome)
{
    int error = outcome < 0 ? errno : 0;
    struct text t = {0};

    text_add_escaped(&t, span_of(path));
    say("%s %s: %s", name, text_string(&t), errno_name(error));
}

static int write_line(const char *path, int flags, const char *content)
{
    struct text t = {0};
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags, 0666);

    if (fd < 0)
        return -1;
    text_addf(&t, "%s\n", content);
    if (fd_write(fd, text_span(&t)) != 0)
        return -1;
    return close(fd);
}

void act_write(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    result("write", a->at[0], write_line(a->at[0], O_TRUNC, a->at[1]));
}

void act_append(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    result("append", a->at[0], write_line(a->at[0], O_APPEND, a->at[1]));
}

void act_read(struct directive_context *c, const struct arguments *a)
{
    struct text content = {0};

    (void)c;
    if (file_read(a->at[0], &content) != 0)
        result("read", a->at[0], -1);
    else
        say("read %s: %zu bytes", a->at[0], content.n);
}

void act_remove(struct directive_context *c, const struct arguments *a)
{
    int outcome = unlink(a->at[0]);

    (void)c;
    if (outcome != 0 && errno == EISDIR)
        outcome = rmdir(a->at[0]);
    result("remove", a->at[0], outcome);
}

void act_chmod(struct directive_context *c, const struct arguments *a)
{
    char *end;
    unsigned long mode = strtoul(a->at[0], &end, 8);

    (void)c;
    if (*end != '\0' || mode > 07777)
        die(DIRECTIVE_UNKNOWN, "chmod: no mode '%s'", a->at[0]);
    result("chmod", a->at[1], chmod(a->at[1], (mode_t)mode));
}

void act_symlink(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    result("symlink", a->at[1], symlink(a->at[0], a->at[1]));
}

void act_hardlink(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    result("hardlink", a->at[1], link(a->at[0], a->at[1]));
}

void act_fifo(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    result("fifo", a->at[0], mkfifo(a->at[0], 0666));
}

void act_mknod_device(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    result("mknod-device", a->at[0], mknod(a->at[0], S_IFCHR | 0666, makedev(1, 3)));
}

void act_name_with_newline(struct directive_context *c, const struct arguments *a)
{
    static const char *const names[] = {
        "new\nline", "escape\033[31mred", "bad-utf8-\xff", "bidi-\xe2\x80\xae", "-rf",
        " blank ",   "quote\"'$(id)`id`", "back\\slash",   "tab\there",         "\xc2\x9b[31m",
    };

    (void)c;
    (void)a;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        result("name-with-newline", names[i], write_line(names[i], O_TRUNC, "hostile name"));
}

static void swap_once(unsigned step)
{
    int fd;

    switch (step % 5) {
    case 0:
        if (mkdir("swap", 0777) == 0)
            rmdir("swap");
        break;
    case 1:
        if (symlink("/etc/passwd", "swap") == 0)
            unlink("swap");
        break;
    case 2:
        if (mkfifo("swap", 0666) == 0)
            unlink("swap");
        break;
    case 3:
        if (symlink("/", "swap") == 0)
            unlink("swap");
        break;
    default:
        fd = open("swap", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            unlink("swap");
        }
        break;
    }
}

void act_swap_loop(struct directive_context *c, const struct arguments *a)
{
    time_t end = time(NULL) + (time_t)argument_number(a, 0, 0);
    pid_t pid = fork();

    (void)c;
    if (pid == 0) {
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        for (unsigned step = 0; time(NULL) < end; step++)
            swap_once(step);
        _exit(0);
    }
    say("swap-loop: %s", pid < 0 ? errno_name(errno) : "started");
}
