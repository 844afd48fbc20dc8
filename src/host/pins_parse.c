/* The three texts of the pins, and what they say of each other.  Layer: host. */
#include "host/pins.h"

static int check_programs(const struct pins *pins, struct err *err)
{
    for (int step = 0; step < STEP_COUNT; step++) {
        struct manifest_row row;
        const struct span program = pins->profile.step[step].word[0];
        size_t i = manifest_find(&pins->manifest, program);
        if (i == SIZE_MAX)
            return err_set(err, ERR_PINS, program, "the profile's program is not in the manifest");
        manifest_row(&pins->manifest, i, &row);
        if (row.type != 'f' || !row.executable)
            return err_set(err, ERR_PINS, program,
                           "the profile's program is not an executable file of the manifest");
    }
    return 0;
}

int pins_parse(struct pins *pins, struct span manifest, struct span host, struct span profile,
               struct err *err)
{
    pins->manifest_text = manifest;
    if (manifest_parse(&pins->manifest, manifest, err) != 0)
        return -1;
    sha256_of(manifest.p, manifest.n, &pins->distribution_id);
    if (pins_host_parse(pins, host, err) != 0 || pins_profile_parse(pins, profile, err) != 0)
        return -1;
    return check_programs(pins, err);
}
