/* call/checks: what can be shown without a host (specification 8). */
#include "call/checks.h"

#include "unit/check.h"

static struct runtime rt;
static struct checks c;

/* Check 3 for so many reservations. */
static enum err_what budget(bool has, uint64_t of, uint64_t reservations)
{
    struct err err;

    err_clear(&err);
    rt.config.has_call_budget = has;
    rt.config.call_budget = of;
    c.summary.reservations = reservations;
    return checks_run_one(&rt, &c, 3, &err) == 0 ? ERR_NONE : (enum err_what)err.what;
}

int main(void)
{
    checks_init(&c);
    CHECK_I64(budget(false, 0, 0), ERR_NONE, "without a budget calls are allowed");
    CHECK_I64(budget(true, 0, 0), ERR_BUDGET, "a budget of 0 allows none");
    CHECK_I64(budget(true, 2, 1), ERR_NONE, "one of two is used");
    CHECK_I64(budget(true, 2, 2), ERR_BUDGET, "two of two are used");
    CHECK_I64(budget(false, 0, 262143), ERR_NONE, "a ledger takes 262,144 calls");
    CHECK_I64(budget(false, 0, 262144), ERR_BUDGET, "the next would make it unreadable");
    CHECK_I64(budget(true, UINT64_MAX, 262144), ERR_BUDGET, "whatever the budget is");
    CHECK_TEXT(checks_title(3), "call budget", "the third check has its title");
    return check_end();
}
