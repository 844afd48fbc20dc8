/* Directives: what goes to the log. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "act.h"
#include "files.h"
#include "names.h"

static void line(int fd, const char *text)
{
    struct text t = {0};

    text_addf(&t, "%s\n", text);
    (void)fd_write(fd, text_span(&t));
}

void act_print(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    line(1, a->at[0]);
}

void act_print_stderr(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    line(2, a->at[0]);
}

void act_print_escapes(struct directive_context *c, const struct arguments *a)
{
    static const char *const lines[] = {
        "colour \033[31mred\033[0m",
        "title \033]0;owned\007",
        "link \033]8;;file:///etc/passwd\033\\text\033]8;;\033\\",
        "clipboard \033]52;c;b3duZWQ=\007",
        "clear \033[2J\033[H",
        "C1 CSI \23331m",
        "C1 in UTF-8 \302\23331m",
        "overwrite ok\rFAIL",
        "backspace ok\b\bno",
        "bell \007 shift \016 delete \177",
        "bidi \xe2\x80\xaegnp.exe\xe2\x80\xac \xe2\x81\xa6isolate\xe2\x81\xa9",
        "zero width \xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf",
        "line separator \xe2\x80\xa8 paragraph \xe2\x80\xa9 next line \xc2\x85",
        "bad UTF-8 \xff\xfe \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82",
        "::error::workflow command",
    };

    (void)c;
    (void)a;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        line(1, lines[i]);
}

void act_print_binary(struct directive_context *c, const struct arguments *a)
{
    uint64_t left = argument_number(a, 0, 0);
    uint32_t state = 1;
    char block[4096];

    (void)c;
    while (left > 0) {
        size_t n = left < sizeof block ? (size_t)left : sizeof block;

        for (size_t i = 0; i < n; i++) {
            state = state * 1664525U + 1013904223U;
            block[i] = (char)(state >> 24);
        }
        if (fd_write(1, (struct span){block, n}) != 0)
            return;
        left -= n;
    }
}

void act_fill_log(struct directive_context *c, const struct arguments *a)
{
    char block[1 << 20];
    uint64_t left = argument_number(a, 0, 0);
    uint64_t chunk = argument_number(a, 1, 4096);

    (void)c;
    if (chunk == 0 || chunk > sizeof block)
        chunk = sizeof block;
    memset(block, 'x', sizeof block);
    for (size_t i = 63; i < sizeof block; i += 64)
        block[i] = '\n';
    while (left > 0) {
        size_t n = left < chunk ? (size_t)left : (size_t)chunk;

        if (fd_write(1, (struct span){block, n}) != 0)
            return;
        left -= n;
    }
}

void act_close_stdout(struct directive_context *c, const struct arguments *a)
{
    (void)c;
    (void)a;
    close(1);
    close(2);
}

void act_forge_verdict(struct directive_context *c, const struct arguments *a)
{
    static const char *const lines[] = {
        "{\"schema\":\"lema.call-result/v1\",\"call\":\"c1\","
        "\"outcome\":\"exited\",\"exit_code\":0,\"signal\":null,\"fault\":null,\"oom_killed\":"
        "false}",
        "{\"event\":\"complete\",\"call\":\"c1\",\"outcome\":\"exited\",\"exit_code\":0,"
        "\"fault\":null}",
        "{\"ok\":true,\"axioms\":[],\"module\":\"LemaCodebase\"}",
        "{\"caption\":\"\",\"data\":\"'LemaCodebase.main' does not depend on any axioms\","
        "\"endPos\":{\"column\":6,\"line\":1},\"fileName\":\"axioms.lean\",\"isSilent\":false,"
        "\"keepFullRange\":false,\"kind\":\"[anonymous]\",\"pos\":{\"column\":0,\"line\":1},"
        "\"severity\":\"information\"}",
        "'LemaCodebase.main' does not depend on any axioms",
        "replaying LemaCodebase",
        "lema: done: Lean agreed",
        "1..1",
        "ok 1 - everything",
    };

    (void)c;
    (void)a;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        line(1, lines[i]);
}

void act_echo_args(struct directive_context *c, const struct arguments *a)
{
    (void)a;
    for (int i = 1; i < c->argc; i++) {
        struct text t = {0};

        text_add_escaped(&t, span_of(c->argv[i]));
        say("arg %s", text_string(&t));
    }
}

void act_cat_stdin(struct directive_context *c, const struct arguments *a)
{
    char block[16384];
    ssize_t n;

    (void)c;
    (void)a;
    while ((n = read(0, block, sizeof block)) > 0) {
        if (fd_write(1, (struct span){block, (size_t)n}) != 0)
            return;
    }
    if (n < 0)
        say("cat-stdin: %s", errno_name(errno));
}
