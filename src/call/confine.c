/* lema confines itself.  Layer: call. */
#include "call/confine.h"

#include <errno.h>

#include "base/filter.h"
#include "base/sys.h"
#include "call/scope.h"
#include "host/file.h"

/* Access rights of landlock(7), by value: older headers lack some. */
#define EXECUTE (UINT64_C(1) << 0)
#define WRITE_FILE (UINT64_C(1) << 1)
#define REMOVE_DIR (UINT64_C(1) << 4)
#define REMOVE_FILE (UINT64_C(1) << 5)
#define MAKE_CHAR (UINT64_C(1) << 6)
#define MAKE_DIR (UINT64_C(1) << 7)
#define MAKE_REG (UINT64_C(1) << 8)
#define MAKE_SOCK (UINT64_C(1) << 9)
#define MAKE_FIFO (UINT64_C(1) << 10)
#define MAKE_BLOCK (UINT64_C(1) << 11)
#define MAKE_SYM (UINT64_C(1) << 12)
#define TRUNCATE (UINT64_C(1) << 14) /* ABI 3 */

#define TRUNCATE_ABI 3

int confine_monitor(struct err *err)
{
    return filter_load(FILTER_MONITOR, err);
}

static int allow(int ruleset, int fd, uint64_t rights, const char *shown, struct err *err)
{
    if (sys_landlock_allow(ruleset, fd, rights) != 0)
        return err_sys(err, ERR_IO, "landlock_add_rule", errno, str_span(shown), NULL);
    return 0;
}

/* A host without a user manager has no such directory, and nothing to kill there. */
static int allow_cgroups(int ruleset, uid_t uid, struct err *err)
{
    bool missing = false;
    int fd = scope_open_manager(uid, &missing, err);

    if (fd < 0)
        return missing ? 0 : -1;
    int result = allow(ruleset, fd, WRITE_FILE, "cgroups", err);
    fd_close(&fd);
    return result;
}

static int add_rules(int ruleset, const struct runtime *rt, uint64_t known, struct err *err)
{
    const uint64_t files = (WRITE_FILE | REMOVE_FILE | MAKE_REG | TRUNCATE) & known;

    if (allow(ruleset, rt->output.fd, files | REMOVE_DIR | MAKE_DIR, rt->config.output, err) != 0 ||
        allow(ruleset, rt->lock.parent_fd, files, rt->config.shared_lock, err) != 0)
        return -1;
    if (rt->delegated.fd >= 0)
        return allow(ruleset, rt->delegated.fd, WRITE_FILE | REMOVE_DIR, rt->delegated.path, err);
    return allow_cgroups(ruleset, rt->uid, err);
}

int confine_writes(const struct runtime *rt, struct err *err)
{
    const struct span shown = str_span("landlock");
    uint64_t known = EXECUTE | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_CHAR | MAKE_DIR |
                     MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_BLOCK | MAKE_SYM;
    int abi = sys_landlock_abi();

    if (abi < 0 && (errno == ENOSYS || errno == EOPNOTSUPP))
        return 0;
    if (abi < 0)
        return err_sys(err, ERR_IO, "landlock_create_ruleset", errno, shown, NULL);
    if (abi >= TRUNCATE_ABI)
        known |= TRUNCATE;
    int ruleset = sys_landlock_ruleset(known);
    if (ruleset < 0)
        return err_sys(err, ERR_IO, "landlock_create_ruleset", errno, shown, NULL);
    int result = add_rules(ruleset, rt, known, err);
    if (result == 0 && sys_landlock_restrict(ruleset) != 0)
        result = err_sys(err, ERR_UNSUPPORTED, "landlock_restrict_self", errno, shown, NULL);
    fd_close(&ruleset);
    return result == 0 ? abi : -1;
}
