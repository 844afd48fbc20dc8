/* check-runtime: is this runtime fit for work?  Layer: front.
 *
 * Specification 11: loads, checks, and makes one native call.  Lean elaborates
 * a tiny proof, says its own version and what it sees of its sandbox.  The log
 * is shown, and never read for a verdict: that is the exit status, and that
 * the module was written. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/call.h"
#include "front/command.h"
#include "front/step.h"
#include "host/file.h"

#define MODULE "LemaCheck"
#define LOG_SHOWN_BYTES 16384u

static const char source[] =
    "theorem lema_check (p q : Prop) (hp : p) (hq : q) : q ∧ p := ⟨hq, hp⟩\n"
    "#print axioms lema_check\n"
    "#eval Lean.versionString\n"
    "#eval IO.FS.readFile \"/proc/self/mountinfo\" >>= IO.print\n"
    "#eval IO.FS.readFile \"/proc/self/status\" >>= IO.print\n";

static const struct step_values values = {.root = "/call",
                                          .source = "/call/" MODULE ".lean",
                                          .module = MODULE,
                                          .olean = "/call/" MODULE ".olean",
                                          .ilean = "/call/" MODULE ".ilean",
                                          .c = "/call/" MODULE ".c"};

/* --- What is asked for ----------------------------------------------------------- */

/* "check-runtime-" and 16 hex digits: a name is used once in an output. */
static int choose_name(char name[static CALL_NAME_BYTES_MAX + 1], struct err *err)
{
    uint8_t random[8];
    struct text t = text_on(name, CALL_NAME_BYTES_MAX + 1);

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return err_sys(err, ERR_IO, "getrandom", errno, str_span("a call's name"), NULL);
    text_adds(&t, "check-runtime-");
    text_add_hex(&t, random, sizeof random);
    return 0;
}

/* --- What is said ---------------------------------------------------------------- */

static void put_or_null(struct out *o, const char *name, uint64_t value)
{
    if (value == RECORD_NULL)
        out_null(o, name);
    else
        out_u64(o, name, value);
}

static void put_status(struct out *o, const char *name, int32_t value)
{
    if (value < 0)
        out_null(o, name);
    else
        out_i64(o, name, value);
}

static void put_enforced(struct out *o, const struct record_limits *l)
{
    out_object(o, "enforced");
    out_u64(o, "memory_bytes", l->memory_bytes);
    out_u64(o, "swap_bytes", l->swap_bytes);
    out_u64(o, "tasks", l->tasks);
    out_u64(o, "cpu_quota_us", l->cpu_quota_us);
    out_u64(o, "cpu_period_us", l->cpu_period_us);
    out_object_end(o);
}

static void put_answer(struct out *o, const struct call_answer *answer, const char *name)
{
    const struct record_result *r = &answer->result;
    enum fault fault = fault_first(r->faults);

    out_chars(o, "call", name);
    out_chars(o, "unit", answer->unit);
    out_chars(o, "outcome", outcome_word(r->outcome));
    put_status(o, "exit_code", r->exit_code);
    put_status(o, "signal", r->signal);
    if (fault == FAULT_NONE)
        out_null(o, "fault");
    else
        out_chars(o, "fault", fault_word(fault));
    out_bool(o, "oom_killed", r->oom_killed);
    if (r->enforced_known)
        put_enforced(o, &r->enforced);
    put_or_null(o, "wall_ms", r->wall_ms);
    put_or_null(o, "gone_ms", r->gone_ms);
    put_or_null(o, "cpu_ms", r->cpu_ms);
    put_or_null(o, "memory_peak", r->memory_peak);
    put_or_null(o, "tasks_peak", r->tasks_peak);
    out_u64(o, "log_bytes", r->log_bytes);
    out_digest(o, "log_sha256", &r->log_sha256);
    out_digest(o, "result_sha256", &answer->result_sha256);
    out_u64(o, "native_calls_used", answer->reservations);
}

/* The log's beginning, a line each, escaped.  A log that cannot be read is said
 * to be so; the evidence stands either way. */
static void put_log(struct out *o, const struct runtime *rt, const char *name)
{
    static uint8_t bytes[LOG_SHOWN_BYTES];
    char file[CALL_NAME_BYTES_MAX + 8];
    struct text t = text_on(file, sizeof file);
    struct err why;
    struct stat st;

    text_adds(&t, name);
    text_adds(&t, ".log");
    err_clear(&why);
    int fd = walk_component(rt->output.fd, file, WALK_FILE, O_RDONLY, rt->uid, false, text_span(&t),
                            &st, NULL, &why);
    ssize_t n = fd >= 0 ? read(fd, bytes, sizeof bytes) : -1;
    fd_close(&fd);
    out_array(o, "log");
    for (size_t at = 0, next; n > 0 && at < (size_t)n; at = next + 1) {
        const uint8_t *newline = memchr(bytes + at, '\n', (size_t)n - at);
        next = newline != NULL ? (size_t)(newline - bytes) : (size_t)n;
        out_log_line(o, (struct span){bytes + at, next - at});
    }
    out_array_end(o);
    out_bool(o, "log_shown_whole", n >= 0 && (n < (ssize_t)sizeof bytes));
}

/* Silence is not success: the module must be there. */
static int check_module(const struct runtime *rt, const char *name, struct err *err)
{
    struct stat st;

    int call_fd = walk_component(rt->work_fd, name, WALK_DIRECTORY, O_RDONLY, rt->uid, false,
                                 str_span(name), &st, NULL, err);
    if (call_fd < 0)
        return -1;
    int sys = fstatat(call_fd, MODULE ".olean", &st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    fd_close(&call_fd);
    if (sys == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        return 0;
    return err_set(err, ERR_EVIDENCE, str_span(MODULE ".olean"),
                   "Lean ended with 0 but wrote no module");
}

/* --- The command ----------------------------------------------------------------- */

static int call(struct command_line *line, struct out *o, const char *name, enum scope_kind scope,
                enum sandbox_kind sandbox, struct err *err)
{
    static struct call_answer answer;
    static struct step_arguments arguments;
    const struct work_input input = {MODULE ".lean", str_span(source)};
    struct call_request request = {.name = name,
                                   .kind = KIND_CHECK_RUNTIME,
                                   .argv = arguments.word,
                                   .input = &input,
                                   .input_n = 1,
                                   .sandbox = sandbox,
                                   .scope = scope,
                                   .waiting = isatty(STDERR_FILENO) ? command_waiting : NULL};

    if (step_arguments(&arguments, &line->rt->pins.profile, STEP_ELABORATE, &values, err) != 0)
        return -1;
    int result = native_call(line->rt, &request, &answer, err);
    if (result == 0 || err->what == ERR_FAULT || err->what == ERR_SETUP) {
        put_answer(o, &answer, name);
        put_log(o, line->rt, name);
    }
    if (result != 0)
        return -1;
    if (answer.result.outcome == OUTCOME_KILLED && !answer.result.oom_killed) {
        out_message("check-runtime: the call was interrupted; its evidence is complete");
        return 1;
    }
    if (answer.result.outcome != OUTCOME_EXITED || answer.result.exit_code != 0) {
        out_message("check-runtime: Lean ended with %s %d", outcome_word(answer.result.outcome),
                    answer.result.exit_code >= 0 ? (int)answer.result.exit_code
                                                 : (int)answer.result.signal);
        return 3;
    }
    return check_module(line->rt, name, err);
}

int cmd_check_runtime(struct command_line *line, struct out *o, struct err *err)
{
    enum { RUNTIME, CALL, SCOPE, SANDBOX, OPTIONS };
    struct option option[OPTIONS] = {[RUNTIME] = {"--runtime", false, true, NULL},
                                     [CALL] = {"--call", false, false, NULL},
                                     [SCOPE] = {"--scope", false, false, NULL},
                                     [SANDBOX] = {"--sandbox", false, false, NULL}};
    char name[CALL_NAME_BYTES_MAX + 1];
    enum scope_kind scope;
    enum sandbox_kind sandbox;
    size_t operands;

    if (options_parse(option, OPTIONS, NULL, 0, &operands, line->argc, line->argv, err) != 0 ||
        command_scope(&option[SCOPE], &scope, err) != 0 ||
        command_sandbox(&option[SANDBOX], &sandbox, err) != 0 || choose_name(name, err) != 0)
        return -1;
    if (command_load_for_calls(line, option[RUNTIME].value, scope, err) != 0)
        return -1;
    return call(line, o, option[CALL].value != NULL ? option[CALL].value : name, scope, sandbox,
                err);
}
