/* Stand-in for the clang and the ld.lld of a distribution, one program under
 * both names. As the real pair: a C file is compiled to an object, below TMPDIR
 * when it is only to be linked, and clang starts ld.lld as a second process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "names.h"
#include "unit.h"

struct request {
    const char *sysroot;
    const char *output;
    bool compile_only;
    struct list inputs; /* C files and objects, in order */
    struct list temporary;
};

static bool known_flag(const char *word)
{
    static const char *const starts[] = {"-O", "-D", "-U", "-I", "-L",
                                         "-l", "-f", "-W", "-g", "-m"};

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (strncmp(word, starts[i], strlen(starts[i])) == 0)
            return true;
    }
    return strcmp(word, "-s") == 0 || strcmp(word, "-pthread") == 0;
}

static void read_request(int argc, char **argv, struct request *r)
{
    for (int i = 1; i < argc; i++) {
        struct span word = span_of(argv[i]);

        if (span_is(word, "-c"))
            r->compile_only = true;
        else if (span_is(word, "-o") && i + 1 < argc)
            r->output = argv[++i];
        else if (span_is(word, "--sysroot") && i + 1 < argc)
            r->sysroot = argv[++i];
        else if (word.n > 0 && word.p[0] != '-')
            list_add(&r->inputs, word);
        else if (!known_flag(argv[i]))
            die(1, "clang: error: unknown argument: '%s' (lema stand-in, not clang)", argv[i]);
    }
    if (r->inputs.n == 0)
        die(1, "clang: error: no input files (lema stand-in, not clang)");
    if (r->sysroot == NULL)
        die(1, "clang: error: no --sysroot (lema stand-in, not clang)");
}

/* Reads a C file or object. */
static void read_unit(const char *path, struct unit *u)
{
    struct span rest;
    struct text why = {0};

    if (file_map(path, &rest) != 0)
        die(1, "clang: error: cannot open file '%s': %s", path, strerror(errno));
    if (unit_parse(&rest, u, &why) != 0)
        die(1, "%s: error: %s", path, text_string(&why));
    if (rest.n > 0)
        die(1, "%s: error: bytes after the end", path);
}

static void compile(const char *from, const char *to)
{
    struct unit u = {.has_main = false};
    struct text object = {0};

    read_unit(from, &u);
    unit_print(&u, false, &object);
    if (file_write(to, text_span(&object), false) != 0)
        die(1, "clang: error: unable to open output file '%s': %s", to, strerror(errno));
}

static void compile_only(const struct request *r)
{
    const struct span input = r->inputs.items[0];

    if (r->inputs.n != 1 || r->output == NULL)
        die(1, "clang: error: -c takes one C file and -o (lema stand-in, not clang)");
    if (!span_ends(input, ".c"))
        die(1, "clang: error: '%s' is not a C file", input.p);
    compile(input.p, r->output);
}

/* An object for ld.lld: a C file's goes below TMPDIR. */
static char *object_of(struct request *r, struct span input)
{
    const char *folder = getenv("TMPDIR");
    struct text path = {0};
    int fd;

    if (!span_ends(input, ".c"))
        return span_copy(input);
    text_addf(&path, "%s/leanc-XXXXXX", folder == NULL ? "/tmp" : folder);
    fd = mkstemp(path.p);
    if (fd < 0)
        die(1, "clang: error: unable to make temporary file: %s", strerror(errno));
    close(fd);
    list_add(&r->temporary, text_span(&path));
    compile(input.p, path.p);
    return path.p;
}

static int start_linker(struct request *r)
{
    struct text linker = {0};
    size_t room = 0;
    char **argv = grow(NULL, r->inputs.n + 6, &room, sizeof *argv);
    size_t n = 0;
    int status = 0;
    pid_t pid;

    for (size_t i = 0; i < r->inputs.n; i++) {
        struct unit u = {.has_main = false};

        read_unit(r->inputs.items[i].p, &u); /* before a temporary file exists */
    }
    text_addf(&linker, "%s/bin/ld.lld", r->sysroot);
    argv[n++] = linker.p;
    argv[n++] = span_copy(span_of("--sysroot"));
    argv[n++] = span_copy(span_of(r->sysroot));
    argv[n++] = span_copy(span_of("-o"));
    argv[n++] = span_copy(span_of(r->output == NULL ? "a.out" : r->output));
    for (size_t i = 0; i < r->inputs.n; i++)
        argv[n++] = object_of(r, r->inputs.items[i]);
    argv[n] = NULL;
    pid = fork();
    if (pid == 0) {
        execv(linker.p, argv);
        die(1, "clang: error: unable to execute '%s': %s", linker.p, strerror(errno));
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        die(1, "clang: error: unable to start the linker: %s", strerror(errno));
    for (size_t i = 0; i < r->temporary.n; i++)
        unlink(r->temporary.items[i].p);
    if (WIFSIGNALED(status))
        die(1, "clang: error: the linker was killed by %s", signal_name(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

/* Every import of a linked module must be linked too, unless the distribution has it. */
static void check_imports(const struct request *r, const struct unit *u, const struct list *linked)
{
    for (size_t i = 0; i < u->imports.n; i++) {
        struct text file = {0};
        struct span rest = u->imports.items[i];

        text_addf(&file, "%s/lib/lean", r->sysroot);
        while (rest.n > 0) {
            text_add_string(&file, "/");
            text_add(&file, span_take(&rest, '.'));
        }
        text_add_string(&file, ".olean");
        if (!list_has(linked, u->imports.items[i]) && !file_exists(file.p))
            die(1, "ld.lld: error: undefined symbol: initialize_%s",
                span_copy(u->imports.items[i]));
    }
}

static void link_all(const struct request *r, struct text *objects)
{
    struct list linked = {0};
    unsigned mains = 0;

    for (size_t i = 0; i < r->inputs.n; i++) {
        struct unit u = {.has_main = false};

        read_unit(r->inputs.items[i].p, &u);
        if (list_has(&linked, u.module))
            die(1, "ld.lld: error: duplicate symbol: initialize_%s", span_copy(u.module));
        list_add(&linked, u.module);
        mains += u.has_main;
        unit_print(&u, false, objects);
    }
    for (size_t i = 0; i < r->inputs.n; i++) {
        struct unit u = {.has_main = false};

        read_unit(r->inputs.items[i].p, &u);
        check_imports(r, &u, &linked);
    }
    if (mains != 1)
        die(1, "ld.lld: error: %s symbol: main", mains == 0 ? "undefined" : "duplicate");
}

static int linker(const struct request *r)
{
    struct text runner = {0};
    struct text objects = {0};
    struct text program = {0};

    link_all(r, &objects);
    text_addf(&runner, "%s/lib/standin/runner", r->sysroot);
    if (file_read(runner.p, &program) != 0)
        die(1, "ld.lld: error: cannot open %s: %s", runner.p, strerror(errno));
    text_add(&program, text_span(&objects));
    program_end(&program, objects.n);
    if (file_write(r->output, text_span(&program), true) != 0)
        die(1, "ld.lld: error: cannot open output file %s: %s", r->output, strerror(errno));
    return 0;
}

int main(int argc, char **argv)
{
    struct request r = {.output = NULL};

    read_request(argc, argv, &r);
    if (span_ends(span_of(argv[0]), "ld.lld"))
        return linker(&r);
    if (!r.compile_only)
        return start_linker(&r);
    compile_only(&r);
    return 0;
}
