/* What else lies in an output.  Layer: front. */
#include "front/named.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/sha256.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/file.h"

#define TORN_PREFIX "ledger.torn-"
#define TORN_MAX 1000u

/* Never 0. */
static uint64_t key_of(const char *name)
{
    struct digest d;
    uint64_t key = 0;

    sha256_of(name, strlen(name), &d);
    for (size_t i = 0; i < sizeof key; i++)
        key = key << 8 | d.b[i];
    return key | 1;
}

/* The slot of a key, or the free one where it would go. */
static uint32_t find_slot(const struct named *set, uint64_t key)
{
    uint32_t slot = (uint32_t)(key >> 32) & (NAMED_SLOTS - 1);

    while (set->slot[slot] != 0 && set->slot[slot] != key)
        slot = (slot + 1) & (NAMED_SLOTS - 1);
    return slot;
}

void named_add(struct named *set, const char *name)
{
    uint64_t key = key_of(name);
    uint32_t slot = find_slot(set, key);

    if (set->slot[slot] != 0 || set->n == NAMED_MAX)
        return;
    set->slot[slot] = key;
    set->n++;
}

/* The digest of a torn line: shorter than any whole line.
 * returns  false if it is not there, or is something else */
static bool torn_digest(int output_fd, const char *name, char hex[static DIGEST_HEX_BYTES])
{
    uint8_t bytes[LEDGER_LINE_BYTES_MAX + 1];
    struct digest d;
    struct err ignored;

    int fd = openat(output_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    err_clear(&ignored);
    ssize_t n = file_read(fd, bytes, sizeof bytes, str_span(name), &ignored);
    fd_close(&fd);
    if (n < 0)
        return false;
    sha256_of(bytes, (size_t)n, &d);
    digest_hex(&d, hex);
    return true;
}

void named_add_torn(struct named *set, int output_fd, const char *reason)
{
    char hex[DIGEST_HEX_BYTES], name[sizeof TORN_PREFIX + 20];

    for (uint64_t i = 1; i <= TORN_MAX && strstr(reason, "sha256 ") != NULL; i++) {
        struct text t = text_on(name, sizeof name);
        text_adds(&t, TORN_PREFIX);
        text_add_number(&t, i);
        if (!torn_digest(output_fd, name, hex))
            return;
        if (strstr(reason, hex) != NULL)
            named_add(set, name);
    }
}

bool named_has(const struct named *set, const char *name)
{
    return set->slot[find_slot(set, key_of(name))] != 0;
}

static bool is_fixed(const char *name)
{
    static const char *const fixed[] = {".",    "..",      "ledger.jsonl", "HALTED",
                                        "work", "modules", "artifacts"};

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(name, fixed[i]) == 0)
            return true;
    return false;
}

int named_rest(const struct named *set, int output_fd, void (*on_name)(void *arg, const char *name),
               void *arg, struct err *err)
{
    uint8_t buffer[8192] __attribute__((aligned(8)));
    const struct span shown = str_span("output");
    ssize_t n;

    int fd = openat(output_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, ERR_IO, "openat", errno, shown, NULL);
    while ((n = sys_getdents64(fd, buffer, sizeof buffer)) > 0)
        for (ssize_t at = 0; at < n;) {
            const struct dirent *entry = (const struct dirent *)(const void *)(buffer + at);
            at += entry->d_reclen;
            if (!is_fixed(entry->d_name) && !named_has(set, entry->d_name))
                on_name(arg, entry->d_name);
        }
    int sys = errno;
    fd_close(&fd);
    return n == 0 ? 0 : err_sys(err, ERR_IO, "getdents64", sys, shown, NULL);
}
