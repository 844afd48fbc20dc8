/* Evidence beside a ledger without a line.  Layer: evidence. */
#include "evidence/stray.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/sys.h"
#include "evidence/terms.h"
#include "host/file.h"

#define RESULT "-result.json"

static bool is_result(const char *name)
{
    struct span call = str_span(name);

    if (call.n < sizeof RESULT || strcmp(name + call.n - (sizeof RESULT - 1), RESULT) != 0)
        return false;
    call.n -= sizeof RESULT - 1;
    return call_name_valid(call);
}

int stray_refuse_results(int output_fd, struct err *err)
{
    uint8_t buffer[8192] __attribute__((aligned(8)));
    const struct span shown = str_span("output");
    ssize_t n;
    int result = 0;

    int fd = openat(output_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, ERR_IO, "openat", errno, shown, NULL);
    while (result == 0 && (n = sys_getdents64(fd, buffer, sizeof buffer)) != 0) {
        if (n < 0)
            result = err_sys(err, ERR_IO, "getdents64", errno, shown, NULL);
        for (ssize_t at = 0; result == 0 && at < n;) {
            const struct dirent *entry = (const struct dirent *)(const void *)(buffer + at);
            at += entry->d_reclen;
            if (is_result(entry->d_name))
                result = err_set(err, ERR_LEDGER, str_span("ledger.jsonl"),
                                 "it has no line, but there is %s", entry->d_name);
        }
    }
    fd_close(&fd);
    return result;
}
