/* The runtime configuration, lema.runtime-linux/v2.  Layer: evidence.
 *
 * Specification 3.  config_parse runs in a worker; the monitor gets the fixed
 * structure, and checks the paths again before it walks them. */
#ifndef LEMA_EVIDENCE_CONFIG_H
#define LEMA_EVIDENCE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "host/worker.h"
#include "limits.h"

/* Fixed-size and pointer-free. */
struct config {
    char distribution[PATH_BYTES_MAX + 1]; /* NUL-terminated, walk_check_text passed */
    char output[PATH_BYTES_MAX + 1];
    char shared_lock[PATH_BYTES_MAX + 1];
    uint64_t has_call_budget; /* 0 or 1 */
    uint64_t call_budget;     /* 0 to CALL_BUDGET_MAX; 0 without one */
};

/* Parse a configuration's bytes (specification 3).
 * config   all zero on failure
 * returns  0, or -1 with ERR_CONFIG: obj = the field or "", at = the byte, from 1 */
int config_parse(struct span bytes, struct config *config, struct err *err);

/* The worker's duty, and the monitor's side of it: n bytes (at most
 * CONFIG_BYTES_MAX; more is refused before) go to w, a structure comes back and
 * is checked again.
 * shown    the configuration's path for messages
 * config   all zero on failure
 * returns  0, or -1 with ERR_CONFIG (obj = "SHOWN: FIELD", at = the byte) or ERR_WORKER */
void config_duty(int in, int out);
int config_read(struct worker *w, const uint8_t *bytes, size_t n, struct span shown,
                struct config *config, struct err *err);

/* Write a configuration as the one line that init makes, newline included.
 * What is written parses to the same, if it fits: a text of
 * CONFIG_BYTES_MAX + 1 bytes overflows where config_parse would refuse.  A path
 * that is not UTF-8 sets overflow too: no configuration can name it. */
void config_write(struct text *t, const struct config *config);

#endif
