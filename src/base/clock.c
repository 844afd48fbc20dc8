/* Clocks and times.  Layer: base. */
#include "base/clock.h"

#include <time.h>

#define SECONDS_A_DAY 86400
#define LAST_SECOND INT64_C(253402300799) /* 9999-12-31T23:59:59Z */

uint64_t clock_boot_ns(void)
{
    struct timespec now;
    /* Linux has had it since 2.6.39.  Should it fail all the same, every
     * deadline has passed: nothing may run without a clock. */
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return UINT64_MAX;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t system_boot_ns(void *arg)
{
    (void)arg;
    return clock_boot_ns();
}

static void system_sleep_ms(void *arg, uint32_t ms)
{
    struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)arg;
    (void)nanosleep(&wait, NULL); /* a signal ends it early, as the contract says */
}

const struct clock clock_system = {system_boot_ns, system_sleep_ms, NULL};

static bool is_leap(uint32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static uint32_t days_in_year(uint32_t year)
{
    return is_leap(year) ? 366 : 365;
}

static uint32_t days_in_month(uint32_t year, uint32_t month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Write n with exactly width digits. */
static void put_digits(char *out, uint32_t n, uint32_t width)
{
    while (width > 0) {
        out[--width] = (char)('0' + n % 10);
        n /= 10;
    }
}

void clock_format_utc(int64_t seconds, uint32_t ms, char out[static CLOCK_RFC3339_BYTES])
{
    static const char form[CLOCK_RFC3339_BYTES] = "0000-00-00T00:00:00.000Z";
    if (seconds < 0) {
        seconds = 0;
        ms = 0;
    } else if (seconds > LAST_SECOND || ms > 999) {
        seconds = seconds > LAST_SECOND ? LAST_SECOND : seconds;
        ms = 999;
    }
    uint32_t day = (uint32_t)(seconds / SECONDS_A_DAY);
    uint32_t second = (uint32_t)(seconds % SECONDS_A_DAY);
    uint32_t year = 1970;
    uint32_t month = 1;
    for (; day >= days_in_year(year); year++)
        day -= days_in_year(year);
    for (; day >= days_in_month(year, month); month++)
        day -= days_in_month(year, month);
    for (size_t i = 0; i < sizeof form; i++)
        out[i] = form[i];
    put_digits(out, year, 4);
    put_digits(out + 5, month, 2);
    put_digits(out + 8, day + 1, 2);
    put_digits(out + 11, second / 3600, 2);
    put_digits(out + 14, second / 60 % 60, 2);
    put_digits(out + 17, second % 60, 2);
    put_digits(out + 20, ms, 3);
}

void clock_now_utc(char out[static CLOCK_RFC3339_BYTES])
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail; 1970 if it did */
    clock_format_utc(now.tv_sec, (uint32_t)(now.tv_nsec / 1000000), out);
}

/* The number that the width digits at s spell. */
static uint32_t digits_at(const uint8_t *s, uint32_t width)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < width; i++)
        n = n * 10 + (uint32_t)(s[i] - '0');
    return n;
}

bool clock_is_utc(struct span s)
{
    static const char form[CLOCK_RFC3339_BYTES] = "0000-00-00T00:00:00.000Z";
    if (s.n != CLOCK_RFC3339_BYTES - 1)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        bool digit = s.p[i] >= '0' && s.p[i] <= '9';
        if (form[i] == '0' ? !digit : s.p[i] != (uint8_t)form[i])
            return false;
    }
    uint32_t year = digits_at(s.p, 4);
    uint32_t month = digits_at(s.p + 5, 2);
    uint32_t day = digits_at(s.p + 8, 2);
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return false;
    return digits_at(s.p + 11, 2) < 24 && digits_at(s.p + 14, 2) < 60 &&
           digits_at(s.p + 17, 2) < 60;
}
