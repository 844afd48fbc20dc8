/* pin/elf: what a dynamic file asks its loader for, and which files are none.  lema-pin is not
 * part of the library that tests link: its reader is compiled in here. */
#include "pin/elf.c"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

/* A made-up file: header, program headers, dynamic section, strings. */
#define HEADERS 3u
#define ENTRIES 8u
#define STRINGS "\0libc.so.6\0libm.so.6\0$ORIGIN/../lib:/opt\0/rpath"
#define ADDRESS 0x400000u

struct image {
    Elf64_Ehdr header;
    Elf64_Phdr program[HEADERS];
    Elf64_Dyn dynamic[ENTRIES];
    char interpreter[16];
    char strings[sizeof STRINGS];
};

static struct image good_image(void)
{
    struct image i;
    memset(&i, 0, sizeof i);
    memcpy(i.header.e_ident, ELFMAG, SELFMAG);
    i.header.e_ident[EI_CLASS] = ELFCLASS64;
    i.header.e_ident[EI_DATA] = ELFDATA2LSB;
    i.header.e_machine = EM_X86_64;
    i.header.e_phoff = offsetof(struct image, program);
    i.header.e_phnum = HEADERS;
    i.header.e_phentsize = sizeof(Elf64_Phdr);
    i.program[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = ADDRESS, .p_filesz = sizeof i};
    i.program[1] = (Elf64_Phdr){.p_type = PT_INTERP,
                                .p_offset = offsetof(struct image, interpreter),
                                .p_filesz = sizeof i.interpreter};
    i.program[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                .p_offset = offsetof(struct image, dynamic),
                                .p_filesz = sizeof i.dynamic};
    i.dynamic[0] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 1};
    i.dynamic[1] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 11};
    i.dynamic[2] = (Elf64_Dyn){.d_tag = DT_RUNPATH, .d_un.d_val = 21};
    i.dynamic[3] = (Elf64_Dyn){.d_tag = DT_RPATH, .d_un.d_val = 41};
    i.dynamic[4] =
        (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un.d_ptr = ADDRESS + offsetof(struct image, strings)};
    i.dynamic[5] = (Elf64_Dyn){.d_tag = DT_STRSZ, .d_un.d_val = sizeof i.strings};
    memcpy(i.interpreter, "/lib64/ld.so", 13);
    memcpy(i.strings, STRINGS, sizeof i.strings);
    return i;
}

static int parse(const struct image *i, struct elf *e, struct err *err)
{
    err_clear(err);
    return elf_parse(e, (struct span){(const uint8_t *)i, sizeof *i}, str_span("file"), err);
}

static void check_good(void)
{
    struct image i = good_image();
    struct elf e;
    struct err err;
    CHECK(parse(&i, &e, &err) == 0, "a dynamic file is read (%s)", err.why);
    CHECK(str_is(e.interpreter, "/lib64/ld.so"), "its interpreter");
    CHECK(e.needed_n == 2 && str_is(e.needed[0], "libc.so.6") && str_is(e.needed[1], "libm.so.6"),
          "its libraries in order");
    CHECK(str_is(e.runpath, "$ORIGIN/../lib:/opt"), "its runpath, which wins over an rpath");
    i.dynamic[2].d_tag = DT_DEBUG;
    CHECK(parse(&i, &e, &err) == 0 && str_is(e.runpath, "/rpath"), "an rpath counts alone");
    i.dynamic[0].d_tag = DT_NULL;
    CHECK(parse(&i, &e, &err) == 0 && e.needed_n == 0 && e.runpath.n == 0,
          "DT_NULL ends the section");
    i = good_image();
    i.header.e_phnum = 2;
    CHECK(parse(&i, &e, &err) == 0 && e.needed_n == 0 && e.interpreter.n == 12,
          "a file without a dynamic section needs nothing");
    i.header.e_phnum = 0;
    CHECK(parse(&i, &e, &err) == 0 && e.interpreter.n == 0, "a file without headers neither");
    CHECK(elf_is(str_span("\x7f"
                          "ELF")) &&
              !elf_is(str_span("#!/bin/sh\n")) && !elf_is(str_span("")),
          "ELF files begin as such");
}

/* Each row writes one number into a good image. */
static const struct {
    size_t offset, size;
    uint64_t value;
    const char *why;
} bad[] = {
#define AT(member) offsetof(struct image, member), sizeof(((struct image *)NULL)->member)
    {AT(header.e_ident[0]), 0, "is not an ELF file"},
    {AT(header.e_ident[EI_CLASS]), ELFCLASS32, "is not an ELF file for x86_64"},
    {AT(header.e_ident[EI_DATA]), ELFDATA2MSB, "is not an ELF file for x86_64"},
    {AT(header.e_machine), EM_AARCH64, "is not an ELF file for x86_64"},
    {AT(header.e_phentsize), 32, "program headers of an unknown form"},
    {AT(header.e_phnum), ELF_HEADERS_MAX + 1, "program headers of an unknown form"},
    {AT(header.e_phnum), 100, "program headers beyond its end"},
    {AT(header.e_phoff), sizeof(struct image), "program headers beyond its end"},
    {AT(header.e_phoff), UINT64_MAX, "program headers beyond its end"},
    {AT(header.e_phoff), UINT64_MAX - 100, "program headers beyond its end"},
    {AT(program[1].p_offset), sizeof(struct image), "interpreter's name beyond its end"},
    {AT(program[1].p_offset), UINT64_MAX - 4, "interpreter's name beyond its end"},
    {AT(program[1].p_filesz), UINT64_MAX, "interpreter's name beyond its end"},
    {AT(program[1].p_filesz), 4, "interpreter's name beyond its end"},
    {AT(program[1].p_filesz), 0, "interpreter's name beyond its end"},
    {AT(program[2].p_offset), UINT64_MAX, "dynamic section beyond its end"},
    {AT(program[2].p_filesz), UINT64_MAX, "dynamic section beyond its end"},
    {AT(program[2].p_filesz), sizeof(struct image), "dynamic section beyond its end"},
    {AT(program[0].p_vaddr), 1, "string table beyond its end"},
    {AT(program[0].p_filesz), 8, "string table beyond its end"},
    {AT(program[0].p_filesz), UINT64_MAX, "string table beyond its end"},
    {AT(program[0].p_offset), UINT64_MAX, "string table beyond its end"},
    {AT(dynamic[4].d_un), 0, "string table beyond its end"},
    {AT(dynamic[4].d_un), UINT64_MAX, "string table beyond its end"},
    {AT(dynamic[5].d_un), UINT64_MAX, "string table beyond its end"},
    {AT(dynamic[5].d_un), sizeof(STRINGS) + 1, "string table beyond its end"},
    {AT(dynamic[5].d_un), 5, "dynamic string beyond its string table"},
    {AT(dynamic[5].d_un), 0, "dynamic string beyond its string table"},
    {AT(dynamic[0].d_un), sizeof(STRINGS), "dynamic string beyond its string table"},
    {AT(dynamic[0].d_un), UINT64_MAX, "dynamic string beyond its string table"},
    {AT(dynamic[2].d_un), 100000, "dynamic string beyond its string table"},
};

static void check_bad(void)
{
    CHECK_ROWS(bad, 31, "malformed files");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct image image = good_image();
        struct elf e;
        struct err err;
        memcpy((uint8_t *)&image + bad[i].offset, &bad[i].value, bad[i].size);
        int got = parse(&image, &e, &err);
        CHECK(got == -1 && err.what == ERR_PINS && strstr(err.why, bad[i].why) != NULL,
              "row %zu is refused: %s (%s)", i, bad[i].why, err.why);
    }
}

static void check_many_libraries(void)
{
    static struct {
        struct image image;
        Elf64_Dyn dynamic[ELF_NEEDED_MAX + 4];
    } large;
    struct elf e;
    struct err err;
    const struct span file = {(const uint8_t *)&large, sizeof large};
    large.image = good_image();
    large.image.program[2].p_offset = sizeof(struct image);
    large.image.program[2].p_filesz = sizeof large.dynamic;
    memcpy(large.dynamic, &large.image.dynamic[4], 2 * sizeof(Elf64_Dyn));
    for (size_t i = 0; i < ELF_NEEDED_MAX; i++)
        large.dynamic[2 + i] = large.image.dynamic[0];
    err_clear(&err);
    CHECK(elf_parse(&e, file, str_span("file"), &err) == 0 && e.needed_n == ELF_NEEDED_MAX,
          "%u libraries pass", ELF_NEEDED_MAX);
    large.dynamic[2 + ELF_NEEDED_MAX] = large.image.dynamic[0];
    CHECK(elf_parse(&e, file, str_span("file"), &err) == -1 &&
              strcmp(err.why, "needs too many libraries") == 0,
          "one more does not");
}

/* Spans of a result lie in the file. */
static bool is_within(struct span s, struct span file)
{
    return s.n == 0 || (s.p >= file.p && s.p + s.n < file.p + file.n);
}

/* Every beginning of a file, and many damaged ones: in memory of exactly their size. */
static void check_damaged(struct span file)
{
    uint32_t random = 1;
    unsigned outside = 0, read = 0;
    for (size_t i = 0; i < 60000; i++) {
        size_t n = i < file.n ? i : file.n;
        uint8_t *copy = malloc(n + 1);
        memcpy(copy, file.p, n);
        for (size_t k = 0; i >= file.n && k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            copy[(random >> 8) % n] = (uint8_t)(random >> 24);
        }
        struct elf e;
        struct err err;
        const struct span damaged = {copy, n};
        err_clear(&err);
        if (elf_parse(&e, damaged, str_span("file"), &err) == 0) {
            read++;
            outside += !is_within(e.interpreter, damaged) || !is_within(e.runpath, damaged);
            for (size_t k = 0; k < e.needed_n; k++)
                outside += !is_within(e.needed[k], damaged);
        }
        free(copy);
    }
    CHECK(outside == 0 && read > 0, "of 60000 damaged files %u are read, nothing outside them",
          read);
}

static void check_real(void)
{
    struct stat st;
    struct elf e;
    struct err err;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    err_clear(&err);
    if (fd < 0 || fstat(fd, &st) != 0) {
        CHECK_SKIP("no /proc", "this program is read");
        return;
    }
    size_t n = (size_t)st.st_size;
    uint8_t *bytes = malloc(n);
    CHECK(read(fd, bytes, n) == (ssize_t)n &&
              elf_parse(&e, (struct span){bytes, n}, str_span("self"), &err) == 0,
          "this program is read (%s)", err.why);
    bool libc = false;
    for (size_t i = 0; i < e.needed_n; i++)
        libc = libc || str_starts(e.needed[i], "libc.");
    CHECK(libc && e.interpreter.n > 0 && e.interpreter.p[0] == '/', "it needs a loader and a libc");
    free(bytes);
    close(fd);
}

int main(void)
{
    struct image image = good_image();
    check_good();
    check_bad();
    check_many_libraries();
    check_damaged((struct span){(const uint8_t *)&image, sizeof image});
    check_real();
    return check_end();
}
