/* work/CALL: making it, watching it, listing it.  Layer: call.
 *
 * Specification 9: 8 GiB, 65,536 entries, depth 32, looked at every second.
 * Names in it are hostile bytes: they are only ever compared, passed back to
 * the kernel below a held directory, and escaped. */
#ifndef LEMA_CALL_WORK_H
#define LEMA_CALL_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"
#include "evidence/record.h"
#include "limits.h"

/* A file that is put into work/CALL before the program starts. */
struct work_input {
    const char *name; /* one component */
    struct span bytes;
};

/* Make work/CALL (0700) with its tmp/ and the inputs.
 * record   out: path, size and digest of each input
 * returns  the directory's descriptor, or -1 and nothing is left of it */
int work_make(int work_fd, const char *call, const struct work_input *input, size_t n,
              struct record_input *record, uid_t uid, struct err *err);

/* Remove what work_make made, as long as nothing else is in it: for a call
 * that was refused before its reservation. */
void work_unmake(int work_fd, const char *call, const struct work_input *input, size_t n);

/* Every entry below a directory, in the order the kernel lists them, parents first. */
struct work_level {
    int fd;
    uint32_t at, n;  /* in buffer */
    uint16_t path_n; /* bytes of the path so far */
    uint8_t buffer[4096] __attribute__((aligned(8)));
};
struct work_iterator {
    uint32_t depth; /* open levels */
    struct work_level level[WORK_DEPTH_MAX + 1];
    char path[(WORK_DEPTH_MAX + 1) * (COMPONENT_BYTES_MAX + 1)];
    bool too_deep;   /* a directory at WORK_DEPTH_MAX was not entered */
    bool unreadable; /* a directory could not be read or entered: it cannot be counted */
};
struct work_entry {
    struct span path; /* relative, into the iterator; until the next call */
    const char *name; /* its last component, NUL-terminated, likewise */
    int dirfd;        /* that holds it, borrowed */
    struct stat st;   /* not followed */
    bool first;       /* work_count: this inode was not met before */
};
int work_iterate(struct work_iterator *it, int call_fd, struct err *err);
int work_next(struct work_iterator *it, struct work_entry *entry, struct err *err); /* 1, 0, -1 */
void work_iterate_end(struct work_iterator *it);

/* What an entry is. */
enum work_type work_type_of(const struct stat *st);

/* Inodes with more than one link that were met already. */
struct work_links {
    uint32_t n;
    uint64_t ino[2 * WORK_ENTRIES_MAX]; /* open addressing; 0 = empty */
};
/* True the first time an inode is given; always true for one with one link. */
bool work_links_first(struct work_links *links, const struct stat *st);

/* What was counted.  It starts as zero. */
struct work_usage {
    uint64_t bytes; /* allocated (st_blocks) or long (st_size), whichever is more; an inode once */
    uint64_t entries;
    uint64_t name_bytes; /* of all paths */
    uint64_t free_bytes; /* of the file system */
    bool overflow;       /* a bound of specification 9 is passed */
    char why[96];        /* which */
};

/* Count an entry; entry->first is set.
 * returns  false if a bound is passed: overflow and why are set */
bool work_count(struct work_usage *usage, struct work_links *links, const struct work_iterator *it,
                struct work_entry *entry);

/* Look once.  What changes while it is looked at is counted as it is met; what is
 * unlinked and still open shows in the free space alone.
 * returns  0, or -1 with ERR_IO */
int work_look(int call_fd, struct work_usage *usage, struct err *err);

#endif
