/* Checked arithmetic.  Layer: base.
 *
 * Every size that comes from outside goes through these: they return false
 * instead of wrapping, and leave *out alone then. */
#ifndef LEMA_BASE_NUM_H
#define LEMA_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool num_add(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

static inline bool num_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

static inline uint64_t num_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
