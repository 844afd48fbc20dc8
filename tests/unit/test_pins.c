/* host/pins_host, pins_profile, pins_parse: the texts that a build trusts, and the files of the
 * host that they name. */
#include "host/pins.h"

#include "check.h"
#include "fixture.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HOST "lema-host v1\n"

static struct pins *pins; /* too large for the stack of a sanitizer */

static int parse_host(const char *text, struct err *err)
{
    err_clear(err);
    return pins_host_parse(pins, str_span(text), err);
}

static int parse_profile(const char *text, struct err *err)
{
    err_clear(err);
    return pins_profile_parse(pins, str_span(text), err);
}

/* --- host.manifest ------------------------------------------------------------------------ */

static const char good_host[] = HOST "bwrap " HEX " /usr/bin/bwrap\n"
                                     "systemd-run " HEX " /usr/bin/systemd-run\n"
                                     "systemctl " HEX " /usr/bin/systemctl\n"
                                     "dep " HEX " /usr/lib/libc.so.6\n"
                                     "dep " HEX " /usr/lib/libm.so.6\n"
                                     "lib " HEX " /usr/lib/ld.so /lib64/ld-linux-x86-64.so.2\n"
                                     "lib " HEX " /usr/lib/libc.so.6 /lib/libc.so.6\n"
                                     "lib " HEX " /usr/lib/libc.so.6 /usr/lib/libc.so.6\n";

static void check_good_host(void)
{
    static const enum host_role roles[] = {HOST_BWRAP, HOST_SYSTEMD_RUN, HOST_SYSTEMCTL, HOST_DEP,
                                           HOST_DEP,   HOST_LIB,         HOST_LIB,       HOST_LIB};
    struct digest want;
    struct err err;
    CHECK(parse_host(good_host, &err) == 0, "a host.manifest is parsed (%s)", err.why);
    CHECK_U64(pins->host_n, 8, "it has its rows");
    for (size_t i = 0; i < 8 && i < pins->host_n; i++)
        CHECK(pins->host[i].role == roles[i], "row %zu is %s", i, host_role_word(roles[i]));
    CHECK_TEXT(pins->host[5].path, "/usr/lib/ld.so", "a lib has its real path");
    CHECK_TEXT(pins->host[5].seen, "/lib64/ld-linux-x86-64.so.2", "and the one it is seen at");
    CHECK_TEXT(pins->host[3].seen, "", "a dep is seen nowhere");
    sha256_of(good_host, sizeof good_host - 1, &want);
    CHECK(digest_equal(&pins->host_id, &want), "the host id is the text's digest");
    CHECK(pins_find_host(pins, HOST_SYSTEMCTL) == 2, "a role is found");
    CHECK(parse_host(HOST, &err) == 0 && pins->host_n == 0, "the first line alone is allowed");
    CHECK(pins_find_host(pins, HOST_BWRAP) == SIZE_MAX, "and has no bwrap");
    CHECK(parse_host(HOST "bwrap " HEX " /usr/bin/bwrap\n", &err) == 0, "bwrap alone is allowed");
    CHECK(parse_host(HOST "lib " HEX " /a /b\n", &err) == 0, "a lib alone is allowed");
}

static void check_bad_host(void)
{
    static const struct {
        const char *text;
        uint64_t line;
        const char *why;
    } rows[] = {
        {"", 0, "no newline at its end"},
        {"lema-host v1", 0, "no newline at its end"},
        {HOST "dep " HEX " /a", 0, "no newline at its end"},
        {"lema-host v2\n", 1, "expected \"lema-host v1\""},
        {"lema-host v1 \n", 1, "expected \"lema-host v1\""},
        {HOST "\n", 2, "expected bwrap, systemd-run, systemctl, dep or lib"},
        {HOST "sudo " HEX " /a\n", 2, "expected bwrap, systemd-run, systemctl, dep or lib"},
        {HOST " dep " HEX " /a\n", 2, "expected bwrap, systemd-run, systemctl, dep or lib"},
        {HOST "DEP " HEX " /a\n", 2, "expected bwrap, systemd-run, systemctl, dep or lib"},
        {HOST "dep\n", 2, "expected a SHA-256"},
        {HOST "dep abc /a\n", 2, "expected a SHA-256"},
        {HOST "dep  " HEX " /a\n", 2, "expected a SHA-256"},
        {HOST "dep " HEX "\n", 2, "expected a path"},
        {HOST "dep " HEX " a\n", 2, "the path is not an absolute path"},
        {HOST "dep " HEX " /\n", 2, "the path has an empty component"},
        {HOST "dep " HEX " /a/../b\n", 2, "the path has a component"},
        {HOST "dep " HEX " /a\t\n", 2, "the path holds the control byte"},
        {HOST "dep " HEX " /a b\n", 2, "more fields than dep takes"},
        {HOST "dep " HEX " /a /b\n", 2, "more fields than dep takes"},
        {HOST "dep " HEX " /a \n", 2, "has more fields"},
        {HOST "bwrap " HEX " /a /b\n", 2, "more fields than bwrap takes"},
        {HOST "lib " HEX " /a\n", 2, "expected the path that a sandbox shows"},
        {HOST "lib " HEX " /a b\n", 2, "the path is not an absolute path"},
        {HOST "lib " HEX " /a /b /c\n", 2, "more fields than lib takes"},
        {HOST "lib " HEX " /a /lean\n", 2, "where every sandbox shows something else"},
        {HOST "lib " HEX " /a /lean/bin/lean\n", 2, "where every sandbox shows something else"},
        {HOST "lib " HEX " /a /proc/x\n", 2, "where every sandbox shows something else"},
        {HOST "lib " HEX " /a /call/x\n", 2, "where every sandbox shows something else"},
        {HOST "lib " HEX " /a /c\nlib " HEX " /b /c\n", 3, "seen path is listed twice"},
        {HOST "dep " HEX " /a\nbwrap " HEX " /b\n", 3, "bwrap stands behind dep"},
        {HOST "bwrap " HEX " /a\nbwrap " HEX " /b\n", 3, "a second bwrap"},
        {HOST "dep " HEX " /a\ndep " HEX " /a\n", 3, "the path is listed twice"},
        {HOST "dep " HEX " /b\ndep " HEX " /a\n", 3, "not sorted bytewise"},
        {HOST "lib " HEX " /a /d\nlib " HEX " /a /c\n", 3, "not sorted bytewise"},
        {HOST "systemd-run " HEX " /a\n", 2, "one of systemd-run and systemctl"},
        {HOST "systemctl " HEX " /a\n", 2, "one of systemd-run and systemctl"},
    };
    CHECK_ROWS(rows, 36, "refused host.manifests");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        int got = parse_host(rows[i].text, &err);
        CHECK(got == -1 && err.what == ERR_PINS && err.at == rows[i].line &&
                  strstr(err.why, rows[i].why) != NULL && strcmp(err.obj, "host.manifest") == 0 &&
                  pins->host_n == 0,
              "refused at line %" PRIu64 ": %s (%s, line %" PRIu64 ")", rows[i].line, rows[i].why,
              err.why, err.at);
    }
}

static void check_host_bound(void)
{
    char text[HOST_FILES_MAX * 128];
    struct err err;
    for (size_t rows = HOST_FILES_MAX; rows <= HOST_FILES_MAX + 1; rows++) {
        struct text t = text_on(text, sizeof text);
        text_adds(&t, HOST);
        for (size_t i = 0; i < rows; i++) {
            char row[128];
            snprintf(row, sizeof row, "dep %s /l/%03zu\n", HEX, i);
            text_adds(&t, row);
        }
        CHECK(parse_host(text, &err) == (rows == HOST_FILES_MAX ? 0 : -1) && !t.overflow,
              "%zu rows %s", rows, rows == HOST_FILES_MAX ? "pass" : "do not");
    }
    CHECK(strstr(err.why, "more than 96 rows") != NULL && err.at == 98, "and the line is named");
}

/* --- toolchain.profile ------------------------------------------------------------------------ */

#define P "lema-profile v1 t\n"
#define VERSION "version bin/lean --version\n"
#define ELABORATE "elaborate bin/lean --memory={memory} --root={root} -o {olean} -c {c} {source}\n"
#define REPLAY "replay bin/leanchecker -v {module}\n"
#define AXIOMS "axioms bin/lean {source}\n"
#define COMPILE "compile bin/leanc -o {exe} {c}\n"
#define LINK "link bin/leanc\n"
#define ALL P VERSION ELABORATE REPLAY AXIOMS COMPILE LINK

static void check_good_profile(void)
{
    struct err err;
    CHECK(parse_profile(ALL, &err) == 0, "a toolchain.profile is parsed (%s)", err.why);
    CHECK_TEXT(pins->profile.name, "t", "its name");
    const struct profile_line *line = &pins->profile.step[STEP_ELABORATE];
    CHECK(line->n == 8 && str_is(line->word[0], "bin/lean") && str_is(line->word[7], "{source}") &&
              str_is(line->word[1], "--memory={memory}"),
          "a step has its words");
    CHECK(pins->profile.step[STEP_LINK].n == 1, "a program may have no arguments");
}

static void check_bad_profile(void)
{
    static const struct {
        const char *text;
        uint64_t line;
        const char *why;
    } rows[] = {
        {"", 0, "no newline at its end"},
        {P VERSION ELABORATE REPLAY AXIOMS COMPILE "link bin/leanc", 0, "no newline at its end"},
        {"lema-profile v2 t\n", 1, "expected \"lema-profile v1 NAME\""},
        {"lema-profile v1 \n", 1, "expected a name"},
        {"lema-profile v1 a/b\n", 1, "expected a name"},
        {P, 2, "the step version is missing"},
        {P VERSION ELABORATE REPLAY AXIOMS COMPILE, 7, "the step link is missing"},
        {ALL LINK, 8, "a line behind the last step"},
        {ALL "\n", 8, "a line behind the last step"},
        {P ELABORATE VERSION, 2, "expected \"version PROGRAM"},
        {P VERSION VERSION, 3, "expected \"elaborate PROGRAM"},
        {P "versions bin/lean\n", 2, "expected \"version PROGRAM"},
        {P "version\n", 2, "expected \"version PROGRAM"},
        {P "version \n", 2, "an empty word"},
        {P "version  bin/lean\n", 2, "an empty word"},
        {P "version bin/lean  -v\n", 2, "an empty word"},
        {P "version bin/lean \n", 2, "an empty word"},
        {P "version bin/lean\t-v\n", 2, "not printable ASCII"},
        {P "version bin/l\xc3\xa9\n", 2, "not printable ASCII"},
        {P "version bin/lean\r\n", 2, "not printable ASCII"},
        {P "version /bin/sh\n", 2, "not below the distribution"},
        {P "version {root}/lean\n", 2, "program's path holds a placeholder"},
        {P "version bin/lean {source}\n", 2, "{source} is not a placeholder of this step"},
        {P "version bin/lean {home}\n", 2, "{home} is not a placeholder of this step"},
        {P "version bin/lean {}\n", 2, "{} is not a placeholder of this step"},
        {P "version bin/lean {source\n", 2, "a \"{\" without its \"}\""},
        {P "version bin/lean source}\n", 2, "a \"}\" without its \"{\""},
        {P VERSION "elaborate bin/lean {{source}}\n", 3, "{{source} is not a placeholder"},
        {P VERSION "elaborate bin/lean {exe}\n", 3, "{exe} is not a placeholder of this step"},
        {P
         "version a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
         "a a a a a a a a a\n",
         2, "more than 48 words"},
    };
    CHECK_ROWS(rows, 30, "refused profiles");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err;
        int got = parse_profile(rows[i].text, &err);
        CHECK(got == -1 && err.what == ERR_PINS && err.at == rows[i].line &&
                  strstr(err.why, rows[i].why) != NULL && strcmp(err.obj, "toolchain.profile") == 0,
              "refused at line %" PRIu64 ": %s (%s, line %" PRIu64 ")", rows[i].line, rows[i].why,
              err.why, err.at);
    }
}

/* --- All three ---------------------------------------------------------------------------------- */

static void check_all(void)
{
    static const char tree[] =
        "lema-manifest v1 t\nd - - - bin\nf x 1 " HEX " bin/lean\nf x 1 " HEX " bin/leanc\n";
    static const char checker[] = "f x 1 " HEX " bin/leanchecker\n";
    static const struct {
        const char *checker, *why;
    } rows[] = {
        {"f x 1 " HEX " bin/leanchecker\n", NULL},
        {"", "not in the manifest"},
        {"f - 1 " HEX " bin/leanchecker\n", "not an executable file"},
        {"l - - lean bin/leanchecker\n", "not an executable file"},
        {"d - - - bin/leanchecker\n", "not an executable file"},
    };
    struct err err;
    CHECK_ROWS(rows, 5, "programs");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", tree, rows[i].checker);
        err_clear(&err);
        int got = pins_parse(pins, str_span(text), str_span(good_host), str_span(ALL), &err);
        if (rows[i].why == NULL)
            CHECK(got == 0, "manifest, host and profile agree (%s)", err.why);
        else
            CHECK(got == -1 && err.what == ERR_PINS && strcmp(err.obj, "bin/leanchecker") == 0 &&
                      strstr(err.why, rows[i].why) != NULL,
                  "a program %s is refused", rows[i].why);
    }
    err_clear(&err);
    CHECK(pins_parse(pins, str_span(checker), str_span(good_host), str_span(ALL), &err) == -1 &&
              strcmp(err.obj, "distribution.manifest") == 0,
          "a bad manifest is named");
}

/* --- The files of the host ----------------------------------------------------------------------- */

static void add_host_row(struct text *t, const char *role, const char *name, const char *contents)
{
    struct digest digest;
    char hex[DIGEST_HEX_BYTES], row[512];
    sha256_of(contents, strlen(contents), &digest);
    digest_hex(&digest, hex);
    fixture_file(name, 0755, contents);
    snprintf(row, sizeof row, "%s %s %s\n", role, hex, fixture_path(name));
    text_adds(t, row);
}

static int open_files(const int fd[static HOST_FILES_MAX])
{
    int n = 0;
    for (size_t i = 0; i < HOST_FILES_MAX; i++)
        n += fd[i] >= 0;
    return n;
}

static void check_files(struct hash_pool *pool)
{
    static const struct {
        const char *command, *name;
        enum err_what what;
        const char *why;
    } rows[] = {
        {"printf X >systemctl", "systemctl", ERR_HOST_FILE, "expected sha256 "},
        {"rm a", "a", ERR_PATH, "does not exist"},
        {"rm b; ln -s a b", "b", ERR_PATH, "found a symbolic link"},
        {"chmod 777 a", "a", ERR_PATH, "writable by group or others"},
        {"rm a; mkfifo a", "a", ERR_PATH, "found a FIFO"},
    };
    char text[4096], found[8] = "";
    int fd[HOST_FILES_MAX];
    struct err err;
    int before = fixture_descriptors();
    CHECK_ROWS(rows, 5, "changed host files");
    for (size_t i = 0; i <= sizeof rows / sizeof rows[0]; i++) {
        struct text t = text_on(text, sizeof text);
        MUST(system("rm -rf a b") == 0);
        text_adds(&t, HOST);
        add_host_row(&t, "systemd-run", "systemd-run", "run");
        add_host_row(&t, "systemctl", "systemctl", "ctl");
        add_host_row(&t, "dep", "a", "aaa");
        add_host_row(&t, "dep", "b", "bbb");
        MUST(parse_host(text, &err) == 0);
        if (i == 0) {
            CHECK(pins_check_host(pins, geteuid(), pool, fd, &err) == 0, "good files pass (%s: %s)",
                  err.obj, err.why);
            CHECK(open_files(fd) == 4 && pread(fd[3], found, 3, 0) == 3 &&
                      strcmp(found, "bbb") == 0,
                  "and stay open, each at its row");
            pins_close_host(fd);
            continue;
        }
        MUST(system(rows[i - 1].command) == 0);
        int got = pins_check_host(pins, geteuid(), pool, fd, &err);
        CHECK(got == -1 && err.what == rows[i - 1].what && open_files(fd) == 0 &&
                  strstr(err.why, rows[i - 1].why) != NULL,
              "refused after: %s (%s)", rows[i - 1].command, err.why);
        CHECK_TEXT(err.obj, fixture_path(rows[i - 1].name), "it names %s", rows[i - 1].name);
    }
    MUST(parse_host(HOST, &err) == 0);
    CHECK(pins_check_host(pins, geteuid(), pool, fd, &err) == 0 && open_files(fd) == 0,
          "no files are no work");
    CHECK_I64(fixture_descriptors(), before, "no descriptor is left open");
}

int main(void)
{
    static struct hash_pool pool;
    struct err err;
    err_clear(&err);
    pins = calloc(1, sizeof *pins);
    MUST(pins != NULL && hash_pool_start(&pool, 2, &err) == 0);
    fixture_begin();
    check_good_host();
    check_bad_host();
    check_host_bound();
    check_good_profile();
    check_bad_profile();
    check_all();
    check_files(&pool);
    hash_pool_stop(&pool);
    free(pins);
    fixture_end();
    return check_end();
}
