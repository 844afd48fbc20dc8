/* lema-pin: prints what a build of lema is to trust (specification 2).
 *
 *     lema-pin distribution DIR NAME          DIR's manifest
 *     lema-pin host [--root DIR] [PATH...]    host files, and the libraries of the
 *                                             distribution's programs PATH
 *     lema-pin check DIR                      are DIR's three files what lema takes?
 *     lema-pin archive FILE                   is FILE the release archive that others know?
 *
 * Texts go to standard output only when they are whole and pass lema's own parsers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/pins.h"
#include "pin/pin.h"

static int usage(void)
{
    fputs("usage: lema-pin distribution DIR NAME\n"
          "       lema-pin host [--root DIR] [PATH...]\n"
          "       lema-pin check DIR\n"
          "       lema-pin archive FILE\n",
          stderr);
    return 2;
}

static int run_distribution(char **argv, int n)
{
    if (n != 2 || !manifest_is_name(str_span(argv[1])))
        return usage();
    return pin_distribution(argv[0], argv[1]);
}

/* "" for this host; otherwise DIR's own real path, so that paths can be put behind it. */
static const char *real_root(const char *dir)
{
    char *real = realpath(dir, NULL);
    if (real != NULL)
        return strcmp(real, "/") == 0 ? "" : real;
    pin_die_errno(dir, errno);
}

static int run_host(char **argv, int n)
{
    const char *root = "";
    if (n > 0 && strcmp(argv[0], "--root") == 0) {
        if (n < 2)
            return usage();
        root = real_root(argv[1]);
        argv += 2;
        n -= 2;
    }
    for (int i = 0; i < n; i++)
        if (argv[i][0] == '-')
            return usage();
    return pin_host(root, argv, (size_t)n);
}

static int run_check(char **argv, int n)
{
    struct err err;
    if (n != 1)
        return usage();
    err_clear(&err);
    struct pins *pins = pin_grow(NULL, 1, sizeof *pins);
    struct span manifest = pin_read(pin_join(argv[0], "/distribution.manifest"));
    struct span host = pin_read(pin_join(argv[0], "/host.manifest"));
    struct span profile = pin_read(pin_join(argv[0], "/toolchain.profile"));
    if (pins_parse(pins, manifest, host, profile, &err) != 0)
        pin_die_err(&err);
    return 0;
}

static int run_archive(char **argv, int n)
{
    return n == 1 ? pin_archive(argv[0]) : usage();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(char **argv, int n);
    } commands[] = {
        {"distribution", run_distribution},
        {"host", run_host},
        {"check", run_check},
        {"archive", run_archive},
    };
    for (size_t i = 0; argc >= 2 && i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argv + 2, argc - 2);
    return usage();
}
