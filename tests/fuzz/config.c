/* Fuzz target for evidence/config.  Beyond "no crash", for every text:
 *
 * 1. a refusal is ERR_CONFIG, with a printable reason, and leaves nothing behind;
 * 2. what is taken has three paths that a walk would take, and a budget in range;
 * 3. what is taken, written by config_write, is taken again and says the same
 *    (if it is not too long: what is not seen is written as an escape). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/config.h"
#include "host/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) require((condition), #condition, __LINE__)

static void require(bool holds, const char *what, int line)
{
    if (holds)
        return;
    (void)fprintf(stderr, "line %d: does not hold: %s\n", line, what);
    abort();
}

static void check_refusal(const struct config *c, const struct err *err)
{
    static const struct config zero;
    REQUIRE(err->what == ERR_CONFIG);
    REQUIRE(err->why[0] != '\0' && str_is_printable(str_span(err->why)));
    REQUIRE(str_is_printable(str_span(err->obj)));
    REQUIRE(memcmp(c, &zero, sizeof zero) == 0);
}

static void check_path(const char *path)
{
    struct err err;
    err_clear(&err);
    REQUIRE(strnlen(path, PATH_BYTES_MAX + 1) <= PATH_BYTES_MAX);
    REQUIRE(walk_check_text(str_span(path), &err) == 0);
    REQUIRE(str_is_utf8(str_span(path)));
}

static void check_written(const struct config *c)
{
    static char text[8 * CONFIG_BYTES_MAX];
    static struct config again;
    struct text t = text_on(text, sizeof text);
    struct err err;
    err_clear(&err);
    config_write(&t, c);
    REQUIRE(!t.overflow && t.n > 0 && text[t.n - 1] == '\n');
    if (t.n > CONFIG_BYTES_MAX)
        return;
    REQUIRE(config_parse(text_span(&t), &again, &err) == 0);
    REQUIRE(memcmp(c, &again, sizeof again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config c;
    struct err err;
    err_clear(&err);
    if (config_parse((struct span){data, size}, &c, &err) != 0) {
        check_refusal(&c, &err);
        return 0;
    }
    REQUIRE(err.what == ERR_NONE && size <= CONFIG_BYTES_MAX);
    check_path(c.distribution);
    check_path(c.output);
    check_path(c.shared_lock);
    REQUIRE(c.has_call_budget <= 1 && c.call_budget <= CALL_BUDGET_MAX);
    REQUIRE(c.has_call_budget == 1 || c.call_budget == 0);
    check_written(&c);
    return 0;
}
