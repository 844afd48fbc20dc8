/* Both sandboxes show the same: field by field, but for what is listed here.
 * Runs in the test VM as an ordinary user: vm_sandboxes CASE... */
#include "vmtests/vm.h"

#define LINES_MAX 4096u

struct log {
    char *text;
    char *line[LINES_MAX];
    size_t n;
};

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Replace every run of digits behind a word by #. */
static void forget_number(char *line, const char *word)
{
    for (char *at = line; (at = strstr(at, word)) != NULL;) {
        char *from = at + strlen(word), *to = from;
        while (*to >= '0' && *to <= '9')
            to++;
        if (to > from) {
            *from = '#';
            memmove(from + 1, to, strlen(to) + 1);
        }
        at = from;
    }
}

/* "view mount ID PARENT MAJ:MIN ROOT WHERE OPTIONS [TAG] - TYPE SOURCE SUPER": ids are the
 * kernel's counters, a tmpfs has a device number of its own, and bwrap's root is a folder
 * of its tmpfs. */
static void forget_mount_ids(char *line)
{
    char root[512], where[512], options[128], rest[512], tag[64] = "";
    if (sscanf(line, "view mount %*d %*d %*s %511s %511s %127s %63[^-]- %511[^\n]", root, where,
               options, tag, rest) < 5 &&
        sscanf(line, "view mount %*d %*d %*s %511s %511s %127s - %511[^\n]", root, where, options,
               rest) < 4)
        return;
    /* The source's own path says which directory of the host it is; the call's differs by
     * its name alone. */
    if (strcmp(where, "/") == 0 || strcmp(where, "/call") == 0)
        snprintf(root, sizeof root, "#");
    if (strcmp(where, "/") == 0)
        snprintf(rest, sizeof rest, "tmpfs #");
    snprintf(line, 1024, "view mount %.300s %.300s %.100s - %.300s", root, where, options, rest);
}

static bool read_log(struct log *log, const struct vm_case *c, const char *call)
{
    log->text = strdup(vm_log(c, call));
    log->n = 0;
    for (char *at = strtok(log->text, "\n"); at != NULL && log->n < LINES_MAX;
         at = strtok(NULL, "\n")) {
        char *line = malloc(1100);
        snprintf(line, 1024, "%s", at);
        forget_number(line, ":["); /* inode numbers of namespaces, pipes */
        forget_mount_ids(line);
        log->line[log->n++] = line;
    }
    qsort(log->line, log->n, sizeof log->line[0], compare_lines);
    return log->n > 0;
}

/* Lines that may differ, and why. */
static const struct {
    const char *part;
    const char *why;
} allowed[] = {
    {"view mount /null /dev/null r", "direct mounts the devices read-only, see sandbox_direct.c"},
    {"view mount /zero /dev/zero r", "likewise"},
    {"view mount /full /dev/full r", "likewise"},
    {"view mount /random /dev/random r", "likewise"},
    {"view mount /urandom /dev/urandom r", "likewise"},
};

static bool is_allowed(const char *line)
{
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        if (strncmp(line, allowed[i].part, strlen(allowed[i].part)) == 0)
            return true;
    return false;
}

/* Lines of a that b has not. */
static unsigned only_in(const struct log *a, const struct log *b, const char *who)
{
    unsigned n = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (bsearch(&a->line[i], b->line, b->n, sizeof b->line[0], compare_lines) != NULL ||
            is_allowed(a->line[i]))
            continue;
        printf("# only in %s: %s\n", who, a->line[i]);
        n++;
    }
    return n;
}

static void compare(const char *what, const char *source)
{
    static struct log log[SANDBOX_KINDS];
    struct vm_case c;

    if (!vm_open(&c, what, VM_DISTRIBUTION, ""))
        return;
    for (unsigned i = 0; i < SANDBOX_KINDS; i++) {
        const char *word = sandbox_word((enum sandbox_kind)i);
        c.sandbox = (enum sandbox_kind)i;
        vm_call(&c, word, source);
        CHECK(c.result == 0 && c.r->outcome == OUTCOME_EXITED && c.r->exit_code == 0,
              "%s: the call in %s completes %s", what, word, c.text);
        CHECK(read_log(&log[i], &c, word), "%s: and says something", what);
    }
    CHECK_U64(log[0].n, log[1].n, "%s: both logs have as many lines", what);
    CHECK_U64(only_in(&log[0], &log[1], sandbox_word((enum sandbox_kind)0)) +
                  only_in(&log[1], &log[0], sandbox_word((enum sandbox_kind)1)),
              0, "%s: both sandboxes show the same (%zu lines)", what, log[0].n);
    vm_close(&c);
}

static void view(void)
{
    compare("same-view", "--! show-view");
}

static void probes(void)
{
    compare("same-probes", "--! write-everywhere\n--! fd-check\n--! open-net\n--! read-proc-1\n"
                           "--! append /dev/null x\n--! append /dev/full x\n--! userns\n--! "
                           "ptrace-1\n--! mount-try\n--! int80\n--! ioctl-tty");
}

/* The verdict on every system call number, with arguments that no call does harm with. */
static void verdicts(void)
{
    static char source[65536];
    size_t n = 0;

    for (unsigned number = 0; number < 480; number++) {
        bool left_out =
            number == 34 /* pause: waits */ || number == 12 /* brk: answers a random address */;
        if (!left_out)
            n += (size_t)snprintf(
                source + n, sizeof source - n,
                "--! syscall %u 9007199254740991 9007199254740991 9007199254740991\n", number);
    }
    snprintf(source + n, sizeof source - n, "--! syscall 1073741863\n--! syscall 9999\n");
    compare("same-verdicts", source);
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {
        {"view", view}, {"probes", probes}, {"verdicts", verdicts}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
