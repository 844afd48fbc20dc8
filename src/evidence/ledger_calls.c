/* The calls of a ledger while it is read.  Layer: evidence. */
#include "evidence/ledger_calls.h"

#include <stddef.h>
#include <string.h>

#include "base/sha256.h"

void ledger_calls_clear(struct ledger_calls *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        c->index[c->call[i].slot] = 0;
    c->n = 0;
    c->open = 0;
    c->faulted = 0;
}

/* The slot of a name, or the free one where it would go.  By a digest, so that
 * names chosen to meet in one slot take work to find. */
static uint32_t find_slot(const struct ledger_calls *c, const char *name)
{
    struct digest d;
    sha256_of(name, strlen(name), &d);
    uint32_t slot = (uint32_t)d.b[0] << 16 | (uint32_t)d.b[1] << 8 | d.b[2];
    slot &= LEDGER_SLOTS - 1;
    while (c->index[slot] != 0 && strcmp(c->call[c->index[slot] - 1].name, name) != 0)
        slot = (slot + 1) & (LEDGER_SLOTS - 1);
    return slot;
}

static struct ledger_call *find(struct ledger_calls *c, const char *name)
{
    uint32_t at = c->index[find_slot(c, name)];
    return at == 0 ? NULL : &c->call[at - 1];
}

const struct ledger_call *ledger_calls_find(const struct ledger_calls *c, const char *name)
{
    uint32_t at = c->index[find_slot(c, name)];
    return at == 0 ? NULL : &c->call[at - 1];
}

const struct ledger_call *ledger_calls_first(const struct ledger_calls *c, enum call_state state)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->call[i].state == state)
            return &c->call[i];
    return NULL;
}

static int apply_reserve(struct ledger_calls *c, const struct ledger_line *line, struct err *err)
{
    uint32_t slot = find_slot(c, line->call);
    if (c->index[slot] != 0)
        return err_set(err, ERR_LEDGER, str_span("call"), "%s is reserved a second time",
                       line->call);
    if (c->n == LEDGER_CALLS_MAX)
        return err_set(err, ERR_LEDGER, str_span("call"), "more than %u calls in one ledger",
                       LEDGER_CALLS_MAX);
    struct ledger_call *call = &c->call[c->n++];
    (void)str_copy(call->name, sizeof call->name, str_span(line->call));
    call->state = CALL_OPEN;
    call->fault = FAULT_NONE;
    call->slot = slot;
    c->index[slot] = c->n;
    c->open++;
    return 0;
}

static const char *state_text(const struct ledger_call *call)
{
    if (call == NULL)
        return "is not reserved";
    switch (call->state) {
    case CALL_OPEN: return "has no completion";
    case CALL_RESOLVED: return "is resolved already";
    default: return "is completed already";
    }
}

static int apply_complete(struct ledger_calls *c, const struct ledger_line *line, struct err *err)
{
    struct ledger_call *call = find(c, line->call);
    if (call == NULL || call->state != CALL_OPEN)
        return err_set(err, ERR_LEDGER, str_span("call"), "completion of %s, which %s", line->call,
                       state_text(call));
    c->open--;
    call->state = CALL_DONE;
    if (line->fault != FAULT_NONE) {
        call->state = CALL_FAULTED;
        call->fault = (uint16_t)line->fault;
        c->faulted++;
    }
    return 0;
}

/* Whether the line resolves what is open of the call: its reservation, or that
 * very fault. */
static bool resolves(const struct ledger_call *call, const struct ledger_line *line)
{
    if (line->fault == FAULT_INTERRUPTED)
        return call->state == CALL_OPEN;
    return call->state == CALL_FAULTED && call->fault == line->fault;
}

static int apply_resolve(struct ledger_calls *c, const struct ledger_line *line, struct err *err)
{
    struct ledger_call *call = find(c, line->call);
    if (call != NULL && resolves(call, line)) {
        c->open -= call->state == CALL_OPEN;
        c->faulted -= call->state == CALL_FAULTED;
        call->state = CALL_RESOLVED;
        return 0;
    }
    if (line->scope == RESOLVE_SCOPE_HOST)
        return 0;
    if (call != NULL && call->state == CALL_FAULTED)
        return err_set(err, ERR_LEDGER, str_span("fault"), "%s has the fault %s, not %s",
                       line->call, fault_word((enum fault)call->fault),
                       fault_word((enum fault)line->fault));
    return err_set(err, ERR_LEDGER, str_span("call"), "resolution of %s, which %s", line->call,
                   state_text(call));
}

int ledger_calls_apply(struct ledger_calls *c, const struct ledger_line *line, struct err *err)
{
    switch (line->event) {
    case LEDGER_RESERVE: return apply_reserve(c, line, err);
    case LEDGER_COMPLETE: return apply_complete(c, line, err);
    default: return apply_resolve(c, line, err);
    }
}
