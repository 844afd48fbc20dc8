/* One line of the ledger: is it one, and structure to text.  Layer: evidence. */
#include <string.h>

#include "base/json.h"
#include "evidence/ledger.h"
#include "evidence/put.h"

#define PRESSURE_MAX_CENTI 10000u /* 100.00 percent */
#define SIGNAL_MAX 64             /* SIGRTMAX of Linux */

static const char *const event_words[LEDGER_EVENTS] = {
    [LEDGER_RESERVE] = "reserve", [LEDGER_COMPLETE] = "complete", [LEDGER_RESOLVE] = "resolve"};

static const char *const scope_words[RESOLVE_SCOPES] = {
    [RESOLVE_SCOPE_OUTPUT] = "output", [RESOLVE_SCOPE_HOST] = "host"};

/* --- The check ------------------------------------------------------------------- */

static int refuse(const char *field, const char *why, struct err *err)
{
    return err_set(err, ERR_LEDGER, str_span(field), "%s", why);
}

/* The string in an array: more than the array if nothing ends it. */
static struct span chars_of(const char *array, size_t size)
{
    return (struct span){(const uint8_t *)array, strnlen(array, size)};
}

static int check_host(const struct machine *host, struct err *err)
{
    if (host->kind > MACHINE_UNKNOWN || host->unused != 0)
        return refuse("host_kind", "not a kind of host", err);
    if (host->mem_total > CALL_BUDGET_MAX)
        return refuse("mem_total", "more than 2^53 - 1", err);
    if (host->mem_available > CALL_BUDGET_MAX)
        return refuse("mem_available", "more than 2^53 - 1", err);
    if (host->memory_pressure_centi > PRESSURE_MAX_CENTI)
        return refuse("memory_pressure_some_avg10", "more than 100 percent", err);
    if (host->cpu_pressure_centi > PRESSURE_MAX_CENTI)
        return refuse("cpu_pressure_some_avg10", "more than 100 percent", err);
    return 0;
}

static int check_reserve(const struct ledger_line *line, struct err *err)
{
    if (line->kind >= KIND_COUNT)
        return refuse("kind", "not a kind of call", err);
    if (!unit_valid(chars_of(line->unit, sizeof line->unit)))
        return refuse("unit", "not a unit of lema's", err);
    if (!boot_id_valid(chars_of(line->boot_id, sizeof line->boot_id)))
        return refuse("boot_id", "not a boot_id", err);
    return check_host(&line->host, err);
}

/* What each outcome says of the exit code and the signal (specification 4). */
static int check_outcome(const struct ledger_line *line, struct err *err)
{
    const bool code = line->exit_code >= 0 && line->exit_code <= 255;
    const bool signal = line->signal >= 1 && line->signal <= SIGNAL_MAX;
    const bool no_signal = line->signal == -1;
    if (line->outcome >= OUTCOME_COUNT)
        return refuse("outcome", "not an outcome", err);
    if (line->outcome == OUTCOME_EXITED && !code)
        return refuse("exit_code", "expected 0 to 255 where the outcome is exited", err);
    if (line->outcome != OUTCOME_EXITED && line->exit_code != -1)
        return refuse("exit_code", "expected null where the outcome is not exited", err);
    if (line->outcome == OUTCOME_SIGNALED && !signal)
        return refuse("signal", "expected 1 to 64 where the outcome is signaled", err);
    if (line->outcome == OUTCOME_KILLED && !signal && !no_signal)
        return refuse("signal", "expected null or 1 to 64 where the outcome is killed", err);
    if ((line->outcome == OUTCOME_EXITED || line->outcome == OUTCOME_SETUP_FAILED) && !no_signal)
        return refuse("signal", "expected null where nothing was signaled", err);
    return 0;
}

static int check_complete(const struct ledger_line *line, struct err *err)
{
    if (check_outcome(line, err) != 0)
        return -1;
    if (line->fault > FAULT_NONE)
        return refuse("fault", "not a fault of a call", err);
    if (line->log_bytes > LOG_BYTES_MAX)
        return refuse("log_bytes", "more than a log holds", err);
    return 0;
}

static int check_resolve(const struct ledger_line *line, struct err *err)
{
    struct span reason = chars_of(line->reason, sizeof line->reason);
    if (line->fault >= FAULT_COUNT && line->fault != FAULT_INTERRUPTED)
        return refuse("fault", "not a fault", err);
    if (line->scope >= RESOLVE_SCOPES)
        return refuse("scope", "expected \"output\" or \"host\"", err);
    if (reason.n < 1 || reason.n > REASON_BYTES_MAX || !str_is_utf8(reason))
        return refuse("reason", "expected 1 to 1024 bytes of UTF-8", err);
    return 0;
}

int ledger_check_line(const struct ledger_line *line, struct err *err)
{
    if (!clock_is_utc(chars_of(line->time, sizeof line->time)))
        return refuse("time", "not a time", err);
    if (!call_name_valid(chars_of(line->call, sizeof line->call)))
        return refuse("call", "not a call name", err);
    switch (line->event) {
    case LEDGER_RESERVE: return check_reserve(line, err);
    case LEDGER_COMPLETE: return check_complete(line, err);
    case LEDGER_RESOLVE: return check_resolve(line, err);
    default: return refuse("event", "not an event of a ledger", err);
    }
}

/* --- Writing --------------------------------------------------------------------- */

static void put_reserve(struct json_writer *w, const struct ledger_line *line)
{
    put_chars(w, "kind", kind_word((enum call_kind)line->kind));
    put_chars(w, "unit", line->unit);
    put_chars(w, "boot_id", line->boot_id);
    put_digest(w, "reserved_sha256", &line->reserved_sha256);
    put_digest(w, "config_sha256", &line->config_sha256);
    put_digest(w, "distribution_id", &line->distribution_id);
    put_host(w, "host", &line->host);
}

static void put_complete(struct json_writer *w, const struct ledger_line *line)
{
    put_chars(w, "outcome", outcome_word((enum outcome)line->outcome));
    put_code(w, "exit_code", line->exit_code);
    put_code(w, "signal", line->signal);
    json_key(w, "fault");
    if (line->fault == FAULT_NONE)
        json_put_null(w);
    else
        json_put_chars(w, fault_word((enum fault)line->fault));
    put_digest(w, "result_sha256", &line->result_sha256);
    put_digest(w, "log_sha256", &line->log_sha256);
    put_number(w, "log_bytes", line->log_bytes);
}

static void put_resolve(struct json_writer *w, const struct ledger_line *line)
{
    put_chars(w, "fault", fault_word((enum fault)line->fault));
    put_chars(w, "scope", scope_words[line->scope]);
    put_number(w, "operator", line->operator_uid);
    put_chars(w, "reason", line->reason);
}

void ledger_write_line(struct text *t, const struct ledger_line *line)
{
    struct json_writer w = json_writer_on(t);
    json_begin_object(&w);
    put_chars(&w, "event", event_words[line->event]);
    put_chars(&w, "time", line->time);
    put_chars(&w, "call", line->call);
    put_digest(&w, "prev", &line->prev);
    switch (line->event) {
    case LEDGER_RESERVE: put_reserve(&w, line); break;
    case LEDGER_COMPLETE: put_complete(&w, line); break;
    default: put_resolve(&w, line); break;
    }
    json_end_object(&w);
    if (!json_writer_ok(&w))
        t->overflow = true;
}
