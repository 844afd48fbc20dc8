/* What a command says: one JSON object, or plain lines.  Layer: front.
 *
 * Specification 11.  A command states each fact once, by name; with --json it
 * becomes a member of the object on standard output, without it a line
 * "name: value".  Every value is escaped on its way out (str.h), so whatever a
 * file held can reach a terminal.  Messages go to standard error. */
#ifndef LEMA_FRONT_OUT_H
#define LEMA_FRONT_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/str.h"

#define OUT_BYTES 65536u
#define OUT_FLUSH_BYTES 32768u

struct out {
    int fd;           /* borrowed; standard output but in tests */
    bool json;        /* --json */
    bool failed;      /* a write failed: out_close says so */
    uint32_t depth;   /* plain: open objects and arrays, for the indentation */
    struct text text; /* on buffer */
    struct json_writer writer;
    char buffer[OUT_BYTES];
};

/* Begin.  With json the object is opened with its first member "command". */
void out_open(struct out *o, int fd, const char *command, bool json);

/* One fact.  name: of the member; NULL for an element of an array.
 * out_string takes any bytes: what is not UTF-8 is written in its escaped form. */
void out_string(struct out *o, const char *name, struct span value);
void out_chars(struct out *o, const char *name, const char *value);
void out_u64(struct out *o, const char *name, uint64_t value);
void out_i64(struct out *o, const char *name, int64_t value);
void out_centi(struct out *o, const char *name, uint64_t hundredths);
void out_bool(struct out *o, const char *name, bool value);
void out_null(struct out *o, const char *name);
void out_digest(struct out *o, const char *name, const struct digest *value);

/* A line of a program's log as an element of an array: out_string, but that the
 * plain form keeps tabs, which do a terminal no harm. */
void out_log_line(struct out *o, struct span line);

/* Facts that belong together.  Plain: "name:" and its members indented. */
void out_object(struct out *o, const char *name);
void out_object_end(struct out *o);
void out_array(struct out *o, const char *name);
void out_array_end(struct out *o);

/* A line that stands in the plain form only: printf format, escaped as a whole,
 * a newline added.  More than 4,000 bytes lose their middle. */
void out_plain(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The error that ends the command: "lema: what: why" on standard error, and with
 * json the member "error" {what, object, at, why, operation, errno}. */
void out_error(struct out *o, const struct err *err);

/* "lema: TEXT" on standard error; format as out_plain. */
void out_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* End: the last member is "exit", the process's exit code; everything is written.
 * returns  exit_code, or 1 if standard output could not be written */
int out_close(struct out *o, int exit_code);

#endif
