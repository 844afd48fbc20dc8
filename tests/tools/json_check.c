/* json_check: ask the gate, or json_read, about a file.  For tests that compare
 * them with other implementations; no part of the product. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

static const char usage[] =
    "usage: json_check [--strict] FILE...\n"
    "Exit status 0 if every FILE is one JSON text by RFC 8259, 1 if not (a line\n"
    "on standard error says which, at which byte, and why), 2 for a usage error or\n"
    "a file that cannot be read.\n"
    "Bounds: %llu bytes, %u arrays and objects inside each other; no byte-order mark.\n"
    "--strict: also no name twice in one object, no unpaired surrogate, at most\n"
    "%u values and names, no name of more than %u bytes.\n";

/* Read a whole file, at most one byte more than the gate takes.
 * returns  its bytes, to be freed, or NULL with errno set */
static uint8_t *read_file(const char *path, size_t *n)
{
    const size_t max = (size_t)JSON_BYTES_MAX + 1;
    size_t room = 4096;
    uint8_t *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *n = 0;
    if (fd < 0)
        return NULL;
    for (ssize_t got = 1; got != 0 && *n < max; *n += (size_t)got) {
        if (bytes == NULL || *n == room) {
            room = bytes == NULL ? room : room * 2;
            uint8_t *more = realloc(bytes, room);
            if (more == NULL)
                goto fail;
            bytes = more;
        }
        size_t want = room - *n < max - *n ? room - *n : max - *n;
        got = read(fd, bytes + *n, want);
        if (got < 0)
            goto fail;
    }
    (void)close(fd);
    return bytes;
fail:
    free(bytes);
    (void)close(fd);
    return NULL;
}

/* returns  what one file adds to the exit status */
static int check_file(const char *path, bool strict)
{
    static struct json j;
    char line[ERR_TEXT_BYTES];
    struct text text = text_on(line, sizeof line);
    struct err err;
    size_t n;
    uint8_t *bytes = read_file(path, &n);
    if (bytes == NULL) {
        (void)fprintf(stderr, "json_check: %s: %s\n", path, strerror(errno));
        return 2;
    }
    struct span s = {bytes, n};
    err_clear(&err);
    int result = strict ? json_read(&j, s, &err) : json_gate(s, &err);
    if (result != 0) {
        (void)err_wrap(&err, ERR_JSON, str_span(path));
        err_format(&err, &text);
        (void)fprintf(stderr, "json_check: %s\n", line);
    }
    free(bytes);
    return result == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    bool strict = argc > 1 && strcmp(argv[1], "--strict") == 0;
    int first = strict ? 2 : 1;
    int status = 0;
    if (argc <= first || (argv[first][0] == '-' && argv[first][1] != '\0')) {
        (void)fprintf(stderr, usage, (unsigned long long)JSON_BYTES_MAX, JSON_DEPTH_MAX,
                      JSON_TOKENS_MAX, JSON_NAME_BYTES_MAX);
        return 2;
    }
    for (int i = first; i < argc; i++) {
        int one = check_file(argv[i], strict);
        status = one > status ? one : status;
    }
    return status;
}
