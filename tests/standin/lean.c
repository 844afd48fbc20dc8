/* Stand-in for `lean`: real command lines, a tiny language, directives.
 *
 * Not Lean: it proves nothing. See README.md for the language and
 * directive.c, or `lean --standin-help`, for the directives. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elaborate.h"
#include "files.h"
#include "setup.h"
#include "unit.h"
#include "version.h"

#define THREAD_STACK_BYTES ((size_t)8 << 20)

struct options {
    int argc;
    char **argv;
    bool use_stdin;
    bool json;
    bool deps;
    const char *root;
    const char *olean;
    const char *ilean;
    const char *c;
    const char *setup;
    const char *file;
    int code; /* what the run ended with */
};

/* Values above the letters, for options without one. */
enum { OPTION_DEPS = 256, OPTION_PREFIX, OPTION_LIBDIR, OPTION_HELP_DIRECTIVES };

static const struct option long_options[] = {
    {"version", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"githash", no_argument, NULL, 'g'},
    {"short-version", no_argument, NULL, 'V'},
    {"features", no_argument, NULL, 'f'},
    {"stdin", no_argument, NULL, 'I'},
    {"quiet", no_argument, NULL, 'q'},
    {"json", no_argument, NULL, 'J'},
    {"memory", required_argument, NULL, 'M'},
    {"trust", required_argument, NULL, 't'},
    {"timeout", required_argument, NULL, 'T'},
    {"threads", required_argument, NULL, 'j'},
    {"tstack", required_argument, NULL, 's'},
    {"error", required_argument, NULL, 'E'},
    {"root", required_argument, NULL, 'R'},
    {"setup", required_argument, NULL, 'u'},
    {"o", required_argument, NULL, 'o'},
    {"i", required_argument, NULL, 'i'},
    {"c", required_argument, NULL, 'c'},
    {"deps", no_argument, NULL, OPTION_DEPS},
    {"print-prefix", no_argument, NULL, OPTION_PREFIX},
    {"print-libdir", no_argument, NULL, OPTION_LIBDIR},
    {"standin-help", no_argument, NULL, OPTION_HELP_DIRECTIVES},
    {NULL, 0, NULL, 0},
};

static void usage(int fd)
{
    struct text t = {0};

    text_add_string(
        &t, STANDIN_VERSION
        "\n"
        "  -h --help, -v --version, -V --short-version, -g --githash, --features\n"
        "  -o --o=FILE     create an .olean        -i --i=FILE   create an .ilean\n"
        "  -c --c=FILE     create a C file         --stdin       take input from stdin\n"
        "  -R --root=DIR   package root            --setup=FILE  module setup, JSON\n"
        "  -t --trust=N, -M --memory=N, -T --timeout=N, -j --threads=N, -s --tstack=N\n"
        "  -q --quiet, -E --error=KIND, -D NAME=VALUE, --json, --deps\n"
        "  --print-prefix, --print-libdir\n"
        "  --standin-help  the directives for tests\n");
    (void)fd_write(fd, text_span(&t));
}

static struct span root_of_distribution(void)
{
    struct text root = {0};

    if (own_root(2, &root) != 0)
        die(1, "failed to locate application");
    return text_span(&root);
}

/* Options that print something and end the program. */
static void print_and_exit(int option)
{
    if (option == 'v')
        say("%s", STANDIN_VERSION);
    else if (option == 'V')
        say("%s", STANDIN_SHORT_VERSION);
    else if (option == 'g')
        say("%s", STANDIN_GITHASH);
    else if (option == 'f')
        say("[]");
    else if (option == 'h')
        usage(1);
    else if (option == OPTION_PREFIX)
        say("%s", span_copy(root_of_distribution()));
    else if (option == OPTION_LIBDIR)
        say("%s/lib/lean", span_copy(root_of_distribution()));
    else if (option == OPTION_HELP_DIRECTIVES)
        directive_help();
    else
        return;
    exit(0);
}

static void check_value(int option, const char *value)
{
    uint64_t number;

    if (strchr("MtTjs", option) != NULL && !span_number(span_of(value), UINT32_MAX, &number))
        die(1, "error: expected numeric argument for option '-%c'", option);
    if (option == 'D' && strchr(value, '=') == NULL)
        die(1, "error: invalid -D parameter, argument must contain '='");
}

static void take_option(struct options *o, int option)
{
    print_and_exit(option);
    if (option == 'o')
        o->olean = optarg;
    else if (option == 'i')
        o->ilean = optarg;
    else if (option == 'c')
        o->c = optarg;
    else if (option == 'R')
        o->root = optarg;
    else if (option == 'u')
        o->setup = optarg;
    else if (option == 'I')
        o->use_stdin = true;
    else if (option == 'J')
        o->json = true;
    else if (option == OPTION_DEPS)
        o->deps = true;
    else if (option < 256 && strchr("MtTjsD", option) != NULL)
        check_value(option, optarg);
    else if (option != 'q' && option != 'E') {
        (void)fd_write(2, span_of("Unknown command line option\n"));
        usage(2);
        exit(1);
    }
}

static void read_options(struct options *o)
{
    int option;

    while ((option = getopt_long(o->argc, o->argv, "vhgVfqo:i:c:R:M:t:T:j:s:E:D:", long_options,
                                 NULL)) != -1)
        take_option(o, option);
    if (optind + 1 == o->argc)
        o->file = o->argv[optind];
    else if (optind == o->argc && o->use_stdin)
        o->file = "<stdin>";
    if (o->file == NULL) {
        (void)fd_write(2, span_of("Expected exactly one file name\n"));
        usage(2);
        exit(1);
    }
}

/* The module name of a file below a root, both as the system resolves them. */
static struct span name_below(const struct options *o, const char *file)
{
    char root[PATH_MAX];
    char path[PATH_MAX];
    struct span rest;
    char *name;

    if (realpath(file, path) == NULL || realpath(o->root == NULL ? "." : o->root, root) == NULL)
        die(1, "uncaught exception: no such file or directory\n  file: %s", file);
    rest = span_of(path);
    if (!span_starts(rest, root) || (strcmp(root, "/") != 0 && path[strlen(root)] != '/')) {
        if (o->olean == NULL && o->c == NULL)
            return span_of("_stdin");
        die(1, "uncaught exception: input file '%s' must be contained in root directory (%s/)",
            path, root);
    }
    rest = span_after(rest, strcmp(root, "/") == 0 ? 1 : strlen(root) + 1);
    if (span_ends(rest, ".lean"))
        rest.n -= 5;
    name = span_copy(rest);
    for (char *at = name; *at != '\0'; at++) {
        if (*at == '/')
            *at = '.';
    }
    return span_of(name);
}

static void use_setup(const struct options *o, struct elaboration *e)
{
    struct setup s = {.has_imports = false};
    struct text content = {0};
    struct text why = {0};

    if (file_read(o->setup, &content) != 0)
        die(1, "uncaught exception: %s\n  file: %s", strerror(errno), o->setup);
    if (setup_parse(text_span(&content), &s, &why) != 0)
        die(1, "uncaught exception: failed to load header from %s: %s", o->setup,
            text_string(&why));
    e->module.name = s.name;
    e->has_setup_imports = s.has_imports;
    e->setup_imports = s.imports;
    e->environment.artifact_names = s.artifact_names;
    e->environment.artifact_files = s.artifact_files;
}

static void read_source(const struct options *o, struct text *content)
{
    int result = o->use_stdin ? fd_read(0, content) : file_read(o->file, content);

    if (result != 0)
        die(1, "uncaught exception: %s (error code: %d)\n  file: %s", strerror(errno), errno,
            o->file);
}

static void print_ilean(const struct elaboration *e, struct text *out)
{
    text_add_string(out, "{\"decls\":[");
    for (size_t i = 0; i < e->module.n; i++) {
        text_add_string(out, i == 0 ? "" : ",");
        text_add_json(out, e->module.decls[i].name);
    }
    text_add_string(out, "],\"module\":");
    text_add_json(out, e->module.name);
    text_add_string(out, ",\"references\":{},\"version\":\"lema stand-in, not Lean\"}\n");
}

static void write_output(const char *path, const struct text *content)
{
    if (path != NULL && file_write(path, text_span(content), false) != 0)
        die(1, "uncaught exception: %s (error code: %d)\n  file: %s", strerror(errno), errno, path);
}

/* .olean and .ilean first, the C file last: Lean's order. */
static void write_outputs(const struct options *o, const struct elaboration *e)
{
    struct unit u = {.module = e->module.name,
                     .imports = e->module.imports,
                     .has_main = e->has_main,
                     .run = e->run_time};
    struct text olean = {0};
    struct text ilean = {0};
    struct text c = {0};

    module_print(&e->module, &olean);
    print_ilean(e, &ilean);
    unit_print(&u, true, &c);
    write_output(o->olean, &olean);
    write_output(o->ilean, &ilean);
    write_output(o->c, &c);
}

static void print_deps(const struct elaboration *e)
{
    for (size_t i = 0; i < e->source.n; i++) {
        struct span rest = e->source.items[i].text;
        struct text file = {0};
        struct text why = {0};

        if (!span_is(span_take(&rest, ' '), "import"))
            continue;
        if (environment_locate(&e->environment, span_trim(rest), &file, &why) != 0)
            die(1, "uncaught exception: %s", text_string(&why));
        say("%s", text_string(&file));
    }
}

/* Everything after the options. Lean elaborates in threads, so this does too. */
static void *run(void *argument)
{
    struct options *o = argument;
    struct elaboration e = {.has_main = false};
    struct text content = {0};
    size_t at = 0;

    environment_start(&e.environment, root_of_distribution());
    e.messages = (struct messages){.file = o->file, .json = o->json};
    e.directives = (struct directive_context){.argc = o->argc, .argv = o->argv};
    read_source(o, &content);
    if (o->setup != NULL)
        use_setup(o, &e);
    else
        e.module.name = o->use_stdin ? span_of("_stdin") : name_below(o, o->file);
    if (o->deps) {
        (void)source_split(text_span(&content), &e.source, &at);
        print_deps(&e);
        return NULL;
    }
    o->code = elaborate(&e, text_span(&content));
    if (o->code == 0 && e.messages.errors > 0)
        o->code = 1;
    if (o->code == 0)
        write_outputs(o, &e);
    return NULL;
}

int main(int argc, char **argv)
{
    struct options o = {.argc = argc, .argv = argv};
    pthread_attr_t attributes;
    pthread_t thread;

    read_options(&o);
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES) != 0 ||
        pthread_create(&thread, &attributes, run, &o) != 0 || pthread_join(thread, NULL) != 0)
        die(1, "failed to create thread");
    return o.code;
}
