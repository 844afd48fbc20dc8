/* Fuzz target for the three texts of the pins.  The first byte says which text follows: 'h' for
 * host.manifest, 'p' for toolchain.profile, anything else is the first byte of a
 * distribution.manifest.  Beyond "no crash", for every text:
 *
 * 1. a refusal is ERR_PINS, with a line of the text and a printable reason;
 * 2. a manifest that is accepted, written again from its rows, is the same text;
 * 3. its rows are sorted, each is found by its path, and every directory above a row is a row;
 * 4. no symlink's target leads out of the tree, followed through all other links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/pins.h"

#define TEXT_BYTES_MAX (64u << 10)
#define LINKS_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) require((condition), #condition, __LINE__)

static void require(bool holds, const char *what, int line)
{
    if (holds)
        return;
    (void)fprintf(stderr, "line %d: does not hold: %s\n", line, what);
    abort();
}

static void check_refusal(struct span text, const struct err *err)
{
    uint64_t lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    REQUIRE(err->what == ERR_PINS && err->at <= lines);
    REQUIRE(err->why[0] != '\0' && str_is_printable(str_span(err->why)));
}

/* --- 2 and 3 ------------------------------------------------------------------------------ */

static void write_row(struct text *t, const struct manifest_row *row)
{
    text_adds(t, row->type == 'd' ? "d - - - " : row->type == 'l' ? "l - - " : "f ");
    if (row->type == 'f') {
        char hex[DIGEST_HEX_BYTES];
        digest_hex(&row->sha256, hex);
        text_adds(t, row->executable ? "x " : "- ");
        text_add_number(t, row->size);
        text_adds(t, " ");
        text_adds(t, hex);
        text_adds(t, " ");
    }
    if (row->type == 'l') {
        text_add(t, row->target);
        text_adds(t, " ");
    }
    text_add(t, row->path);
    text_adds(t, "\n");
}

static void check_row(const struct manifest *m, size_t i)
{
    struct manifest_row row;
    manifest_row(m, i, &row);
    REQUIRE(manifest_find(m, row.path) == i && row.path.n > 0 && row.path.p[0] != '/');
    for (size_t n = 0; n < row.path.n; n++)
        if (row.path.p[n] == '/') {
            size_t parent = manifest_find(m, (struct span){row.path.p, n});
            REQUIRE(parent < i && manifest_type(m, parent) == 'd' &&
                    manifest_has_entries(m, parent));
        }
}

static void check_text(const struct manifest *m, struct span text)
{
    static char buffer[TEXT_BYTES_MAX + 1];
    struct text t = text_on(buffer, sizeof buffer);
    text_adds(&t, "lema-manifest v1 ");
    text_adds(&t, m->name);
    text_adds(&t, "\n");
    for (size_t i = 0; i < m->n; i++) {
        struct manifest_row row;
        manifest_row(m, i, &row);
        write_row(&t, &row);
        check_row(m, i);
    }
    REQUIRE(!t.overflow && str_equal(text_span(&t), text));
}

/* --- 4 -------------------------------------------------------------------------------------- */

/* A place in the tree while a path is followed: its real components. */
struct place {
    struct span component[2 * DISTRIBUTION_DEPTH_MAX];
    size_t n;
};

static size_t row_of(const struct manifest *m, const struct place *p)
{
    char path[PATH_BYTES_MAX + 1];
    struct text t = text_on(path, sizeof path);
    for (size_t i = 0; i < p->n; i++) {
        text_adds(&t, i > 0 ? "/" : "");
        text_add(&t, p->component[i]);
    }
    return t.overflow ? SIZE_MAX : manifest_find(m, text_span(&t));
}

/* As the kernel does it.  returns  false where it would end: no such entry, or too many links */
static bool follow(const struct manifest *m, struct place *p, struct span path, int *links)
{
    for (size_t at = 0; at < path.n;) {
        size_t end = at;
        while (end < path.n && path.p[end] != '/')
            end++;
        struct span c = {path.p + at, end - at};
        at = end + 1;
        if (str_is(c, "."))
            continue;
        if (str_is(c, "..")) {
            REQUIRE(p->n > 0); /* this is what must not happen */
            p->n--;
            continue;
        }
        if (p->n == 2 * DISTRIBUTION_DEPTH_MAX)
            return false;
        p->component[p->n++] = c;
        size_t i = row_of(m, p);
        if (i == SIZE_MAX || (manifest_type(m, i) == 'f' && at < path.n))
            return false;
        if (manifest_type(m, i) != 'l')
            continue;
        struct manifest_row row;
        manifest_row(m, i, &row);
        p->n--;
        if (--*links < 0 || !follow(m, p, row.target, links))
            return false;
    }
    return true;
}

static void check_links(const struct manifest *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct place p = {.n = 0};
        int links = LINKS_MAX;
        if (manifest_type(m, i) == 'l')
            (void)follow(m, &p, manifest_path(m, i), &links);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pins pins;
    struct span text = {data, size};
    struct err err;
    err_clear(&err);
    if (size > TEXT_BYTES_MAX)
        return 0;
    char kind = size > 0 ? (char)data[0] : '\0';
    if (kind == 'h' || kind == 'p')
        text = (struct span){data + 1, size - 1};
    int got = kind == 'h'   ? pins_host_parse(&pins, text, &err)
              : kind == 'p' ? pins_profile_parse(&pins, text, &err)
                            : manifest_parse(&pins.manifest, text, &err);
    if (got != 0) {
        check_refusal(text, &err);
    } else if (kind != 'h' && kind != 'p') {
        check_text(&pins.manifest, text);
        check_links(&pins.manifest);
    }
    return 0;
}
