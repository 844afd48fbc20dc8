/* Directives: misbehaviour on request, for tests. One row of a table each. */
#ifndef STANDIN_DIRECTIVE_H
#define STANDIN_DIRECTIVE_H

#include "text.h"

#define DIRECTIVE_UNKNOWN 64
#define DIRECTIVE_WORDS_MAX 4u

struct directive_context {
    int argc; /* of the program that executes the directive */
    char **argv;
};

/* Arguments as strings. Missing ones are NULL. */
struct arguments {
    size_t n;
    const char *at[DIRECTIVE_WORDS_MAX];
};

/* What a row's function gets. Rows check their arguments with argument_number
 * and print what happened, one line that begins with the directive's name. */
typedef void directive_function(struct directive_context *c, const struct arguments *a);

/* -1 and the reason if there is no such directive or its arguments are wrong. */
int directive_check(struct span text, struct text *why);
/* Executes one directive that directive_check accepts. */
void directive_run(struct directive_context *c, struct span text);
/* Prints the table. */
void directive_help(void);

/* The number in argument i, or `standard` if it is missing. */
uint64_t argument_number(const struct arguments *a, size_t i, uint64_t standard);
/* The argument i, or `standard` if it is missing. */
const char *argument(const struct arguments *a, size_t i, const char *standard);

#endif
