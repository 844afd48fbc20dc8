/* front/options.h: strict command-line options. */
#include "front/options.h"

#include "unit/check.h"

struct result {
    int value;
    struct err err;
    struct option option[3];
    const char *operand[2];
    size_t operands;
};

static struct result parse(int argc, const char *const *argv)
{
    struct result r = {.option = {{"--runtime", false, true, NULL},
                                  {"--call", false, false, NULL},
                                  {"--all", true, false, NULL}}};
    err_clear(&r.err);
    r.value = options_parse(r.option, 3, r.operand, 2, &r.operands, argc, (char **)(uintptr_t)argv,
                            &r.err);
    return r;
}

#define PARSE(...)                                                                                 \
    parse((int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                           \
          (const char *[]){__VA_ARGS__})

static void check_taken(void)
{
    struct result r = PARSE("--runtime", "a", "x", "--call=b=c", "--all");
    CHECK_I64(r.value, 0, "both forms of a value, a flag and an operand are taken");
    CHECK_TEXT(r.option[0].value, "a", "a value is the next argument");
    CHECK_TEXT(r.option[1].value, "b=c", "or what stands behind the first =");
    CHECK(r.option[2].value != NULL, "a flag is given");
    CHECK_U64(r.operands, 1, "one operand");
    CHECK_TEXT(r.operand[0], "x", "which is what is no option");
    r = PARSE("--runtime", "--call", "--", "--all", "-");
    CHECK_I64(r.value, 0, "a value may begin with -, and -- ends the options");
    CHECK_TEXT(r.option[0].value, "--call", "the value is what follows, whatever it is");
    CHECK_U64(r.operands, 2, "behind -- everything is an operand");
    CHECK_TEXT(r.operand[0], "--all", "an option's name too");
    r = PARSE("--runtime=");
    CHECK_TEXT(r.option[0].value, "", "an empty value is one");
}

static void check_refused(void)
{
    const struct {
        struct result r;
        const char *obj, *why;
    } rows[] = {
        {PARSE("--runtime", "a", "--runtim", "b"), "--runtim", "unknown option"},
        {PARSE("--runtime", "a", "-r"), "-r", "unknown option"},
        {PARSE("--runtime", "a", "--runtime=b"), "--runtime", "given twice"},
        {PARSE("--runtime", "a", "--all", "--all"), "--all", "given twice"},
        {PARSE("--runtime"), "--runtime", "needs a value"},
        {PARSE("--runtime=a", "--all=1"), "--all", "takes no value"},
        {PARSE("--call", "a"), "--runtime", "is required"},
        {PARSE("--runtime=a", "1", "2", "3"), "3", "an argument too many"},
        {PARSE("--runtime=a", "--=x"), "--=x", "unknown option"},
    };
    CHECK_ROWS(rows, 9, "refused options");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_I64(rows[i].r.value, -1, "refused: %s of %s", rows[i].why, rows[i].obj);
        CHECK_U64(rows[i].r.err.what, ERR_USAGE, "as a usage error");
        CHECK_TEXT(rows[i].r.err.obj, rows[i].obj, "which names the argument");
        CHECK_TEXT(rows[i].r.err.why, rows[i].why, "and says why");
    }
}

int main(void)
{
    check_taken();
    check_refused();
    return check_end();
}
