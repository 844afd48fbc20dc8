/* http-build: retired.  Layer: front.
 *
 * Specification 11: refused whatever its arguments are, and names cap-build. */
#include "front/command.h"

int cmd_http_build(struct command_line *line, struct out *o, struct err *err)
{
    (void)line;
    (void)o;
    return err_set(err, ERR_UNSUPPORTED, str_span("http-build"),
                   "retired: a program of lema's has no network; use cap-build");
}
