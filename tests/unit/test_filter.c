/* base/filter: the programs are run over made-up calls by a small interpreter, and must decide
 * what the rows say.  What the kernel decides: test_filter_calls.c. */
#include "base/filter.h"

#include <linux/audit.h>

#include "check.h"
#include "fixture.h"

#define X32_BIT 0x40000000u

/* --- The programs against the rows ----------------------------------------------------- */

static uint32_t word_at(const struct seccomp_data *data, uint32_t offset)
{
    uint32_t word;
    MUST(offset % 4 == 0 && offset + 4 <= sizeof *data);
    memcpy(&word, (const uint8_t *)data + offset, 4);
    return word;
}

static bool jump_holds(const struct sock_filter *s, uint32_t a)
{
    switch (BPF_OP(s->code)) {
    case BPF_JEQ: return a == s->k;
    case BPF_JGT: return a > s->k;
    case BPF_JGE: return a >= s->k;
    case BPF_JSET: return (a & s->k) != 0;
    default: fixture_die("an unknown jump", __LINE__);
    }
}

static uint32_t run(enum filter_role role, const struct seccomp_data *data)
{
    size_t n;
    uint32_t a = 0;
    const struct sock_filter *program = filter_bpf(role, &n);
    for (size_t i = 0; i < n; i++) {
        const struct sock_filter *s = &program[i];
        if (s->code == (BPF_LD | BPF_W | BPF_ABS))
            a = word_at(data, s->k);
        else if (s->code == (BPF_ALU | BPF_AND | BPF_K))
            a &= s->k;
        else if (s->code == (BPF_JMP | BPF_JA))
            i += s->k;
        else if (BPF_CLASS(s->code) == BPF_JMP)
            i += jump_holds(s, a) ? s->jt : s->jf;
        else if (s->code == (BPF_RET | BPF_K))
            return s->k;
        else
            fixture_die("an unknown instruction", __LINE__);
    }
    fixture_die("a program without an end", __LINE__);
}

static uint32_t action_of(enum filter_verdict verdict)
{
    switch (verdict) {
    case FILTER_ALLOW: return SECCOMP_RET_ALLOW;
    case FILTER_EPERM: return SECCOMP_RET_ERRNO | EPERM;
    case FILTER_ENOSYS: return SECCOMP_RET_ERRNO | ENOSYS;
    default: return SECCOMP_RET_KILL_PROCESS;
    }
}

static bool row_matches(const struct filter_row *row, const struct seccomp_data *data)
{
    if (row->number != (uint32_t)data->nr)
        return false;
    for (size_t i = 0; i < FILTER_CONDITIONS_MAX; i++)
        if ((data->args[row->when[i].argument] & row->when[i].mask) != row->when[i].value)
            return false;
    return true;
}

static uint32_t rows_say(enum filter_role role, const struct seccomp_data *data)
{
    size_t n;
    const struct filter_row *rows = filter_rows(role, &n);
    for (size_t i = 0; i < n; i++)
        if (row_matches(&rows[i], data))
            return action_of(rows[i].verdict);
    return action_of(filter_default(role));
}

/* Arguments that the rows' conditions speak of, and their neighbours. */
static const uint64_t interesting[] = {
    0,
    1,
    2,
    3,
    5,
    15,
    16,
    39,
    0x1002,
    0x1003,
    0x5401,
    0x5412,
    0x5413,
    0x541b,
    0x541c,
    0x5421,
    0x5450,
    0x5451,
    0x40049409,
    0x53564d41,
    0x80001,
    0x800,
    0x80805,
    0x11,
    0x3d0f00,
    0x1200011,
    0x7e020000,
    0x20000,
    0x2000000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
    0x80,
    UINT64_C(0x100000000),
    UINT64_C(0x100000001),
    UINT64_C(0x100005412),
    UINT64_C(0xffffffff00005401),
    UINT64_C(0xffffffff0000541c),
    UINT64_MAX,
};
#define INTERESTING (sizeof interesting / sizeof interesting[0])

static void check_programs(void)
{
    unsigned wrong = 0, looked = 0;
    for (int role = 0; role < FILTER_ROLES; role++)
        for (int nr = 0; nr < 600; nr++)
            for (size_t i = 0; i < INTERESTING * INTERESTING; i++) {
                struct seccomp_data data = {.nr = nr, .arch = AUDIT_ARCH_X86_64};
                data.args[0] = interesting[i % INTERESTING];
                data.args[1] = interesting[i / INTERESTING];
                data.args[4] = data.args[1];
                looked++;
                wrong +=
                    run((enum filter_role)role, &data) != rows_say((enum filter_role)role, &data);
            }
    CHECK_U64(wrong, 0, "programs and rows agree on %u calls", looked);
}

static void check_other_abi(void)
{
    static const uint32_t others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 0};
    unsigned allowed = 0;
    for (int role = 0; role < FILTER_ROLES; role++)
        for (int nr = 0; nr < 600; nr++) {
            struct seccomp_data data = {.nr = nr};
            for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
                data.arch = others[i];
                allowed += run((enum filter_role)role, &data) != SECCOMP_RET_KILL_PROCESS;
            }
            data.arch = AUDIT_ARCH_X86_64;
            data.nr = (int)((uint32_t)nr | X32_BIT);
            allowed += run((enum filter_role)role, &data) != SECCOMP_RET_KILL_PROCESS;
        }
    CHECK_U64(allowed, 0, "every call of another ABI, x32 included, kills");
}

static void check_rows(void)
{
    for (int role = 0; role < FILTER_ROLES; role++) {
        size_t n, length, empty = 0;
        const struct filter_row *rows = filter_rows((enum filter_role)role, &n);
        filter_bpf((enum filter_role)role, &length);
        for (size_t i = 0; i < n; i++)
            empty +=
                rows[i].call[0] == '\0' || rows[i].reason[0] == '\0' || rows[i].user[0] == '\0';
        CHECK(n > 0 && length > 0 && empty == 0,
              "role %s: %zu rows, each with its reason; %zu steps",
              filter_role_word((enum filter_role)role), n, length);
    }
    CHECK(filter_default(FILTER_WORKER) == FILTER_KILL &&
              filter_default(FILTER_PROGRAM) == FILTER_ENOSYS,
          "what no row decides kills a worker and does not exist for a program");
    CHECK_TEXT(filter_verdict_word(FILTER_KILL), "kill", "verdicts have words");
    size_t n;
    filter_rows(FILTER_WORKER, &n);
    CHECK_U64(n, 3, "a worker has three calls: read, write, exit_group");
}

int main(void)
{
    check_rows();
    check_programs();
    check_other_abi();
    return check_end();
}
