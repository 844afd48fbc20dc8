/* A ledger of eight lines, and the SHA-256 of each with its newline.  Layer: test.
 *
 * Made by printf(1) and sha256sum(1), not by lema. */
#ifndef LEMA_TESTS_UNIT_LEDGER_SAMPLE_H
#define LEMA_TESTS_UNIT_LEDGER_SAMPLE_H

#include "evidence/ledger.h"

#include <string.h>

#define SAMPLE_LINES 8u

static const char *const sample_text[SAMPLE_LINES] = {
    "{\"event\":\"reserve\",\"time\":\"2026-01-02T03:04:05.678Z\",\"call\":\"c1\","
    "\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\","
    "\"kind\":\"check-runtime\","
    "\"unit\":\"lema-native-0123456789abcdef0123456789abcdef.scope\","
    "\"boot_id\":\"5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4f\","
    "\"reserved_sha256\":\"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\","
    "\"config_sha256\":\"b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2\","
    "\"distribution_id\":\"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3\","
    "\"host\":{\"host_kind\":\"vm\",\"mem_total\":16777216000,"
    "\"mem_available\":9000000000,\"memory_pressure_some_avg10\":0.05,"
    "\"cpu_pressure_some_avg10\":12.50}}",
    "{\"event\":\"complete\",\"time\":\"2026-01-02T03:04:07.001Z\",\"call\":\"c1\","
    "\"prev\":\"5ced04a7448415182dd8d491a63ecc841df767d10a6effae787bb3244cf7aceb\","
    "\"outcome\":\"exited\",\"exit_code\":3,\"signal\":null,\"fault\":null,"
    "\"result_sha256\":\"d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4\","
    "\"log_sha256\":\"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5\","
    "\"log_bytes\":1234}",
    "{\"event\":\"reserve\",\"time\":\"2026-01-02T03:04:05.678Z\",\"call\":\"c2\","
    "\"prev\":\"10d6cbfdf74c99029414600c05206109b92627309f6cff50617cd3ee21b5cfd2\","
    "\"kind\":\"elaborate\","
    "\"unit\":\"lema-native-0123456789abcdef0123456789abcdef.scope\","
    "\"boot_id\":\"5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4f\","
    "\"reserved_sha256\":\"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\","
    "\"config_sha256\":\"b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2\","
    "\"distribution_id\":\"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3\","
    "\"host\":{\"host_kind\":\"vm\",\"mem_total\":16777216000,"
    "\"mem_available\":9000000000,\"memory_pressure_some_avg10\":0.05,"
    "\"cpu_pressure_some_avg10\":12.50}}",
    "{\"event\":\"complete\",\"time\":\"2026-01-02T03:04:07.001Z\",\"call\":\"c2\","
    "\"prev\":\"479e6c48a62a4b0d4e5833b551b67a542c716c3425f37880d3c3d7f7ea80e99f\","
    "\"outcome\":\"killed\",\"exit_code\":null,\"signal\":null,\"fault\":\"timeout\","
    "\"result_sha256\":\"d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4\","
    "\"log_sha256\":\"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5\","
    "\"log_bytes\":1234}",
    "{\"event\":\"resolve\",\"time\":\"2026-01-02T03:05:00.000Z\",\"call\":\"c2\","
    "\"prev\":\"187102bf7ed7437035737eed6d46c2d661d42d11b4ec6e4ace1a4242e1b39549\","
    "\"fault\":\"timeout\",\"scope\":\"output\",\"operator\":1000,"
    "\"reason\":\"looked at it; \\\"quoted\\\", \\\\ and \xc3\xa9\"}",
    "{\"event\":\"reserve\",\"time\":\"2026-01-02T03:04:05.678Z\",\"call\":\"c3\","
    "\"prev\":\"a5ccc76badb81cbac8dbef9fbe09b5f3e6cdbd7e5b9e325caee04cf0aa6965e1\","
    "\"kind\":\"executable\","
    "\"unit\":\"lema-native-0123456789abcdef0123456789abcdef.scope\","
    "\"boot_id\":\"5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4f\","
    "\"reserved_sha256\":\"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\","
    "\"config_sha256\":\"b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2\","
    "\"distribution_id\":\"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3\","
    "\"host\":{\"host_kind\":\"vm\",\"mem_total\":16777216000,"
    "\"mem_available\":9000000000,\"memory_pressure_some_avg10\":0.05,"
    "\"cpu_pressure_some_avg10\":12.50}}",
    "{\"event\":\"resolve\",\"time\":\"2026-01-02T03:05:00.000Z\",\"call\":\"c3\","
    "\"prev\":\"22b5e800dcc1161b1da4a6925dbef281d152ba11162497a284142c9bce7a4439\","
    "\"fault\":\"interrupted\",\"scope\":\"output\",\"operator\":1000,"
    "\"reason\":\"power went\"}",
    "{\"event\":\"resolve\",\"time\":\"2026-01-02T03:05:00.000Z\",\"call\":\"other\","
    "\"prev\":\"2860525ae3e4ae2751a0a5afca37cd366c34c8cef6e42a896825504b439f1d2d\","
    "\"fault\":\"scope-not-gone\",\"scope\":\"host\",\"operator\":1000,"
    "\"reason\":\"its output is gone\"}",
};

static const char *const sample_sha256[SAMPLE_LINES] = {
    "5ced04a7448415182dd8d491a63ecc841df767d10a6effae787bb3244cf7aceb",
    "10d6cbfdf74c99029414600c05206109b92627309f6cff50617cd3ee21b5cfd2",
    "479e6c48a62a4b0d4e5833b551b67a542c716c3425f37880d3c3d7f7ea80e99f",
    "187102bf7ed7437035737eed6d46c2d661d42d11b4ec6e4ace1a4242e1b39549",
    "a5ccc76badb81cbac8dbef9fbe09b5f3e6cdbd7e5b9e325caee04cf0aa6965e1",
    "22b5e800dcc1161b1da4a6925dbef281d152ba11162497a284142c9bce7a4439",
    "2860525ae3e4ae2751a0a5afca37cd366c34c8cef6e42a896825504b439f1d2d",
    "a91f5c9dd24ed55119cebe4de5255aca7ad43483fcb06a7c979854ef74bd3132",
};
/* The same lines as structures; number and prev are left to whoever appends. */
static inline void sample_fill(struct digest *d, int byte)
{
    memset(d->b, byte, sizeof d->b);
}

static inline void sample_chars(char *to, size_t size, const char *from)
{
    (void)str_copy(to, size, str_span(from));
}

static inline struct ledger_line sample_reserve(const char *call, enum call_kind kind)
{
    struct ledger_line line;
    memset(&line, 0, sizeof line);
    line.event = LEDGER_RESERVE;
    sample_chars(line.time, sizeof line.time, "2026-01-02T03:04:05.678Z");
    sample_chars(line.call, sizeof line.call, call);
    line.kind = kind;
    sample_chars(line.unit, sizeof line.unit, "lema-native-0123456789abcdef0123456789abcdef.scope");
    sample_chars(line.boot_id, sizeof line.boot_id, "5d1e6c56-1f0a-4f6e-9b7e-0e6d1c2b3a4f");
    sample_fill(&line.reserved_sha256, 0xa1);
    sample_fill(&line.config_sha256, 0xb2);
    sample_fill(&line.distribution_id, 0xc3);
    line.host = (struct machine){.kind = MACHINE_VM,
                                 .mem_total = UINT64_C(16777216000),
                                 .mem_available = UINT64_C(9000000000),
                                 .memory_pressure_centi = 5,
                                 .cpu_pressure_centi = 1250};
    return line;
}

static inline struct ledger_line sample_complete(const char *call, enum outcome outcome,
                                                 int32_t exit_code, enum fault fault)
{
    struct ledger_line line;
    memset(&line, 0, sizeof line);
    line.event = LEDGER_COMPLETE;
    sample_chars(line.time, sizeof line.time, "2026-01-02T03:04:07.001Z");
    sample_chars(line.call, sizeof line.call, call);
    line.outcome = outcome;
    line.exit_code = exit_code;
    line.signal = -1;
    line.fault = fault;
    sample_fill(&line.result_sha256, 0xd4);
    sample_fill(&line.log_sha256, 0xe5);
    line.log_bytes = 1234;
    return line;
}

static inline struct ledger_line sample_resolve(const char *call, enum fault fault,
                                                enum resolve_scope scope, const char *reason)
{
    struct ledger_line line;
    memset(&line, 0, sizeof line);
    line.event = LEDGER_RESOLVE;
    sample_chars(line.time, sizeof line.time, "2026-01-02T03:05:00.000Z");
    sample_chars(line.call, sizeof line.call, call);
    line.fault = fault;
    line.scope = scope;
    line.operator_uid = 1000;
    sample_chars(line.reason, sizeof line.reason, reason);
    return line;
}

static inline struct ledger_line sample_line(size_t i)
{
    switch (i) {
    case 0: return sample_reserve("c1", KIND_CHECK_RUNTIME);
    case 1: return sample_complete("c1", OUTCOME_EXITED, 3, FAULT_NONE);
    case 2: return sample_reserve("c2", KIND_ELABORATE);
    case 3: return sample_complete("c2", OUTCOME_KILLED, -1, FAULT_TIMEOUT);
    case 4:
        return sample_resolve("c2", FAULT_TIMEOUT, RESOLVE_SCOPE_OUTPUT,
                              "looked at it; \"quoted\", \\ and \xc3\xa9");
    case 5: return sample_reserve("c3", KIND_EXECUTABLE);
    case 6: return sample_resolve("c3", FAULT_INTERRUPTED, RESOLVE_SCOPE_OUTPUT, "power went");
    default:
        return sample_resolve("other", FAULT_SCOPE_NOT_GONE, RESOLVE_SCOPE_HOST,
                              "its output is gone");
    }
}

/* A ledger in memory, chained as specification 5 says. */
struct sample_ledger {
    char bytes[1u << 20];
    size_t n;
    struct digest last;
};

static inline void sample_clear(struct sample_ledger *l)
{
    l->n = 0;
    memset(&l->last, 0, sizeof l->last);
}

/* Append text as it is, and a newline. */
static inline void sample_append_text(struct sample_ledger *l, const char *text)
{
    size_t n = strlen(text);
    memcpy(l->bytes + l->n, text, n);
    l->bytes[l->n + n] = '\n';
    sha256_of(l->bytes + l->n, n + 1, &l->last);
    l->n += n + 1;
}

static inline void sample_append(struct sample_ledger *l, struct ledger_line line)
{
    char text[LEDGER_LINE_BYTES_MAX];
    struct text t = text_on(text, sizeof text);
    line.prev = l->last;
    ledger_write_line(&t, &line);
    sample_append_text(l, text);
}

#endif
