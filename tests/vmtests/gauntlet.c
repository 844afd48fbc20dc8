/* Every attack of tests/gauntlet in both sandboxes: each must be held.
 * Runs in the test VM as an ordinary user: vm_gauntlet CASE..., beside the program attack. */
#include "vmtests/vm.h"

#define ATTACKS_MIN 80u

static char program[1u << 20];

/* The caller of lema leaves descriptors open, for the attack that looks for them. */
static void leave_descriptors(void)
{
    for (int fd = 100; fd <= 200; fd++)
        (void)fcntl(STDIN_FILENO, F_DUPFD, fd);
}

static void check_log(const char *log, const char *sandbox)
{
    unsigned held = 0;

    for (const char *at = log; at != NULL && *at != '\0'; at = strchr(at, '\n')) {
        at += *at == '\n';
        const char *tab = strchr(at, '\t'), *end = strchr(at, '\n');
        if (tab == NULL || end == NULL || tab > end)
            continue;
        CHECK(strncmp(tab, "\theld\t", 6) == 0, "%s: %.*s is held", sandbox, (int)(end - at), at);
        held += strncmp(tab, "\theld\t", 6) == 0;
    }
    CHECK(held >= ATTACKS_MIN, "%s: %u attacks were held", sandbox, held);
}

static void attacks(void)
{
    struct vm_case c;
    int fd = open("/opt/bin/attack", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, program, sizeof program);

    if (!CHECK(n > 0 && n < (ssize_t)sizeof program, "the program of attacks can be read"))
        return;
    close(fd);
    leave_descriptors();
    if (!vm_open(&c, "gauntlet", VM_DISTRIBUTION, ""))
        return;
    c.extra = (struct work_input){"attack", {(const uint8_t *)program, (size_t)n}};
    vm_call(&c, sandbox_word(c.sandbox), "--! chmod 700 /call/attack\n--! exec /call/attack");
    CHECK(c.result == 0 && c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 0,
          "the attacks ran to their end %s", c.text);
    check_log(vm_log(&c, sandbox_word(c.sandbox)), sandbox_word(c.sandbox));
    vm_check_gone("the gauntlet");
    vm_close(&c);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {{"attacks", attacks}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
