/* lema-pin host: the files of a host that lema trusts (specification 2).
 *
 * Which libraries a program loads is read from the ELF files, in the order its
 * dynamic loader would search (ld.so(8)): the runpath of the file that needs
 * them, the directories of /etc/ld.so.conf, the standard ones.  Libraries that a
 * program only asks for while it runs (dlopen) are not found this way. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/kernel.h"
#include "host/pins.h"
#include "pin/elf.h"
#include "pin/pin.h"

struct row {
    enum host_role role;
    char *path;
    char *seen; /* "" but for lib */
    struct digest sha256;
};

/* A file whose needs are to be found. */
struct object {
    bool own; /* of the distribution; otherwise of the host, below its root */
    char *path;
};

struct search {
    const char *root;
    enum host_role role; /* HOST_DEP or HOST_LIB */
    struct row **row;
    size_t rows;
    char **directory; /* where a loader looks by itself, in the root */
    size_t directories;
    char *library_home; /* where a sandbox shows libraries: the loader's own directory */
    struct object *object;
    size_t objects;
};

/* --- Rows ------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = (x->role > y->role) - (x->role < y->role);
    if (order == 0)
        order = strcmp(x->path, y->path);
    return order != 0 ? order : strcmp(x->seen, y->seen);
}

/* returns  false if it is there already */
static bool add_row(struct search *s, enum host_role role, const char *path, const char *seen)
{
    const struct row like = {.role = role, .path = pin_join(path), .seen = pin_join(seen)};
    for (size_t i = 0; i < s->rows; i++)
        if (compare_rows(s->row[i], &like) == 0)
            return false;
    if (s->rows == HOST_FILES_MAX)
        pin_die(path, "more than %u files", HOST_FILES_MAX);
    struct row *row = pin_grow(NULL, 1, sizeof *row);
    *row = like;
    struct span bytes = pin_read(pin_join(s->root, path));
    sha256_of(bytes.p, bytes.n, &row->sha256);
    s->row = pin_grow(s->row, s->rows + 1, sizeof(struct row *));
    s->row[s->rows++] = row;
    return true;
}

static void add_object(struct search *s, bool own, char *path)
{
    s->object = pin_grow(s->object, s->objects + 1, sizeof *s->object);
    s->object[s->objects++] = (struct object){own, path};
}

/* --- Where a loader looks ----------------------------------------------------------------- */

static void add_directory(struct search *s, const char *path)
{
    s->directory = pin_grow(s->directory, s->directories + 1, sizeof(char *));
    s->directory[s->directories++] = pin_join(path);
}

static bool is_file(const char *root, const char *path)
{
    struct stat st;
    return stat(pin_join(root, path), &st) == 0 && S_ISREG(st.st_mode);
}

/* /etc/ld.so.conf and what it includes, one directory a line. */
static void read_conf(struct search *s, const char *path)
{
    char *real = pin_resolve(s->root, path);
    if (real == NULL || !is_file(s->root, real))
        return;
    struct span rest = pin_read(pin_join(s->root, real)), line;
    while (kernel_next_line(&rest, &line)) {
        while (line.n > 0 && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '/'))
            line.n--;
        if (line.n > 0 && line.p[0] == '/')
            add_directory(s, pin_copy(line));
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* "include" names always mean these files, in the order of their names. */
static void read_conf_directory(struct search *s, const char *path)
{
    char **name = NULL;
    size_t n = 0;
    char *real = pin_resolve(s->root, path);
    DIR *dir = real != NULL ? opendir(pin_join(s->root, real)) : NULL;
    if (dir == NULL)
        return;
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        size_t length = strlen(d->d_name);
        if (length < 5 || strcmp(d->d_name + length - 5, ".conf") != 0)
            continue;
        name = pin_grow(name, n + 1, sizeof(char *));
        name[n++] = pin_join(d->d_name);
    }
    closedir(dir);
    if (n > 0)
        pin_sort((void **)name, n, compare_names);
    for (size_t i = 0; i < n; i++)
        read_conf(s, pin_join(path, "/", name[i]));
}

static void find_directories(struct search *s)
{
    static const char *const standard[] = {"/lib/x86_64-linux-gnu",
                                           "/usr/lib/x86_64-linux-gnu",
                                           "/lib64",
                                           "/usr/lib64",
                                           "/lib",
                                           "/usr/lib"};
    read_conf_directory(s, "/etc/ld.so.conf.d");
    read_conf(s, "/etc/ld.so.conf");
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++) {
        add_directory(s, standard[i]);
        if (s->library_home == NULL && pin_resolve(s->root, pin_join(standard[i], "/libc.so.6")))
            s->library_home = pin_join(standard[i]);
    }
    if (s->library_home == NULL)
        s->library_home = pin_join("/lib");
}

/* --- What an object needs -------------------------------------------------------------------- */

/* A file of the image.  The loader of a sandbox has no cache and no hwcaps variants, so there a
 * library is shown once; on the host the variant for this processor may be the one loaded. */
static bool take(struct search *s, const char *directory, const char *name, const char *seen)
{
    static const char *const variants[] = {"/", "/glibc-hwcaps/x86-64-v4/",
                                           "/glibc-hwcaps/x86-64-v3/", "/glibc-hwcaps/x86-64-v2/"};
    const size_t n = s->role == HOST_DEP ? sizeof variants / sizeof variants[0] : 1;
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        char *path = pin_resolve(s->root, pin_join(directory, variants[i], name));
        if (path == NULL || !is_file(s->root, path))
            continue;
        found = true;
        if (add_row(s, s->role, path, seen))
            add_object(s, false, path);
    }
    return found;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return pin_copy(
        (struct span){(const uint8_t *)path, slash != NULL ? (size_t)(slash - path) : 0});
}

/* One directory of a runpath: "$ORIGIN/../lib".  A program of the distribution finds its own
 * libraries so; they are in the manifest and need no row, but their needs count. */
static bool take_runpath(struct search *s, const struct object *o, struct span part,
                         const char *name)
{
    char *path = pin_copy(part);
    const char *below = NULL;
    if (strncmp(path, "$ORIGIN", 7) == 0)
        below = path + 7;
    else if (strncmp(path, "${ORIGIN}", 9) == 0)
        below = path + 9;
    const char *seen = s->role == HOST_LIB ? pin_join(path, "/", name) : "";
    if (below == NULL)
        return path[0] == '/' && take(s, path, name, seen);
    char *directory = pin_join(directory_of(o->path), below);
    if (!o->own)
        return take(s, directory, name, s->role == HOST_LIB ? pin_join(directory, "/", name) : "");
    char *real = pin_resolve("", pin_join(directory, "/", name));
    if (real == NULL || !is_file("", real))
        return false;
    for (size_t i = 0; i < s->objects; i++)
        if (s->object[i].own && strcmp(s->object[i].path, real) == 0)
            return true;
    add_object(s, true, real);
    return true;
}

static bool take_by_runpath(struct search *s, const struct object *o, struct span runpath,
                            const char *name)
{
    while (runpath.n > 0) {
        size_t n = 0;
        while (n < runpath.n && runpath.p[n] != ':')
            n++;
        if (n > 0 && take_runpath(s, o, (struct span){runpath.p, n}, name))
            return true;
        n += n < runpath.n;
        runpath = (struct span){runpath.p + n, runpath.n - n};
    }
    return false;
}

static void take_needed(struct search *s, const struct object *o, const struct elf *e,
                        const char *name)
{
    const char *seen = s->role == HOST_LIB ? pin_join(s->library_home, "/", name) : "";
    if (strchr(name, '/') != NULL)
        pin_die(o->path, "needs a library by its path: %s", name);
    if (take_by_runpath(s, o, e->runpath, name))
        return;
    for (size_t i = 0; i < s->directories; i++)
        if (take(s, s->directory[i], name, seen))
            return;
    pin_die(o->path, "needs %s, which is in no directory that a loader searches", name);
}

/* A sandbox shows the loader once, where the programs ask for it.  glibc's libraries also need
 * it by its file name, and musl's loader is its libc. */
static bool is_loader(const struct search *s, const char *name)
{
    for (size_t i = 0; i < s->rows && s->role == HOST_LIB; i++) {
        const char *slash = strrchr(s->row[i]->seen, '/');
        const char *file = slash != NULL ? slash + 1 : "";
        if (strncmp(file, "ld-", 3) == 0 && strcmp(file, name) == 0)
            return true;
        if (strncmp(file, "ld-musl-", 8) == 0 && strcmp(name, "libc.so") == 0)
            return true;
    }
    return false;
}

static void find_needs(struct search *s, const struct object *o)
{
    struct elf e;
    struct err err;
    err_clear(&err);
    struct span file = pin_read(o->own ? o->path : pin_join(s->root, o->path));
    if (!elf_is(file)) {
        pin_note(o->path, "is not an ELF file: what it needs is not looked for");
        return;
    }
    if (elf_parse(&e, file, str_span(o->path), &err) != 0)
        pin_die_err(&err);
    if (e.interpreter.n > 0) {
        char *name = pin_copy(e.interpreter);
        char *real = pin_resolve(s->root, name);
        if (real == NULL)
            pin_die(o->path, "needs the loader %s, which does not exist", name);
        add_row(s, s->role, real, s->role == HOST_LIB ? name : "");
    }
    for (size_t i = 0; i < e.needed_n; i++) {
        char *name = pin_copy(e.needed[i]);
        if (!is_loader(s, name))
            take_needed(s, o, &e, name);
    }
}

/* Objects are added while the list is worked through. */
static void find_all_needs(struct search *s)
{
    for (size_t i = 0; i < s->objects; i++) {
        const struct object o = s->object[i];
        find_needs(s, &o);
    }
    s->objects = 0;
}

/* --- The command ------------------------------------------------------------------------------ */

static void find_program(struct search *s, enum host_role role)
{
    static const char *const places[] = {"/usr/bin/", "/bin/"};
    const char *name = host_role_word(role);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char *path = pin_resolve(s->root, pin_join(places[i], name));
        if (path == NULL || !is_file(s->root, path))
            continue;
        add_row(s, role, path, "");
        add_object(s, false, path);
        return;
    }
    pin_note(name, "is not there: this lema will refuse what needs it");
}

static void print_rows(struct search *s)
{
    struct pin_text text = {NULL, 0, 0};
    struct err err;
    err_clear(&err);
    if (s->rows > 0)
        pin_sort((void **)s->row, s->rows, compare_rows);
    pin_add(&text, "lema-host v1\n");
    for (size_t i = 0; i < s->rows; i++) {
        const struct row *r = s->row[i];
        char hex[DIGEST_HEX_BYTES];
        digest_hex(&r->sha256, hex);
        pin_add(&text, "%s %s %s%s%s\n", host_role_word(r->role), hex, r->path,
                r->seen[0] != '\0' ? " " : "", r->seen);
    }
    struct pins *pins = pin_grow(NULL, 1, sizeof *pins);
    if (pins_host_parse(pins, (struct span){(const uint8_t *)text.p, text.n}, &err) != 0)
        pin_die_err(&err);
    pin_print(&text);
}

int pin_host(const char *root, char *const *programs, size_t n)
{
    struct search s = {.root = root, .role = HOST_DEP};
    find_directories(&s);
    find_program(&s, HOST_BWRAP);
    find_program(&s, HOST_SYSTEMD_RUN);
    find_program(&s, HOST_SYSTEMCTL);
    find_all_needs(&s);
    s.role = HOST_LIB;
    for (size_t i = 0; i < n; i++) {
        char *path = realpath(programs[i], NULL);
        if (path == NULL)
            pin_die_errno(programs[i], errno);
        add_object(&s, true, path);
    }
    find_all_needs(&s);
    print_rows(&s);
    return 0;
}
