/* The boot's own name.  Layer: evidence.
 *
 * A reservation says under which boot it was made: after another one, nothing
 * of its scope can be left (specification 6). */
#ifndef LEMA_EVIDENCE_BOOT_H
#define LEMA_EVIDENCE_BOOT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define BOOT_ID_BYTES 37u /* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" and NUL */

/* True for a boot_id as the kernel writes it: lower-case hex and hyphens. */
bool boot_id_valid(struct span boot_id);

/* Read /proc/sys/kernel/random/boot_id (random(4)).
 * out      NUL-terminated; "" on failure
 * returns  0, or -1 with ERR_UNSUPPORTED: it cannot be read, or has another form */
int boot_id_read(char out[static BOOT_ID_BYTES], struct err *err);

#endif
