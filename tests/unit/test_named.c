/* front/named: what lies in an output that no line of the ledger names. */
#include "front/named.h"

#include <stdio.h>

#include "unit/check.h"
#include "unit/scratch.h"

static struct named set;
static char seen[4096];

static void note(void *arg, const char *name)
{
    (void)arg;
    (void)snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s;", name);
}

int main(void)
{
    static const char *const fixed[] = {"ledger.jsonl", "HALTED"};
    /* printf torn | sha256sum */
    static const char reason[] =
        "seen (a torn last line was cut, sha256 "
        "00cc10cc5ab0a89fbf4d84a229bf234e739ba6294a832d2c042ce8d9a1949cf7)";
    char name[64];
    struct err err;

    scratch_begin();
    err_clear(&err);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        scratch_write(fixed[i], "", 0);
    for (unsigned i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof name, "c%u.log", i);
        scratch_write(name, "", 0);
        named_add(&set, name);
        named_add(&set, name);
    }
    CHECK_U64(set.n, 100, "a name is kept once");
    CHECK(named_rest(&set, scratch_fd, note, NULL, &err) == 0 && seen[0] == '\0',
          "what the ledger and specification 4 name is not listed");
    scratch_write("ledger.torn-1", "torn", 4);
    named_add_torn(&set, scratch_fd, "seen");
    CHECK(named_rest(&set, scratch_fd, note, NULL, &err) == 0 &&
              strcmp(seen, "ledger.torn-1;") == 0,
          "a torn line that no reason names is");
    seen[0] = '\0';
    named_add_torn(&set, scratch_fd, reason);
    CHECK(named_rest(&set, scratch_fd, note, NULL, &err) == 0 && seen[0] == '\0',
          "one whose digest is in a reason is not");
    scratch_write("ledger.torn-2", "torn?", 5);
    named_add_torn(&set, scratch_fd, reason);
    CHECK(named_rest(&set, scratch_fd, note, NULL, &err) == 0 &&
              strcmp(seen, "ledger.torn-2;") == 0,
          "another with other bytes is");
    named_add(&set, "ledger.torn-2");
    seen[0] = '\0';
    scratch_write("c100.log", "", 0);
    CHECK(named_rest(&set, scratch_fd, note, NULL, &err) == 0, "the directory is read again");
    CHECK_TEXT(seen, "c100.log;", "what nothing names is");
    CHECK(named_has(&set, "c7.log") && !named_has(&set, "c7.lo"), "a name is a whole name");
    CHECK(named_rest(&set, -1, note, NULL, &err) == -1 && err.what == ERR_IO,
          "a directory that cannot be read is an error");
    scratch_end();
    return check_end();
}
