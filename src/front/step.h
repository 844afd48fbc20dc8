/* A step of the profile as the arguments of a native call.  Layer: front.
 *
 * Specification 2: toolchain.profile says which program runs with which
 * arguments; here its placeholders get their values. */
#ifndef LEMA_FRONT_STEP_H
#define LEMA_FRONT_STEP_H

#include "base/err.h"
#include "host/pins.h"
#include "limits.h"

/* What stands for the placeholders: paths in the sandbox, NULL = not to be used.
 * {memory} is always LEAN_MEMORY_MIB. */
struct step_values {
    const char *root, *source, *module, *olean, *ilean, *c, *exe;
};

/* Caller-owned; word points into text and into the pins. */
struct step_arguments {
    const char *word[PROFILE_WORDS_MAX + 1]; /* NULL-terminated */
    char bytes[ARGV_BYTES_MAX];
};

/* Build them.  The program becomes "/lean/PROGRAM".
 * returns  0, or -1 with ERR_PINS: a placeholder that has no value here, or too long */
int step_arguments(struct step_arguments *a, const struct profile *profile, enum profile_step step,
                   const struct step_values *values, struct err *err);

#endif
