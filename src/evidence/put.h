/* Pieces of JSON that the ledger and the records share.  Layer: evidence. */
#ifndef LEMA_EVIDENCE_PUT_H
#define LEMA_EVIDENCE_PUT_H

#include <stdint.h>

#include "base/json.h"
#include "base/sha256.h"
#include "base/str.h"
#include "host/machine.h"

#define PUT_NULL UINT64_MAX /* put_number: a number that nobody told */

/* Each writes a name and its value into the object that is open. */
void put_chars(struct json_writer *w, const char *name, const char *value);
void put_number(struct json_writer *w, const char *name, uint64_t value); /* PUT_NULL: null */
void put_bool(struct json_writer *w, const char *name, bool value);
void put_digest(struct json_writer *w, const char *name, const struct digest *digest);
void put_code(struct json_writer *w, const char *name, int32_t value); /* negative: null */

/* The host's state, specification 5: host_kind, mem_total, mem_available and
 * the two pressures. */
void put_host(struct json_writer *w, const char *name, const struct machine *host);

/* A value: as it is if it is UTF-8, otherwise escaped (text_add_escaped), so
 * that no byte of a program's own choice keeps a record from being written. */
void put_any(struct json_writer *w, struct span bytes);

#endif
