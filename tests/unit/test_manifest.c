/* host/manifest: which texts are manifests, and what their rows say. */
#include <stdlib.h>

#include "check.h"
#include "host/dist.h"

#define NAME "lema-manifest v1 lean-4\n"
#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define FILE_ROW(path) "f - 10 " HEX " " path "\n"

static struct manifest *m; /* too large for the stack of a sanitizer */

static int parse(const char *text, struct err *err)
{
    err_clear(err);
    return manifest_parse(m, str_span(text), err);
}

/* --- Good ones --------------------------------------------------------------------------- */

static const char good[] =
    NAME "f x 81920 " HEX " a file\n"
         "d - - - bin\n"
         "d - - - bin-x\n" FILE_ROW("bin-x/y") "l - - ../lib/clang-22 bin/clang\n"
                                               "f x 0 " HEX " bin/lean\n"
                                               "d - - - empty\n"
                                               "d - - - lib\n" FILE_ROW(
                                                   "lib/clang-22") "l - - . lib/here\n"
                                                                   "f - 9223372036854775807 " HEX
                                                                   " lib/\xc3\xa9\xff\n";

static void check_good(void)
{
    struct manifest_row row;
    struct err err;
    char hex[DIGEST_HEX_BYTES];
    CHECK(parse(good, &err) == 0, "a manifest is parsed (%s)", err.why);
    CHECK_U64(m->n, 11, "it has its rows");
    CHECK_TEXT(m->name, "lean-4", "and its name");
    manifest_row(m, 0, &row);
    digest_hex(&row.sha256, hex);
    CHECK(row.type == 'f' && row.executable && row.size == 81920 && str_is(row.path, "a file") &&
              row.target.n == 0,
          "a file with an x bit, and a space in its path");
    CHECK_TEXT(hex, HEX, "with its digest");
    manifest_row(m, 1, &row);
    CHECK(row.type == 'd' && !row.executable && row.size == 0 && str_is(row.path, "bin"),
          "a directory");
    manifest_row(m, 4, &row);
    CHECK(row.type == 'l' && str_is(row.target, "../lib/clang-22") && str_is(row.path, "bin/clang"),
          "a link with its target");
    manifest_row(m, 10, &row);
    CHECK(row.type == 'f' && !row.executable && row.size == INT64_MAX &&
              str_is(row.path, "lib/\xc3\xa9\xff"),
          "the last row: the largest size, any byte from 0x80 on in a path");
    for (size_t i = 0; i < m->n; i++) {
        manifest_row(m, i, &row);
        CHECK(manifest_find(m, row.path) == i && str_equal(manifest_path(m, i), row.path) &&
                  manifest_type(m, i) == row.type,
              "row %zu is found by its path", i);
    }
    static const char *const absent[] = {"", "a", "bin/", "bin/lea", "bin/lean2", "zzz", "/bin"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        CHECK(manifest_find(m, str_span(absent[i])) == SIZE_MAX, "\"%s\" is not found", absent[i]);
    CHECK(manifest_has_entries(m, 1) && manifest_has_entries(m, 2), "bin and bin-x have entries");
    CHECK(!manifest_has_entries(m, 6), "empty has none");
    CHECK(parse(NAME, &err) == 0 && m->n == 0, "a manifest of an empty tree is one");
}

/* --- Bad ones ------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint64_t line;
    const char *why;
} bad[] = {
    {"", 1, "no newline at its end"},
    {"lema-manifest v1 x", 1, "no newline at its end"},
    {NAME "d - - - a", 2, "no newline at its end"},
    {"\n", 1, "expected \"lema-manifest v1 NAME\""},
    {"lema-manifest v2 x\n", 1, "expected \"lema-manifest v1 NAME\""},
    {" lema-manifest v1 x\n", 1, "expected \"lema-manifest v1 NAME\""},
    {"lema-manifest v1 \n", 1, "expected a name"},
    {"lema-manifest v1 a b\n", 1, "expected a name"},
    {"lema-manifest v1 ../x\n", 1, "expected a name"},
    {"lema-manifest v1 .x\n", 1, "expected a name"},
    {"lema-manifest v1 x\r\n", 1, "expected a name"},
    {NAME "\n", 2, "expected a row of type"},
    {NAME "p - - - fifo\n", 2, "expected a row of type"},
    {NAME "d - - -\n", 2, "expected a row of type"},
    {NAME "d x - - a\n", 2, "expected a row of type"},
    {NAME "d - 0 - a\n", 2, "expected a row of type"},
    {NAME "D - - - a\n", 2, "expected a row of type"},
    {NAME " d - - - a\n", 2, "expected a row of type"},
    {NAME "l x - b a\n", 2, "expected a row of type"},
    {NAME "f w 1 " HEX " a\n", 2, "expected \"f x\" or \"f -\""},
    {NAME "f  1 " HEX " a\n", 2, "expected \"f x\" or \"f -\""},
    {NAME "f - - " HEX " a\n", 2, "expected a size"},
    {NAME "f - -1 " HEX " a\n", 2, "expected a size"},
    {NAME "f - 01 " HEX " a\n", 2, "expected a size"},
    {NAME "f -  " HEX " a\n", 2, "expected a size"},
    {NAME "f - 9223372036854775808 " HEX " a\n", 2, "expected a size"},
    {NAME "f - 1 0123 a\n", 2, "expected a SHA-256"},
    {NAME "f - 1 A123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef a\n", 2,
     "SHA-256"},
    {NAME "f - 1 " HEX "\n", 2, "expected a SHA-256"},
    {NAME "f - 1 " HEX "0 a\n", 2, "expected a SHA-256"},
    {NAME "f - 1 " HEX " \n", 2, "not relative and canonical"},
    {NAME "d - - - \n", 2, "not relative and canonical"},
    {NAME "d - - - /a\n", 2, "not relative and canonical"},
    {NAME "d - - - a\nd - - - a/\n", 3, "not relative and canonical"},
    {NAME "d - - - a\nd - - - a//b\n", 3, "not relative and canonical"},
    {NAME "d - - - .\n", 2, "not relative and canonical"},
    {NAME "d - - - ..\n", 2, "not relative and canonical"},
    {NAME "d - - - a\nd - - - a/../b\n", 3, "not relative and canonical"},
    {NAME "d - - - a\nd - - - a/./b\n", 3, "not relative and canonical"},
    {NAME "d - - - a\x01\n", 2, "control byte"},
    {NAME "d - - - a\x7f\n", 2, "control byte"},
    {NAME "d - - - a\t\n", 2, "control byte"},
    {NAME "d - - - a\r\n", 2, "control byte"},
    {NAME "d - - - a\nd - - - a\n", 3, "listed twice"},
    {NAME "d - - - a\nl - - b a\n", 3, "listed twice"},
    {NAME "d - - - b\nd - - - a\n", 3, "not sorted"},
    {NAME "d - - - a\nd - - - a/b\nd - - - a-b\n", 4, "not sorted"},
    {NAME "d - - - a/b\n", 2, "directory of this path is not listed"},
    {NAME FILE_ROW("a") FILE_ROW("a/b"), 3, "directory of this path is not listed"},
    {NAME "d - - - a\nl - - . a/b\n" FILE_ROW("a/b/c"), 4, "directory of this path is not listed"},
    {NAME "l - - /etc/passwd a\n", 2, "not relative inside the tree"},
    {NAME "l - - .. a\n", 2, "not relative inside the tree"},
    {NAME "l - - ../x a\n", 2, "not relative inside the tree"},
    {NAME "l - -  a\n", 2, "not relative inside the tree"},
    {NAME "l - - a\n", 2, "not relative inside the tree"},
    {NAME "l - - b//c a\n", 2, "not relative inside the tree"},
    {NAME "l - - b/ a\n", 2, "not relative inside the tree"},
    {NAME "l - - b/../c a\n", 2, "not relative inside the tree"},
    {NAME "d - - - a\nl - - ../../b a/l\n", 3, "not relative inside the tree"},
    {NAME "d - - - a\nl - - ./../.. a/l\n", 3, "not relative inside the tree"},
};

static void check_bad(void)
{
    CHECK_ROWS(bad, 60, "refused manifests");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct err err;
        int got = parse(bad[i].text, &err);
        CHECK(got == -1 && err.what == ERR_PINS && err.at == bad[i].line &&
                  strstr(err.why, bad[i].why) != NULL && m->n == 0 &&
                  strcmp(err.obj, "distribution.manifest") == 0,
              "refused at line %" PRIu64 ": %s (%s, line %" PRIu64 ")", bad[i].line, bad[i].why,
              err.why, err.at);
    }
    struct err err;
    static const char nul[] = NAME "d - - - a\0b\n";
    err_clear(&err);
    CHECK(manifest_parse(m, (struct span){(const uint8_t *)nul, sizeof nul - 1}, &err) == -1 &&
              strstr(err.why, "control byte") != NULL,
          "a NUL is refused");
}

/* --- Targets ----------------------------------------------------------------------------------- */

static void check_targets(void)
{
    static const struct {
        const char *path, *target;
        bool stays;
    } rows[] = {
        {"a", "b", true},          {"a", "b/c", true},      {"a", ".", true},
        {"a", "./b", true},        {"a", "..", false},      {"a/b", "..", true},
        {"a/b", "../c", true},     {"a/b", "../..", false}, {"a/b/c", "../../d", true},
        {"a/b/c", "./../d", true}, {"a/b", "c/..", false},  {"a/b", "c/../d", false},
        {"a", "/b", false},        {"a", "", false},        {"a", "b c", false},
        {"a", "b\n", false},       {"a", "b//c", false},    {"a", "...", true},
        {"a", "..b", true},        {"a", "b..", true},
    };
    CHECK_ROWS(rows, 20, "targets");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(manifest_target_stays(str_span(rows[i].path), str_span(rows[i].target)) ==
                  rows[i].stays,
              "target %zu of %s %s inside", i, rows[i].path,
              rows[i].stays ? "stays" : "does not stay");
}

/* --- Bounds -------------------------------------------------------------------------------------- */

/* A directory row for each depth up to n: a, a/a, … */
static void add_depths(struct text *t, size_t n)
{
    text_adds(t, NAME);
    for (size_t i = 1; i <= n; i++) {
        text_adds(t, "d - - - a");
        for (size_t k = 1; k < i; k++)
            text_adds(t, "/a");
        text_adds(t, "\n");
    }
}

static void add_rows(struct text *t, size_t n)
{
    text_adds(t, NAME);
    for (size_t i = 0; i < n; i++) {
        char row[64];
        snprintf(row, sizeof row, "l - - x %08zu\n", i);
        text_adds(t, row);
    }
}

static void check_bounds(void)
{
    const size_t size = 4 << 20;
    char *buffer = malloc(size);
    struct err err;
    struct text t = text_on(buffer, size);
    add_depths(&t, DISTRIBUTION_DEPTH_MAX);
    CHECK(parse(buffer, &err) == 0 && m->n == DISTRIBUTION_DEPTH_MAX, "%u components pass",
          DISTRIBUTION_DEPTH_MAX);
    t = text_on(buffer, size);
    add_depths(&t, DISTRIBUTION_DEPTH_MAX + 1);
    CHECK(parse(buffer, &err) == -1 && strstr(err.why, "more than 64 components") != NULL &&
              err.at == DISTRIBUTION_DEPTH_MAX + 2,
          "one more does not");
    t = text_on(buffer, size);
    add_rows(&t, DISTRIBUTION_ENTRIES_MAX);
    CHECK(parse(buffer, &err) == 0 && m->n == DISTRIBUTION_ENTRIES_MAX && !t.overflow,
          "%u rows pass", DISTRIBUTION_ENTRIES_MAX);
    CHECK(manifest_find(m, str_span("00065535")) == 65535, "and the last is found");
    t = text_on(buffer, size);
    add_rows(&t, DISTRIBUTION_ENTRIES_MAX + 1);
    CHECK(parse(buffer, &err) == -1 && strstr(err.why, "more than 65536 rows") != NULL &&
              !t.overflow,
          "one more does not");
    t = text_on(buffer, size);
    text_adds(&t, NAME "d - - - ");
    for (size_t i = 0; i <= COMPONENT_BYTES_MAX; i++)
        text_adds(&t, "n");
    text_adds(&t, "\n");
    CHECK(parse(buffer, &err) == -1 && err.at == 2, "a component of 256 bytes is refused");
    free(buffer);
}

int main(void)
{
    m = calloc(1, sizeof *m);
    check_good();
    check_bad();
    check_targets();
    check_bounds();
    free(m);
    return check_end();
}
