/* What a build of lema trusts, compiled in: manifest, host files, profile.  Layer: host.
 *
 * Specification 2.  The texts are embedded by pins_data.S and checked here with
 * the same strictness at build time (lema-pin check DIR) and at every start. */
#ifndef LEMA_HOST_PINS_H
#define LEMA_HOST_PINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"
#include "host/dist.h"
#include "host/walk.h"
#include "host/worker.h"
#include "limits.h"

enum host_role { HOST_BWRAP, HOST_SYSTEMD_RUN, HOST_SYSTEMCTL, HOST_DEP, HOST_LIB, HOST_ROLES };

/* The word in host.manifest: "bwrap", "systemd-run", "systemctl", "dep", "lib". */
const char *host_role_word(enum host_role role);

struct host_file {
    enum host_role role;
    struct digest sha256;
    char path[PATH_BYTES_MAX + 1]; /* real path, walked and hashed */
    char seen[PATH_BYTES_MAX + 1]; /* HOST_LIB: where a sandbox shows it */
};

/* Steps of toolchain.profile, in this order (specification 2). */
enum profile_step {
    STEP_VERSION,
    STEP_ELABORATE,
    STEP_REPLAY,
    STEP_AXIOMS,
    STEP_COMPILE,
    STEP_LINK,
    STEP_COUNT
};
#define PROFILE_WORDS_MAX 48u

struct profile_line {
    size_t n;                            /* words: program and arguments */
    struct span word[PROFILE_WORDS_MAX]; /* borrowed from the text */
};

struct profile {
    char name[DISTRIBUTION_NAME_BYTES_MAX + 1];
    struct profile_line step[STEP_COUNT];
};

struct pins {
    struct manifest manifest;
    struct profile profile;
    size_t host_n;
    struct host_file host[HOST_FILES_MAX];
    struct digest distribution_id, host_id, profile_id; /* SHA-256 of the three texts */
    struct span manifest_text, host_text, profile_text;
};

const char *profile_step_word(enum profile_step step);

/* Parsers; each refuses with ERR_PINS, the file, the line and the reason.
 *
 * host.manifest: first line "lema-host v1", rows "ROLE SHA256 /real/path" and
 * for lib "lib SHA256 /real/path /seen/path".  At most one bwrap, systemd-run
 * and systemctl, the last two both or neither: what is missing, such a binary
 * refuses to use.  Sorted by role in the order of enum host_role, then bytewise
 * by path, then by seen path; no duplicates, no seen path twice, none below
 * what every sandbox shows (/lean, /modules, /artifacts, /call, /proc, /dev);
 * paths as walk_check_text and without spaces.  The first line alone is allowed.
 *
 * toolchain.profile: first line "lema-profile v1 NAME", then one line for each
 * step, in the order of enum profile_step: "STEP PROGRAM ARGUMENT…", words of
 * printable ASCII with one space between.  PROGRAM is a path below the
 * distribution.  In an argument {name} stands for what lema puts there; which names a
 * step may use is a closed list (pins_profile.c):
 *
 *     {memory}  SCOPE's limit for Lean in MiB      elaborate axioms
 *     {root}    where the module's path begins     elaborate
 *     {source}  the .lean file                     elaborate axioms
 *     {module}  the module's name                  replay
 *     {olean} {ilean}  what is written             elaborate
 *     {c}       the C file                         elaborate compile link
 *     {exe}     the executable                     compile link */
int pins_host_parse(struct pins *pins, struct span text, struct err *err);
int pins_profile_parse(struct pins *pins, struct span text, struct err *err);

/* All three from texts.  Each step's program must be an executable file of the manifest. */
int pins_parse(struct pins *pins, struct span manifest, struct span host, struct span profile,
               struct err *err);

/* The embedded ones. */
int pins_load(struct pins *pins, struct err *err);

/* Walk and hash every host file anew (specification 8, check 5).
 * uid      who may own them besides root
 * fd       out, one for each host file: open descriptors of the files that were
 *          hashed, owned by the caller; all -1 on failure
 * returns  0, or -1 with ERR_HOST_FILE (path, expected and found digest) or ERR_PATH */
int pins_check_host(const struct pins *pins, uid_t uid, struct hash_pool *pool,
                    int fd[static HOST_FILES_MAX], struct err *err);
void pins_close_host(int fd[static HOST_FILES_MAX]);

/* Index of the one file of a role, or SIZE_MAX. */
size_t pins_find_host(const struct pins *pins, enum host_role role);

/* Hash what a descriptor is, in this process, and compare it with the one file of a role:
 * for a process that is about to execute it.
 * returns  0, or -1 with ERR_HOST_FILE (sys = 0: another file, or none is pinned) */
int pins_check_fd(const struct pins *pins, enum host_role role, int fd, struct err *err);

#endif
