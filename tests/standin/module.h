/* The stand-in's .olean: a text that says what a module declares.
 *
 *     lema-stand-in olean v1: text, not made by Lean
 *     module A.B
 *     import Init
 *     decl theorem NAME HASH ok AXIOM...
 *     decl def NAME HASH ok
 *     decl axiom NAME HASH ok NAME
 *     end 3
 *
 * HASH is FNV-1a of the declaration's text, 16 hex digits, so that a changed
 * body changes the file. `reject` in place of `ok` marks a declaration that
 * leanchecker shall not accept. The axioms are all of them, those of used
 * declarations included, in order of first use. */
#ifndef STANDIN_MODULE_H
#define STANDIN_MODULE_H

#include "text.h"

enum decl_kind { DECL_THEOREM, DECL_DEF, DECL_AXIOM };

struct decl {
    enum decl_kind kind;
    struct span name;
    uint64_t hash;
    bool reject;
    struct list axioms;
};

struct module {
    struct span name;
    struct list imports;
    struct decl *decls;
    size_t n;
    size_t room;
};

void module_add(struct module *m, const struct decl *d);
const struct decl *module_find(const struct module *m, struct span name);
/* Dotted components, none empty, no byte that a path or a line could not hold. */
bool module_name_ok(struct span name);
void module_print(const struct module *m, struct text *out);
/* Strict: returns -1 and the reason, with its line, for anything that
 * module_print would not write. The module borrows from `bytes`. */
int module_parse(struct span bytes, struct module *m, struct text *why);

#endif
