/* The distribution's manifest: a text and an index of its rows.  Layer: host.
 *
 * A row is checked once, by manifest_parse; after that it is cut at its spaces
 * without looking again.  Rows: specification 2. */
#include <string.h>

#include "host/dist.h"

#define HEADER "lema-manifest v1 "
#define SHOWN "distribution.manifest"

/* Fixed beginnings of rows; the digest of a file has a fixed length. */
#define DIRECTORY_PREFIX "d - - - "
#define LINK_PREFIX "l - - "
#define FILE_PREFIX "f - " /* or "f x " */

struct parse {
    struct manifest *m;
    struct span rest;
    uint64_t line;
    struct span path; /* of the row before */
    struct err *err;
};

#define REFUSE(p, ...) (err_set_at((p)->err, ERR_PINS, str_span(SHOWN), (p)->line, __VA_ARGS__), -1)

/* --- Cutting ------------------------------------------------------------------------- */

static struct span cut(struct span s, size_t from)
{
    return (struct span){s.p + from, s.n - from};
}

/* The field up to the next space; rest moves behind that space.  Empty if there is none. */
static struct span cut_field(struct span *rest)
{
    const uint8_t *space = memchr(rest->p, ' ', rest->n);
    if (space == NULL)
        return (struct span){rest->p, 0};
    struct span field = {rest->p, (size_t)(space - rest->p)};
    *rest = cut(*rest, field.n + 1);
    return field;
}

static struct span row_line(const struct manifest *m, size_t i)
{
    size_t begin = m->row_at[i];
    return (struct span){m->text.p + begin, m->row_at[i + 1] - begin - 1}; /* no newline */
}

char manifest_type(const struct manifest *m, size_t i)
{
    return (char)m->text.p[m->row_at[i]];
}

struct span manifest_path(const struct manifest *m, size_t i)
{
    struct span rest = row_line(m, i);
    if (rest.p[0] == 'd')
        return cut(rest, strlen(DIRECTORY_PREFIX));
    rest = cut(rest, strlen(rest.p[0] == 'f' ? FILE_PREFIX : LINK_PREFIX));
    (void)cut_field(&rest); /* size, or target */
    return rest.n > 0 && manifest_type(m, i) == 'f' ? cut(rest, DIGEST_HEX_BYTES) : rest;
}

void manifest_row(const struct manifest *m, size_t i, struct manifest_row *row)
{
    struct span rest = row_line(m, i);
    memset(row, 0, sizeof *row);
    row->type = manifest_type(m, i);
    row->path = manifest_path(m, i);
    if (row->type == 'l') {
        rest = cut(rest, strlen(LINK_PREFIX));
        row->target = cut_field(&rest);
    } else if (row->type == 'f') {
        row->executable = rest.p[2] == 'x';
        rest = cut(rest, strlen(FILE_PREFIX));
        (void)str_number(cut_field(&rest), 0, INT64_MAX, &row->size);
        (void)digest_parse(cut_field(&rest), &row->sha256);
    }
}

/* --- Looking up ------------------------------------------------------------------------ */

static int compare(struct span a, struct span b)
{
    if (a.n == 0 || b.n == 0)
        return (a.n > 0) - (b.n > 0);
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

/* The first row whose path is not before path. */
static size_t first_from(const struct manifest *m, struct span path)
{
    size_t low = 0, high = m->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(manifest_path(m, middle), path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t manifest_find(const struct manifest *m, struct span path)
{
    size_t i = first_from(m, path);
    return i < m->n && str_equal(manifest_path(m, i), path) ? i : SIZE_MAX;
}

/* "bin-x" stands between "bin" and "bin/lean", so the next row does not tell. */
bool manifest_has_entries(const struct manifest *m, size_t i)
{
    char buffer[PATH_BYTES_MAX + 2];
    struct text below = text_on(buffer, sizeof buffer);
    text_add(&below, manifest_path(m, i));
    text_adds(&below, "/");
    size_t first = first_from(m, text_span(&below));
    return first < m->n && str_starts(manifest_path(m, first), buffer);
}

/* --- Checking ---------------------------------------------------------------------------- */

static bool has_control_byte(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] == 0x7f)
            return true;
    return false;
}

/* The component that begins at s. */
static struct span component(struct span s)
{
    const uint8_t *slash = memchr(s.p, '/', s.n);
    return (struct span){s.p, slash != NULL ? (size_t)(slash - s.p) : s.n};
}

/* Count the components of a relative canonical path; 0 if it is none. */
static size_t count_components(struct span path)
{
    size_t n = 0;
    for (;;) {
        struct span c = component(path);
        if (c.n == 0 || c.n > COMPONENT_BYTES_MAX || str_is(c, ".") || str_is(c, ".."))
            return 0;
        n++;
        if (c.n == path.n)
            return n;
        path = cut(path, c.n + 1);
    }
}

bool manifest_target_stays(struct span path, struct span target)
{
    size_t up = count_components(path); /* 1 + the directories above the link */
    bool below = false;
    if (target.n == 0 || target.n > PATH_BYTES_MAX || has_control_byte(target) ||
        memchr(target.p, ' ', target.n) != NULL)
        return false;
    for (;;) {
        struct span c = component(target);
        bool parent = str_is(c, "..");
        if (c.n == 0 || (parent && (below || up <= 1)))
            return false;
        up -= parent;
        below = below || !(parent || str_is(c, "."));
        if (c.n == target.n)
            return true;
        target = cut(target, c.n + 1);
    }
}

/* The directory that holds path; empty for the tree's root. */
static struct span parent_of(struct span path)
{
    while (path.n > 0 && path.p[path.n - 1] != '/')
        path.n--;
    return (struct span){path.p, path.n > 0 ? path.n - 1 : 0};
}

static int check_parent(struct parse *p, struct span path)
{
    struct span parent = parent_of(path);
    if (parent.n == 0 || str_equal(parent, parent_of(p->path)))
        return 0;
    size_t i = manifest_find(p->m, parent);
    if (i == SIZE_MAX || manifest_type(p->m, i) != 'd')
        return REFUSE(p, "the directory of this path is not listed");
    return 0;
}

static int check_path(struct parse *p, struct span path)
{
    if (path.n > PATH_BYTES_MAX || has_control_byte(path))
        return REFUSE(p, "the path is too long or holds a control byte");
    size_t depth = count_components(path);
    if (depth == 0)
        return REFUSE(p, "the path is not relative and canonical");
    if (depth > DISTRIBUTION_DEPTH_MAX)
        return REFUSE(p, "the path has more than %u components", DISTRIBUTION_DEPTH_MAX);
    int order = compare(p->path, path);
    if (p->m->n > 0 && order == 0)
        return REFUSE(p, "the path is listed twice");
    if (p->m->n > 0 && order > 0)
        return REFUSE(p, "the path is not sorted bytewise behind the one before");
    return check_parent(p, path);
}

static int check_file(struct parse *p, struct span rest, struct span *path)
{
    uint64_t size;
    struct digest digest;
    if (!str_starts(rest, "f - ") && !str_starts(rest, "f x "))
        return REFUSE(p, "expected \"f x\" or \"f -\"");
    rest = cut(rest, strlen(FILE_PREFIX));
    if (!str_number(cut_field(&rest), 0, INT64_MAX, &size))
        return REFUSE(p, "expected a size in bytes");
    if (!digest_parse(cut_field(&rest), &digest))
        return REFUSE(p, "expected a SHA-256 of 64 lower-case hex digits");
    *path = rest;
    return 0;
}

static int check_row(struct parse *p, struct span line, struct span *path)
{
    if (str_starts(line, DIRECTORY_PREFIX)) {
        *path = cut(line, strlen(DIRECTORY_PREFIX));
        return check_path(p, *path);
    }
    if (str_starts(line, "f "))
        return check_file(p, line, path) == 0 ? check_path(p, *path) : -1;
    if (!str_starts(line, LINK_PREFIX))
        return REFUSE(p, "expected a row of type d, f or l");
    struct span rest = cut(line, strlen(LINK_PREFIX));
    struct span target = cut_field(&rest);
    *path = rest;
    if (check_path(p, *path) != 0)
        return -1;
    if (!manifest_target_stays(*path, target))
        return REFUSE(p, "the link's target is not relative inside the tree");
    return 0;
}

/* The next line.  The text ends with a newline. */
static int next_line(struct parse *p, struct span *line)
{
    const uint8_t *end = p->rest.n > 0 ? memchr(p->rest.p, '\n', p->rest.n) : NULL;
    p->line++;
    if (end == NULL)
        return REFUSE(p, "has no newline at its end");
    *line = (struct span){p->rest.p, (size_t)(end - p->rest.p)};
    p->rest = cut(p->rest, line->n + 1);
    return 0;
}

static bool is_name_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '+' || c == '-';
}

bool manifest_is_name(struct span name)
{
    if (name.n == 0 || name.n > DISTRIBUTION_NAME_BYTES_MAX || name.p[0] == '.')
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (!is_name_byte(name.p[i]))
            return false;
    return true;
}

static int parse_header(struct parse *p)
{
    struct span line;
    if (next_line(p, &line) != 0)
        return -1;
    if (!str_starts(line, HEADER))
        return REFUSE(p, "expected \"" HEADER "NAME\"");
    line = cut(line, strlen(HEADER));
    if (!manifest_is_name(line) || !str_copy(p->m->name, sizeof p->m->name, line))
        return REFUSE(p, "expected a name of 1 to %u bytes of [A-Za-z0-9._+-]",
                      DISTRIBUTION_NAME_BYTES_MAX);
    return 0;
}

static int parse_rows(struct parse *p)
{
    struct manifest *m = p->m;
    while (p->rest.n > 0) {
        struct span line, path;
        size_t at = (size_t)(p->rest.p - m->text.p);
        if (next_line(p, &line) != 0 || check_row(p, line, &path) != 0)
            return -1;
        if (m->n == DISTRIBUTION_ENTRIES_MAX)
            return REFUSE(p, "more than %u rows", DISTRIBUTION_ENTRIES_MAX);
        m->row_at[m->n++] = (uint32_t)at;
        m->row_at[m->n] = (uint32_t)(p->rest.p - m->text.p);
        p->path = path;
    }
    return 0;
}

int manifest_parse(struct manifest *m, struct span text, struct err *err)
{
    struct parse p = {.m = m, .rest = text, .err = err};
    m->text = text;
    m->n = 0;
    m->name[0] = '\0';
    if (text.n > UINT32_MAX)
        return err_set(err, ERR_PINS, str_span(SHOWN), "is longer than 4 GiB");
    if (parse_header(&p) == 0 && parse_rows(&p) == 0)
        return 0;
    m->n = 0;
    return -1;
}
