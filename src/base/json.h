/* JSON: a strict gate, an index over jsmn, typed getters, one writer.  Layer: base.
 *
 * jsmn in strict mode still takes many texts that are not JSON, so a grammar
 * pass per RFC 8259 comes first and jsmn only ever sees texts that passed it.
 * Used on hostile bytes only inside a worker (specification 10). */
#ifndef LEMA_BASE_JSON_H
#define LEMA_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#define JSMN_HEADER
#include <jsmn.h>

#include "base/err.h"
#include "base/str.h"
#include "limits.h"

/* The gate: is this whole text JSON by RFC 8259?  One value of any type with
 * white space around it, UTF-8 (RFC 3629), no byte-order mark, nothing after
 * it; the number grammar of section 6, the escapes of section 7.  Bounds that
 * section 9 allows: JSON_BYTES_MAX bytes, JSON_DEPTH_MAX open arrays and
 * objects.  What RFC 8259 only advises against (repeated names, an unpaired
 * surrogate written as \uD800) passes here and is refused by json_read.
 * No recursion, no heap.
 * text     borrowed
 * returns  0, or -1 with ERR_JSON and at = the byte (from 1) where it stops being JSON */
int json_gate(struct span text, struct err *err);

/* The same, and how many values and names the text holds. */
int json_gate_count(struct span text, uint64_t *tokens, struct err *err);

/* A text that passed the gate, indexed. */
struct json {
    struct span text; /* borrowed: must live as long as this */
    jsmntok_t tokens[JSON_TOKENS_MAX];
    size_t n;
};

#define JSON_ABSENT SIZE_MAX /* no such value */

enum json_type { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_BOOL, JSON_NULL };

/* Gate, index, and the stricter rules of every text that lema reads: no name
 * twice in one object (compared after escapes are decoded), no unpaired
 * surrogate, at most JSON_TOKENS_MAX values and names, no name of more than
 * JSON_NAME_BYTES_MAX bytes.  The root value has index 0.
 * returns  0, or -1 with ERR_JSON (obj = the repeated name where that is the
 *          reason) and *j not to be used */
int json_read(struct json *j, struct span text, struct err *err);

/* An index that is no value, such as JSON_ABSENT, has the type JSON_NULL, but
 * json_is_null is false for it. */
enum json_type json_type_of(const struct json *j, size_t value);
const char *json_type_word(enum json_type type); /* "an object", "a string", … */

/* Members of an array or object in order: the first value (for an object its
 * first name token), then the following sibling; JSON_ABSENT at the end.  For
 * an object, json_member_value gives the value of a name token. */
size_t json_first(const struct json *j, size_t container);
size_t json_next(const struct json *j, size_t element);
size_t json_member_value(const struct json *j, size_t name);
size_t json_count(const struct json *j, size_t container);

/* One field of a strict object. */
struct json_field {
    const char *name;
    enum json_type type;
    bool optional; /* may be absent */
    bool nullable; /* null passes for any type; value is then the null token */
    size_t value;  /* out: its token, or JSON_ABSENT */
};

/* Bind every field of an object: unknown, missing and mistyped fields are
 * refused by name (repeated ones were refused by json_read).
 * what     the err_what to report, so that a caller's own word is used
 * returns  0 and each fields[i].value set, or -1 with obj = the field */
int json_fields(const struct json *j, size_t object, struct json_field *fields, size_t n,
                enum err_what what, struct err *err);

/* A string value decoded into a NUL-terminated array of size bytes (1 or more).
 * returns  its length, or -1 with ERR_JSON, obj = the field it stands in, and
 *          out empty: not a string, holds U+0000, or does not fit */
int json_string(const struct json *j, size_t value, char *out, size_t size, struct err *err);

/* True if a string value, decoded, equals s. */
bool json_string_is(const struct json *j, size_t value, const char *s);

/* An integer without sign, fraction or exponent, min <= n <= max.
 * returns  0, or -1 with ERR_JSON, obj = the field it stands in, *out untouched */
int json_u64(const struct json *j, size_t value, uint64_t min, uint64_t max, uint64_t *out,
             struct err *err);

bool json_is_null(const struct json *j, size_t value);
bool json_is_true(const struct json *j, size_t value);

/* The writer: one line, no spaces, names in the order they are put.  What it
 * writes passes the gate, and json_read within its bounds unless the caller
 * repeats a name, and it is printable: what may not reach a terminal
 * (str_is_visible) is written as \uXXXX, which stands for the same character.
 * Misuse (a value without its key, unbalanced ends, depth over JSON_WRITE_DEPTH_MAX)
 * and a string that is not UTF-8 set bad, which is sticky: nothing is written since. */
#define JSON_WRITE_DEPTH_MAX 16u

struct json_writer {
    struct text
        *to; /* borrowed; may be emptied between two calls, once its overflow was looked at */
    uint32_t depth;
    uint32_t has_member; /* bit d: something stands in the container at depth d */
    uint32_t is_object;  /* bit d: that container is an object */
    bool after_key;
    bool bad;
};

struct json_writer json_writer_on(struct text *to);
void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);
void json_key(struct json_writer *w, const char *name);
void json_put_string(struct json_writer *w, struct span s);
void json_put_chars(struct json_writer *w, const char *s); /* NUL-terminated */
void json_put_escaped(struct json_writer *w,
                      struct span s); /* any bytes: text_add_escaped's form */
void json_put_u64(struct json_writer *w, uint64_t n);
void json_put_i64(struct json_writer *w, int64_t n);
void json_put_centi(struct json_writer *w, uint64_t hundredths); /* 1234 -> 12.34 */
void json_put_bool(struct json_writer *w, bool b);
void json_put_null(struct json_writer *w);

/* True if everything was written, is balanced, and fits. */
bool json_writer_ok(const struct json_writer *w);

#endif
