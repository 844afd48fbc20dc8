/* The ways into a sandbox, one row each.  Layer: call. */
#include "call/sandbox.h"

#include <string.h>

static const struct {
    const char *word;
    int (*enter)(const struct view *view, struct err *err);
} sandboxes[SANDBOX_KINDS] = {
    [SANDBOX_BWRAP] = {"bwrap", sandbox_bwrap_enter},
    [SANDBOX_DIRECT] = {"direct", sandbox_direct_enter},
};

const char *sandbox_word(enum sandbox_kind kind)
{
    return kind < SANDBOX_KINDS ? sandboxes[kind].word : "";
}

bool sandbox_parse(const char *word, enum sandbox_kind *kind)
{
    for (unsigned i = 0; i < SANDBOX_KINDS; i++) {
        if (strcmp(word, sandboxes[i].word) != 0)
            continue;
        *kind = (enum sandbox_kind)i;
        return true;
    }
    return false;
}

int sandbox_enter(enum sandbox_kind kind, const struct view *view, struct err *err)
{
    return sandboxes[kind].enter(view, err);
}
