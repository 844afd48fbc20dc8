/* base/err: the first error stays, what it says is safe to show, words and codes. */
#include "base/err.h"

#include <errno.h>

#include "check.h"

static const char *format(const struct err *e)
{
    static char line[ERR_TEXT_BYTES];
    struct text t = text_on(line, sizeof line);
    err_format(e, &t);
    return t.overflow ? "(overflow)" : line;
}

static void check_first_stays(void)
{
    struct err e;
    struct err copy;
    memset(&e, 0xff, sizeof e);
    err_clear(&e);
    CHECK(e.what == ERR_NONE && e.obj[0] == '\0' && e.at == 0, "a cleared error is none");
    CHECK_I64(err_wrap(&e, ERR_CONFIG, str_span("x")), -1, "wrapping no error returns -1");
    CHECK(e.what == ERR_NONE, "and leaves none");
    CHECK_I64(err_set(&e, ERR_PATH, str_span("/a"), "expected %s", "a directory"), -1,
              "err_set returns -1");
    CHECK_TEXT(format(&e), "/a: expected a directory", "an error is OBJ: WHY");
    copy = e;
    CHECK_I64(err_set(&e, ERR_IO, str_span("/b"), "second"), -1, "a second err_set returns -1");
    CHECK_I64(err_set_at(&e, ERR_IO, str_span("/b"), 1, "second"), -1, "so does err_set_at");
    CHECK_I64(err_sys(&e, ERR_IO, "open", EIO, str_span("/b"), NULL), -1, "and err_sys");
    CHECK_BYTES(&e, &copy, sizeof e, "and the first error stays");
}

static void check_forms(void)
{
    static const struct {
        enum err_what what;
        int sys;
        uint64_t at;
        const char *op, *obj, *why, *line;
    } rows[] = {
        {ERR_PATH, EACCES, 0, "openat2", "/a", "owner", "/a: owner (openat2: EACCES)"},
        {ERR_PATH, EACCES, 0, "openat2", "/a", "", "/a: openat2: EACCES"},
        {ERR_PATH, EACCES, 0, "", "/a", "", "/a: EACCES"},
        {ERR_PATH, 0, 0, "openat2", "/a", "owner", "/a: owner (openat2)"},
        {ERR_IO, EIO, 0, "read", "", "", "read: EIO"},
        {ERR_LEDGER, 0, 3, "", "ledger.jsonl", "unknown event",
         "ledger.jsonl: line 3: unknown event"},
        {ERR_JSON, 0, 9, "", "a.json", "expected a value", "a.json: byte 9: expected a value"},
        {ERR_CONFIG, 0, 9, "", "", "unknown field", "byte 9: unknown field"},
        {ERR_PINS, EINVAL, UINT64_MAX, "x", "m", "w",
         "m: line 18446744073709551615: w (x: EINVAL)"},
        {ERR_LOCK_BUSY, 0, 0, "", "", "native lock busy", "native lock busy"},
        {ERR_LATCHED, 0, 0, "", "", "", "latched"},
        {ERR_NONE, 0, 0, "", "", "", "none"},
    };
    CHECK_ROWS(rows, 12, "the table of lines");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e;
        err_clear(&e);
        e.what = rows[i].what;
        e.sys = rows[i].sys;
        e.at = rows[i].at;
        (void)str_copy(e.op, sizeof e.op, str_span(rows[i].op));
        (void)str_copy(e.obj, sizeof e.obj, str_span(rows[i].obj));
        (void)str_copy(e.why, sizeof e.why, str_span(rows[i].why));
        CHECK_TEXT(format(&e), rows[i].line, "an error is written as \"%s\"", rows[i].line);
    }
}

static void check_escaped(void)
{
    struct err e;
    char name[5000];
    err_clear(&e);
    (void)err_set(&e, ERR_PATH, (struct span){(const uint8_t *)"a\0\x1b\xff", 4}, "found %s",
                  "\n\\");
    CHECK_TEXT(e.obj, "a\\x00\\x1b\\xff", "hostile bytes of an object are escaped");
    CHECK_TEXT(e.why, "found \\x0a\\\\", "and those of a reason");
    err_clear(&e);
    (void)err_sys(&e, ERR_PATH, "open\n", EIO, str_span("\xe2\x80\xae"), "why\x7f");
    CHECK_TEXT(format(&e), "\\xe2\\x80\\xae: why\\x7f (open\\x0a: EIO)", "and of a failed call");

    memset(name, 'n', sizeof name);
    name[0] = '/';
    name[sizeof name - 2] = 'z';
    name[sizeof name - 1] = '\0';
    err_clear(&e);
    (void)err_set_at(&e, ERR_PATH, str_span(name), 7, "%s", name);
    CHECK(strlen(e.obj) == sizeof e.obj - 1 && strstr(e.obj, "\\...") != NULL && e.obj[0] == '/' &&
              e.obj[sizeof e.obj - 2] == 'z',
          "a long object keeps both ends and says that its middle is missing");
    CHECK(strlen(e.why) == sizeof e.why - 1 && strstr(e.why, "\\...") != NULL,
          "so does a long reason");
    (void)err_wrap(&e, ERR_CONFIG, str_span(name));
    memset(e.op, 'o', sizeof e.op - 1);
    e.sys = INT32_MIN;
    e.at = UINT64_MAX;
    CHECK(strcmp(format(&e), "(overflow)") != 0, "ERR_TEXT_BYTES hold the longest error");
}

static void check_wrap(void)
{
    struct err e;
    char name[sizeof e.obj];
    err_clear(&e);
    (void)err_set_at(&e, ERR_JSON, str_span("call_budget"), 12, "unknown field");
    CHECK_I64(err_wrap(&e, ERR_CONFIG, str_span("/etc/x\n")), -1, "err_wrap returns -1");
    CHECK_TEXT(format(&e), "/etc/x\\x0a: call_budget: byte 12: unknown field",
               "it puts where the error was met in front, escaped");
    CHECK_U64(e.what, ERR_CONFIG, "and replaces the word");
    err_clear(&e);
    (void)err_set(&e, ERR_JSON, str_span(""), "w");
    (void)err_wrap(&e, ERR_LEDGER, str_span("ledger.jsonl"));
    CHECK_TEXT(e.obj, "ledger.jsonl", "an error without object gets one");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    err_clear(&e);
    (void)err_set(&e, ERR_JSON, str_span(name), "w");
    (void)err_wrap(&e, ERR_LEDGER, str_span("/file"));
    CHECK_TEXT(e.obj, "/file", "where both do not fit, the outer one stays");
    for (size_t n = 245; n <= 246; n++) {
        err_clear(&e);
        (void)err_set(&e, ERR_JSON, (struct span){(const uint8_t *)name, n}, "w");
        (void)err_wrap(&e, ERR_LEDGER, str_span("/file/of/17/bytes"));
        CHECK(n == 245 ? strncmp(e.obj, "/file/\\.../bytes: nn", 20) == 0
                       : strcmp(e.obj, "/file/of/17/bytes") == 0,
              "an inner one of %zu bytes %s 16 bytes to the outer", n,
              n == 245 ? "leaves" : "does not leave");
    }
    err_clear(&e);
    (void)err_set(&e, ERR_JSON, str_span("field"), "w");
    (void)err_wrap(&e, ERR_LEDGER, str_span(name));
    CHECK(strlen(e.obj) <= sizeof e.obj - 1 && strcmp(e.obj + strlen(e.obj) - 9, "nn: field") == 0,
          "a long outer one is shortened, the inner one stays");
}

static void check_sanitize(void)
{
    struct err honest;
    struct err e;
    err_clear(&honest);
    (void)err_set_at(&honest, ERR_CONFIG, str_span("a\n\\b\xc3\xa9"), 4, "found \\ and %c", 1);
    e = honest;
    err_sanitize(&e);
    CHECK_BYTES(&e, &honest, sizeof e, "an honest error comes through unchanged");

    memset(&e, 0x1b, sizeof e);
    err_sanitize(&e);
    CHECK_U64(e.what, ERR_WORKER, "an unknown word becomes worker");
    struct span parts[] = {{(uint8_t *)e.op, 24}, {(uint8_t *)e.obj, 264}, {(uint8_t *)e.why, 208}};
    for (size_t i = 0; i < 3; i++) {
        const uint8_t *end = memchr(parts[i].p, '\0', parts[i].n);
        CHECK(end != NULL &&
                  str_is_printable((struct span){parts[i].p, (size_t)(end - parts[i].p)}),
              "array %zu of a hostile error is terminated and printable", i);
    }
    memset(&e, 'A', sizeof e);
    e.what = ERR_COUNT;
    err_sanitize(&e);
    CHECK(e.what == ERR_WORKER && strlen(e.op) == 23 && strlen(e.obj) == 263 &&
              strlen(e.why) == 207,
          "arrays without an end get one");
}

static void check_words(void)
{
    unsigned codes[256] = {0};
    bool unique = true;
    for (unsigned what = 0; what < ERR_COUNT; what++) {
        codes[err_exit_code((enum err_what)what)]++;
        for (unsigned other = 0; other < what; other++)
            unique = unique &&
                     strcmp(err_word((enum err_what)what), err_word((enum err_what)other)) != 0;
    }
    CHECK(unique, "no two errors have the same word");
    CHECK(codes[0] == 1 && err_exit_code(ERR_NONE) == 0, "only none exits with 0");
    CHECK(codes[2] == 1 && err_exit_code(ERR_USAGE) == 2, "only usage exits with 2");
    CHECK(codes[75] == 2 && err_exit_code(ERR_PRESSURE_RETRY) == 75 &&
              err_exit_code(ERR_LOCK_BUSY) == 75,
          "host pressure that may pass and a busy lock exit with 75");
    CHECK_U64(codes[1], (uint64_t)ERR_COUNT - 4, "every other error exits with 1");
    CHECK_TEXT(err_word(ERR_HOST_FILE), "host-file", "a word is the one of the table");
    CHECK(strcmp(err_word(ERR_COUNT), "internal") == 0 && err_exit_code(ERR_COUNT) == 1,
          "a number outside the table is an internal error");
}

/* Numbers of the kernel's asm-generic/errno-base.h and errno.h, by hand. */
static void check_errno_names(void)
{
    static const struct {
        int number;
        const char *name;
    } rows[] = {
        {1, "EPERM"},
        {2, "ENOENT"},
        {5, "EIO"},
        {11, "EAGAIN"},
        {13, "EACCES"},
        {17, "EEXIST"},
        {18, "EXDEV"},
        {22, "EINVAL"},
        {28, "ENOSPC"},
        {35, "EDEADLK"},
        {38, "ENOSYS"},
        {40, "ELOOP"},
        {42, "ENOMSG"},
        {57, "EBADSLT"},
        {59, "EBFONT"},
        {75, "EOVERFLOW"},
        {95, "EOPNOTSUPP"},
        {110, "ETIMEDOUT"},
        {133, "EHWPOISON"},
        {0, "errno 0"},
        {41, "errno 41"},
        {58, "errno 58"},
        {134, "errno 134"},
        {524, "errno 524"},
        {-1, "errno -1"},
        {INT32_MAX, "errno 2147483647"},
        {INT32_MIN, "errno -2147483648"},
    };
    unsigned named = 0;
    char name[32];
    CHECK_ROWS(rows, 27, "the table of errnos");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text t = text_on(name, sizeof name);
        err_add_errno_name(&t, rows[i].number);
        CHECK_TEXT(name, rows[i].name, "errno %d is %s", rows[i].number, rows[i].name);
    }
    for (int number = 1; number <= 133; number++) {
        struct text t = text_on(name, sizeof name);
        err_add_errno_name(&t, number);
        named += name[0] == 'E';
    }
    CHECK_U64(named, 131, "Linux has 131 errnos from 1 to 133, and each has a name");
}

int main(void)
{
    check_first_stays();
    check_forms();
    check_escaped();
    check_wrap();
    check_sanitize();
    check_words();
    check_errno_names();
    return check_end();
}
