/* Command-line options, strictly.  Layer: front.
 *
 * getopt_long(3) takes abbreviations and reads POSIXLY_CORRECT; lema takes
 * nothing from its environment, so it has its own few lines. */
#include "front/options.h"

#include <string.h>

static struct option *find(struct option *option, size_t n, const char *argument, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(option[i].name) == length && strncmp(option[i].name, argument, length) == 0)
            return &option[i];
    return NULL;
}

static int refuse(const char *argument, const char *why, struct err *err)
{
    return err_set(err, ERR_USAGE, str_span(argument), "%s", why);
}

/* One option; next is the argument behind it, or NULL.
 * returns  how many arguments it took, or -1 */
static int take_option(struct option *option, size_t n, const char *argument, const char *next,
                       struct err *err)
{
    const char *equals = strchr(argument, '=');
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    struct option *o = find(option, n, argument, length);

    if (o == NULL)
        return refuse(argument, "unknown option", err);
    if (o->value != NULL)
        return refuse(o->name, "given twice", err);
    if (o->flag) {
        o->value = "";
        return equals == NULL ? 1 : refuse(o->name, "takes no value", err);
    }
    o->value = equals != NULL ? equals + 1 : next;
    if (o->value == NULL)
        return refuse(o->name, "needs a value", err);
    return equals != NULL ? 1 : 2;
}

int options_parse(struct option *option, size_t n, const char **operand, size_t operand_max,
                  size_t *operand_n, int argc, char **argv, struct err *err)
{
    bool ended = false;

    *operand_n = 0;
    for (int i = 0; i < argc;) {
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
            i++;
        } else if (!ended && argv[i][0] == '-' && argv[i][1] != '\0') {
            int taken = take_option(option, n, argv[i], i + 1 < argc ? argv[i + 1] : NULL, err);
            if (taken < 0)
                return -1;
            i += taken;
        } else if (*operand_n == operand_max) {
            return refuse(argv[i], "an argument too many", err);
        } else {
            operand[(*operand_n)++] = argv[i++];
        }
    }
    for (size_t i = 0; i < n; i++)
        if (option[i].required && option[i].value == NULL)
            return refuse(option[i].name, "is required", err);
    return 0;
}
