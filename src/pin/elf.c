/* A bounded reader of ELF files.  Layout: elf(5). */
#include "pin/elf.h"

#include <elf.h>
#include <string.h>

#include "base/num.h"

struct parse {
    struct elf *e;
    struct span file, shown;
    struct err *err;
    size_t n; /* program headers */
    Elf64_Phdr header[ELF_HEADERS_MAX];
    struct span strings; /* DT_STRTAB */
};

static int refuse(const struct parse *p, const char *why)
{
    err_set(p->err, ERR_PINS, p->shown, "%s", why);
    return -1;
}

bool elf_is(struct span file)
{
    return file.n >= SELFMAG && memcmp(file.p, ELFMAG, SELFMAG) == 0;
}

/* size bytes at an offset of the file. */
static bool slice(struct span file, uint64_t offset, uint64_t size, struct span *out)
{
    uint64_t end;
    if (!num_add(offset, size, &end) || end > file.n)
        return false;
    *out = (struct span){file.p + offset, (size_t)size};
    return true;
}

/* The string that begins at an offset of s and ends in it. */
static bool string_at(struct span s, uint64_t offset, struct span *out)
{
    if (offset >= s.n)
        return false;
    const uint8_t *begin = s.p + offset;
    const uint8_t *end = memchr(begin, '\0', s.n - (size_t)offset);
    if (end == NULL)
        return false;
    *out = (struct span){begin, (size_t)(end - begin)};
    return true;
}

static int read_headers(struct parse *p)
{
    Elf64_Ehdr h;
    struct span table;
    if (p->file.n < sizeof h)
        return refuse(p, "is too short for an ELF file");
    memcpy(&h, p->file.p, sizeof h);
    if (!elf_is(p->file) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_X86_64)
        return refuse(p, "is not an ELF file for x86_64");
    if (h.e_phnum > ELF_HEADERS_MAX || (h.e_phnum > 0 && h.e_phentsize != sizeof(Elf64_Phdr)))
        return refuse(p, "has program headers of an unknown form");
    if (!slice(p->file, h.e_phoff, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr), &table))
        return refuse(p, "has program headers beyond its end");
    p->n = h.e_phnum;
    if (p->n > 0)
        memcpy(p->header, table.p, table.n);
    return 0;
}

static const Elf64_Phdr *find_header(const struct parse *p, uint32_t type)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->header[i].p_type == type)
            return &p->header[i];
    return NULL;
}

/* The bytes from a virtual address on, as far as the file has them. */
static bool at_address(const struct parse *p, uint64_t address, struct span *out)
{
    for (size_t i = 0; i < p->n; i++) {
        const Elf64_Phdr *h = &p->header[i];
        if (h->p_type != PT_LOAD || address < h->p_vaddr || address - h->p_vaddr >= h->p_filesz)
            continue;
        uint64_t skip = address - h->p_vaddr;
        uint64_t offset;
        return num_add(h->p_offset, skip, &offset) &&
               slice(p->file, offset, h->p_filesz - skip, out);
    }
    return false;
}

/* One entry of the dynamic section; strings are only known after a first pass. */
static int take_entry(struct parse *p, const Elf64_Dyn *d, bool *has_runpath)
{
    struct elf *e = p->e;
    struct span s;
    if (d->d_tag != DT_NEEDED && d->d_tag != DT_RUNPATH && d->d_tag != DT_RPATH)
        return 0;
    if (!string_at(p->strings, d->d_un.d_val, &s))
        return refuse(p, "has a dynamic string beyond its string table");
    if (d->d_tag == DT_NEEDED) {
        if (e->needed_n == ELF_NEEDED_MAX)
            return refuse(p, "needs too many libraries");
        e->needed[e->needed_n++] = s;
    } else if (d->d_tag == DT_RUNPATH || !*has_runpath) {
        e->runpath = s;
        *has_runpath = *has_runpath || d->d_tag == DT_RUNPATH;
    }
    return 0;
}

static int find_strings(struct parse *p, struct span dynamic)
{
    uint64_t address = 0, size = 0;
    for (size_t i = 0; i + sizeof(Elf64_Dyn) <= dynamic.n; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn d;
        memcpy(&d, dynamic.p + i, sizeof d);
        if (d.d_tag == DT_NULL)
            break;
        if (d.d_tag == DT_STRTAB)
            address = d.d_un.d_ptr;
        else if (d.d_tag == DT_STRSZ)
            size = d.d_un.d_val;
    }
    if (size == 0)
        return 0; /* nothing named, nothing needed */
    if (!at_address(p, address, &p->strings) || size > p->strings.n)
        return refuse(p, "has a string table beyond its end");
    p->strings.n = (size_t)size;
    return 0;
}

static int read_dynamic(struct parse *p)
{
    const Elf64_Phdr *h = find_header(p, PT_DYNAMIC);
    struct span dynamic;
    bool has_runpath = false;
    if (h == NULL)
        return 0;
    if (!slice(p->file, h->p_offset, h->p_filesz, &dynamic))
        return refuse(p, "has a dynamic section beyond its end");
    if (find_strings(p, dynamic) != 0)
        return -1;
    for (size_t i = 0; i + sizeof(Elf64_Dyn) <= dynamic.n; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn d;
        memcpy(&d, dynamic.p + i, sizeof d);
        if (d.d_tag == DT_NULL)
            return 0;
        if (take_entry(p, &d, &has_runpath) != 0)
            return -1;
    }
    return 0;
}

static int read_interpreter(struct parse *p)
{
    const Elf64_Phdr *h = find_header(p, PT_INTERP);
    struct span bytes;
    if (h == NULL)
        return 0;
    if (!slice(p->file, h->p_offset, h->p_filesz, &bytes) ||
        !string_at(bytes, 0, &p->e->interpreter))
        return refuse(p, "has an interpreter's name beyond its end");
    return 0;
}

int elf_parse(struct elf *e, struct span file, struct span shown, struct err *err)
{
    struct parse p = {.e = e, .file = file, .shown = shown, .err = err};
    memset(e, 0, sizeof *e);
    if (read_headers(&p) != 0 || read_interpreter(&p) != 0 || read_dynamic(&p) != 0)
        return -1;
    return 0;
}
