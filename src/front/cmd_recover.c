/* recover: what is open, and closing it.  Layer: front.
 *
 * Specification 6 and 11.  Without --call it only looks, takes no lock and changes
 * nothing.  With --call and --reason it takes the lock and closes that call. */
#include <string.h>
#include <unistd.h>

#include "call/recover.h"
#include "evidence/lock.h"
#include "front/command.h"

static const char *const latch_words[LATCHES] = {[LATCH_OUTPUT] = "output", [LATCH_HOST] = "host"};

/* --- Looking --------------------------------------------------------------------- */

static void put_open_call(struct out *o, struct runtime *rt, const struct recover_call *call)
{
    char text[ERR_TEXT_BYTES];
    struct text t = text_on(text, sizeof text);
    struct err why;

    err_clear(&why);
    bool gone = recover_check_gone(rt, call, &why) == 0;
    out_object(o, NULL);
    out_chars(o, "call", call->name);
    out_chars(o, "what", call->state == RECOVER_OPEN ? "open reservation" : "unresolved fault");
    out_chars(o, "fault", fault_word(call->fault));
    out_chars(o, "unit", call->unit);
    out_bool(o, "gone", gone);
    if (!gone) {
        err_format(&why, &t);
        out_chars(o, "why", text);
    }
    out_chars(o, "would",
              gone ? "append a resolve line, then remove the latch that names this call"
                   : "stop its unit if it is this call's and holds no process, else refuse");
    out_object_end(o);
}

static void put_found(struct out *o, struct runtime *rt, const struct recover *r)
{
    out_array(o, "open_calls");
    for (uint32_t i = 0; i < r->open_n && i < RECOVER_CALLS_MAX; i++)
        put_open_call(o, rt, &r->open[i]);
    out_array_end(o);
    out_u64(o, "open_call_count", r->open_n);
    out_array(o, "latches");
    for (size_t i = 0; i < LATCHES; i++) {
        if (!r->latch[i].present)
            continue;
        out_object(o, NULL);
        out_chars(o, "scope", latch_words[i]);
        out_chars(o, "name", rt->latch[i].name);
        out_chars(o, "line", r->latch[i].line);
        out_object_end(o);
    }
    out_array_end(o);
    out_u64(o, "torn_bytes", r->summary.torn_bytes);
    if (r->summary.torn_bytes > 0)
        out_plain(o, "would: copy the torn last line to ledger.torn-N, cut it, append a resolve "
                     "line with its digest");
    bool nothing = r->open_n == 0 && r->summary.torn_bytes == 0 && !r->latch[0].present &&
                   !r->latch[1].present;
    out_bool(o, "nothing_open", nothing);
    if (!nothing)
        out_plain(o, "to do it: lema recover --runtime CONFIG --call CALL --reason TEXT");
}

/* --- Closing --------------------------------------------------------------------- */

static void put_done(struct out *o, const struct recover *r, const struct recover_done *done)
{
    out_chars(o, "call", r->asked);
    if (done->cut)
        out_digest(o, "cut_sha256", &done->cut_sha256);
    else
        out_null(o, "cut_sha256");
    out_bool(o, "resolved", done->resolved);
    out_array(o, "latches");
    for (size_t i = 0; i < LATCHES; i++) {
        if (!r->latch[i].present)
            continue;
        out_object(o, NULL);
        out_chars(o, "scope", latch_words[i]);
        out_chars(o, "line", r->latch[i].line);
        out_chars(o, "now", done->latch_removed[i] ? "removed" : "stays: another call's");
        out_object_end(o);
    }
    out_array_end(o);
}

static int close_call(struct command_line *line, struct out *o, const char *call, bool host,
                      const char *reason, struct err *err)
{
    struct runtime *rt = line->rt;
    struct recover_done done;
    static struct recover r;

    if (lock_take(rt->lock.fd, rt->clock, isatty(STDERR_FILENO) ? command_waiting : NULL, NULL,
                  str_span(rt->config.shared_lock), err) != 0)
        return -1;
    recover_init(&r);
    int result = runtime_recheck(rt, err);
    if (result == 0)
        result = recover_look(&r, rt, call, err);
    if (result == 0)
        result = recover_apply(&r, rt, host, reason, &done, err);
    if (result == 0)
        put_done(o, &r, &done);
    recover_close(&r);
    lock_release(rt->lock.fd);
    return result;
}

static int look(struct command_line *line, struct out *o, struct err *err)
{
    static struct recover r;

    recover_init(&r);
    int holder = lock_holder(line->rt->lock.fd);
    int result = recover_look(&r, line->rt, "", err);
    if (result == 0)
        put_found(o, line->rt, &r);
    if (holder > 0)
        out_u64(o, "lock_holder", (uint64_t)holder);
    else
        out_null(o, "lock_holder");
    recover_close(&r);
    return result;
}

int cmd_recover(struct command_line *line, struct out *o, struct err *err)
{
    enum { RUNTIME, CALL, REASON, HOST, OPTIONS };
    struct option option[OPTIONS] = {[RUNTIME] = {"--runtime", false, true, NULL},
                                     [CALL] = {"--call", false, false, NULL},
                                     [REASON] = {"--reason", false, false, NULL},
                                     [HOST] = {"--host", true, false, NULL}};
    size_t operands;

    if (options_parse(option, OPTIONS, NULL, 0, &operands, line->argc, line->argv, err) != 0)
        return -1;
    if ((option[CALL].value == NULL) != (option[REASON].value == NULL))
        return err_set(err, ERR_USAGE, str_span("recover"), "--call and --reason go together");
    if (option[HOST].value != NULL && option[CALL].value == NULL)
        return err_set(err, ERR_USAGE, str_span("--host"), "needs --call and --reason");
    if (command_load(line, option[RUNTIME].value, RUNTIME_PATHS, err) != 0)
        return -1;
    if (option[CALL].value == NULL)
        return look(line, o, err);
    return close_call(line, o, option[CALL].value, option[HOST].value != NULL, option[REASON].value,
                      err);
}
