/* One attempt in a child of its own: see probe.h. */
#include "probe.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "names.h"

void probe(const char *directive, const char *what, long (*attempt)(const long *values),
           const long *values)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        long result = attempt(values);

        if (result < 0)
            say("%s %s: %s", directive, what, errno_name(errno));
        else
            say("%s %s: returned %ld", directive, what, result);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        say("%s %s: no child: %s", directive, what, errno_name(errno));
    else if (WIFSIGNALED(status))
        say("%s %s: killed by %s", directive, what, signal_name(WTERMSIG(status)));
}
