/* info: where this output stands.  Layer: front.
 *
 * Specification 5 and 11.  Makes no call, takes no lock, waits for nothing, and
 * does not hash the distribution, which it says.  An unreadable ledger or host is
 * said, and the rest is told all the same. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "evidence/latch.h"
#include "evidence/ledger.h"
#include "evidence/lock.h"
#include "front/command.h"

static void put_err(struct out *o, const char *name, const struct err *why)
{
    char buffer[ERR_TEXT_BYTES];
    struct text t = text_on(buffer, sizeof buffer);

    err_format(why, &t);
    out_chars(o, name, buffer);
}

static void put_calls(struct out *o, const struct config *c, const struct ledger_summary *s)
{
    out_u64(o, "native_calls_used", s->reservations);
    if (c->has_call_budget == 0) {
        out_null(o, "call_budget");
        out_null(o, "calls_left");
        return;
    }
    out_u64(o, "call_budget", c->call_budget);
    out_u64(o, "calls_left",
            c->call_budget > s->reservations ? c->call_budget - s->reservations : 0);
}

static void put_open(struct out *o, const struct ledger_summary *s)
{
    out_u64(o, "open_reservations", s->open_calls);
    if (s->open_calls > 0)
        out_chars(o, "open_call", s->open_call);
    out_u64(o, "unresolved_faults", s->open_faults);
    if (s->open_faults > 0) {
        out_chars(o, "fault_call", s->fault_call);
        out_chars(o, "fault", fault_word((enum fault)s->fault));
    }
}

/* The state of the ledger: without the lock, half a line may be one that a call is
 * just writing (specification 5).
 * returns  0, or -1: it is unreadable, and err says why */
static int read_ledger(struct runtime *rt, struct ledger_summary *s, const char **state, int holder,
                       struct err *err)
{
    struct ledger ledger = {.fd = -1};
    bool missing = false;

    memset(s, 0, sizeof *s);
    *state = "unreadable";
    if (ledger_open(&ledger, rt->output.fd, rt->uid, false, &missing, err) != 0)
        return -1;
    int result = ledger_load(&ledger, &rt->ledger_worker, "", s, NULL, NULL, err);
    ledger_close(&ledger);
    if (result == 0)
        *state = missing ? "missing" : "whole";
    else if (s->torn_bytes > 0 && holder > 0) {
        *state = "in progress";
        err_clear(err);
        result = 0;
    }
    return result;
}

static void put_latches(struct out *o, const struct runtime *rt)
{
    static const char *const words[LATCHES] = {[LATCH_OUTPUT] = "output", [LATCH_HOST] = "host"};

    out_array(o, "latches");
    for (size_t i = 0; i < LATCHES; i++) {
        struct latch_state state;
        struct err why;
        err_clear(&why);
        memset(&state, 0, sizeof state);
        int result = latch_look(&rt->latch[i], rt->uid, &state, &why);
        out_object(o, NULL);
        out_chars(o, "scope", words[i]);
        out_chars(o, "name", rt->latch[i].name);
        out_bool(o, "present", result != 0 || state.present);
        if (result != 0)
            put_err(o, "error", &why);
        else if (state.present)
            out_chars(o, "line", state.line);
        out_object_end(o);
    }
    out_array_end(o);
}

static void put_host(struct out *o, const struct runtime *rt)
{
    struct machine m;
    struct err why;

    err_clear(&why);
    out_object(o, "host");
    if (machine_read(&rt->machine, &m, &why) != 0) {
        put_err(o, "error", &why);
    } else {
        out_chars(o, "host_kind", machine_kind_word((enum machine_kind)m.kind));
        out_u64(o, "mem_total", m.mem_total);
        out_u64(o, "mem_available", m.mem_available);
        out_centi(o, "memory_pressure_some_avg10", m.memory_pressure_centi);
        out_centi(o, "cpu_pressure_some_avg10", m.cpu_pressure_centi);
    }
    out_object_end(o);
}

static void put_ids(struct out *o, const struct runtime *rt)
{
    out_chars(o, "version", LEMA_VERSION);
    out_chars(o, "configuration", rt->config_path);
    out_digest(o, "config_sha256", &rt->config_sha256);
    out_chars(o, "distribution", rt->config.distribution);
    out_chars(o, "distribution_name", rt->pins.manifest.name);
    out_digest(o, "distribution_id", &rt->pins.distribution_id);
    out_bool(o, "distribution_hashed", false);
    out_digest(o, "host_id", &rt->pins.host_id);
    out_digest(o, "profile_id", &rt->pins.profile_id);
    out_chars(o, "output", rt->config.output);
    out_chars(o, "shared_lock", rt->config.shared_lock);
}

int cmd_info(struct command_line *line, struct out *o, struct err *err)
{
    struct option option[] = {{"--runtime", false, true, NULL}};
    struct runtime *rt = line->rt;
    struct ledger_summary summary;
    const char *state;
    size_t operands;

    if (options_parse(option, 1, NULL, 0, &operands, line->argc, line->argv, err) != 0 ||
        command_load(line, option[0].value, RUNTIME_PATHS, err) != 0)
        return -1;
    int holder = lock_holder(rt->lock.fd);
    int result = read_ledger(rt, &summary, &state, holder, err);
    put_calls(o, &rt->config, &summary);
    put_latches(o, rt);
    put_open(o, &summary);
    out_object(o, "ledger");
    out_chars(o, "state", state);
    out_u64(o, "lines", summary.lines);
    out_u64(o, "bytes", summary.bytes);
    out_u64(o, "torn_bytes", summary.torn_bytes);
    out_object_end(o);
    if (holder > 0)
        out_u64(o, "lock_holder", (uint64_t)holder);
    else
        out_null(o, "lock_holder");
    put_host(o, rt);
    put_ids(o, rt);
    return result;
}
