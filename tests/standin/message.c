/* Messages in Lean's two shapes: see message.h. */
#include "message.h"

#include <string.h>

#include "files.h"

static const char *const words[] = {"information", "warning", "error"};

static bool named(const struct message *message)
{
    return message->kind != NULL && strncmp(message->kind, "lean.", 5) == 0;
}

static void add_place(struct text *t, const char *name, struct place place)
{
    text_addf(t, "\"%s\":{\"column\":%u,\"line\":%u}", name, place.column, place.line);
}

static void print_json(const struct messages *m, const struct message *message, struct text *t)
{
    struct text kind = {0};

    text_add_string(&kind, message->kind == NULL ? "[anonymous]" : message->kind);
    if (named(message))
        text_add_string(&kind, "._namedError");
    text_add_string(t, "{\"caption\":\"\",\"data\":");
    text_add_json(t, message->data);
    text_add_string(t, ",");
    add_place(t, "endPos", message->to);
    text_add_string(t, ",\"fileName\":");
    text_add_json(t, span_of(m->file));
    text_add_string(t, ",\"isSilent\":false,\"keepFullRange\":false,\"kind\":");
    text_add_json(t, text_span(&kind));
    text_add_string(t, ",");
    add_place(t, "pos", message->from);
    text_addf(t, ",\"severity\":\"%s\"}\n", words[message->severity]);
}

static void print_plain(const struct messages *m, const struct message *message, struct text *t)
{
    if (message->severity != INFORMATION) {
        text_addf(t, "%s:%u:%u: %s", m->file, message->from.line, message->from.column,
                  words[message->severity]);
        if (named(message))
            text_addf(t, "(%s)", message->kind);
        text_add_string(t, ": ");
    }
    text_add(t, message->data);
    text_add_string(t, "\n");
}

void message_emit(struct messages *m, const struct message *message)
{
    struct text t = {0};

    if (message->severity == ERROR)
        m->errors++;
    if (m->json)
        print_json(m, message, &t);
    else
        print_plain(m, message, &t);
    if (fd_write(1, text_span(&t)) != 0)
        die(1, "uncaught exception: cannot write to standard output");
}
