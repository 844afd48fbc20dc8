/* One line of the ledger: text to structure.  Layer: evidence.
 *
 * Runs in a worker.  Types and words are judged here; ranges and what must go
 * with what by ledger_check_line, which the writer obeys too: so what is
 * written can be read. */
#include <string.h>

#include "base/json.h"
#include "evidence/ledger.h"

#define WORD_BYTES 32u                   /* the longest word of the ledger is shorter */
#define JSON_INTEGER_MAX CALL_BUDGET_MAX /* 2^53 - 1: RFC 8259 section 6 */

#define FIELD(field_name, field_type)                                                              \
    {                                                                                              \
        .name = (field_name), .type = (field_type)                                                 \
    }
#define FIELD_OR_NULL(field_name, field_type)                                                      \
    {                                                                                              \
        .name = (field_name), .type = (field_type), .nullable = true                               \
    }

enum { EVENT, TIME, CALL, PREV, COMMON };
enum {
    KIND = COMMON,
    UNIT,
    BOOT_ID,
    RESERVED_SHA256,
    CONFIG_SHA256,
    DISTRIBUTION_ID,
    HOST,
    RESERVE_FIELDS
};
enum {
    OUTCOME = COMMON,
    EXIT_CODE,
    SIGNAL,
    FAULT,
    RESULT_SHA256,
    LOG_SHA256,
    LOG_BYTES,
    COMPLETE_FIELDS
};
enum { RESOLVED_FAULT = COMMON, SCOPE, OPERATOR, REASON, RESOLVE_FIELDS };
#define FIELDS_MAX RESERVE_FIELDS

static const struct json_field common_fields[COMMON] = {
    FIELD("event", JSON_STRING), FIELD("time", JSON_STRING), FIELD("call", JSON_STRING),
    FIELD("prev", JSON_STRING)};

static const struct json_field reserve_fields[] = {
    FIELD("kind", JSON_STRING),          FIELD("unit", JSON_STRING),
    FIELD("boot_id", JSON_STRING),       FIELD("reserved_sha256", JSON_STRING),
    FIELD("config_sha256", JSON_STRING), FIELD("distribution_id", JSON_STRING),
    FIELD("host", JSON_OBJECT)};

static const struct json_field complete_fields[] = {
    FIELD("outcome", JSON_STRING),        FIELD_OR_NULL("exit_code", JSON_NUMBER),
    FIELD_OR_NULL("signal", JSON_NUMBER), FIELD_OR_NULL("fault", JSON_STRING),
    FIELD("result_sha256", JSON_STRING),  FIELD("log_sha256", JSON_STRING),
    FIELD("log_bytes", JSON_NUMBER)};

static const struct json_field resolve_fields[] = {
    FIELD("fault", JSON_STRING), FIELD("scope", JSON_STRING), FIELD("operator", JSON_NUMBER),
    FIELD("reason", JSON_STRING)};

/* --- Values ---------------------------------------------------------------------- */

static int refuse(const char *field, const char *why, struct err *err)
{
    return err_set(err, ERR_LEDGER, str_span(field), "%s", why);
}

/* A string decoded; what is too long for the array is refused as why says. */
static int read_chars(const struct json *j, const struct json_field *field, char *out, size_t size,
                      const char *why, struct err *err)
{
    struct err ignored;
    err_clear(&ignored);
    if (json_string(j, field->value, out, size, &ignored) >= 0)
        return 0;
    return refuse(field->name, why, err);
}

static int read_digest(const struct json *j, const struct json_field *field, struct digest *out,
                       struct err *err)
{
    static const char why[] = "expected 64 lower-case hex digits";
    char hex[DIGEST_HEX_BYTES];
    if (read_chars(j, field, hex, sizeof hex, why, err) != 0)
        return -1;
    return digest_parse(str_span(hex), out) ? 0 : refuse(field->name, why, err);
}

/* null is -1 */
static int read_code(const struct json *j, const struct json_field *field, int32_t *out,
                     struct err *err)
{
    uint64_t value;
    *out = -1;
    if (json_is_null(j, field->value))
        return 0;
    if (json_u64(j, field->value, 0, 255, &value, err) != 0)
        return -1;
    *out = (int32_t)value;
    return 0;
}

/* Hundredths of a number written as digits, a dot, one or two digits. */
static bool parse_centi(struct span s, uint32_t *out)
{
    uint64_t whole;
    const uint8_t *dot = s.n > 0 ? memchr(s.p, '.', s.n) : NULL;
    if (dot == NULL || !str_number((struct span){s.p, (size_t)(dot - s.p)}, 0, 100, &whole))
        return false;
    size_t digits = s.n - (size_t)(dot - s.p) - 1;
    uint32_t fraction = 0;
    if (digits < 1 || digits > 2)
        return false;
    for (size_t i = 1; i <= digits; i++) {
        if (dot[i] < '0' || dot[i] > '9')
            return false;
        fraction = fraction * 10 + (uint32_t)(dot[i] - '0');
    }
    *out = (uint32_t)whole * 100 + (digits == 1 ? fraction * 10 : fraction);
    return true;
}

static int read_centi(const struct json *j, const struct json_field *field, uint32_t *out,
                      struct err *err)
{
    const jsmntok_t *token = &j->tokens[field->value];
    struct span s = {j->text.p + token->start, (size_t)(token->end - token->start)};
    if (parse_centi(s, out))
        return 0;
    return refuse(field->name, "expected a percentage with one or two decimals", err);
}

static int read_host(const struct json *j, size_t object, struct machine *host, struct err *err)
{
    enum { HOST_KIND, MEM_TOTAL, MEM_AVAILABLE, MEMORY_PRESSURE, CPU_PRESSURE, HOST_FIELDS };
    struct json_field field[HOST_FIELDS] = {
        FIELD("host_kind", JSON_STRING), FIELD("mem_total", JSON_NUMBER),
        FIELD("mem_available", JSON_NUMBER), FIELD("memory_pressure_some_avg10", JSON_NUMBER),
        FIELD("cpu_pressure_some_avg10", JSON_NUMBER)};
    if (json_fields(j, object, field, HOST_FIELDS, ERR_LEDGER, err) != 0 ||
        json_u64(j, field[MEM_TOTAL].value, 0, JSON_INTEGER_MAX, &host->mem_total, err) != 0 ||
        json_u64(j, field[MEM_AVAILABLE].value, 0, JSON_INTEGER_MAX, &host->mem_available, err) !=
            0 ||
        read_centi(j, &field[MEMORY_PRESSURE], &host->memory_pressure_centi, err) != 0 ||
        read_centi(j, &field[CPU_PRESSURE], &host->cpu_pressure_centi, err) != 0)
        return -1;
    for (uint32_t kind = 0; kind <= MACHINE_UNKNOWN; kind++) {
        if (!json_string_is(j, field[HOST_KIND].value, machine_kind_word((enum machine_kind)kind)))
            continue;
        host->kind = kind;
        return 0;
    }
    return refuse("host_kind", "not a kind of host", err);
}

/* --- Events ---------------------------------------------------------------------- */

static int read_reserve(const struct json *j, const struct json_field *field,
                        struct ledger_line *line, struct err *err)
{
    char word[WORD_BYTES];
    enum call_kind kind;
    if (read_chars(j, &field[KIND], word, sizeof word, "not a kind of call", err) != 0)
        return -1;
    if (!kind_parse(str_span(word), &kind))
        return refuse("kind", "not a kind of call", err);
    line->kind = kind;
    if (read_chars(j, &field[UNIT], line->unit, UNIT_BYTES, "not a unit of lema's", err) != 0 ||
        read_chars(j, &field[BOOT_ID], line->boot_id, BOOT_ID_BYTES, "not a boot_id", err) != 0 ||
        read_digest(j, &field[RESERVED_SHA256], &line->reserved_sha256, err) != 0 ||
        read_digest(j, &field[CONFIG_SHA256], &line->config_sha256, err) != 0 ||
        read_digest(j, &field[DISTRIBUTION_ID], &line->distribution_id, err) != 0)
        return -1;
    return read_host(j, field[HOST].value, &line->host, err);
}

static int read_fault(const struct json *j, const struct json_field *field, uint32_t *out,
                      struct err *err)
{
    char word[WORD_BYTES];
    enum fault fault;
    *out = FAULT_NONE;
    if (json_is_null(j, field->value))
        return 0;
    if (read_chars(j, field, word, sizeof word, "not a fault", err) != 0)
        return -1;
    if (!fault_parse(str_span(word), &fault))
        return refuse(field->name, "not a fault", err);
    *out = fault;
    return 0;
}

static int read_complete(const struct json *j, const struct json_field *field,
                         struct ledger_line *line, struct err *err)
{
    char word[WORD_BYTES];
    enum outcome outcome;
    if (read_chars(j, &field[OUTCOME], word, sizeof word, "not an outcome", err) != 0)
        return -1;
    if (!outcome_parse(str_span(word), &outcome))
        return refuse("outcome", "not an outcome", err);
    line->outcome = outcome;
    if (read_code(j, &field[EXIT_CODE], &line->exit_code, err) != 0 ||
        read_code(j, &field[SIGNAL], &line->signal, err) != 0 ||
        read_fault(j, &field[FAULT], &line->fault, err) != 0 ||
        read_digest(j, &field[RESULT_SHA256], &line->result_sha256, err) != 0 ||
        read_digest(j, &field[LOG_SHA256], &line->log_sha256, err) != 0)
        return -1;
    return json_u64(j, field[LOG_BYTES].value, 0, LOG_BYTES_MAX, &line->log_bytes, err);
}

static int read_resolve(const struct json *j, const struct json_field *field,
                        struct ledger_line *line, struct err *err)
{
    uint64_t uid;
    if (read_fault(j, &field[RESOLVED_FAULT], &line->fault, err) != 0 ||
        json_u64(j, field[OPERATOR].value, 0, UINT32_MAX, &uid, err) != 0 ||
        read_chars(j, &field[REASON], line->reason, REASON_BYTES_MAX + 1,
                   "expected 1 to 1024 bytes without U+0000", err) != 0)
        return -1;
    line->operator_uid = (uint32_t)uid;
    if (json_string_is(j, field[SCOPE].value, "output"))
        line->scope = RESOLVE_SCOPE_OUTPUT;
    else if (json_string_is(j, field[SCOPE].value, "host"))
        line->scope = RESOLVE_SCOPE_HOST;
    else
        return refuse("scope", "expected \"output\" or \"host\"", err);
    return 0;
}

static const struct event_row {
    const char *word;
    const struct json_field *own;
    size_t own_n;
    int (*read)(const struct json *j, const struct json_field *field, struct ledger_line *line,
                struct err *err);
} events[LEDGER_EVENTS] = {
    [LEDGER_RESERVE] = {"reserve", reserve_fields, RESERVE_FIELDS - COMMON, read_reserve},
    [LEDGER_COMPLETE] = {"complete", complete_fields, COMPLETE_FIELDS - COMMON, read_complete},
    [LEDGER_RESOLVE] = {"resolve", resolve_fields, RESOLVE_FIELDS - COMMON, read_resolve},
};
_Static_assert(sizeof reserve_fields / sizeof reserve_fields[0] == RESERVE_FIELDS - COMMON, "");
_Static_assert(sizeof complete_fields / sizeof complete_fields[0] == COMPLETE_FIELDS - COMMON, "");
_Static_assert(sizeof resolve_fields / sizeof resolve_fields[0] == RESOLVE_FIELDS - COMMON, "");
_Static_assert((int)FIELDS_MAX >= (int)COMPLETE_FIELDS && (int)FIELDS_MAX >= (int)RESOLVE_FIELDS,
               "the most fields of any event");

/* The event comes first: it says which fields there must be. */
static const struct event_row *find_event(const struct json *j, struct err *err)
{
    size_t at = json_first(j, 0);
    while (at != JSON_ABSENT && !json_string_is(j, at, "event"))
        at = json_next(j, at);
    if (at == JSON_ABSENT) {
        refuse("event", "missing field", err);
        return NULL;
    }
    for (size_t i = 0; i < LEDGER_EVENTS; i++)
        if (json_string_is(j, json_member_value(j, at), events[i].word))
            return &events[i];
    refuse("event", "not an event of a ledger", err);
    return NULL;
}

static int parse(struct span text, struct ledger_line *line, struct err *err)
{
    struct json j;
    struct json_field field[FIELDS_MAX];
    if (text.n >= LEDGER_LINE_BYTES_MAX)
        return err_set(err, ERR_LEDGER, str_span(""), "longer than %u bytes with its newline",
                       LEDGER_LINE_BYTES_MAX);
    if (json_read(&j, text, err) != 0)
        return -1;
    if (json_type_of(&j, 0) != JSON_OBJECT)
        return refuse("", "expected an object", err);
    const struct event_row *event = find_event(&j, err);
    if (event == NULL)
        return -1;
    memcpy(field, common_fields, sizeof common_fields);
    memcpy(field + COMMON, event->own, event->own_n * sizeof *field);
    if (json_fields(&j, 0, field, COMMON + event->own_n, ERR_LEDGER, err) != 0)
        return -1;
    line->event = (uint32_t)(event - events);
    if (read_chars(&j, &field[TIME], line->time, CLOCK_RFC3339_BYTES, "not a time", err) != 0 ||
        read_chars(&j, &field[CALL], line->call, CALL_NAME_BYTES_MAX + 1, "not a call name", err) !=
            0 ||
        read_digest(&j, &field[PREV], &line->prev, err) != 0 ||
        event->read(&j, field, line, err) != 0)
        return -1;
    return ledger_check_line(line, err);
}

/* at is the line of a ledger, so a byte goes into the words, and only where no
 * field names the place. */
static int byte_into_why(struct err *err)
{
    struct err copy = *err;
    if (copy.at != 0 && copy.obj[0] == '\0') {
        struct text why = text_on(err->why, sizeof err->why);
        text_adds(&why, "byte ");
        text_add_number(&why, copy.at);
        text_adds(&why, ": ");
        text_adds(&why, copy.why);
    }
    err->at = 0;
    if (err->what == ERR_JSON)
        err->what = ERR_LEDGER;
    return -1;
}

int ledger_parse_line(struct span text, struct ledger_line *line, struct err *err)
{
    memset(line, 0, sizeof *line);
    if (parse(text, line, err) == 0)
        return 0;
    memset(line, 0, sizeof *line);
    return byte_into_why(err);
}
