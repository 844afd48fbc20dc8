/* The boot's own name.  Layer: evidence. */
#include "evidence/boot.h"

#include <sys/types.h>

#include "host/file.h"
#include "host/kernel.h"

#define BOOT_ID_PATH "sys/kernel/random/boot_id"

bool boot_id_valid(struct span boot_id)
{
    static const char form[BOOT_ID_BYTES] = "00000000-0000-0000-0000-000000000000";
    if (boot_id.n != BOOT_ID_BYTES - 1)
        return false;
    for (size_t i = 0; i < boot_id.n; i++) {
        uint8_t c = boot_id.p[i];
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (form[i] == '-' ? c != '-' : !hex)
            return false;
    }
    return true;
}

int boot_id_read(char out[static BOOT_ID_BYTES], struct err *err)
{
    char text[2 * BOOT_ID_BYTES];
    out[0] = '\0';
    int proc_fd = kernel_open_proc(err);
    if (proc_fd < 0)
        return -1;
    ssize_t n = kernel_read(proc_fd, BOOT_ID_PATH, text, sizeof text, NULL, err);
    fd_close(&proc_fd);
    if (n < 0)
        return -1;
    struct span line;
    struct span rest = {(const uint8_t *)text, (size_t)n};
    if (kernel_next_line(&rest, &line) != 1 || rest.n != 0 || !boot_id_valid(line))
        return err_set(err, ERR_UNSUPPORTED, str_span("/proc/" BOOT_ID_PATH),
                       "expected 36 characters of hex and hyphens");
    (void)str_copy(out, BOOT_ID_BYTES, line);
    return 0;
}
