/* What a command says: one JSON object, or plain lines.  Layer: front.
 *
 * Specification 11 and 13.  Both forms come from the same call, so that neither
 * knows a fact that the other does not. */
#include "front/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"

#define LINE_BYTES 4096u
#define INDENT "  "

/* --- Writing --------------------------------------------------------------------- */

static void flush(struct out *o)
{
    struct err ignored;

    err_clear(&ignored);
    if (o->text.overflow ||
        (!o->failed &&
         file_write_all(o->fd, o->buffer, o->text.n, str_span("standard output"), &ignored) != 0))
        o->failed = true;
    o->text = text_on(o->buffer, sizeof o->buffer);
}

/* Every fact ends here: no value of one call is longer than what is left then. */
static void step(struct out *o)
{
    if (o->text.overflow || o->text.n > OUT_FLUSH_BYTES)
        flush(o);
}

static void indent(struct out *o)
{
    for (uint32_t i = 0; i < o->depth; i++)
        text_adds(&o->text, INDENT);
}

/* Begin a fact: its name in JSON, the beginning of its line without. */
static void begin(struct out *o, const char *name)
{
    if (o->json) {
        if (name != NULL)
            json_key(&o->writer, name);
        return;
    }
    indent(o);
    if (name != NULL) {
        text_adds(&o->text, name);
        text_adds(&o->text, ": ");
    }
}

/* End it. */
static void end(struct out *o)
{
    if (!o->json)
        text_adds(&o->text, "\n");
    step(o);
}

void out_open(struct out *o, int fd, const char *command, bool json)
{
    o->fd = fd;
    o->json = json;
    o->failed = false;
    o->depth = 0;
    o->text = text_on(o->buffer, sizeof o->buffer);
    o->writer = json_writer_on(&o->text);
    if (json) {
        json_begin_object(&o->writer);
        json_key(&o->writer, "command");
        json_put_chars(&o->writer, command);
    }
}

int out_close(struct out *o, int exit_code)
{
    if (o->json) {
        json_key(&o->writer, "exit");
        json_put_u64(&o->writer, (uint64_t)exit_code);
        json_end_object(&o->writer);
        text_adds(&o->text, "\n");
        if (!json_writer_ok(&o->writer))
            o->failed = true;
    }
    flush(o);
    if (!o->failed)
        return exit_code;
    out_message("standard output: could not be written");
    return 1;
}

/* --- Facts ----------------------------------------------------------------------- */

void out_string(struct out *o, const char *name, struct span value)
{
    begin(o, name);
    if (!o->json)
        text_add_escaped_within(&o->text, value, LINE_BYTES);
    else if (str_is_utf8(value))
        json_put_string(&o->writer, value);
    else
        json_put_escaped(&o->writer, value);
    end(o);
}

void out_log_line(struct out *o, struct span line)
{
    if (o->json || line.n > LINE_BYTES / STR_ESCAPED_BYTES_MAX) {
        out_string(o, NULL, line);
        return;
    }
    begin(o, NULL);
    for (const uint8_t *tab; (tab = memchr(line.p, '\t', line.n)) != NULL;) {
        size_t n = (size_t)(tab - line.p);
        text_add_escaped(&o->text, (struct span){line.p, n});
        text_adds(&o->text, "\t");
        line = (struct span){tab + 1, line.n - n - 1};
    }
    text_add_escaped(&o->text, line);
    end(o);
}

void out_chars(struct out *o, const char *name, const char *value)
{
    out_string(o, name, str_span(value));
}

/* A value whose JSON text is its plain text too. */
static void put_number(struct out *o, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put_number(struct out *o, const char *name, const char *format, ...)
{
    char digits[48];
    va_list ap;

    va_start(ap, format);
    vsnprintf(digits, sizeof digits, format, ap);
    va_end(ap);
    begin(o, name);
    text_adds(&o->text, digits);
    end(o);
}

void out_u64(struct out *o, const char *name, uint64_t value)
{
    if (!o->json) {
        put_number(o, name, "%llu", (unsigned long long)value);
        return;
    }
    begin(o, name);
    json_put_u64(&o->writer, value);
    end(o);
}

void out_i64(struct out *o, const char *name, int64_t value)
{
    if (!o->json) {
        put_number(o, name, "%lld", (long long)value);
        return;
    }
    begin(o, name);
    json_put_i64(&o->writer, value);
    end(o);
}

void out_centi(struct out *o, const char *name, uint64_t hundredths)
{
    if (!o->json) {
        put_number(o, name, "%llu.%02llu", (unsigned long long)(hundredths / 100),
                   (unsigned long long)(hundredths % 100));
        return;
    }
    begin(o, name);
    json_put_centi(&o->writer, hundredths);
    end(o);
}

void out_bool(struct out *o, const char *name, bool value)
{
    begin(o, name);
    if (o->json)
        json_put_bool(&o->writer, value);
    else
        text_adds(&o->text, value ? "yes" : "no");
    end(o);
}

void out_null(struct out *o, const char *name)
{
    begin(o, name);
    if (o->json)
        json_put_null(&o->writer);
    else
        text_adds(&o->text, "none");
    end(o);
}

void out_digest(struct out *o, const char *name, const struct digest *value)
{
    char hex[DIGEST_HEX_BYTES];

    digest_hex(value, hex);
    out_chars(o, name, hex);
}

/* --- Facts that belong together -------------------------------------------------- */

static void open_plain(struct out *o, const char *name)
{
    if (name != NULL) {
        indent(o);
        text_adds(&o->text, name);
        text_adds(&o->text, ":\n");
    }
    o->depth++;
}

void out_object(struct out *o, const char *name)
{
    if (!o->json) {
        open_plain(o, name);
        return;
    }
    begin(o, name);
    json_begin_object(&o->writer);
}

void out_object_end(struct out *o)
{
    if (o->json)
        json_end_object(&o->writer);
    else
        o->depth--;
    step(o);
}

void out_array(struct out *o, const char *name)
{
    if (!o->json) {
        open_plain(o, name);
        return;
    }
    begin(o, name);
    json_begin_array(&o->writer);
}

void out_array_end(struct out *o)
{
    if (o->json)
        json_end_array(&o->writer);
    else
        o->depth--;
    step(o);
}

/* --- Lines ----------------------------------------------------------------------- */

void out_plain(struct out *o, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list ap;

    if (o->json)
        return;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    indent(o);
    text_add_escaped_within(&o->text, str_span(line), LINE_BYTES);
    text_adds(&o->text, "\n");
    step(o);
}

/* One line on standard error, in one write; what follows "lema: " is printable. */
static void say(struct span printable)
{
    char line[LINE_BYTES + 16];
    struct text t = text_on(line, sizeof line);
    struct err ignored;

    err_clear(&ignored);
    text_adds(&t, "lema: ");
    text_add(&t, printable);
    text_adds(&t, "\n");
    file_write_all(STDERR_FILENO, line, t.n, str_span("standard error"), &ignored);
}

void out_message(const char *format, ...)
{
    char line[1024], escaped[LINE_BYTES];
    struct text t = text_on(escaped, sizeof escaped);
    va_list ap;

    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    text_add_escaped_within(&t, str_span(line), sizeof escaped - 1);
    say(text_span(&t));
}

void out_error(struct out *o, const struct err *err)
{
    char buffer[ERR_TEXT_BYTES], name[32];
    struct text t = text_on(buffer, sizeof buffer);
    struct text symbol = text_on(name, sizeof name);

    err_format(err, &t);
    say(text_span(&t));
    if (!o->json)
        return;
    err_add_errno_name(&symbol, err->sys);
    out_object(o, "error");
    out_chars(o, "what", err_word((enum err_what)err->what));
    out_chars(o, "object", err->obj);
    out_u64(o, "at", err->at);
    out_chars(o, "why", err->why);
    out_chars(o, "operation", err->op);
    out_chars(o, "errno", err->sys != 0 ? name : "");
    out_chars(o, "message", buffer);
    out_object_end(o);
}
