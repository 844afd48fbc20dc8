/* The writer.  Layer: base. */
#include <string.h>

#include "base/json.h"

struct json_writer json_writer_on(struct text *to)
{
    return (struct json_writer){.to = to};
}

static bool bit(uint32_t bits, uint32_t d)
{
    return (bits >> d & 1u) != 0;
}

static void set_bit(uint32_t *bits, uint32_t d, bool on)
{
    *bits = (*bits & ~(UINT32_C(1) << d)) | (uint32_t)on << d;
}

static bool in_object(const struct json_writer *w)
{
    return bit(w->is_object, w->depth);
}

/* --- strings ------------------------------------------------------------- */

/* One UTF-16 code unit as the escape \uXXXX (RFC 8259 section 7). */
static void add_code_unit(struct text *to, uint32_t unit)
{
    const uint8_t bytes[2] = {(uint8_t)(unit >> 8), (uint8_t)unit};
    text_adds(to, "\\u");
    text_add_hex(to, bytes, sizeof bytes);
}

static void add_character(struct text *to, uint32_t c, struct span utf8)
{
    static const char special[] = "\"\\\b\f\n\r\t";
    static const char short_form[] = "\"\\bfnrt";
    const char *found = c > 0 && c < 0x80 ? strchr(special, (int)c) : NULL;
    if (found != NULL) {
        const uint8_t escape[2] = {'\\', (uint8_t)short_form[found - special]};
        text_add(to, (struct span){escape, sizeof escape});
    } else if (str_is_visible(c)) {
        text_add(to, utf8);
    } else if (c < 0x10000) {
        add_code_unit(to, c);
    } else {
        add_code_unit(to, 0xd800 + ((c - 0x10000) >> 10));
        add_code_unit(to, 0xdc00 + ((c - 0x10000) & 0x3ff));
    }
}

/* The inside of a string; bad if s is not UTF-8. */
static void add_characters(struct json_writer *w, struct span s)
{
    while (s.n > 0 && !w->to->overflow) {
        uint32_t c;
        size_t n = str_utf8_decode(s, &c);
        if (n == 0) {
            w->bad = true;
            return;
        }
        add_character(w->to, c, (struct span){s.p, n});
        s = (struct span){s.p + n, s.n - n};
    }
}

static void add_string(struct json_writer *w, struct span s)
{
    text_adds(w->to, "\"");
    add_characters(w, s);
    text_adds(w->to, "\"");
}

/* --- structure ----------------------------------------------------------- */

/* A member of the open container begins: the comma before it. */
static void begin_member(struct json_writer *w)
{
    if (bit(w->has_member, w->depth))
        text_adds(w->to, ",");
    set_bit(&w->has_member, w->depth, true);
}

/* Whether a value may stand here, and what comes before it. */
static bool begin_value(struct json_writer *w)
{
    bool second_root = w->depth == 0 && bit(w->has_member, 0);
    if (w->bad || second_root || in_object(w) != w->after_key) {
        w->bad = true;
        return false;
    }
    if (!w->after_key)
        begin_member(w);
    w->after_key = false;
    return true;
}

static void begin_container(struct json_writer *w, bool object)
{
    if (!begin_value(w))
        return;
    if (w->depth == JSON_WRITE_DEPTH_MAX) {
        w->bad = true;
        return;
    }
    w->depth++;
    set_bit(&w->has_member, w->depth, false);
    set_bit(&w->is_object, w->depth, object);
    text_adds(w->to, object ? "{" : "[");
}

static void end_container(struct json_writer *w, bool object)
{
    if (w->bad || w->depth == 0 || in_object(w) != object || w->after_key) {
        w->bad = true;
        return;
    }
    w->depth--;
    text_adds(w->to, object ? "}" : "]");
}

void json_begin_object(struct json_writer *w)
{
    begin_container(w, true);
}

void json_end_object(struct json_writer *w)
{
    end_container(w, true);
}

void json_begin_array(struct json_writer *w)
{
    begin_container(w, false);
}

void json_end_array(struct json_writer *w)
{
    end_container(w, false);
}

void json_key(struct json_writer *w, const char *name)
{
    if (w->bad || !in_object(w) || w->after_key) {
        w->bad = true;
        return;
    }
    begin_member(w);
    add_string(w, str_span(name));
    text_adds(w->to, ":");
    w->after_key = true;
}

/* --- values -------------------------------------------------------------- */

void json_put_string(struct json_writer *w, struct span s)
{
    if (begin_value(w))
        add_string(w, s);
}

void json_put_chars(struct json_writer *w, const char *s)
{
    json_put_string(w, str_span(s));
}

void json_put_escaped(struct json_writer *w, struct span s)
{
    if (!begin_value(w))
        return;
    text_adds(w->to, "\"");
    while (s.n > 0 && !w->to->overflow) {
        char unit[STR_ESCAPED_BYTES_MAX];
        size_t unit_n;
        size_t used = str_escape_one(s, unit, &unit_n);
        add_characters(w, (struct span){(const uint8_t *)unit, unit_n});
        s = (struct span){s.p + used, s.n - used};
    }
    text_adds(w->to, "\"");
}

void json_put_u64(struct json_writer *w, uint64_t n)
{
    if (begin_value(w))
        text_add_number(w->to, n);
}

void json_put_i64(struct json_writer *w, int64_t n)
{
    if (!begin_value(w))
        return;
    text_adds(w->to, n < 0 ? "-" : "");
    text_add_number(w->to, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void json_put_centi(struct json_writer *w, uint64_t hundredths)
{
    if (!begin_value(w))
        return;
    const uint8_t fraction[3] = {'.', (uint8_t)('0' + hundredths / 10 % 10),
                                 (uint8_t)('0' + hundredths % 10)};
    text_add_number(w->to, hundredths / 100);
    text_add(w->to, (struct span){fraction, sizeof fraction});
}

void json_put_bool(struct json_writer *w, bool b)
{
    if (begin_value(w))
        text_adds(w->to, b ? "true" : "false");
}

void json_put_null(struct json_writer *w)
{
    if (begin_value(w))
        text_adds(w->to, "null");
}

bool json_writer_ok(const struct json_writer *w)
{
    return !w->bad && !w->to->overflow && w->depth == 0 && bit(w->has_member, 0);
}
