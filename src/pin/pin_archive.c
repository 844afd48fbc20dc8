/* lema-pin archive: is this file the release archive that others know?  Layer: pin. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pin/archives.h"
#include "pin/pin.h"

#define READ_BYTES 65536u

#define ROW(archive, sha256, source) {archive, sha256, source},
static const struct {
    const char *archive, *sha256, *source;
} rows[] = {ARCHIVES(ROW)};
#define ROWS (sizeof rows / sizeof rows[0])

static void hash_file(const char *path, char hex[static DIGEST_HEX_BYTES])
{
    static uint8_t bytes[READ_BYTES];
    struct sha256 hash;
    struct digest d;
    ssize_t n;

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        pin_die_errno(path, errno);
    sha256_init(&hash);
    while ((n = read(fd, bytes, sizeof bytes)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            pin_die_errno(path, errno);
        sha256_add(&hash, bytes, (size_t)n);
    }
    close(fd);
    sha256_end(&hash, &d);
    digest_hex(&d, hex);
}

int pin_archive(const char *path)
{
    char hex[DIGEST_HEX_BYTES];
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;

    hash_file(path, hex);
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].sha256, hex) == 0) {
            printf("%s\nsha256 %s\nfound in: %s\n", rows[i].archive, hex, rows[i].source);
            return fflush(stdout) == 0 ? 0 : 1;
        }
    }
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].archive, name) == 0)
            pin_die(path, "expected sha256 %s (found in: %s), found %s", rows[i].sha256,
                    rows[i].source, hex);
    pin_die(path, "no digest of an archive of this name is known here; its sha256 is %s", hex);
}
