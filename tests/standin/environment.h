/* Where modules are found and what has been imported.
 *
 * As in Lean: the search path is LEAN_PATH, then lib/lean of the distribution;
 * the first entry that holds the package (A/ or A.olean) decides for A.B.C. */
#ifndef STANDIN_ENVIRONMENT_H
#define STANDIN_ENVIRONMENT_H

#include "module.h"

struct environment {
    struct list path;           /* directories, searched in order */
    struct list artifact_names; /* from --setup: these modules ... */
    struct list artifact_files; /* ... are read from these files */
    struct module *modules;     /* imported, in order */
    size_t n;
    size_t room;
};

/* Sets the search path from LEAN_PATH and the distribution's root. */
void environment_start(struct environment *e, struct span root);
/* The file of a module, which need not exist; -1 and Lean's words if no entry holds its package. */
int environment_locate(const struct environment *e, struct span name, struct text *file,
                       struct text *why);
/* Imports a module and all that it imports, once. -1 and the reason on failure. */
int environment_import(struct environment *e, struct span name, struct text *why);
const struct decl *environment_find(const struct environment *e, struct span name);
/* Names of all modules on the search path, sorted, each once. */
void environment_list(const struct environment *e, struct list *names);

#endif
