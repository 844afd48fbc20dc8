/* attack: every attack, each in a process of its own, one line each:
 *
 *     NAME<TAB>held|SUCCEEDED<TAB>how
 *
 * how is the errno of the last attempt, the signal that ended it, or "time" after five
 * seconds.  Static; needs nothing but the kernel. */
#include "gauntlet/attack.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum verdict worked(long result)
{
    return result < 0 ? HELD : SUCCEEDED;
}

static void tell(const struct attack *a, const char *verdict, const char *how)
{
    char line[256];
    int n = snprintf(line, sizeof line, "%s\t%s\t%s\n", a->name, verdict, how);
    if (write(STDOUT_FILENO, line, (size_t)n) < 0)
        _exit(1);
}

static void attempt(const struct attack *a)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(5);
        errno = 0;
        enum verdict verdict = a->run();
        tell(a, verdict == HELD ? "held" : "SUCCEEDED", verdict == HELD ? strerror(errno) : "");
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        tell(a, "held", "no process");
    else if (WIFSIGNALED(status))
        tell(a, "held", WTERMSIG(status) == SIGALRM ? "time" : strsignal(WTERMSIG(status)));
}

static void attempt_all(const struct attack *attacks, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        attempt(&attacks[i]);
}

static void list(const struct attack *attacks, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        printf("%s\t%s\n", attacks[i].name, attacks[i].claim);
}

int main(int argc, char **argv)
{
    void (*each)(const struct attack *attacks, unsigned n) =
        argc == 2 && strcmp(argv[1], "list") == 0 ? list : attempt_all;

    each(file_attacks, file_attack_count);
    each(process_attacks, process_attack_count);
    each(kernel_attacks, kernel_attack_count);
    return 0;
}
