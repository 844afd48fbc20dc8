/* SHA-256 (FIPS 180-4) by BearSSL, and digests as hex.  Layer: base. */
#ifndef LEMA_BASE_SHA256_H
#define LEMA_BASE_SHA256_H

#include <bearssl_hash.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define DIGEST_BYTES 32u
#define DIGEST_HEX_BYTES 65u /* 64 lower-case hex digits and NUL */

struct digest {
    uint8_t b[DIGEST_BYTES];
};

struct sha256 {
    br_sha256_context context; /* no pointer inside: may be copied (bearssl_hash.h) */
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *bytes, size_t n);
void sha256_end(const struct sha256 *h, struct digest *out);
void sha256_of(const void *bytes, size_t n, struct digest *out);

void digest_hex(const struct digest *d, char out[static DIGEST_HEX_BYTES]);

/* Exactly 64 lower-case hex digits; false otherwise, *out untouched. */
bool digest_parse(struct span hex, struct digest *out);

bool digest_equal(const struct digest *a, const struct digest *b);

#endif
