/* lema: the table of commands.  Layer: front.
 *
 * Specification 11 and 12.  In order: descriptors 0 to 2 are open, the mode mask is
 * narrow, the command is found in argv; what it then does stands in cmd_NAME.c.
 * Nothing is taken from the environment.  "--inner" and "--init" are lema's own
 * words: what it runs itself with inside a scope and a sandbox. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "call/init.h"
#include "call/inner.h"
#include "front/command.h"

#define EXIT_USAGE 2
#define ARGUMENTS_MAX 4096

static const struct command {
    const char *word[2]; /* "ledger", "verify"; the second may be NULL */
    const char *name;    /* both */
    command_run *run;
    const char *synopsis;
} commands[] = {
    {{"init", NULL}, "init", cmd_init, "--distribution D --output O --lock L CONFIG | --home DIR"},
    {{"doctor", NULL}, "doctor", cmd_doctor, "[--runtime CONFIG]"},
    {{"pins", NULL}, "pins", cmd_pins, "[--manifest | --host | --profile | --filters]"},
    {{"check-runtime", NULL},
     "check-runtime",
     cmd_check_runtime,
     "--runtime CONFIG [--call NAME] [--scope systemd|cgroup] [--sandbox bwrap|direct]"},
    {{"info", NULL}, "info", cmd_info, "--runtime CONFIG"},
    {{"ledger", "verify"}, "ledger verify", cmd_ledger_verify, "--runtime CONFIG"},
    {{"ledger", "show"}, "ledger show", cmd_ledger_show, "--runtime CONFIG"},
    {{"recover", NULL},
     "recover",
     cmd_recover,
     "--runtime CONFIG [--call NAME --reason TEXT [--host]]"},
    {{"http-build", NULL}, "http-build", cmd_http_build, "(retired)"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_usage(int fd)
{
    char buffer[4096];
    struct text t = text_on(buffer, sizeof buffer);

    text_adds(&t, "usage: lema COMMAND [--json] [OPTION...]\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        text_adds(&t, "  lema ");
        text_adds(&t, commands[i].name);
        text_adds(&t, " ");
        text_adds(&t, commands[i].synopsis);
        text_adds(&t, "\n");
    }
    text_adds(&t, "  lema --help | --version\nmanual: man lema\n");
    if (write(fd, buffer, t.n) < 0)
        _exit(1);
}

/* How many words of argv a command has; 0 if it is another. */
static int matches(const struct command *c, int argc, char **argv)
{
    if (argc < 1 || strcmp(argv[0], c->word[0]) != 0)
        return 0;
    if (c->word[1] == NULL)
        return 1;
    return argc >= 2 && strcmp(argv[1], c->word[1]) == 0 ? 2 : 0;
}

/* Take --json out of the arguments before a "--".  returns  how many are left */
static int take_json(int argc, char **argv, bool *json)
{
    int kept = 0;
    bool ended = false;

    *json = false;
    for (int i = 0; i < argc; i++) {
        ended = ended || strcmp(argv[i], "--") == 0;
        if (!ended && strcmp(argv[i], "--json") == 0)
            *json = true;
        else
            argv[kept++] = argv[i];
    }
    return kept;
}

static int run(const struct command *c, int argc, char **argv)
{
    struct command_line line = {.argv = argv};
    struct err err;
    struct out *o = sys_memory(sizeof *o);

    line.rt = sys_memory(sizeof *line.rt);
    if (o == NULL || line.rt == NULL) {
        out_message("memory: none is left");
        return 1;
    }
    err_clear(&err);
    runtime_init(line.rt);
    line.argc = take_json(argc, argv, &line.json);
    out_open(o, STDOUT_FILENO, c->name, line.json);
    int code = c->run(&line, o, &err);
    if (err.what != ERR_NONE)
        out_error(o, &err);
    if (code < 0)
        code = err_exit_code((enum err_what)err.what);
    runtime_close(line.rt);
    return out_close(o, code);
}

/* A descriptor of 0 to 2 that is closed would be the next file that is opened. */
static int open_standard(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (fd < 0)
            return -1;
    } while (fd <= STDERR_FILENO);
    return close(fd);
}

int main(int argc, char **argv)
{
    signal(SIGCHLD, SIG_DFL); /* a parent may have had it ignored: then nothing could be reaped */
    if (argc == 2 && strcmp(argv[1], "--inner") == 0)
        inner_main();
    if (argc == 2 && strcmp(argv[1], "--init") == 0)
        init_main();
    if (open_standard() != 0)
        return 1;
    umask(077);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* an inherited ulimit -f is an error of write(2), no death */
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(STDOUT_FILENO);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return write(STDOUT_FILENO, "lema " LEMA_VERSION "\n", sizeof "lema " LEMA_VERSION) < 0;
    for (size_t i = 0; i < COMMANDS && argc <= ARGUMENTS_MAX; i++) {
        int words = matches(&commands[i], argc - 1, argv + 1);
        if (words > 0)
            return run(&commands[i], argc - 1 - words, argv + 1 + words);
    }
    print_usage(STDERR_FILENO);
    return EXIT_USAGE;
}
