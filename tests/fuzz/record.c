/* Fuzz target for evidence/record_read, the outer shape of a record.  Beyond
 * "no crash", for every text:
 *
 * 1. a refusal is ERR_EVIDENCE, with a printable reason, and leaves nothing behind;
 * 2. what is taken is JSON with one newline at its end, and its head is one that
 *    a call can have;
 * 3. cut anywhere, it is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "evidence/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) require((condition), #condition, __LINE__)

static void require(bool holds, const char *what, int line)
{
    if (holds)
        return;
    (void)fprintf(stderr, "line %d: does not hold: %s\n", line, what);
    abort();
}

static bool parse(struct span text, struct record_head *head)
{
    static const struct record_head zero;
    struct err err;
    err_clear(&err);
    if (record_parse_head(text, head, &err) == 0)
        return true;
    REQUIRE(err.what == ERR_EVIDENCE);
    REQUIRE(err.why[0] != '\0' && str_is_printable(str_span(err.why)));
    REQUIRE(memcmp(head, &zero, sizeof zero) == 0);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = {data, size};
    struct record_head head;
    struct record_head cut;
    struct err err;
    err_clear(&err);
    if (!parse(text, &head))
        return 0;
    REQUIRE(json_gate(text, &err) == 0);
    REQUIRE(size > 1 && data[size - 1] == '\n' && data[size - 2] == '}');
    REQUIRE(head.is_result <= 1 && head.kind < KIND_COUNT && head.unused == 0);
    REQUIRE(call_name_valid(str_span(head.call)));
    for (size_t n = 0; n < size && size < 4096; n += 7)
        REQUIRE(!parse((struct span){data, n}, &cut));
    REQUIRE(!parse((struct span){data, size - 1}, &cut));
    return 0;
}
