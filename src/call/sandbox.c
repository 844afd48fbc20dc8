/* The ways into a sandbox, one row each.  Layer: call. */
#include "call/sandbox.h"

static const struct {
    const char *word;
    int (*enter)(const struct view *view, struct err *err);
} sandboxes[SANDBOX_KINDS] = {
    [SANDBOX_BWRAP] = {"bwrap", sandbox_bwrap_enter},
};

const char *sandbox_word(enum sandbox_kind kind)
{
    return kind < SANDBOX_KINDS ? sandboxes[kind].word : "";
}

int sandbox_enter(enum sandbox_kind kind, const struct view *view, struct err *err)
{
    return sandboxes[kind].enter(view, err);
}
