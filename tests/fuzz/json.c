/* Fuzz target for base/json.  Beyond "no crash", for every text:
 *
 * 1. what json_read accepts, the gate accepts; what the gate accepts is UTF-8;
 * 2. a refusal names a byte of the text or the one behind it, with a printable
 *    reason, and the text before that byte is not wrong any earlier;
 * 3. what was read, written again by the writer, is printable, is read, has as
 *    many values, and written once more gives the same bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

#define INPUT_BYTES_MAX (32u << 10)
#define WRITTEN_BYTES_MAX (8u * INPUT_BYTES_MAX) /* a byte becomes six at most, with quotes eight */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) require((condition), #condition, __LINE__)

static void require(bool holds, const char *what, int line)
{
    if (holds)
        return;
    (void)fprintf(stderr, "line %d: does not hold: %s\n", line, what);
    abort();
}

/* --- 1 and 2 ------------------------------------------------------------- */

static void check_refusal(struct span text, const struct err *err)
{
    struct err earlier;
    REQUIRE(err->what == ERR_JSON);
    REQUIRE(err->at >= 1 && err->at <= text.n + 1);
    REQUIRE(err->why[0] != '\0' && str_is_printable(str_span(err->why)));
    err_clear(&earlier);
    if (json_gate((struct span){text.p, (size_t)err->at - 1}, &earlier) != 0)
        REQUIRE(earlier.at == err->at);
}

static bool check_gate(struct span text)
{
    struct err err;
    err_clear(&err);
    if (json_gate(text, &err) != 0) {
        check_refusal(text, &err);
        return false;
    }
    REQUIRE(err.what == ERR_NONE);
    REQUIRE(str_is_utf8(text));
    return true;
}

/* --- 3 ------------------------------------------------------------------- */

/* Write a name or a string value.  A string with U+0000 has no C form: as a
 * value it is written as its bytes in the text; a name like that, or one that
 * would become too long, ends the attempt. */
static bool write_string(const struct json *j, size_t i, struct json_writer *w)
{
    static char decoded[INPUT_BYTES_MAX + 1];
    struct span raw = {j->text.p + j->tokens[i].start,
                       (size_t)(j->tokens[i].end - j->tokens[i].start)};
    bool name = json_member_value(j, i) != JSON_ABSENT;
    struct err err;
    err_clear(&err);
    int n = json_string(j, i, decoded, sizeof decoded, &err);
    REQUIRE(n < 0 ? err.what == ERR_JSON : json_string_is(j, i, decoded));
    if (!name && n < 0)
        json_put_escaped(w, raw);
    else if (!name)
        json_put_chars(w, decoded);
    if (!name)
        return true;
    if (n < 0)
        return false;
    size_t before = w->to->n;
    json_key(w, decoded);
    return w->to->n - before <= JSON_NAME_BYTES_MAX + 3;
}

static void write_scalar(const struct json *j, size_t i, struct json_writer *w)
{
    struct err err;
    uint64_t number;
    err_clear(&err);
    if (json_type_of(j, i) == JSON_NULL)
        json_put_null(w);
    else if (json_type_of(j, i) == JSON_BOOL)
        json_put_bool(w, json_is_true(j, i));
    else if (json_u64(j, i, 0, UINT64_MAX, &number, &err) == 0)
        json_put_u64(w, number);
    else /* the writer has no such number: its digits as a string */
        json_put_string(w, (struct span){j->text.p + j->tokens[i].start,
                                         (size_t)(j->tokens[i].end - j->tokens[i].start)});
}

static void end_one(const struct json *j, size_t container, struct json_writer *w)
{
    if (json_type_of(j, container) == JSON_OBJECT)
        json_end_object(w);
    else
        json_end_array(w);
}

/* Tokens stand in the order of the text: a container ends before the first
 * token behind its end.  False if the writer cannot write this value. */
static bool write_again(const struct json *j, struct json_writer *w)
{
    size_t open[JSON_WRITE_DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 0; i < j->n; i++) {
        while (depth > 0 && j->tokens[i].start >= j->tokens[open[depth - 1]].end)
            end_one(j, open[--depth], w);
        enum json_type type = json_type_of(j, i);
        if (type == JSON_STRING && !write_string(j, i, w))
            return false;
        if (type == JSON_NULL || type == JSON_BOOL || type == JSON_NUMBER)
            write_scalar(j, i, w);
        if (type != JSON_OBJECT && type != JSON_ARRAY)
            continue;
        if (depth == JSON_WRITE_DEPTH_MAX)
            return false;
        open[depth++] = i;
        if (type == JSON_OBJECT)
            json_begin_object(w);
        else
            json_begin_array(w);
    }
    while (depth > 0)
        end_one(j, open[--depth], w);
    return true;
}

static void check_written(const struct json *j)
{
    static char first[WRITTEN_BYTES_MAX];
    static char second[WRITTEN_BYTES_MAX];
    static struct json again;
    struct text one = text_on(first, sizeof first);
    struct text two = text_on(second, sizeof second);
    struct json_writer w = json_writer_on(&one);
    struct err err;
    err_clear(&err);
    if (!write_again(j, &w))
        return;
    REQUIRE(json_writer_ok(&w));
    REQUIRE(str_is_printable(text_span(&one)));
    REQUIRE(json_read(&again, text_span(&one), &err) == 0);
    REQUIRE(again.n == j->n);
    w = json_writer_on(&two);
    REQUIRE(write_again(&again, &w) && json_writer_ok(&w));
    REQUIRE(str_equal(text_span(&one), text_span(&two)));
}

/* Every token is reached from the root, once. */
static void check_walk(const struct json *j)
{
    size_t reached = 1;
    for (size_t i = 0; i < j->n; i++) {
        size_t members = 0;
        for (size_t m = json_first(j, i); m != JSON_ABSENT; m = json_next(j, m)) {
            members++;
            reached += json_member_value(j, m) == JSON_ABSENT ? 1 : 2;
        }
        REQUIRE(members == json_count(j, i));
    }
    REQUIRE(reached == j->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct json j;
    struct span text = {data, size};
    struct err err;
    if (size > INPUT_BYTES_MAX)
        return 0;
    err_clear(&err);
    bool gate = check_gate(text);
    bool read = json_read(&j, text, &err) == 0;
    REQUIRE(gate || !read);
    REQUIRE(read || err.what == ERR_JSON); /* ERR_INTERNAL: index and gate differ */
    if (read) {
        check_walk(&j);
        check_written(&j);
    }
    return 0;
}
