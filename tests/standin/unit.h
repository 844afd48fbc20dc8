/* What lean -c writes, what leanc -c writes, and what a linked program carries.
 *
 * The C file                                The object
 *     // lema-stand-in C v1: ...                lema-stand-in object v1
 *     #error ...                                module A.B
 *     // module A.B                             import Init
 *     // import Init                            main
 *     // main            if def main            run print hello
 *     // run print hello                        end 4
 *     // end 4           lines above it
 *
 * A program is the runner's bytes, the objects, and one last line
 *     lema-stand-in program v1 NNNNNNNNNN
 * with the number of bytes of the objects. */
#ifndef STANDIN_UNIT_H
#define STANDIN_UNIT_H

#include "text.h"

struct unit {
    struct span module;
    struct list imports;
    bool has_main;
    struct list run; /* directives, in order */
};

void unit_print(const struct unit *u, bool as_c, struct text *out);
/* Reads one C file or object off the front of `rest`. -1 and the reason if it is neither. */
int unit_parse(struct span *rest, struct unit *u, struct text *why);

/* The last line of a program, for objects of so many bytes. */
void program_end(struct text *out, size_t bytes);
/* The objects in a program's bytes; -1 if it carries none. */
int program_objects(struct span program, struct span *objects);

#endif
