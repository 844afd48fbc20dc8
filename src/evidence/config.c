/* The runtime configuration.  Layer: evidence.
 *
 * Bytes are parsed by config_duty in a worker; the monitor checks the structure
 * that comes back field by field, as if it were the text. */
#include "evidence/config.h"

#include <string.h>

#include "base/json.h"
#include "host/walk.h"

#define SCHEMA "lema.runtime-linux/v2"
#define SCHEMA_V1 "lema.runtime-linux/v1"

enum { SCHEMA_FIELD, DISTRIBUTION, OUTPUT, SHARED_LOCK, CALL_BUDGET, FIELDS };

static const struct json_field field_table[FIELDS] = {
    [SCHEMA_FIELD] = {.name = "schema", .type = JSON_STRING},
    [DISTRIBUTION] = {.name = "distribution", .type = JSON_STRING},
    [OUTPUT] = {.name = "output", .type = JSON_STRING},
    [SHARED_LOCK] = {.name = "shared_lock", .type = JSON_STRING},
    [CALL_BUDGET] = {.name = "call_budget", .type = JSON_NUMBER, .optional = true},
};

/* --- Parsing, in a worker -------------------------------------------------------- */

/* The byte, from 1, where a string value begins, its quote. */
static uint64_t string_byte(const struct json *j, size_t value)
{
    return (uint64_t)j->tokens[value].start;
}

static size_t root_member(const struct json *j, const char *name)
{
    for (size_t at = json_first(j, 0); at != JSON_ABSENT; at = json_next(j, at))
        if (json_string_is(j, at, name))
            return json_member_value(j, at);
    return JSON_ABSENT;
}

/* A v1 file may carry fields that v2 does not know, so it is recognized before
 * any field is judged. */
static int refuse_v1(const struct json *j, struct err *err)
{
    if (json_type_of(j, 0) != JSON_OBJECT)
        return 0; /* json_fields refuses it */
    size_t schema = root_member(j, "schema");
    if (schema == JSON_ABSENT || !json_string_is(j, schema, SCHEMA_V1))
        return 0;
    const char *budget = root_member(j, "call_budget") != JSON_ABSENT ? " with call_budget" : "";
    return err_set_at(err, ERR_CONFIG, str_span("schema"), string_byte(j, schema),
                      SCHEMA_V1 "%s is refused, expected " SCHEMA, budget);
}

/* A path of the configuration that no walk would take: the field is named, the
 * walk's reason stays. */
static int refuse_path(const struct json *j, const struct json_field *field, const struct err *why,
                       struct err *err)
{
    if (err->what != ERR_NONE)
        return -1;
    *err = *why;
    err->what = ERR_CONFIG;
    err->at = string_byte(j, field->value);
    (void)str_copy(err->obj, sizeof err->obj, str_span(field->name));
    return -1;
}

static int take_path(const struct json *j, const struct json_field *field,
                     char out[static PATH_BYTES_MAX + 1], struct err *err)
{
    char decoded[CONFIG_BYTES_MAX + 1]; /* escapes never decode to more than they take */
    struct err why;
    err_clear(&why);
    if (json_string(j, field->value, decoded, sizeof decoded, &why) < 0)
        return err_set_at(err, ERR_CONFIG, str_span(field->name), string_byte(j, field->value),
                          "holds U+0000");
    if (walk_check_text(str_span(decoded), &why) != 0)
        return refuse_path(j, field, &why, err);
    (void)str_copy(out, PATH_BYTES_MAX + 1, str_span(decoded));
    return 0;
}

static int parse(struct span bytes, struct config *config, struct err *err)
{
    struct json j;
    struct json_field field[FIELDS];
    memcpy(field, field_table, sizeof field);
    if (bytes.n == 0)
        return err_set(err, ERR_CONFIG, str_span(""), "is empty");
    if (bytes.n > CONFIG_BYTES_MAX)
        return err_set(err, ERR_CONFIG, str_span(""), "more than %u bytes", CONFIG_BYTES_MAX);
    if (json_read(&j, bytes, err) != 0 || refuse_v1(&j, err) != 0 ||
        json_fields(&j, 0, field, FIELDS, ERR_CONFIG, err) != 0)
        return -1;
    if (!json_string_is(&j, field[SCHEMA_FIELD].value, SCHEMA))
        return err_set_at(err, ERR_CONFIG, str_span("schema"),
                          string_byte(&j, field[SCHEMA_FIELD].value), "expected " SCHEMA);
    if (take_path(&j, &field[DISTRIBUTION], config->distribution, err) != 0 ||
        take_path(&j, &field[OUTPUT], config->output, err) != 0 ||
        take_path(&j, &field[SHARED_LOCK], config->shared_lock, err) != 0)
        return -1;
    if (field[CALL_BUDGET].value == JSON_ABSENT)
        return 0;
    config->has_call_budget = 1;
    return json_u64(&j, field[CALL_BUDGET].value, 0, CALL_BUDGET_MAX, &config->call_budget, err);
}

int config_parse(struct span bytes, struct config *config, struct err *err)
{
    memset(config, 0, sizeof *config);
    if (parse(bytes, config, err) == 0)
        return 0;
    memset(config, 0, sizeof *config);
    if (err->what == ERR_JSON)
        err->what = ERR_CONFIG;
    return -1;
}

/* --- The worker and its reply ---------------------------------------------------- */

struct config_reply {
    struct err err;
    struct config config;
};
_Static_assert(sizeof(struct config_reply) == sizeof(struct err) +
                                                  3 * sizeof((struct config){0}.output) +
                                                  2 * sizeof(uint64_t),
               "no padding: crosses processes");

void config_duty(int in, int out)
{
    static uint8_t bytes[CONFIG_BYTES_MAX];
    static struct config_reply reply;
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        if (job.bytes > CONFIG_BYTES_MAX)
            return; /* config_read sends no such job */
        if (job.bytes > 0 && worker_read(in, bytes, (size_t)job.bytes) == 0)
            return;
        memset(&reply, 0, sizeof reply);
        (void)config_parse((struct span){bytes, (size_t)job.bytes}, &reply.config, &reply.err);
        worker_write(out, &reply, sizeof reply);
    }
}

/* --- The monitor's side ---------------------------------------------------------- */

static int keep_reply(void *arg, const void *reply)
{
    memcpy(arg, reply, sizeof(struct config_reply));
    return 1;
}

static bool path_holds(const char path[static PATH_BYTES_MAX + 1])
{
    struct err ignored;
    err_clear(&ignored);
    return memchr(path, '\0', PATH_BYTES_MAX + 1) != NULL &&
           walk_check_text(str_span(path), &ignored) == 0 && str_is_utf8(str_span(path));
}

static bool config_holds(const struct config *c)
{
    return path_holds(c->distribution) && path_holds(c->output) && path_holds(c->shared_lock) &&
           c->has_call_budget <= 1 && c->call_budget <= CALL_BUDGET_MAX &&
           (c->has_call_budget == 1 || c->call_budget == 0);
}

int config_read(struct worker *w, const uint8_t *bytes, size_t n, struct span shown,
                struct config *config, struct err *err)
{
    struct config_reply reply;
    memset(config, 0, sizeof *config);
    memset(&reply, 0, sizeof reply);
    if (n > CONFIG_BYTES_MAX)
        return err_set(err, ERR_CONFIG, shown, "more than %u bytes", CONFIG_BYTES_MAX);
    if (worker_exchange(w, -1, bytes, n, 0, sizeof reply, keep_reply, &reply, shown, err) != 0)
        return -1;
    err_sanitize(&reply.err);
    if (reply.err.what == ERR_CONFIG) {
        *err = reply.err;
        return err_wrap(err, ERR_CONFIG, shown);
    }
    if (reply.err.what != ERR_NONE || !config_holds(&reply.config))
        return err_set(err, ERR_WORKER, shown, "the configuration worker answered out of protocol");
    *config = reply.config;
    return 0;
}

/* --- Writing --------------------------------------------------------------------- */

void config_write(struct text *t, const struct config *config)
{
    struct json_writer w = json_writer_on(t);
    json_begin_object(&w);
    json_key(&w, "schema");
    json_put_chars(&w, SCHEMA);
    json_key(&w, "distribution");
    json_put_chars(&w, config->distribution);
    json_key(&w, "output");
    json_put_chars(&w, config->output);
    json_key(&w, "shared_lock");
    json_put_chars(&w, config->shared_lock);
    if (config->has_call_budget != 0) {
        json_key(&w, "call_budget");
        json_put_u64(&w, config->call_budget);
    }
    json_end_object(&w);
    text_adds(t, "\n");
    if (!json_writer_ok(&w))
        t->overflow = true;
}
