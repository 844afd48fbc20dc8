/* The commands, one row each in main.c.  Layer: front.
 *
 * A command parses its options, calls runtime_start before it reads anything
 * (but for pins, which reads nothing), and states what it found to out. */
#ifndef LEMA_FRONT_COMMAND_H
#define LEMA_FRONT_COMMAND_H

#include "base/err.h"
#include "call/runtime.h"
#include "call/sandbox.h"
#include "call/scope.h"
#include "front/options.h"
#include "front/out.h"

struct command_line {
    int argc; /* what stands behind the command's name */
    char **argv;
    bool json;          /* main.c took --json out of argv */
    struct runtime *rt; /* runtime_init done; main closes it */
};

/* returns  the exit code of a command that was done (0, 1 or 3), or -1 with err, which
 *          main prints and turns into an exit code (specification 12) */
typedef int command_run(struct command_line *line, struct out *o, struct err *err);

command_run cmd_init, cmd_doctor, cmd_pins, cmd_check_runtime, cmd_info, cmd_ledger_verify,
    cmd_ledger_show, cmd_recover, cmd_http_build;

/* lock_take's waiting of a command: says on standard error who holds the lock. */
void command_waiting(void *arg, int holder);

/* --scope and --sandbox of a command that makes native calls; a value of NULL is the default.
 * returns  0, or -1 with ERR_USAGE */
int command_scope(const struct option *option, enum scope_kind *scope, struct err *err);
int command_sandbox(const struct option *option, enum sandbox_kind *sandbox, struct err *err);

/* Start the processes and load the configuration of --runtime: what most commands
 * begin with.  A relative path is taken from the working directory.  With
 * RUNTIME_WHOLE a terminal on standard error shows the verification's progress.
 * returns  0, or -1 */
int command_load(struct command_line *line, const char *runtime, enum runtime_depth depth,
                 struct err *err);

/* The same with RUNTIME_WHOLE, for native calls in scopes of that kind. */
int command_load_for_calls(struct command_line *line, const char *runtime, enum scope_kind scope,
                           struct err *err);

/* path, or working directory and path, in a buffer of PATH_BYTES_MAX + 1 bytes.
 * returns  0, or -1 with ERR_PATH or ERR_IO */
int command_absolute(const char *path, char *buffer, struct err *err);

#endif
