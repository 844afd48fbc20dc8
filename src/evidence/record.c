/* CALL-reserved.json and CALL-result.json: writing.  Layer: evidence. */
#include "evidence/record.h"

#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "evidence/put.h"

#define RESERVED_SCHEMA "lema.call-reserved/v1"
#define RESULT_SCHEMA "lema.call-result/v1"

/* A result is written in pieces.  An output's path has at most WORK_DEPTH_MAX
 * components; escaped and quoted, a byte takes at most six (\\xNN is five, a
 * character that is not seen \uNNNN for each of its bytes or less).  So what is
 * left of a piece behind FLUSH_BYTES holds any output. */
#define PIECE_BYTES KIB(64)
#define FLUSH_BYTES KIB(8)
_Static_assert(PIECE_BYTES - FLUSH_BYTES > 6 * WORK_DEPTH_MAX * (COMPONENT_BYTES_MAX + 1) + 512,
               "an output fits in what is left");

/* A string in an array, whether it ends or not. */
static struct span chars_of(const char *array, size_t size)
{
    return (struct span){(const uint8_t *)array, strnlen(array, size)};
}

/* --- The reserved record --------------------------------------------------------- */

static void put_strings(struct json_writer *w, const char *name, const char *const *strings)
{
    json_key(w, name);
    json_begin_array(w);
    for (size_t i = 0; strings[i] != NULL; i++)
        put_any(w, str_span(strings[i]));
    json_end_array(w);
}

/* The limits that the cgroup can be asked for again. */
static void put_scope_limits(struct json_writer *w, const struct record_limits *limits)
{
    put_number(w, "memory_bytes", limits->memory_bytes);
    put_number(w, "swap_bytes", limits->swap_bytes);
    put_number(w, "tasks", limits->tasks);
    put_number(w, "cpu_quota_us", limits->cpu_quota_us);
    put_number(w, "cpu_period_us", limits->cpu_period_us);
}

/* All of specification 9. */
static void put_limits(struct json_writer *w, const struct record_limits *limits)
{
    json_key(w, "limits");
    json_begin_object(w);
    put_number(w, "wall_ms", limits->wall_ms);
    put_scope_limits(w, limits);
    put_number(w, "log_bytes", LOG_BYTES_MAX);
    put_number(w, "file_bytes", ONE_FILE_BYTES);
    put_number(w, "core_bytes", CORE_BYTES);
    put_number(w, "open_files", OPEN_FILES);
    put_number(w, "work_bytes", WORK_BYTES_MAX);
    put_number(w, "work_entries", WORK_ENTRIES_MAX);
    put_number(w, "work_depth", WORK_DEPTH_MAX);
    json_end_object(w);
}

static void put_inputs(struct json_writer *w, const struct record_reserved *r)
{
    json_key(w, "inputs");
    json_begin_array(w);
    for (size_t i = 0; i < r->input_n; i++) {
        json_begin_object(w);
        json_key(w, "path");
        json_put_escaped(w, str_span(r->input[i].path));
        put_number(w, "size", r->input[i].size);
        put_digest(w, "sha256", &r->input[i].sha256);
        json_end_object(w);
    }
    json_end_array(w);
}

int record_write_reserved(struct text *t, const struct record_reserved *r, struct err *err)
{
    struct json_writer w = json_writer_on(t);
    json_begin_object(&w);
    put_chars(&w, "schema", RESERVED_SCHEMA);
    put_chars(&w, "call", r->call);
    put_chars(&w, "kind", kind_word(r->kind));
    put_chars(&w, "time", r->time);
    put_chars(&w, "unit", r->unit);
    put_chars(&w, "sandbox", r->sandbox);
    put_chars(&w, "scope", r->scope);
    put_strings(&w, "argv", r->argv);
    put_strings(&w, "env", r->env);
    put_limits(&w, &r->limits);
    put_inputs(&w, r);
    put_digest(&w, "config_sha256", &r->config_sha256);
    put_digest(&w, "distribution_id", &r->distribution_id);
    put_digest(&w, "host_id", &r->host_id);
    put_digest(&w, "profile_id", &r->profile_id);
    put_host(&w, "host", &r->host);
    json_key(&w, "lema");
    json_begin_object(&w);
    put_chars(&w, "version", r->version);
    put_digest(&w, "binary_sha256", &r->binary_sha256);
    json_end_object(&w);
    json_end_object(&w);
    text_adds(t, "\n");
    if (json_writer_ok(&w) && !t->overflow)
        return 0;
    return err_set(err, ERR_INTERNAL, str_span(r->call), "its reserved record cannot be written");
}

/* --- The result record ----------------------------------------------------------- */

/* A record on its way into a file, hashed as it goes. */
struct stream {
    struct file_pending *file;
    struct sha256 hash;
    struct json_writer w;
    struct text text;
    char piece[PIECE_BYTES];
};

static int stream_flush(struct stream *s, struct err *err)
{
    const struct span shown = str_span(s->file->name);
    if (s->w.bad || s->text.overflow)
        return err_set(err, ERR_INTERNAL, shown, "a record that cannot be written");
    if (file_write_all(s->file->fd, s->piece, s->text.n, shown, err) != 0)
        return -1;
    sha256_add(&s->hash, s->piece, s->text.n);
    s->text = text_on(s->piece, sizeof s->piece);
    return 0;
}

static void put_fault(struct json_writer *w, enum fault fault)
{
    if (fault == FAULT_NONE)
        json_put_null(w);
    else
        json_put_chars(w, fault_word(fault));
}

static void put_setup_error(struct json_writer *w, const struct record_result *r)
{
    char name[32];
    struct text t = text_on(name, sizeof name);
    json_key(w, "setup_error");
    if (!r->setup_failed) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    json_key(w, "step");
    put_any(w, chars_of(r->setup_step, sizeof r->setup_step));
    json_key(w, "object");
    put_any(w, chars_of(r->setup_object, sizeof r->setup_object));
    json_key(w, "errno");
    if (r->setup_errno == 0) {
        json_put_null(w);
    } else {
        err_add_errno_name(&t, r->setup_errno);
        json_put_chars(w, name);
    }
    json_end_object(w);
}

/* An errno's name, or "succeeded". */
static void put_preflight(struct json_writer *w, const struct record_result *r)
{
    json_key(w, "preflight");
    if (r->preflight_n == 0) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    for (size_t i = 0; i < r->preflight_n && i < RECORD_PROBES_MAX; i++) {
        char name[32];
        struct text t = text_on(name, sizeof name);
        err_add_errno_name(&t, r->preflight[i].sys);
        put_chars(w, r->preflight[i].probe, r->preflight[i].sys == 0 ? "succeeded" : name);
    }
    json_end_object(w);
}

static void put_measures(struct json_writer *w, const struct record_result *r)
{
    put_bool(w, "oom_killed", r->oom_killed);
    json_key(w, "enforced");
    if (r->enforced_known) {
        json_begin_object(w);
        put_scope_limits(w, &r->enforced);
        json_end_object(w);
    } else {
        json_put_null(w);
    }
    put_number(w, "wall_ms", r->wall_ms);
    put_number(w, "overrun_ms", r->overrun_ms);
    put_number(w, "gone_ms", r->gone_ms);
    put_number(w, "cpu_ms", r->cpu_ms);
    put_number(w, "memory_peak", r->memory_peak);
    put_number(w, "tasks_peak", r->tasks_peak);
    json_key(w, "log");
    json_begin_object(w);
    put_number(w, "bytes", r->log_bytes);
    put_digest(w, "sha256", &r->log_sha256);
    put_bool(w, "truncated", r->log_truncated);
    json_end_object(w);
}

/* Every fault but the first, in their order of precedence. */
static void put_also(struct json_writer *w, fault_set faults)
{
    json_key(w, "also");
    json_begin_array(w);
    for (unsigned i = (unsigned)fault_first(faults) + 1; i < FAULT_COUNT; i++)
        if ((faults >> i & 1u) != 0)
            json_put_chars(w, fault_word((enum fault)i));
    json_end_array(w);
}

/* Everything before the outputs. */
static void put_result(struct json_writer *w, const struct record_result *r)
{
    put_chars(w, "schema", RESULT_SCHEMA);
    put_chars(w, "call", r->call);
    put_chars(w, "kind", kind_word(r->kind));
    put_chars(w, "time", r->time);
    put_chars(w, "outcome", outcome_word(r->outcome));
    put_code(w, "exit_code", r->exit_code);
    put_code(w, "signal", r->signal);
    json_key(w, "fault");
    put_fault(w, fault_first(r->faults));
    put_setup_error(w, r);
    put_preflight(w, r);
    put_measures(w, r);
    put_also(w, r->faults);
}

static void put_output(struct json_writer *w, const struct record_output *output)
{
    json_begin_object(w);
    json_key(w, "path");
    json_put_escaped(w, output->path);
    put_chars(w, "type", work_type_word(output->type));
    put_number(w, "size", output->type == WORK_FILE ? output->size : PUT_NULL);
    if (output->has_sha256) {
        put_digest(w, "sha256", &output->sha256);
    } else {
        json_key(w, "sha256");
        json_put_null(w);
    }
    json_end_object(w);
}

static int put_outputs(struct stream *s,
                       int (*next)(void *arg, struct record_output *output, struct err *err),
                       void *arg, struct err *err)
{
    struct record_output output;
    json_key(&s->w, "outputs");
    json_begin_array(&s->w);
    for (;;) {
        if (s->text.n > FLUSH_BYTES && stream_flush(s, err) != 0)
            return -1;
        memset(&output, 0, sizeof output);
        int more = next(arg, &output, err);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        put_output(&s->w, &output);
    }
    json_end_array(&s->w);
    return 0;
}

int record_write_result(struct file_pending *f, const struct record_result *r,
                        int (*next)(void *arg, struct record_output *output, struct err *err),
                        void *arg, struct digest *sha256, struct err *err)
{
    struct stream s;
    s.file = f;
    s.text = text_on(s.piece, sizeof s.piece);
    s.w = json_writer_on(&s.text);
    sha256_init(&s.hash);
    json_begin_object(&s.w);
    put_result(&s.w, r);
    if (put_outputs(&s, next, arg, err) != 0)
        return -1;
    put_digest(&s.w, "reserved_sha256", &r->reserved_sha256);
    json_end_object(&s.w);
    text_adds(&s.text, "\n");
    if (!json_writer_ok(&s.w))
        return err_set(err, ERR_INTERNAL, str_span(f->name), "a record that cannot be written");
    if (stream_flush(&s, err) != 0)
        return -1;
    sha256_end(&s.hash, sha256);
    return 0;
}

const char *work_type_word(enum work_type type)
{
    static const char *const words[] = {
        [WORK_FILE] = "file",  [WORK_DIRECTORY] = "directory", [WORK_SYMLINK] = "symlink",
        [WORK_FIFO] = "fifo",  [WORK_SOCKET] = "socket",       [WORK_DEVICE] = "device",
        [WORK_OTHER] = "other"};
    return words[(unsigned)type <= WORK_OTHER ? type : WORK_OTHER];
}
