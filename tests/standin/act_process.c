/* Directives: processes, signals, endings. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "act.h"
#include "files.h"
#include "names.h"

static void sleep_for(uint64_t seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

void act_fork_bomb(struct directive_context *c, const struct arguments *a)
{
    uint64_t asked = argument_number(a, 0, 0);
    uint64_t made = 0;
    int error = 0;

    (void)c;
    while (made < asked && error == 0) {
        pid_t pid = fork();

        if (pid == 0) {
            sleep_for(argument_number(a, 1, 600));
            _exit(0);
        }
        if (pid < 0)
            error = errno;
        else
            made++;
    }
    say("fork-bomb: asked %llu, made %llu, error %s", (unsigned long long)asked,
        (unsigned long long)made, errno_name(error));
}

static void append_line(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

    if (fd >= 0)
        (void)fd_write(fd, span_of("setsid-child was here\n"));
}

void act_setsid_child(struct directive_context *c, const struct arguments *a)
{
    bool closes = strcmp(argument(a, 2, "keep"), "close") == 0;
    pid_t pid = fork();

    (void)c;
    if (pid == 0) {
        if (setsid() < 0 || fork() != 0)
            _exit(0);
        for (int fd = 0; closes && fd < 3; fd++)
            close(fd);
        sleep_for(argument_number(a, 0, 0));
        append_line(a->at[1]);
        if (!closes)
            say("setsid-child: appended");
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
    say("setsid-child: %s", pid < 0 ? errno_name(errno) : "started");
}

void act_hang(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    (void)a;
    for (;;)
        pause();
}

void act_hang_ignoring_signals(struct directive_context *c, const struct arguments *a)
{
    for (int number = 1; number <= 64; number++)
        signal(number, SIG_IGN);
    say("hang-ignoring-signals: deaf");
    act_hang(c, a);
}

void act_stop_self(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    (void)a;
    say("stop-self: stopping");
    kill(getpid(), SIGSTOP);
    say("stop-self: continued");
}

void act_spin(struct directive_context *c, const struct arguments *a)
{
    struct timespec now;
    time_t end;

    (void)c;
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = now.tv_sec + (time_t)argument_number(a, 0, 0);
    while (now.tv_sec < end)
        clock_gettime(CLOCK_MONOTONIC, &now);
    say("spin: done");
}

void act_sleep(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    sleep_for(argument_number(a, 0, 0));
}

void act_exit(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    _exit((int)(argument_number(a, 0, 0) & 0xff));
}

void act_raise(struct directive_context *c, const struct arguments *a)
{
    int number = signal_number(a->at[0]);

    (void)c;
    if (number == 0)
        die(DIRECTIVE_UNKNOWN, "raise: no signal '%s'", a->at[0]);
    kill(getpid(), number);
}

void act_abort(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    (void)a;
    abort();
}

void act_ignore_signal(struct directive_context *c, const struct arguments *a)
{
    int number = signal_number(a->at[0]);

    (void)c;
    if (number == 0)
        die(DIRECTIVE_UNKNOWN, "ignore-signal: no signal '%s'", a->at[0]);
    signal(number, SIG_IGN);
}

void act_kill_parent(struct directive_context *c, const struct arguments *a)
{
    int error = kill(getppid(), SIGKILL) == 0 ? 0 : errno;

    (void)c;
    (void)a;
    say("kill-parent: %s", error == 0 ? "sent" : errno_name(error));
}

void act_exec(struct directive_context *c, const struct arguments *a)
{
    char *argv[DIRECTIVE_WORDS_MAX + 1] = {NULL};
    int status = 0;
    pid_t pid;

    (void)c;
    argv[0] = span_copy(span_of(a->at[0]));
    for (size_t i = 1; i < a->n; i++)
        argv[i] = span_copy(span_of(a->at[i]));
    pid = fork();
    if (pid == 0) {
        execv(argv[0], argv);
        say("exec %s: %s", argv[0], errno_name(errno));
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        say("exec %s: %s", argv[0], errno_name(errno));
    else if (WIFSIGNALED(status))
        say("exec %s: killed by %s", argv[0], signal_name(WTERMSIG(status)));
    else
        say("exec %s: exit %d", argv[0], WEXITSTATUS(status));
}
