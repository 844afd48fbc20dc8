/* Messages in Lean's two shapes, written to standard output as they come.
 *
 * Plain: `FILE:LINE:COLUMN: warning: TEXT`, with `error(NAME):` for a named
 * error, and the text alone for information. With --json one object a line,
 * its names sorted, as Lean 4.31 and later write it. */
#ifndef STANDIN_MESSAGE_H
#define STANDIN_MESSAGE_H

#include "source.h"

enum severity { INFORMATION, WARNING, ERROR };

struct messages {
    const char *file;
    bool json;
    size_t errors; /* counted by message_emit */
};

struct message {
    enum severity severity;
    const char *kind; /* NULL: "[anonymous]"; of a named error its name */
    struct place from;
    struct place to;
    struct span data;
};

void message_emit(struct messages *m, const struct message *message);

#endif
