/* Stand-in for `leanc`: as the real one it starts ROOT/bin/clang with its own
 * flags and all arguments as they are, and ends as that ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "names.h"

static void start(const char *program, char **argv)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        execv(program, argv);
        die(255, "uncaught exception: could not execute '%s': %s", program, strerror(errno));
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        die(1, "uncaught exception: could not start a process: %s", strerror(errno));
    if (WIFSIGNALED(status))
        die(1, "stand-in leanc: clang was killed by %s", signal_name(WTERMSIG(status)));
    exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    const char *sysroot = getenv("LEAN_SYSROOT");
    struct text root = {0};
    struct text clang = {0};
    size_t room = 0;
    char **command = grow(NULL, (size_t)argc + 3, &room, sizeof *command);
    size_t n = 0;

    if (argc < 2)
        die(1, "Lean C compiler (lema stand-in, not Lean): all arguments go to clang");
    if (sysroot != NULL)
        text_add_string(&root, sysroot);
    else if (own_root(2, &root) != 0)
        die(1, "failed to locate application");
    text_addf(&clang, "%s/bin/clang", text_string(&root));
    command[n++] = clang.p;
    command[n++] = span_copy(span_of("--sysroot"));
    command[n++] = root.p;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-shared") == 0)
            die(1, "stand-in leanc: no shared libraries");
        command[n++] = argv[i];
    }
    command[n] = NULL;
    start(clang.p, command);
}
