/* SHA-256 by BearSSL, and digests as hex.  Layer: base. */
#include "base/sha256.h"

#include <string.h>

void sha256_init(struct sha256 *h)
{
    br_sha256_init(&h->context);
}

void sha256_add(struct sha256 *h, const void *bytes, size_t n)
{
    br_sha256_update(&h->context, bytes, n);
}

void sha256_end(const struct sha256 *h, struct digest *out)
{
    br_sha256_out(&h->context, out->b);
}

void sha256_of(const void *bytes, size_t n, struct digest *out)
{
    struct sha256 h;
    sha256_init(&h);
    sha256_add(&h, bytes, n);
    sha256_end(&h, out);
}

void digest_hex(const struct digest *d, char out[static DIGEST_HEX_BYTES])
{
    struct text t = text_on(out, DIGEST_HEX_BYTES);
    text_add_hex(&t, d->b, sizeof d->b);
}

/* The value of a lower-case hex digit, or -1. */
static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

bool digest_parse(struct span hex, struct digest *out)
{
    struct digest d;
    if (hex.n != DIGEST_HEX_BYTES - 1)
        return false;
    for (size_t i = 0; i < sizeof d.b; i++) {
        int high = hex_value(hex.p[2 * i]);
        int low = hex_value(hex.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        d.b[i] = (uint8_t)(high * 16 + low);
    }
    *out = d;
    return true;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
    return memcmp(a->b, b->b, sizeof a->b) == 0;
}
