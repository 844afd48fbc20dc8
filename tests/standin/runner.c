/* The program that leanc links: it finds the objects behind its own bytes and
 * executes their run-time directives, module by module in the order of linking. */
#include <errno.h>
#include <string.h>

#include "directive.h"
#include "files.h"
#include "unit.h"

/* Checks before anything happens, as lean does. */
static void check(const struct unit *u)
{
    for (size_t i = 0; i < u->run.n; i++) {
        struct text why = {0};

        if (directive_check(u->run.items[i], &why) != 0)
            die(DIRECTIVE_UNKNOWN, "%s", text_string(&why));
    }
}

static void run_all(struct span objects, bool only_check, struct directive_context *context)
{
    while (objects.n > 0) {
        struct unit u = {.has_main = false};
        struct text why = {0};

        if (unit_parse(&objects, &u, &why) != 0)
            die(DIRECTIVE_UNKNOWN, "stand-in program: object: %s", text_string(&why));
        if (only_check)
            check(&u);
        for (size_t i = 0; i < u.run.n && !only_check; i++)
            directive_run(context, u.run.items[i]);
    }
}

int main(int argc, char **argv)
{
    struct directive_context context = {.argc = argc, .argv = argv};
    struct span objects;
    struct span self;

    if (file_map("/proc/self/exe", &self) != 0)
        die(DIRECTIVE_UNKNOWN, "stand-in program: /proc/self/exe: %s", strerror(errno));
    if (program_objects(self, &objects) != 0)
        die(DIRECTIVE_UNKNOWN, "stand-in program: nothing is linked to this runner");
    run_all(objects, true, &context);
    run_all(objects, false, &context);
    return 0;
}
