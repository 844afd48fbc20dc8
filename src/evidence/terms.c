/* The words of the ledger and the records.  Layer: evidence. */
#include "evidence/terms.h"

#include <stddef.h>

static const struct kind_row {
    const char *word;
    uint32_t wall_ms;
} kinds[] = {
#define X(name, word, wall_ms) [name] = {word, wall_ms},
    KIND_TABLE(X)
#undef X
};
_Static_assert(sizeof kinds / sizeof kinds[0] == KIND_COUNT, "one row for each kind");

static const char *const outcomes[] = {
#define X(name, word) [name] = word,
    OUTCOME_TABLE(X)
#undef X
};
_Static_assert(sizeof outcomes / sizeof outcomes[0] == OUTCOME_COUNT, "one word for each outcome");

static const char *const faults[] = {
#define X(name, word) [name] = word,
    FAULT_TABLE(X)
#undef X
        [FAULT_NONE] = "none",
    [FAULT_INTERRUPTED] = "interrupted",
};
#define FAULT_WORDS (sizeof faults / sizeof faults[0])
_Static_assert(FAULT_COUNT < 32, "a fault_set has a bit for each fault");

#define NO_WORD "invalid" /* of a value that its enum does not have */

const char *kind_word(enum call_kind kind)
{
    return (unsigned)kind < KIND_COUNT ? kinds[kind].word : NO_WORD;
}

uint32_t kind_wall_ms(enum call_kind kind)
{
    return (unsigned)kind < KIND_COUNT ? kinds[kind].wall_ms : 0;
}

const char *outcome_word(enum outcome outcome)
{
    return (unsigned)outcome < OUTCOME_COUNT ? outcomes[outcome] : NO_WORD;
}

const char *fault_word(enum fault fault)
{
    return (unsigned)fault < FAULT_WORDS ? faults[fault] : NO_WORD;
}

bool kind_parse(struct span word, enum call_kind *kind)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (!str_is(word, kinds[i].word))
            continue;
        *kind = (enum call_kind)i;
        return true;
    }
    return false;
}

bool outcome_parse(struct span word, enum outcome *outcome)
{
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        if (!str_is(word, outcomes[i]))
            continue;
        *outcome = (enum outcome)i;
        return true;
    }
    return false;
}

bool fault_parse(struct span word, enum fault *fault)
{
    for (size_t i = 0; i < FAULT_WORDS; i++) {
        if (i == FAULT_NONE || !str_is(word, faults[i]))
            continue;
        *fault = (enum fault)i;
        return true;
    }
    return false;
}

enum fault fault_first(fault_set set)
{
    for (unsigned i = 0; i < FAULT_COUNT; i++)
        if ((set >> i & 1u) != 0)
            return (enum fault)i;
    return FAULT_NONE;
}

static bool is_name_byte(uint8_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

bool call_name_valid(struct span name)
{
    if (name.n < 1 || name.n > CALL_NAME_BYTES_MAX)
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (!is_name_byte(name.p[i]))
            return false;
    return true;
}

bool unit_valid(struct span unit)
{
    const size_t prefix_n = sizeof UNIT_PREFIX - 1;
    const size_t hex_n = 32;
    if (unit.n != UNIT_BYTES - 1 || !str_starts(unit, UNIT_PREFIX))
        return false;
    for (size_t i = prefix_n; i < prefix_n + hex_n; i++) {
        bool digit = unit.p[i] >= '0' && unit.p[i] <= '9';
        if (!digit && (unit.p[i] < 'a' || unit.p[i] > 'f'))
            return false;
    }
    const size_t used = prefix_n + hex_n;
    return str_is((struct span){unit.p + used, unit.n - used}, ".scope");
}
