/* Stand-in for `leanchecker [-v] [--fresh] MODULE...`.
 *
 * As the real one it takes module names as prefixes, is silent without -v, and
 * ends with 1 at the first module it does not accept. It replays nothing: it
 * checks that a file is whole, that its imports can be had, that its axioms are
 * declared, and that no declaration is marked as rejected. */
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "files.h"

struct checker {
    bool verbose;
    bool fresh;
    struct list targets;
    struct environment path; /* only its search path is used */
};

/* Whether `name` is `prefix` or below it. */
static bool below(struct span name, struct span prefix)
{
    return name.n >= prefix.n && memcmp(name.p, prefix.p, prefix.n) == 0 &&
           (name.n == prefix.n || name.p[prefix.n] == '.');
}

static bool axiom_declared(const struct environment *e, struct span axiom)
{
    const struct decl *d = environment_find(e, axiom);

    return span_is(axiom, "sorryAx") || (d != NULL && d->kind == DECL_AXIOM);
}

static int check_decls(const struct environment *e, const struct module *m, struct text *why)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct decl *d = &m->decls[i];

        if (d->reject || environment_find(e, d->name) != d) {
            text_addf(why, "(kernel) %s '%s'", d->reject ? "rejects" : "already declared",
                      span_copy(d->name));
            return -1;
        }
        for (size_t k = 0; k < d->axioms.n; k++) {
            if (axiom_declared(e, d->axioms.items[k]))
                continue;
            text_addf(why, "(kernel) unknown constant '%s'", span_copy(d->axioms.items[k]));
            return -1;
        }
    }
    return 0;
}

/* The module itself, and with --fresh all that it imports. */
static int check_module(const struct checker *c, struct span name, struct text *why)
{
    struct environment e = {.path = c->path.path};

    if (environment_import(&e, name, why) != 0)
        return -1;
    for (size_t i = 0; i < e.n; i++) {
        if ((i == 0 || c->fresh) && check_decls(&e, &e.modules[i], why) != 0)
            return -1;
    }
    return 0;
}

static void replay(const struct checker *c, struct span name)
{
    struct text why = {0};

    if (c->verbose)
        say("replaying %s%s", span_copy(name), c->fresh ? " with --fresh" : "");
    if (check_module(c, name, &why) != 0)
        die(1, "leanchecker found a problem in %s\nuncaught exception: %s", span_copy(name),
            text_string(&why));
}

static void choose(const struct checker *c, struct list *chosen)
{
    struct list all = {0};

    environment_list(&c->path, &all);
    for (size_t i = 0; i < c->targets.n; i++) {
        bool found = false;

        for (size_t k = 0; k < all.n; k++) {
            if (!below(all.items[k], c->targets.items[i]) ||
                (c->fresh && !span_equal(all.items[k], c->targets.items[i])))
                continue;
            found = true;
            if (!list_has(chosen, all.items[k]))
                list_add(chosen, all.items[k]);
        }
        if (!found)
            die(1, "uncaught exception: Could not find any oleans for: %s",
                span_copy(c->targets.items[i]));
    }
}

int main(int argc, char **argv)
{
    struct checker c = {.verbose = false};
    struct text root = {0};
    struct list chosen = {0};
    const char *sysroot = getenv("LEAN_SYSROOT");

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0)
            c.verbose = true;
        else if (strcmp(argv[i], "--fresh") == 0)
            c.fresh = true;
        else if (argv[i][0] == '-')
            die(1, "stand-in leanchecker: no option '%s'", argv[i]);
        else if (!module_name_ok(span_of(argv[i])))
            die(1, "uncaught exception: Could not resolve module: %s", argv[i]);
        else
            list_add(&c.targets, span_of(argv[i]));
    }
    if (c.targets.n == 0)
        die(1, "uncaught exception: Could not resolve module: none was given");
    if (sysroot == NULL && own_root(2, &root) != 0)
        die(1, "failed to locate application");
    environment_start(&c.path, sysroot == NULL ? text_span(&root) : span_of(sysroot));
    choose(&c, &chosen);
    if (c.fresh && chosen.n != 1)
        die(1, "uncaught exception: --fresh flag is only valid when specifying a single module");
    for (size_t i = 0; i < chosen.n; i++)
        replay(&c, chosen.items[i]);
    return 0;
}
