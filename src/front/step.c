/* A step of the profile as the arguments of a native call.  Layer: front. */
#include "front/step.h"

#include <string.h>

#define DISTRIBUTION_SEEN "/lean/"

struct fill {
    struct text text;
    const struct step_values *values;
    char memory[16];
};

/* The value of a placeholder, NULL if there is none. */
static const char *value_of(const struct fill *f, struct span name)
{
    const struct step_values *v = f->values;
    const struct {
        const char *name, *value;
    } known[] = {{"memory", f->memory}, {"root", v->root},   {"source", v->source},
                 {"module", v->module}, {"olean", v->olean}, {"ilean", v->ilean},
                 {"c", v->c},           {"exe", v->exe}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (str_is(name, known[i].name))
            return known[i].value;
    return NULL;
}

/* One word; the profile's parser saw to it that braces pair and do not nest.
 * returns  0, or -1: a placeholder without a value */
static int add_word(struct fill *f, struct span word)
{
    while (word.n > 0) {
        const uint8_t *open = memchr(word.p, '{', word.n);
        size_t plain = open != NULL ? (size_t)(open - word.p) : word.n;
        text_add(&f->text, (struct span){word.p, plain});
        if (open == NULL)
            return 0;
        const uint8_t *close = memchr(open, '}', word.n - plain);
        if (close == NULL)
            return -1;
        const char *value = value_of(f, (struct span){open + 1, (size_t)(close - open) - 1});
        if (value == NULL)
            return -1;
        text_adds(&f->text, value);
        word.n -= (size_t)(close + 1 - word.p);
        word.p = close + 1;
    }
    return 0;
}

int step_arguments(struct step_arguments *a, const struct profile *profile, enum profile_step step,
                   const struct step_values *values, struct err *err)
{
    const struct profile_line *line = &profile->step[step];
    struct fill f = {.values = values};
    size_t used = 0;

    struct text memory = text_on(f.memory, sizeof f.memory);
    text_add_number(&memory, LEAN_MEMORY_MIB);
    for (size_t i = 0; i < line->n; i++) {
        a->word[i] = a->bytes + used;
        f.text = text_on(a->bytes + used, sizeof a->bytes - used);
        if (i == 0)
            text_adds(&f.text, DISTRIBUTION_SEEN);
        if (add_word(&f, line->word[i]) != 0)
            return err_set(err, ERR_PINS, line->word[i],
                           "toolchain.profile: step %s uses a placeholder that has no value here",
                           profile_step_word(step));
        used += f.text.n + 1;
        if (f.text.overflow || used >= sizeof a->bytes)
            return err_set(err, ERR_PINS, str_span(profile_step_word(step)),
                           "its arguments are longer than %llu bytes",
                           (unsigned long long)ARGV_BYTES_MAX);
    }
    a->word[line->n] = NULL;
    return 0;
}
