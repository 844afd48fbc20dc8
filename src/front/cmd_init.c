/* init: make what a configuration names, write it, load it.  Layer: front.
 *
 * Specification 11.  What is there already and is right is used as it is, so that it
 * can be run again; another configuration is never replaced.  --home DIR lays out DIR/toolchains,
 * DIR/evidence, DIR/native.lock and DIR/runtime.json; the distribution of such a home
 * is DIR/toolchains/NAME, NAME from the pins. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/confine.h"
#include "front/command.h"
#include "host/file.h"
#include "host/walk.h"

#define LOCK_MODE 0600

/* --- One object ------------------------------------------------------------------ */

/* Walk to the directory that is to hold path, or holds it already.
 * name     out: its last component
 * returns  0 with the parent open, or -1 */
static int walk_parent(struct walk *parent, const char *path, const char **name, uid_t uid,
                       struct err *err)
{
    const char *slash = strrchr(path, '/');

    *name = slash + 1;
    if (slash == path)
        return err_set(err, ERR_PATH, str_span(path), "nothing of lema stands directly below /");
    return walk_path(parent, (struct span){(const uint8_t *)path, (size_t)(slash - path)},
                     WALK_DIRECTORY, O_RDONLY, uid, err);
}

/* Make a directory of mode 0700 unless it is there; then the walk judges it. */
static int make_directory(const char *path, uid_t uid, struct err *err)
{
    struct walk parent;
    const char *name;

    walk_init(&parent);
    if (walk_parent(&parent, path, &name, uid, err) != 0)
        return -1;
    int fd = file_directory(parent.fd, name, uid, err);
    walk_close(&parent);
    if (fd < 0)
        return -1;
    fd_close(&fd);
    return 0;
}

/* Make the lock file of mode 0600 unless it is there. */
static int make_lock(const char *path, uid_t uid, struct err *err)
{
    struct walk parent;
    struct stat st;
    const char *name;
    bool missing = false;
    struct err why;

    walk_init(&parent);
    err_clear(&why);
    if (walk_parent(&parent, path, &name, uid, err) != 0)
        return -1;
    int fd = walk_component(parent.fd, name, WALK_FILE, O_RDONLY, uid, false, str_span(path), &st,
                            &missing, &why);
    if (fd < 0 && missing)
        fd = walk_create(parent.fd, name, LOCK_MODE, str_span(path), err);
    else if (fd < 0)
        *err = why;
    int result = fd < 0 ? -1 : 0;
    if (result == 0 && missing)
        result = file_sync_directory(parent.fd, str_span(path), err);
    fd_close(&fd);
    walk_close(&parent);
    return result;
}

/* Is this the configuration of the layout?  A budget that was added is the operator's. */
static int compare_config(const struct config *there, const struct config *wanted, const char *path,
                          struct err *err)
{
    if (strcmp(there->distribution, wanted->distribution) == 0 &&
        strcmp(there->output, wanted->output) == 0 &&
        strcmp(there->shared_lock, wanted->shared_lock) == 0)
        return 0;
    return err_set(err, ERR_CONFIG, str_span(path),
                   "is there already, and another; it is not replaced");
}

/* Write the configuration durably, if none is there. */
static int write_config(const char *path, const struct config *config, uid_t uid, struct err *err)
{
    static char buffer[CONFIG_BYTES_MAX + 1];
    struct text t = text_on(buffer, sizeof buffer);
    struct file_pending file;
    struct walk parent;
    const char *name;

    walk_init(&parent);
    file_init(&file);
    config_write(&t, config);
    if (t.overflow)
        return err_set(err, ERR_CONFIG, str_span(path),
                       "its paths are not UTF-8, or make it longer than %u bytes",
                       CONFIG_BYTES_MAX);
    if (walk_parent(&parent, path, &name, uid, err) != 0)
        return -1;
    int result = 0;
    if (faccessat(parent.fd, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        result = file_begin(&file, parent.fd, name, 0, err);
        if (result == 0)
            result = file_write_all(file.fd, buffer, t.n, str_span(path), err);
        if (result == 0)
            result = file_commit(&file, err);
        file_abandon(&file);
    }
    walk_close(&parent);
    return result;
}

/* --- What is asked for ----------------------------------------------------------- */

enum { DISTRIBUTION, OUTPUT, LOCK, HOME, OPTIONS };

/* Join a home and a name. */
static int place(char *to, const char *home, const char *name, struct err *err)
{
    struct text t = text_on(to, PATH_BYTES_MAX + 1);

    text_adds(&t, home);
    text_adds(&t, "/");
    text_adds(&t, name);
    if (t.overflow)
        return err_set(err, ERR_PATH, str_span(home), "longer than %u bytes with what is below it",
                       PATH_BYTES_MAX);
    return 0;
}

struct layout {
    struct config config;
    char path[PATH_BYTES_MAX + 1]; /* of the configuration */
};

static int layout_home(struct layout *l, const char *home, const struct runtime *rt,
                       struct err *err)
{
    char absolute[PATH_BYTES_MAX + 1], toolchains[PATH_BYTES_MAX + 1];

    if (command_absolute(home, absolute, err) != 0 ||
        place(toolchains, absolute, "toolchains", err) != 0 ||
        place(l->config.output, absolute, "evidence", err) != 0 ||
        place(l->config.shared_lock, absolute, "native.lock", err) != 0 ||
        place(l->path, absolute, "runtime.json", err) != 0 ||
        place(l->config.distribution, toolchains, rt->pins.manifest.name, err) != 0)
        return -1;
    if (make_directory(absolute, rt->uid, err) != 0)
        return -1;
    return make_directory(toolchains, rt->uid, err);
}

static int layout_options(struct layout *l, const struct option *option, const char *path,
                          struct err *err)
{
    if (command_absolute(option[DISTRIBUTION].value, l->config.distribution, err) != 0 ||
        command_absolute(option[OUTPUT].value, l->config.output, err) != 0 ||
        command_absolute(option[LOCK].value, l->config.shared_lock, err) != 0)
        return -1;
    return command_absolute(path, l->path, err);
}

/* Either --home alone, or the three and a path. */
static int check_options(const struct option *option, size_t operands, struct err *err)
{
    bool any = option[DISTRIBUTION].value != NULL || option[OUTPUT].value != NULL ||
               option[LOCK].value != NULL || operands > 0;
    bool all = option[DISTRIBUTION].value != NULL && option[OUTPUT].value != NULL &&
               option[LOCK].value != NULL && operands == 1;

    if (option[HOME].value != NULL && any)
        return err_set(err, ERR_USAGE, str_span("--home"), "stands alone");
    if (option[HOME].value == NULL && !all)
        return err_set(err, ERR_USAGE, str_span("init"),
                       "needs --distribution D --output O --lock L CONFIG, or --home DIR");
    return 0;
}

/* Before anything is made: a distribution that is named must be one that the rules
 * allow, so that a slip leaves everything as it was. */
static int look_at_distribution(const char *path, uid_t uid, struct err *err)
{
    struct walk w;

    walk_init(&w);
    int result = walk_path(&w, str_span(path), WALK_DIRECTORY, O_RDONLY, uid, err);
    walk_close(&w);
    return result;
}

/* In a home a distribution must be put where the pins expect it before it can
 * be loaded; the layout stands then, and a second run loads it. */
static int explain_missing(const struct layout *l, struct out *o, struct err *err)
{
    if (access(l->config.distribution, F_OK) == 0 || errno != ENOENT)
        return 0;
    out_chars(o, "missing", l->config.distribution);
    return err_set(err, ERR_PATH, str_span(l->config.distribution),
                   "the layout is made; put the pinned distribution here, then run "
                   "lema init again");
}

int cmd_init(struct command_line *line, struct out *o, struct err *err)
{
    struct option option[OPTIONS] = {[DISTRIBUTION] = {"--distribution", false, false, NULL},
                                     [OUTPUT] = {"--output", false, false, NULL},
                                     [LOCK] = {"--lock", false, false, NULL},
                                     [HOME] = {"--home", false, false, NULL}};
    static struct layout l;
    const char *path = NULL;
    struct runtime *rt = line->rt;
    size_t operands;

    if (options_parse(option, OPTIONS, &path, 1, &operands, line->argc, line->argv, err) != 0 ||
        check_options(option, operands, err) != 0 || runtime_start(rt, err) != 0 ||
        confine_monitor(err) != 0)
        return -1;
    if ((option[HOME].value != NULL ? layout_home(&l, option[HOME].value, rt, err)
                                    : layout_options(&l, option, path, err)) != 0)
        return -1;
    if (option[HOME].value == NULL &&
        look_at_distribution(l.config.distribution, rt->uid, err) != 0)
        return -1;
    if (make_directory(l.config.output, rt->uid, err) != 0 ||
        make_lock(l.config.shared_lock, rt->uid, err) != 0 ||
        write_config(l.path, &l.config, rt->uid, err) != 0)
        return -1;
    if (option[HOME].value != NULL && explain_missing(&l, o, err) != 0)
        return -1;
    if (runtime_load(rt, str_span(l.path), RUNTIME_WHOLE, NULL, err) != 0 ||
        compare_config(&rt->config, &l.config, l.path, err) != 0)
        return -1;
    out_chars(o, "configuration", l.path);
    out_chars(o, "distribution", l.config.distribution);
    out_chars(o, "output", l.config.output);
    out_chars(o, "shared_lock", l.config.shared_lock);
    out_chars(o, "distribution_name", rt->pins.manifest.name);
    out_digest(o, "distribution_id", &rt->pins.distribution_id);
    out_u64(o, "distribution_entries", rt->pins.manifest.n);
    return 0;
}
