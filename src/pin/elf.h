/* What a dynamic ELF file asks its loader for.
 *
 * Reads a whole file in memory and believes none of its numbers: every offset
 * is checked against the file before it is used.  64-bit x86 only. */
#ifndef LEMA_PIN_ELF_H
#define LEMA_PIN_ELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define ELF_NEEDED_MAX 128u
#define ELF_HEADERS_MAX 256u

struct elf {
    struct span interpreter; /* PT_INTERP; empty if there is none */
    struct span runpath;     /* DT_RUNPATH, otherwise DT_RPATH; empty if there is none */
    size_t needed_n;
    struct span needed[ELF_NEEDED_MAX]; /* DT_NEEDED, in order */
};

/* True if the file begins as an ELF file. */
bool elf_is(struct span file);

/* Read it.  The spans borrow from file.
 * returns  0 (a static program has an empty struct elf), or -1 with ERR_PINS */
int elf_parse(struct elf *e, struct span file, struct span shown, struct err *err);

#endif
