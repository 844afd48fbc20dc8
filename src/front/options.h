/* Command-line options, strictly.  Layer: front.
 *
 * "--name VALUE" or "--name=VALUE", flags without a value, each at most once;
 * "--" ends them.  No abbreviations, no short forms, nothing from the environment. */
#ifndef LEMA_FRONT_OPTIONS_H
#define LEMA_FRONT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct option {
    const char *name; /* "--runtime" */
    bool flag;        /* takes no value */
    bool required;
    const char *value; /* out: borrowed from argv; NULL if not given, "" for a flag given */
};

/* Parse argv[0] to argv[argc - 1] (without program and command).
 * operand  out: what is no option, in order; operand_max of them are taken
 * returns  0, or -1 with ERR_USAGE, obj = the argument: unknown, repeated, no value or
 *          one too many, a required option missing, too many operands */
int options_parse(struct option *option, size_t n, const char **operand, size_t operand_max,
                  size_t *operand_n, int argc, char **argv, struct err *err);

#endif
