/* pins: what this binary trusts.  Layer: front.
 *
 * Specification 2.  All of it is compiled in; nothing is read.  With --manifest,
 * --host or --profile the embedded text goes out byte for byte. */
#include <string.h>

#include "base/filter.h"
#include "evidence/terms.h"
#include "front/command.h"
#include "host/file.h"

/* --- The summary ----------------------------------------------------------------- */

static void put_distribution(struct out *o, const struct pins *p)
{
    uint64_t files = 0, bytes = 0;
    struct manifest_row row;

    for (size_t i = 0; i < p->manifest.n; i++) {
        manifest_row(&p->manifest, i, &row);
        files += row.type == 'f';
        bytes += row.type == 'f' ? row.size : 0;
    }
    out_object(o, "distribution");
    out_chars(o, "name", p->manifest.name);
    out_digest(o, "id", &p->distribution_id);
    out_u64(o, "entries", p->manifest.n);
    out_u64(o, "files", files);
    out_u64(o, "bytes", bytes);
    out_object_end(o);
}

static void put_host_files(struct out *o, const struct pins *p)
{
    out_digest(o, "host_id", &p->host_id);
    out_array(o, "host_files");
    for (size_t i = 0; i < p->host_n; i++) {
        const struct host_file *f = &p->host[i];
        char hex[DIGEST_HEX_BYTES];
        digest_hex(&f->sha256, hex);
        out_plain(o, "%s %s %s%s%s", host_role_word(f->role), hex, f->path,
                  f->role == HOST_LIB ? " " : "", f->role == HOST_LIB ? f->seen : "");
        if (!o->json)
            continue;
        out_object(o, NULL);
        out_chars(o, "role", host_role_word(f->role));
        out_chars(o, "sha256", hex);
        out_chars(o, "path", f->path);
        if (f->role == HOST_LIB)
            out_chars(o, "seen", f->seen);
        out_object_end(o);
    }
    out_array_end(o);
}

static void put_profile(struct out *o, const struct pins *p)
{
    out_digest(o, "profile_id", &p->profile_id);
    out_object(o, "profile");
    out_chars(o, "name", p->profile.name);
    for (size_t i = 0; i < STEP_COUNT; i++) {
        const struct profile_line *l = &p->profile.step[i];
        /* The words stand in the text one after the other, one space between. */
        const uint8_t *begin = l->word[0].p;
        const uint8_t *end = l->word[l->n - 1].p + l->word[l->n - 1].n;
        out_string(o, profile_step_word((enum profile_step)i),
                   (struct span){begin, (size_t)(end - begin)});
    }
    out_object_end(o);
}

static void put_limits(struct out *o)
{
    const struct {
        const char *name;
        uint64_t value;
    } limits[] = {{"memory_bytes", SCOPE_MEMORY_BYTES},
                  {"swap_bytes", SCOPE_SWAP_BYTES},
                  {"tasks", SCOPE_TASKS},
                  {"cpu_percent", SCOPE_CPU_PERCENT},
                  {"log_bytes", LOG_BYTES_MAX},
                  {"one_file_bytes", ONE_FILE_BYTES},
                  {"open_files", OPEN_FILES},
                  {"work_bytes", WORK_BYTES_MAX},
                  {"work_entries", WORK_ENTRIES_MAX},
                  {"work_depth", WORK_DEPTH_MAX},
                  {"lock_wait_ms", LOCK_WAIT_MS},
                  {"free_space_bytes", FREE_SPACE_MIN_BYTES},
                  {"memory_available_bytes", MEMORY_AVAILABLE_MIN_BYTES}};

    out_object(o, "limits");
    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        char name[64];
        struct text t = text_on(name, sizeof name);
        text_adds(&t, "wall_ms ");
        text_adds(&t, kind_word((enum call_kind)kind));
        out_u64(o, name, kind_wall_ms((enum call_kind)kind));
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        out_u64(o, limits[i].name, limits[i].value);
    out_centi(o, "memory_pressure_some_avg10", MEMORY_PRESSURE_MAX_CENTI);
    out_centi(o, "cpu_pressure_some_avg10", CPU_PRESSURE_MAX_CENTI);
    out_object_end(o);
}

/* --- The filters ----------------------------------------------------------------- */

static void put_conditions(struct out *o, const struct filter_row *row)
{
    char text[128];
    struct text t = text_on(text, sizeof text);

    for (size_t i = 0; i < FILTER_CONDITIONS_MAX && row->when[i].mask != 0; i++) {
        uint8_t mask[8], value[8];
        for (unsigned b = 0; b < 8; b++) {
            mask[b] = (uint8_t)(row->when[i].mask >> (56 - 8 * b));
            value[b] = (uint8_t)(row->when[i].value >> (56 - 8 * b));
        }
        text_adds(&t, i > 0 ? " and argument " : "argument ");
        text_add_number(&t, row->when[i].argument);
        text_adds(&t, " & ");
        text_add_hex(&t, mask, sizeof mask);
        text_adds(&t, " = ");
        text_add_hex(&t, value, sizeof value);
    }
    out_chars(o, "when", text);
}

static void put_row(struct out *o, const struct filter_row *row)
{
    out_object(o, NULL);
    out_chars(o, "call", row->call);
    out_u64(o, "number", row->number);
    put_conditions(o, row);
    out_chars(o, "verdict", filter_verdict_word(row->verdict));
    out_chars(o, "reason", row->reason);
    out_chars(o, "user", row->user);
    out_object_end(o);
}

static void put_filters(struct out *o)
{
    out_array(o, "filters");
    for (unsigned role = 0; role < FILTER_ROLES; role++) {
        size_t n;
        const struct filter_row *row = filter_rows((enum filter_role)role, &n);
        out_object(o, NULL);
        out_chars(o, "role", filter_role_word((enum filter_role)role));
        out_chars(o, "default", filter_verdict_word(filter_default((enum filter_role)role)));
        out_array(o, "rows");
        for (size_t i = 0; i < n; i++)
            put_row(o, &row[i]);
        out_array_end(o);
        out_object_end(o);
    }
    out_array_end(o);
}

/* --- The command ----------------------------------------------------------------- */

enum { MANIFEST, HOST, PROFILE, FILTERS, OPTIONS };

/* Only one of them, and a text byte for byte is no JSON. */
static int check_options(const struct option *option, bool json, struct err *err)
{
    size_t given = 0;

    for (size_t i = 0; i < OPTIONS; i++)
        given += option[i].value != NULL;
    if (given > 1)
        return err_set(err, ERR_USAGE, str_span("pins"), "one option at most");
    if (json && given == 1 && option[FILTERS].value == NULL)
        return err_set(err, ERR_USAGE, str_span("--json"),
                       "does not go with a text that is printed byte for byte");
    return 0;
}

int cmd_pins(struct command_line *line, struct out *o, struct err *err)
{
    struct option option[OPTIONS] = {[MANIFEST] = {"--manifest", true, false, NULL},
                                     [HOST] = {"--host", true, false, NULL},
                                     [PROFILE] = {"--profile", true, false, NULL},
                                     [FILTERS] = {"--filters", true, false, NULL}};
    struct pins *p = &line->rt->pins;
    size_t operands;

    if (options_parse(option, OPTIONS, NULL, 0, &operands, line->argc, line->argv, err) != 0 ||
        check_options(option, line->json, err) != 0 || pins_load(p, err) != 0)
        return -1;
    const struct span text = option[MANIFEST].value != NULL  ? p->manifest_text
                             : option[HOST].value != NULL    ? p->host_text
                             : option[PROFILE].value != NULL ? p->profile_text
                                                             : (struct span){NULL, 0};
    if (text.p != NULL)
        return file_write_all(o->fd, text.p, text.n, str_span("standard output"), err);
    if (option[FILTERS].value != NULL) {
        put_filters(o);
        return 0;
    }
    out_chars(o, "version", LEMA_VERSION);
    put_distribution(o, p);
    put_host_files(o, p);
    put_profile(o, p);
    put_limits(o);
    return 0;
}
