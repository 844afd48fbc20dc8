/* Where modules are found and what has been imported: see environment.h. */
#include "environment.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"

#define FOLDER_DEPTH_MAX 64u

static struct span joined(struct span folder, const char *between, struct span name)
{
    struct text t = {0};

    text_add(&t, folder);
    text_add_string(&t, between);
    text_add(&t, name);
    return (struct span){text_string(&t), t.n};
}

void environment_start(struct environment *e, struct span root)
{
    const char *variable = getenv("LEAN_PATH");
    struct span rest = span_of(variable == NULL ? "" : variable);

    while (rest.n > 0)
        list_add(&e->path, span_take(&rest, ':'));
    list_add(&e->path, joined(root, "/lib/lean", span_of("")));
}

static void not_found(const struct environment *e, struct span package, struct text *why)
{
    char *p = span_copy(package);

    text_addf(why,
              "unknown module prefix '%s'\n\nNo directory '%s' or file '%s.olean' in the search "
              "path entries:",
              p, p, p);
    for (size_t i = 0; i < e->path.n; i++) {
        text_add_string(why, "\n");
        text_add(why, e->path.items[i]);
    }
}

int environment_locate(const struct environment *e, struct span name, struct text *file,
                       struct text *why)
{
    struct span rest = name;
    struct span package = span_take(&rest, '.');

    for (size_t i = 0; i < e->artifact_names.n; i++) {
        if (span_equal(e->artifact_names.items[i], name)) {
            text_add(file, e->artifact_files.items[i]);
            return 0;
        }
    }
    for (size_t i = 0; i < e->path.n; i++) {
        struct span folder = joined(e->path.items[i], "/", package);
        struct span whole = joined(folder, ".olean", span_of(""));

        if (!is_directory(folder.p) && !file_exists(whole.p))
            continue;
        text_add(file, e->path.items[i]);
        for (rest = name; rest.n > 0;) {
            text_add_string(file, "/");
            text_add(file, span_take(&rest, '.'));
        }
        text_add_string(file, ".olean");
        return 0;
    }
    not_found(e, package, why);
    return -1;
}

static bool imported(const struct environment *e, struct span name)
{
    for (size_t i = 0; i < e->n; i++) {
        if (span_equal(e->modules[i].name, name))
            return true;
    }
    return false;
}

int environment_import(struct environment *e, struct span name, struct text *why)
{
    struct module m = {.n = 0};
    struct span bytes;
    struct text file = {0};

    if (imported(e, name))
        return 0;
    if (environment_locate(e, name, &file, why) != 0)
        return -1;
    if (file_map(text_string(&file), &bytes) != 0) {
        if (errno == ENOENT)
            text_addf(why, "object file '%s' of module %s does not exist", file.p, span_copy(name));
        else
            text_addf(why, "failed to read file '%s': %s", file.p, strerror(errno));
        return -1;
    }
    if (module_parse(bytes, &m, why) != 0 || !span_equal(m.name, name)) {
        if (why->n == 0)
            text_add_string(why, "it names another module");
        text_addf(why, ": failed to read file '%s', invalid header", file.p);
        return -1;
    }
    e->modules = grow(e->modules, e->n, &e->room, sizeof *e->modules);
    e->modules[e->n++] = m;
    for (size_t i = 0; i < m.imports.n; i++) {
        if (environment_import(e, m.imports.items[i], why) != 0)
            return -1;
    }
    return 0;
}

const struct decl *environment_find(const struct environment *e, struct span name)
{
    const struct decl *found = NULL;

    for (size_t i = 0; i < e->n && found == NULL; i++)
        found = module_find(&e->modules[i], name);
    return found;
}

static void list_folder(struct span folder, struct span prefix, unsigned depth, struct list *names)
{
    DIR *d = depth == 0 ? NULL : opendir(folder.p);
    struct dirent *entry;
    struct stat st;

    if (d == NULL)
        return;
    while ((entry = readdir(d)) != NULL) {
        struct span name = span_of(entry->d_name);
        struct span path = joined(folder, "/", name);

        if (name.p[0] == '.' || lstat(path.p, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode)) {
            list_folder(path, joined(joined(prefix, "", name), ".", span_of("")), depth - 1, names);
        } else if (span_ends(name, ".olean")) {
            struct span module = joined(prefix, "", (struct span){name.p, name.n - 6});

            if (!list_has(names, module))
                list_add(names, module);
        }
    }
    closedir(d);
}

void environment_list(const struct environment *e, struct list *names)
{
    for (size_t i = 0; i < e->path.n; i++)
        list_folder(joined(e->path.items[i], "", span_of("")), span_of(""), FOLDER_DEPTH_MAX,
                    names);
    list_sort(names);
}
