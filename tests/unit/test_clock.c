/* base/clock: RFC 3339 UTC with milliseconds, and the two clocks. */
#include "base/clock.h"

#include <time.h>

#include "check.h"

static void check_format(void)
{
    /* Seconds by date(1), "date -u -d @N"; 482196050 is RFC 3339 section 5.8's
     * first example, 2147483647 the end of 32-bit time. */
    static const struct {
        int64_t seconds;
        uint32_t ms;
        const char *text;
    } rows[] = {
        {0, 0, "1970-01-01T00:00:00.000Z"},
        {482196050, 520, "1985-04-12T23:20:50.520Z"},
        {951782400, 7, "2000-02-29T00:00:00.007Z"},
        {951868800, 0, "2000-03-01T00:00:00.000Z"},
        {1000000000, 999, "2001-09-09T01:46:40.999Z"},
        {2147483647, 0, "2038-01-19T03:14:07.000Z"},
        {2147483648, 0, "2038-01-19T03:14:08.000Z"},
        {4107542399, 1, "2100-02-28T23:59:59.001Z"},
        {4107542400, 0, "2100-03-01T00:00:00.000Z"},
        {253402300799, 999, "9999-12-31T23:59:59.999Z"},
        {253402300800, 0, "9999-12-31T23:59:59.999Z"},
        {INT64_MAX, 0, "9999-12-31T23:59:59.999Z"},
        {-1, 999, "1970-01-01T00:00:00.000Z"},
        {INT64_MIN, 0, "1970-01-01T00:00:00.000Z"},
        {5, 1000, "1970-01-01T00:00:05.999Z"},
    };
    CHECK_ROWS(rows, 15, "the table of times");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[CLOCK_RFC3339_BYTES];
        clock_format_utc(rows[i].seconds, rows[i].ms, text);
        CHECK_TEXT(text, rows[i].text, "second %" PRId64 " and %" PRIu32 " ms is %s",
                   rows[i].seconds, rows[i].ms, rows[i].text);
    }
}

static void check_against_libc(void)
{
    bool same = true;
    bool read_back = true;
    for (int64_t seconds = 0; seconds <= 253402300799; seconds += 86400 * 61 + 3607) {
        char mine[CLOCK_RFC3339_BYTES];
        char theirs[CLOCK_RFC3339_BYTES];
        struct tm parts;
        time_t when = seconds;
        clock_format_utc(seconds, 0, mine);
        if (gmtime_r(&when, &parts) == NULL ||
            strftime(theirs, sizeof theirs, "%Y-%m-%dT%H:%M:%S.000Z", &parts) == 0)
            same = false;
        else
            same = same && strcmp(mine, theirs) == 0;
        read_back = read_back && clock_is_utc(str_span(mine));
    }
    CHECK(same, "a time each 61 days until the year 9999 is what gmtime_r says");
    CHECK(read_back, "and every one is accepted when read back");
}

static void check_is_utc(void)
{
    static const struct {
        const char *text;
        bool good;
        const char *claim;
    } rows[] = {
        {"1985-04-12T23:20:50.520Z", true, "RFC 3339's example with milliseconds is a time"},
        {"2000-02-29T00:00:00.000Z", true, "2000 is a leap year"},
        {"2024-02-29T00:00:00.000Z", true, "2024 is a leap year"},
        {"1900-02-29T00:00:00.000Z", false, "1900 is no leap year"},
        {"2023-02-29T00:00:00.000Z", false, "2023 is no leap year"},
        {"2023-04-31T00:00:00.000Z", false, "April has 30 days"},
        {"2023-12-31T23:59:59.999Z", true, "the last millisecond of a year is a time"},
        {"2023-00-01T00:00:00.000Z", false, "there is no month 0"},
        {"2023-13-01T00:00:00.000Z", false, "there is no month 13"},
        {"2023-01-00T00:00:00.000Z", false, "there is no day 0"},
        {"2023-01-32T00:00:00.000Z", false, "there is no day 32"},
        {"2023-01-01T24:00:00.000Z", false, "there is no hour 24"},
        {"2023-01-01T00:60:00.000Z", false, "there is no minute 60"},
        {"1990-12-31T23:59:60.000Z", false, "second 60, RFC 3339's leap second, is not taken"},
        {"2023-01-01t00:00:00.000Z", false, "a lower-case t is refused"},
        {"2023-01-01T00:00:00.000z", false, "a lower-case z is refused"},
        {"2023-01-01 00:00:00.000Z", false, "a space for T is refused"},
        {"2023-01-01T00:00:00Z", false, "no milliseconds are refused"},
        {"2023-01-01T00:00:00.0000Z", false, "four digits of fraction are refused"},
        {"2023-01-01T00:00:00,000Z", false, "a comma is refused"},
        {"2023-01-01T00:00:00.000+00:00", false, "an offset is refused"},
        {"+023-01-01T00:00:00.000Z", false, "a sign is refused"},
        {"2023-01-01T00:00:00.000Z ", false, "a trailing space is refused"},
        {"", false, "nothing is refused"},
    };
    CHECK_ROWS(rows, 24, "the table of times as text");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(clock_is_utc(str_span(rows[i].text)) == rows[i].good, "%s", rows[i].claim);
    CHECK(!clock_is_utc((struct span){(const uint8_t *)"2023-01-01T00:00:00.00\0Z", 24}),
          "a NUL among the digits is refused");
}

static void check_clocks(void)
{
    char now[CLOCK_RFC3339_BYTES];
    uint64_t before = clock_boot_ns();
    clock_system.sleep_ms(clock_system.arg, 20);
    uint64_t after = clock_system.boot_ns(clock_system.arg);
    CHECK(before > 0 && after - before >= 20000000, "20 ms of sleep take at least 20 ms");
    clock_now_utc(now);
    CHECK(clock_is_utc(str_span(now)) && strcmp(now, "2020") > 0, "now is a time after 2020");
}

int main(void)
{
    check_format();
    check_against_libc();
    check_is_utc();
    check_clocks();
    return check_end();
}
