/* Every number of lema that is a limit, with the section of the specification that sets it.
 *
 * Nothing here changes at run time: no option, variable or file raises a limit
 * (specification 2).  Names carry their unit. */
#ifndef LEMA_LIMITS_H
#define LEMA_LIMITS_H

#include <stdint.h>

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

/* Configuration, specification 3 */
#define CONFIG_BYTES_MAX 16384u
#define PATH_BYTES_MAX 4095u      /* a path in a configuration, without its NUL */
#define PATH_COMPONENTS_MAX 2048u /* of a path that long: "/a/a/a…" */
#define COMPONENT_BYTES_MAX 255u  /* NAME_MAX of Linux */
#define CALL_BUDGET_MAX ((UINT64_C(1) << 53) - 1)

/* JSON of any source: bounds that RFC 8259 section 9 lets a reader set */
#define JSON_DEPTH_MAX 512u      /* of the grammar gate */
#define JSON_BYTES_MAX MIB(64)   /* of the grammar gate */
#define JSON_TOKENS_MAX 512u     /* of one indexed text: a ledger line, a configuration */
#define JSON_NAME_BYTES_MAX 256u /* of one indexed text; bounds the search for repeated names */

/* Output directory, specification 4 */
#define CALL_NAME_BYTES_MAX 100u
#define EVIDENCE_MODE 0600
#define OUTPUT_DIRECTORY_MODE 0700

/* Ledger, specification 5 */
#define LEDGER_LINE_BYTES_MAX 8192u /* newline included */
#define LEDGER_CALLS_MAX 262144u    /* calls of one ledger: what the reader's table holds */
#define REASON_BYTES_MAX 1024u      /* of a resolve line */

/* Shared lock, specification 7 */
#define LOCK_WAIT_MS UINT64_C(600000)
#define LOCK_POLL_MS 250u

/* Checks, specification 8 */
#define FREE_SPACE_MIN_BYTES GIB(4)
#define MEMORY_AVAILABLE_MIN_BYTES GIB(6)
#define MEMORY_TOTAL_RETRY_BYTES GIB(7) /* section 12: below it a wait cannot help */
#define MEMORY_PRESSURE_MAX_CENTI 1000u /* "some avg10", hundredths of a percent */
#define CPU_PRESSURE_MAX_CENTI 4000u

/* A call, specification 9 */
#define WALL_CHECK_RUNTIME_MS 120000u
#define WALL_ELABORATE_MS 300000u
#define WALL_REVERIFY_MS 600000u
#define WALL_EXECUTABLE_MS 600000u
#define SCOPE_MEMORY_BYTES GIB(4)
#define SCOPE_SWAP_BYTES 0u
#define SCOPE_TASKS 256u
#define SCOPE_CPU_PERCENT 400u
#define SCOPE_CPU_PERIOD_US 100000u /* systemd's default period for CPUQuota= */
#define LEAN_MEMORY_MIB 4096u
#define LOG_BYTES_MAX MIB(16)
#define ONE_FILE_BYTES GIB(4) /* RLIMIT_FSIZE */
#define CORE_BYTES 1u         /* RLIMIT_CORE: 0 would still start a piped core_pattern */
#define OPEN_FILES 4096u      /* RLIMIT_NOFILE */
#define WORK_BYTES_MAX GIB(8)
#define WORK_ENTRIES_MAX 65536u
#define WORK_DEPTH_MAX 32u
#define WORK_NAMES_BYTES_MAX (UINT64_C(8) << 20) /* of all paths: a record must stay readable */
#define WORK_FREE_MIN_BYTES GIB(1)
#define WORK_LOOK_MS 1000u
#define SCOPE_READY_MS 30000u /* section 6, scope-missing */
#define SCOPE_GONE_MS 30000u
#define SETUP_MS 60000u /* from the scope's release to init's READY */

/* Space taken for evidence before a call, specification 9 */
#define RESERVE_RESULT_BYTES KIB(256)
#define RESERVE_LATCH_BYTES 4096u

/* A started program's arguments */
#define ARGV_MAX 1024u
#define ARGV_BYTES_MAX KIB(64)
#define INPUTS_MAX 64u /* files written into work/CALL before a call */

/* Distribution, specification 1: about 20,000 entries and 3 GB */
#define DISTRIBUTION_ENTRIES_MAX 65536u
#define DISTRIBUTION_NAME_BYTES_MAX 128u
#define DISTRIBUTION_DEPTH_MAX 64u

/* Pinned host files, specification 2 */
#define HOST_FILES_MAX 96u
#define VIEW_LIBS_MAX 48u

/* Hash workers: one for each processor, no more than this */
#define WORKERS_MAX 32u
#define PIPE_BYTES (1u << 20)

#endif
