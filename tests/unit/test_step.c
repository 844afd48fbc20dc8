/* front/step.h: the profile's steps with their values. */
#include "front/step.h"

#include "unit/check.h"

static struct profile profile;
static struct step_arguments a;

static int build(const char *const *words, const struct step_values *values, struct err *err)
{
    struct profile_line *line = &profile.step[STEP_ELABORATE];

    line->n = 0;
    for (size_t i = 0; words[i] != NULL; i++)
        line->word[line->n++] = str_span(words[i]);
    err_clear(err);
    return step_arguments(&a, &profile, STEP_ELABORATE, values, err);
}

int main(void)
{
    const struct step_values values = {.root = "/call", .source = "/call/A.lean"};
    struct err err;

    CHECK_I64(build((const char *[]){"bin/lean", "--memory={memory}", "-R{root}:{root}x",
                                     "{source}", "plain", NULL},
                    &values, &err),
              0, "placeholders get their values");
    CHECK_TEXT(a.word[0], "/lean/bin/lean", "the program stands below /lean");
    CHECK_TEXT(a.word[1], "--memory=4096", "memory is the limit of specification 9, in MiB");
    CHECK_TEXT(a.word[2], "-R/call:/callx", "a word may hold several, and text around them");
    CHECK_TEXT(a.word[3], "/call/A.lean", "a word may be one");
    CHECK_TEXT(a.word[4], "plain", "a word without one stays");
    CHECK(a.word[5] == NULL, "NULL ends them");
    CHECK_I64(build((const char *[]){"bin/lean", "{olean}", NULL}, &values, &err), -1,
              "a placeholder without a value is refused");
    CHECK_U64(err.what, ERR_PINS, "as the pins' fault");
    CHECK_TEXT(err.obj, "{olean}", "by name");
    return check_end();
}
