/* Elaborates a source: messages, a module, and the lines for its C file. */
#ifndef STANDIN_ELABORATE_H
#define STANDIN_ELABORATE_H

#include "directive.h"
#include "environment.h"
#include "message.h"

struct elaboration {
    struct environment environment; /* search path set by the caller */
    struct messages messages;       /* file and json set by the caller */
    struct module module;           /* name set by the caller */
    struct directive_context directives;
    struct list setup_imports; /* from --setup, in place of the header's */
    bool has_setup_imports;
    struct source source;
    struct list run_time; /* run-time directives, in order */
    bool has_main;
    bool prelude;
    bool header_done;
};

/* Returns 0, or 64 if a directive is unknown or malformed: then nothing was
 * elaborated or executed. Errors of the language are counted in messages. */
int elaborate(struct elaboration *e, struct span bytes);

#endif
