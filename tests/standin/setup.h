/* The file of lean --setup: module name, imports and where their files are.
 *
 * Read: name, imports (strings or objects with a `module`), importArts (module
 * to a list of files, the first of which is taken). Skipped: isModule, options,
 * package. Refused: dynlibs and plugins that are not empty, any other name. */
#ifndef STANDIN_SETUP_H
#define STANDIN_SETUP_H

#include "text.h"

struct setup {
    struct span name;
    bool has_imports;
    struct list imports;
    struct list artifact_names;
    struct list artifact_files;
};

/* -1 and the reason if the text is not such a file. */
int setup_parse(struct span text, struct setup *s, struct text *why);

#endif
