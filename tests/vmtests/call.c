/* Makes one native call through the modules: vm_call CONFIG NAME SOURCE-TEXT.
 *
 * Prints "outcome=… exit_code=… signal=… fault=… oom=… wall_ms=… : DETAIL" and
 * ends with 0 if the call completed or was refused in a way that was said. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sys.h"
#include "call/call.h"
#include "call/init.h"
#include "call/inner.h"

static void print_error(const char *what, const struct err *err)
{
    char buffer[1024];
    struct text t = text_on(buffer, sizeof buffer);
    err_format(err, &t);
    printf("%s: %s: %s\n", what, err_word((enum err_what)err->what), buffer);
}

static int call(struct runtime *rt, const char *name, const char *source)
{
    static struct call_answer answer;
    struct err err;
    const char *const argv[] = {"/lean/bin/lean", "--memory=4096", "--root=/call",
                                "/call/LemaCheck.lean", NULL};
    struct work_input input = {"LemaCheck.lean", str_span(source)};
    struct call_request request = {.name = name, .kind = KIND_CHECK_RUNTIME, .argv = argv,
                                   .input = &input, .input_n = 1, .sandbox = SANDBOX_BWRAP};

    err_clear(&err);
    int result = native_call(rt, &request, &answer, &err);
    const struct record_result *r = &answer.result;
    printf("outcome=%s exit_code=%d signal=%d fault=%s oom=%d wall_ms=%lld tasks_peak=%lld\n",
           outcome_word(r->outcome), (int)r->exit_code, (int)r->signal,
           fault_word(fault_first(r->faults)), (int)r->oom_killed, (long long)r->wall_ms,
           (long long)r->tasks_peak);
    if (answer.diagnostics[0] != '\0')
        printf("said: %s\n", answer.diagnostics);
    if (result != 0)
        print_error("call", &err);
    return result != 0;
}

int main(int argc, char **argv)
{
    struct err err;

    if (argc == 2 && strcmp(argv[1], "--inner") == 0)
        inner_main();
    if (argc == 2 && strcmp(argv[1], "--init") == 0)
        init_main();
    if (argc != 4)
        return 2;
    umask(077);
    struct runtime *rt = sys_memory(sizeof *rt);
    if (rt == NULL)
        return 2;
    runtime_init(rt);
    err_clear(&err);
    int result = 1;
    if (runtime_start(rt, &err) != 0 ||
        runtime_load(rt, str_span(argv[1]), RUNTIME_WHOLE, NULL, &err) != 0)
        print_error("load", &err);
    else
        result = call(rt, argv[2], argv[3]);
    fflush(stdout);
    runtime_close(rt);
    return result;
}
