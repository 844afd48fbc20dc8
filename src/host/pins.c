/* The pins that are compiled in.  Layer: host. */
#include "host/pins.h"

/* pins_data.S: each end stands behind the last byte. */
extern const uint8_t pins_distribution_manifest_begin[], pins_distribution_manifest_end[];
extern const uint8_t pins_host_manifest_begin[], pins_host_manifest_end[];
extern const uint8_t pins_toolchain_profile_begin[], pins_toolchain_profile_end[];

static struct span between(const uint8_t *begin, const uint8_t *end)
{
    return (struct span){begin, (size_t)(end - begin)};
}

int pins_load(struct pins *pins, struct err *err)
{
    return pins_parse(pins,
                      between(pins_distribution_manifest_begin, pins_distribution_manifest_end),
                      between(pins_host_manifest_begin, pins_host_manifest_end),
                      between(pins_toolchain_profile_begin, pins_toolchain_profile_end), err);
}
