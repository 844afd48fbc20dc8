/* evidence/config: every refusal of specification 3 that the bytes alone decide. */
#include <signal.h>
#include <unistd.h>

#include "evidence/config.h"
#include "host/file.h"

#include "unit/check.h"

#define V2 "\"schema\":\"lema.runtime-linux/v2\""
#define D "\"distribution\":\"/d\""
#define O "\"output\":\"/o\""
#define L "\"shared_lock\":\"/l\""
#define GOOD "{" V2 "," D "," O "," L "}"
#define BUDGET(n) "{" V2 "," D "," O "," L ",\"call_budget\":" n "}"
#define OUTPUT(path) "{" V2 "," D ",\"output\":\"" path "\"," L "}"

static struct span text_of(const char *s)
{
    return str_span(s);
}

/* --- Taken ----------------------------------------------------------------------- */

static void test_taken(void)
{
    static const char *const good[] = {
        GOOD,
        " \t\r\n" GOOD "\n",
        "{" L "," O "," D "," V2 "}",
        "{\"\\u0073chema\":\"lema.runtime-linux\\/v2\"," D "," O "," L "}",
        "{" V2 ",\"distribution\":\"\\u002fd\"," O "," L "}",
        "{" V2 ", " D " ,\n" O "," L "}",
    };
    struct config c;
    struct err err;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        err_clear(&err);
        CHECK(config_parse(text_of(good[i]), &c, &err) == 0, "form %zu of a configuration is taken",
              i);
        CHECK(strcmp(c.distribution, "/d") == 0 && strcmp(c.output, "/o") == 0 &&
                  strcmp(c.shared_lock, "/l") == 0 && c.has_call_budget == 0 && c.call_budget == 0,
              "form %zu says the same", i);
    }
    err_clear(&err);
    CHECK(config_parse(text_of(OUTPUT("/tmp/\\u00e9\\ud83d\\ude00/~ $x")), &c, &err) == 0,
          "a path of any characters but control bytes is taken");
    CHECK_TEXT(c.output, "/tmp/\xc3\xa9\xf0\x9f\x98\x80/~ $x", "its escapes are decoded");
}

static void test_budget(void)
{
    struct config c;
    struct err err;
    err_clear(&err);
    CHECK(config_parse(text_of(BUDGET("0")), &c, &err) == 0, "a budget of 0 is taken");
    CHECK(c.has_call_budget == 1 && c.call_budget == 0, "it is not the same as none");
    CHECK(config_parse(text_of(BUDGET("9007199254740991")), &c, &err) == 0,
          "a budget of 2^53 - 1 is taken");
    CHECK_U64(c.call_budget, UINT64_C(9007199254740991), "with its value");
}

/* --- Refused --------------------------------------------------------------------- */

#define INTEGER ": expected an integer from 0 to 9007199254740991"
#define V1(rest) "{\"schema\":\"lema.runtime-linux/v1\"," D "," O "," L rest "}"
#define V1_REFUSED "schema: byte 11: lema.runtime-linux/v1"
#define AFTER "expected lema.runtime-linux/v2"

static const struct refusal {
    const char *claim;
    const char *text;
    const char *message;
} refusals[] = {
    {"an empty file", "", "is empty"},
    {"white space only", " \n", "byte 3: expected a value, found the end"},
    {"a byte-order mark", "\xef\xbb\xbf" GOOD, "byte 1: begins with a byte-order mark"},
    {"bytes that are not UTF-8", OUTPUT("/\xff"), NULL},
    {"an overlong form", OUTPUT("/\xc0\xaf"), NULL},
    {"a raw control byte", OUTPUT("/a\x01"), NULL},
    {"UTF-16", "{\0\"\0", NULL},
    {"a second object", GOOD GOOD, "byte 88: expected nothing more, found '{'"},
    {"trailing bytes", GOOD "x", "byte 88: expected nothing more, found 'x'"},
    {"a comment", GOOD "// x", "byte 88: expected nothing more, found '/'"},
    {"a trailing comma", "{" V2 "," D "," O "," L ",}", "byte 88: expected a name, found '}'"},
    {"a cut object", "{" V2 "," D "," O, "byte 68: expected a comma or }, found the end"},
    {"an array", "[" V2 "]", "byte 10: expected a comma or ], found ':'"},
    {"an array of the configuration", "[" GOOD "]", "byte 1: expected an object, found an array"},
    {"a string", "\"x\"", "byte 1: expected an object, found a string"},
    {"a number", "1", "byte 1: expected an object, found a number"},
    {"null", "null", "byte 1: expected an object, found null"},
    {"an unknown field", "{" V2 "," D "," O "," L ",\"x\":1}", "x: byte 88: unknown field"},
    {"a field of another case", "{" V2 "," D ",\"Output\":\"/o\"," L "}",
     "Output: byte 55: unknown field"},
    {"an unknown field of control bytes", "{" V2 "," D "," O "," L ",\"\\u001b[2J\":1}",
     "\\\\u001b[2J: byte 88: unknown field"},
    {"a repeated field", "{" V2 "," D "," O "," L "," O "}", "output: byte 88: repeated name"},
    {"a field repeated by escapes", "{" V2 "," D "," O "," L ",\"\\u006futput\":\"/o\"}",
     "\\\\u006futput: byte 88: repeated name"},
    {"a repeated schema", "{" V2 "," V2 "," D "," O "," L "}", "schema: byte 35: repeated name"},
    {"a missing schema", "{" D "," O "," L "}", "schema: byte 1: missing field"},
    {"a missing distribution", "{" V2 "," O "," L "}", "distribution: byte 1: missing field"},
    {"a missing output", "{" V2 "," D "," L "}", "output: byte 1: missing field"},
    {"a missing lock", "{" V2 "," D "," O "}", "shared_lock: byte 1: missing field"},
    {"no field at all", "{}", "schema: byte 1: missing field"},
    {"a schema that is a number", "{\"schema\":2," D "," O "," L "}",
     "schema: byte 11: expected a string, found a number"},
    {"a path that is null", "{" V2 "," D ",\"output\":null," L "}",
     "output: byte 64: expected a string, found null"},
    {"a path that is an array", "{" V2 "," D ",\"output\":[\"/o\"]," L "}",
     "output: byte 64: expected a string, found an array"},
    {"a budget that is a string", BUDGET("\"1\""),
     "call_budget: byte 102: expected a number, found a string"},
    {"a budget that is null", BUDGET("null"),
     "call_budget: byte 102: expected a number, found null"},
    {"a budget that is true", BUDGET("true"),
     "call_budget: byte 102: expected a number, found a boolean"},
    {"a budget of 2^53", BUDGET("9007199254740992"), "call_budget: byte 102" INTEGER},
    {"a budget of 2^64", BUDGET("18446744073709551616"), "call_budget: byte 102" INTEGER},
    {"a budget of -1", BUDGET("-1"), "call_budget: byte 102" INTEGER},
    {"a budget of -0", BUDGET("-0"), "call_budget: byte 102" INTEGER},
    {"a budget of 1.0", BUDGET("1.0"), "call_budget: byte 102" INTEGER},
    {"a budget of 1e3", BUDGET("1e3"), "call_budget: byte 102" INTEGER},
    {"a budget of 01", BUDGET("01"), "byte 103: expected a comma or }, found '1'"},
    {"a budget of +1", BUDGET("+1"), "byte 102: expected a value, found '+'"},
    {"another schema", "{\"schema\":\"lema.runtime-linux/v3\"," D "," O "," L "}",
     "schema: byte 11: expected lema.runtime-linux/v2"},
    {"an empty schema", "{\"schema\":\"\"," D "," O "," L "}",
     "schema: byte 11: expected lema.runtime-linux/v2"},
    {"a v1 file", V1(""), V1_REFUSED " is refused, " AFTER},
    {"a v1 file with call_budget", V1(",\"call_budget\":3"),
     V1_REFUSED " with call_budget is refused, " AFTER},
    {"a v1 file with a field of its own", V1(",\"old\":true"), V1_REFUSED " is refused, " AFTER},
    {"a v1 file whose schema is written with escapes",
     "{\"schema\":\"lema.runtime-linux/v\\u0031\"}", V1_REFUSED " is refused, " AFTER},
    {"an empty path", OUTPUT(""), "output: byte 64: is not an absolute path"},
    {"a relative path", OUTPUT("o/p"), "output: byte 64: is not an absolute path"},
    {"a home of the shell", OUTPUT("~/o"), "output: byte 64: is not an absolute path"},
    {"the root alone", OUTPUT("/"), "output: byte 64: has an empty component"},
    {"an empty component", OUTPUT("/a//b"), "output: byte 64: has an empty component"},
    {"two slashes in front", OUTPUT("//a"), "output: byte 64: has an empty component"},
    {"a slash at the end", OUTPUT("/a/"), "output: byte 64: has an empty component"},
    {"a component .", OUTPUT("/a/./b"), "output: byte 64: has a component \".\""},
    {"a component ..", OUTPUT("/a/../b"), "output: byte 64: has a component \"..\""},
    {"a last component ..", OUTPUT("/a/.."), "output: byte 64: has a component \"..\""},
    {"an escaped component ..", OUTPUT("/a/\\u002e\\u002e/b"),
     "output: byte 64: has a component \"..\""},
    {"an escaped newline", OUTPUT("/a\\nb"), "output: byte 64: holds the control byte 0x0a at 3"},
    {"DEL", OUTPUT("/a\x7f"), "output: byte 64: holds the control byte 0x7f at 3"},
    {"U+0000", OUTPUT("/a\\u0000b"), "output: byte 64: holds U+0000"},
    {"an unpaired surrogate", OUTPUT("/\\ud800"), NULL},
    {"a bad distribution", "{" V2 ",\"distribution\":\"d\"," O "," L "}",
     "distribution: byte 50: is not an absolute path"},
    {"a bad lock", "{" V2 "," D "," O ",\"shared_lock\":\"/l/\"}",
     "shared_lock: byte 83: has an empty component"},
};

static void test_refused(void)
{
    struct config c;
    struct config zero;
    char message[ERR_TEXT_BYTES];
    memset(&zero, 0, sizeof zero);
    CHECK_ROWS(refusals, 65, "refusals");
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *row = &refusals[i];
        struct err err;
        struct text t = text_on(message, sizeof message);
        err_clear(&err);
        memset(&c, 0x55, sizeof c);
        size_t n = i == 6 ? 4 : strlen(row->text);
        int result = config_parse((struct span){(const uint8_t *)row->text, n}, &c, &err);
        err_format(&err, &t);
        CHECK(result == -1 && err.what == ERR_CONFIG, "%s is refused", row->claim);
        if (row->message != NULL)
            CHECK_TEXT(message, row->message, "the message about %s", row->claim);
        CHECK(err.why[0] != '\0' && (err.at > 0 || n == 0), "%s has a reason and a place",
              row->claim);
        CHECK(memcmp(&c, &zero, sizeof c) == 0, "%s leaves nothing behind", row->claim);
    }
}

/* --- Bounds ---------------------------------------------------------------------- */

/* GOOD with white space behind, size bytes. */
static struct span padded(char *buffer, size_t size)
{
    memset(buffer, ' ', size);
    memcpy(buffer, GOOD, sizeof GOOD - 1);
    return (struct span){(const uint8_t *)buffer, size};
}

static void test_size(void)
{
    static char buffer[CONFIG_BYTES_MAX + 1];
    struct config c;
    struct err err;
    err_clear(&err);
    CHECK(config_parse(padded(buffer, 16384), &c, &err) == 0, "16,384 bytes are taken");
    CHECK(config_parse(padded(buffer, 16385), &c, &err) == -1, "16,385 bytes are refused");
    CHECK(err.what == ERR_CONFIG, "by the configuration's own word");
    CHECK_TEXT(err.why, "more than 16384 bytes", "with the bound");
}

/* A path of n bytes in components of 255. */
static void long_path(char *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = i % 256 == 0 ? '/' : 'a';
    out[n] = '\0';
}

static int parse_output(const char *path, struct config *c, struct err *err)
{
    static char text[CONFIG_BYTES_MAX + 1];
    struct text t = text_on(text, sizeof text);
    err_clear(err);
    text_adds(&t, "{" V2 "," D ",\"output\":\"");
    text_adds(&t, path);
    text_adds(&t, "\"," L "}");
    return config_parse(text_span(&t), c, err);
}

static void test_path_bounds(void)
{
    static char path[PATH_BYTES_MAX + 2];
    char component[2 + 256 + 1];
    struct config c;
    struct err err;
    long_path(path, 4095);
    CHECK(parse_output(path, &c, &err) == 0, "a path of 4,095 bytes is taken");
    CHECK_TEXT(c.output, path, "whole");
    long_path(path, 4096);
    path[4095] = 'a';
    CHECK(parse_output(path, &c, &err) == -1, "a path of 4,096 bytes is refused");
    CHECK_TEXT(err.obj, "output", "by its field");
    CHECK_TEXT(err.why, "has 4096 bytes, more than 4095", "with the bound");
    memset(component, 'b', sizeof component);
    component[0] = '/';
    component[256] = '\0';
    CHECK(parse_output(component, &c, &err) == 0, "a component of 255 bytes is taken");
    component[256] = 'b';
    component[257] = '\0';
    CHECK(parse_output(component, &c, &err) == -1, "a component of 256 bytes is refused");
}

/* --- Writing --------------------------------------------------------------------- */

static void test_write(void)
{
    char text[CONFIG_BYTES_MAX + 1];
    struct config c;
    struct config again;
    struct err err;
    struct text t = text_on(text, sizeof text);
    err_clear(&err);
    CHECK(config_parse(text_of(BUDGET("7")), &c, &err) == 0, "a configuration with a budget");
    config_write(&t, &c);
    CHECK_TEXT(text, BUDGET("7") "\n", "is written as one line in the order of specification 3");
    t = text_on(text, sizeof text);
    CHECK(config_parse(text_of(GOOD), &c, &err) == 0, "one without");
    config_write(&t, &c);
    CHECK_TEXT(text, GOOD "\n", "is written without it");
    t = text_on(text, sizeof text);
    (void)str_copy(c.output, sizeof c.output, str_span("/q\"\\\xc3\xa9"));
    config_write(&t, &c);
    CHECK(!t.overflow && config_parse(text_span(&t), &again, &err) == 0 &&
              memcmp(&c, &again, sizeof c) == 0,
          "a path of quotes, backslashes and letters comes back the same");
    t = text_on(text, sizeof text);
    (void)str_copy(c.output, sizeof c.output, str_span("/\xff"));
    config_write(&t, &c);
    CHECK(t.overflow, "a path that is not UTF-8 cannot be written");
    t = text_on(text, 20);
    CHECK(config_parse(text_of(GOOD), &c, &err) == 0, "where there is no room");
    config_write(&t, &c);
    CHECK(t.overflow, "nothing is cut short silently");
}

/* --- Through a worker ------------------------------------------------------------ */

static int read_text(struct worker *w, const char *text, struct config *c, struct err *err)
{
    err_clear(err);
    return config_read(w, (const uint8_t *)text, strlen(text), str_span("/etc/r.json"), c, err);
}

static void test_worker(void)
{
    static uint8_t large[CONFIG_BYTES_MAX + 1];
    struct worker w;
    struct config c;
    struct err err;
    char message[ERR_TEXT_BYTES];
    struct text t = text_on(message, sizeof message);
    err_clear(&err);
    if (!CHECK(worker_start(&w, config_duty, &err) == 0, "the configuration worker starts"))
        return;
    CHECK(read_text(&w, BUDGET("5"), &c, &err) == 0, "it answers");
    CHECK(strcmp(c.output, "/o") == 0 && c.has_call_budget == 1 && c.call_budget == 5,
          "with what stands there");
    CHECK(read_text(&w, OUTPUT("/a/../b"), &c, &err) == -1 && err.what == ERR_CONFIG, "it refuses");
    err_format(&err, &t);
    CHECK_TEXT(message, "/etc/r.json: output: byte 64: has a component \"..\"",
               "the message names the file, the field, the byte and the reason");
    CHECK(read_text(&w, "", &c, &err) == -1 && err.what == ERR_CONFIG, "it refuses an empty file");
    err_clear(&err);
    CHECK(config_read(&w, large, sizeof large, str_span("/r"), &c, &err) == -1 &&
              err.what == ERR_CONFIG,
          "16,385 bytes are refused before a worker sees them");
    unsigned good = 0;
    for (int i = 0; i < 50; i++)
        good += read_text(&w, i % 2 == 0 ? GOOD : "{", &c, &err) == (i % 2 == 0 ? 0 : -1);
    CHECK_U64(good, 50, "one worker serves fifty configurations, good and bad in turn");
    kill(w.pid, SIGKILL);
    CHECK(read_text(&w, GOOD, &c, &err) == -1 && err.what == ERR_WORKER,
          "a killed worker is an error, not an answer");
    CHECK(c.output[0] == '\0', "and leaves nothing behind");
    worker_stop(&w);
}

/* --- A worker that lies ---------------------------------------------------------- */

struct lie {
    struct err err;
    struct config config;
};

static struct lie lie;

static void lying_duty(int in, int out)
{
    static uint8_t bytes[CONFIG_BYTES_MAX];
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        (void)worker_read(in, bytes, (size_t)job.bytes);
        worker_write(out, &lie, sizeof lie);
    }
}

static void tell(const char *claim)
{
    struct worker w;
    struct config c;
    struct err err;
    err_clear(&err);
    (void)worker_start(&w, lying_duty, &err);
    CHECK(read_text(&w, GOOD, &c, &err) == -1 && err.what == ERR_WORKER, "%s is no answer", claim);
    CHECK(c.output[0] == '\0', "%s leaves nothing behind", claim);
    worker_stop(&w);
}

static void honest(void)
{
    struct err err;
    err_clear(&err);
    memset(&lie, 0, sizeof lie);
    (void)config_parse(text_of(BUDGET("5")), &lie.config, &err);
}

static void test_lies(void)
{
    honest();
    memset(lie.config.output, 'a', sizeof lie.config.output);
    tell("a path without an end");
    honest();
    (void)str_copy(lie.config.output, sizeof lie.config.output, str_span("/a/../b"));
    tell("a path with ..");
    honest();
    lie.config.shared_lock[0] = '\0';
    tell("an empty path");
    honest();
    (void)str_copy(lie.config.distribution, sizeof lie.config.distribution, str_span("/\xff"));
    tell("a path that is not UTF-8");
    honest();
    lie.config.has_call_budget = 2;
    tell("a flag of 2");
    honest();
    lie.config.has_call_budget = 0;
    tell("a budget without its flag");
    honest();
    lie.config.call_budget = UINT64_C(1) << 53;
    tell("a budget of 2^53");
    honest();
    lie.err.what = ERR_SPACE;
    tell("an error that is not the configuration's");
    honest();
    lie.err.what = 0xffffffff;
    tell("an error that does not exist");
}

int main(void)
{
    test_taken();
    test_budget();
    test_refused();
    test_size();
    test_path_bounds();
    test_write();
    test_worker();
    test_lies();
    return check_end();
}
