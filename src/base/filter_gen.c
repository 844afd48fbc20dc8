/* Turns the rows of filter_rows.h into BPF, as a C header on standard output.
 * Runs when lema is built; the only program that links libseccomp. */
#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/filter_rows.h"

#define INSTRUCTIONS_MAX 1024u

static uint32_t action_of(enum filter_verdict verdict)
{
    switch (verdict) {
    case FILTER_ALLOW: return SCMP_ACT_ALLOW;
    case FILTER_EPERM: return SCMP_ACT_ERRNO(EPERM);
    case FILTER_ENOSYS: return SCMP_ACT_ERRNO(ENOSYS);
    default: return SCMP_ACT_KILL_PROCESS;
    }
}

/* libseccomp takes no rule whose action is the default: such a row only explains. */
static int add_row(scmp_filter_ctx ctx, const struct filter_row *row, enum filter_verdict otherwise)
{
    struct scmp_arg_cmp compare[FILTER_CONDITIONS_MAX];
    unsigned n = 0;
    if (row->verdict == otherwise)
        return 0;
    for (size_t i = 0; i < FILTER_CONDITIONS_MAX; i++)
        if (row->when[i].mask != 0)
            compare[n++] = (struct scmp_arg_cmp){row->when[i].argument, SCMP_CMP_MASKED_EQ,
                                                 row->when[i].mask, row->when[i].value};
    return seccomp_rule_add_exact_array(ctx, action_of(row->verdict), (int)row->number, n, compare);
}

static int build(scmp_filter_ctx ctx, const struct filter_role_row *role)
{
    int failed = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (failed == 0)
        failed = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (size_t i = 0; i < role->n && failed == 0; i++) {
        failed = add_row(ctx, &role->rows[i], role->otherwise);
        if (failed != 0)
            fprintf(stderr, "filter_gen: %s: row %zu, %s: %s\n", role->word, i, role->rows[i].call,
                    strerror(-failed));
    }
    return failed;
}

/* The program of a context, through a pipe: it is far below a pipe's size.
 * returns  instructions, or -1 */
static ssize_t export(scmp_filter_ctx ctx, struct sock_filter program[static INSTRUCTIONS_MAX])
{
    int ends[2];
    const size_t size = INSTRUCTIONS_MAX * sizeof program[0];
    if (pipe(ends) != 0)
        return -1;
    int failed = seccomp_export_bpf(ctx, ends[1]);
    close(ends[1]);
    ssize_t n = failed == 0 ? read(ends[0], program, size) : -1;
    close(ends[0]);
    if (n <= 0 || (size_t)n == size || (size_t)n % sizeof program[0] != 0)
        return -1;
    return n / (ssize_t)sizeof program[0];
}

static bool print_role(const struct filter_role_row *role)
{
    struct sock_filter program[INSTRUCTIONS_MAX];
    scmp_filter_ctx ctx = seccomp_init(action_of(role->otherwise));
    ssize_t n = ctx != NULL && build(ctx, role) == 0 ? export(ctx, program) : -1;
    seccomp_release(ctx);
    if (n < 0) {
        fprintf(stderr, "filter_gen: %s: no program\n", role->word);
        return false;
    }
    printf("\nstatic const struct sock_filter filter_%s_bpf[] = {\n", role->word);
    for (ssize_t i = 0; i < n; i++)
        printf("    {0x%02x, %u, %u, 0x%08x},\n", program[i].code, program[i].jt, program[i].jf,
               program[i].k);
    printf("};\n");
    return true;
}

int main(void)
{
    printf("/* Made by src/base/filter_gen.c from src/base/filter_rows.h. */\n");
    for (size_t i = 0; i < FILTER_ROLES; i++)
        if (!print_role(&filter_role_rows[i]))
            return 1;
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
