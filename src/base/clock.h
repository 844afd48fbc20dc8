/* Clocks and times.  Layer: base.
 *
 * Deadlines use CLOCK_BOOTTIME (specification 6: time suspended counts); what
 * is written for people is RFC 3339 UTC with milliseconds.  Waiting goes
 * through struct clock so that a test can pass its own. */
#ifndef LEMA_BASE_CLOCK_H
#define LEMA_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define CLOCK_RFC3339_BYTES 25u /* "2026-01-02T03:04:05.678Z" and NUL */

struct clock {
    uint64_t (*boot_ns)(void *arg);           /* CLOCK_BOOTTIME, nanoseconds */
    void (*sleep_ms)(void *arg, uint32_t ms); /* may return early */
    void *arg;
};

/* The machine's clock. */
extern const struct clock clock_system;

/* CLOCK_BOOTTIME in nanoseconds. */
uint64_t clock_boot_ns(void);

/* The time now, CLOCK_REALTIME, as RFC 3339 UTC with milliseconds. */
void clock_now_utc(char out[static CLOCK_RFC3339_BYTES]);

/* Seconds since 1970 and milliseconds (0 to 999) in that form.  Years 1970 to
 * 9999; a time outside is clamped to them. */
void clock_format_utc(int64_t seconds, uint32_t ms, char out[static CLOCK_RFC3339_BYTES]);

/* True if s has exactly that form and names a day and a time that exist
 * (RFC 3339 section 5.6; second 60 is not accepted: lema never writes it). */
bool clock_is_utc(struct span s);

#endif
