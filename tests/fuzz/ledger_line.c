/* Fuzz target for one line of a ledger.  Beyond "no crash", for every text:
 *
 * 1. a refusal is ERR_LEDGER, with a printable reason, and leaves nothing behind;
 * 2. what is taken passes ledger_check_line, fits in a line when it is written
 *    by ledger_write_line, is taken again and says the same;
 * and for the same bytes taken for a structure, as a worker could send it:
 * 3. what ledger_check_line passes can be written and read, and written again
 *    gives the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) require((condition), #condition, __LINE__)

static void require(bool holds, const char *what, int line)
{
    if (holds)
        return;
    (void)fprintf(stderr, "line %d: does not hold: %s\n", line, what);
    abort();
}

/* Write a line that passed the check, and read it. */
static void write_and_read(const struct ledger_line *line, struct text *t,
                           struct ledger_line *again)
{
    struct err err;
    err_clear(&err);
    REQUIRE(ledger_check_line(line, &err) == 0);
    ledger_write_line(t, line);
    REQUIRE(!t->overflow && t->n < LEDGER_LINE_BYTES_MAX);
    REQUIRE(memchr(t->p, '\n', t->n) == NULL);
    REQUIRE(ledger_parse_line(text_span(t), again, &err) == 0);
}

static void check_text(struct span text)
{
    static const struct ledger_line zero;
    static char written[LEDGER_LINE_BYTES_MAX];
    struct text t = text_on(written, sizeof written);
    struct ledger_line line;
    struct ledger_line again;
    struct err err;
    err_clear(&err);
    if (ledger_parse_line(text, &line, &err) != 0) {
        REQUIRE(err.what == ERR_LEDGER && err.at == 0);
        REQUIRE(err.why[0] != '\0' && str_is_printable(str_span(err.why)));
        REQUIRE(str_is_printable(str_span(err.obj)));
        REQUIRE(memcmp(&line, &zero, sizeof zero) == 0);
        return;
    }
    REQUIRE(err.what == ERR_NONE && text.n < LEDGER_LINE_BYTES_MAX);
    write_and_read(&line, &t, &again);
    REQUIRE(memcmp(&line, &again, sizeof line) == 0);
}

static void check_structure(const uint8_t *data)
{
    static char first[LEDGER_LINE_BYTES_MAX];
    static char second[LEDGER_LINE_BYTES_MAX];
    struct text one = text_on(first, sizeof first);
    struct text two = text_on(second, sizeof second);
    struct ledger_line line;
    struct ledger_line again;
    struct ledger_line last;
    struct err err;
    err_clear(&err);
    memcpy(&line, data, sizeof line);
    if (ledger_check_line(&line, &err) != 0) {
        REQUIRE(err.what == ERR_LEDGER && err.obj[0] != '\0');
        return;
    }
    write_and_read(&line, &one, &again);
    write_and_read(&again, &two, &last);
    REQUIRE(str_equal(text_span(&one), text_span(&two)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_text((struct span){data, size});
    if (size >= sizeof(struct ledger_line))
        check_structure(data);
    return 0;
}
