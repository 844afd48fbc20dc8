/* Cuts a source into commands and directives, in order.
 *
 * A command begins at a line whose first byte is neither blank nor part of a
 * comment, and ends before the next such line or the next directive line. A
 * directive line is `--!` and its text, outside of block comments. To Lean it
 * is a comment. */
#ifndef STANDIN_SOURCE_H
#define STANDIN_SOURCE_H

#include "text.h"

enum item_kind { ITEM_COMMAND, ITEM_DIRECTIVE, ITEM_RUN_TIME };

struct place {
    unsigned line;   /* from 1 */
    unsigned column; /* from 0, in code points */
};

struct item {
    enum item_kind kind;
    struct span text; /* of a command: without its comments */
    size_t offset;    /* of the text in the source */
};

struct source {
    struct span bytes;
    char *clean; /* the same length; comments are spaces */
    struct item *items;
    size_t n;
    size_t room;
};

/* Returns -1, with the offset, for a comment or string that does not end. */
int source_split(struct span bytes, struct source *s, size_t *at);
struct place source_place(const struct source *s, size_t offset);
/* The next word at or after *offset and below `end`, strings skipped: letters,
 * digits, _ . ' ! ? and every byte above 127. False if there is none. */
bool source_word(const struct source *s, size_t *offset, size_t end, struct span *word);

#endif
