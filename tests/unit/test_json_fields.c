/* base/json: strict objects, bound field by field. */
#include "base/json.h"

#include "check.h"

static struct json j; /* 10 KB: kept off the stack */

enum { NAME, BUDGET, NOTE, FIELDS };

static const struct json_field shape[FIELDS] = {
    [NAME] = {.name = "name", .type = JSON_STRING},
    [BUDGET] = {.name = "budget", .type = JSON_NUMBER, .optional = true},
    [NOTE] = {.name = "note", .type = JSON_ARRAY, .nullable = true},
};

static int bind(const char *text, struct json_field *fields, struct err *err)
{
    memcpy(fields, shape, sizeof shape);
    err_clear(err);
    if (json_read(&j, str_span(text), err) != 0)
        return -2;
    return json_fields(&j, 0, fields, FIELDS, ERR_CONFIG, err);
}

static void check_bound(void)
{
    struct json_field fields[FIELDS];
    struct err err;
    CHECK_I64(bind("{\"note\":null,\"name\":\"n\",\"budget\":3}", fields, &err), 0,
              "an object with every field, in any order, is bound");
    CHECK(json_string_is(&j, fields[NAME].value, "n") && json_is_null(&j, fields[NOTE].value) &&
              json_type_of(&j, fields[BUDGET].value) == JSON_NUMBER,
          "each field has its value, null where null may be");
    CHECK_I64(bind("{\"\\u006eame\":\"n\",\"note\":[]}", fields, &err), 0,
              "a name is compared after its escapes are decoded");
    CHECK(fields[BUDGET].value == JSON_ABSENT && json_string_is(&j, fields[NAME].value, "n"),
          "an optional field that is not there is absent");
}

static void check_refused(void)
{
    static const struct {
        const char *text;
        uint64_t at;
        const char *obj, *why, *claim;
    } rows[] = {
        {"{\"name\":\"n\",\"note\":null,\"x\\n\":1}", 25, "x\\\\n", "unknown field",
         "an unknown field"},
        {"{\"Name\":\"n\"}", 2, "Name", "unknown field", "a name in other case"},
        {"{\"name\\u0000\":\"n\"}", 2, "name\\\\u0000", "unknown field",
         "a name with a NUL behind"},
        {" {\"name\":\"n\"}", 2, "note", "missing field", "a field that is missing"},
        {"{}", 1, "name", "missing field", "an object without fields"},
        {"{\"name\":1,\"note\":null}", 9, "name", "expected a string, found a number",
         "a field of another type"},
        {"{\"name\":null,\"note\":null}", 9, "name", "expected a string, found null",
         "null where null may not be"},
        {"{\"name\":\"n\",\"note\":{}}", 20, "note", "expected an array or null, found an object",
         "another type where null may be"},
        {"{\"name\":\"n\",\"note\":null,\"budget\":\"3\"}", 34, "budget",
         "expected a number, found a string", "an optional field of another type"},
        {"[]", 1, "", "expected an object, found an array", "an array for the object"},
        {"null", 1, "", "expected an object, found null", "null for the object"},
    };
    CHECK_ROWS(rows, 11, "the table of refused objects");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_field fields[FIELDS];
        struct err err;
        int result = bind(rows[i].text, fields, &err);
        CHECK(result == -1 && err.what == ERR_CONFIG && err.at == rows[i].at &&
                  strcmp(err.obj, rows[i].obj) == 0 && strcmp(err.why, rows[i].why) == 0,
              "refused with the caller's word, the field, the byte and the reason: %s",
              rows[i].claim);
    }
}

static void check_inner(void)
{
    struct json_field inner[] = {{.name = "a", .type = JSON_BOOL}};
    struct err err;
    char text[4];
    uint64_t n;
    err_clear(&err);
    CHECK(json_read(&j, str_span("{\"o\":{\"a\":true},\"s\":\"long\",\"n\":10}"), &err) == 0,
          "an object in an object is read");
    size_t o = json_first(&j, 0);
    size_t s = json_next(&j, o);
    CHECK(json_fields(&j, json_member_value(&j, o), inner, 1, ERR_JSON, &err) == 0 &&
              json_is_true(&j, inner[0].value),
          "the inner one is bound by itself");
    CHECK(json_fields(&j, json_member_value(&j, s), inner, 1, ERR_JSON, &err) == -1 &&
              strcmp(err.obj, "s") == 0,
          "a value that is no object is refused by its name");
    err_clear(&err);
    CHECK(json_string(&j, json_member_value(&j, s), text, sizeof text, &err) == -1 &&
              strcmp(err.obj, "s") == 0 && err.at == 21,
          "so is a string that is too long");
    err_clear(&err);
    CHECK(json_u64(&j, json_member_value(&j, json_next(&j, s)), 0, 9, &n, &err) == -1 &&
              strcmp(err.obj, "n") == 0 && err.at == 32,
          "and a number that is too great");
}

int main(void)
{
    check_bound();
    check_refused();
    check_inner();
    return check_end();
}
