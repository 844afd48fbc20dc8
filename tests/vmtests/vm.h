/* What the programs of the test VM share: a case is one configuration below
 * /home/tester/vm/NAME with its evidence, and the calls made with it.
 *
 * Included by one C file a program.  Nothing here is a seam into lema: a test
 * passes its clock and its machine in struct runtime, and its wall time by
 * linking (kind_wall_ms, see VM_LINK in the Makefile). */
#ifndef LEMA_TESTS_VMTESTS_VM_H
#define LEMA_TESTS_VMTESTS_VM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sys.h"
#include "call/call.h"
#include "call/confine.h"
#include "call/init.h"
#include "call/inner.h"
#include "call/recover.h"
#include "unit/check.h"

#define VM_DISTRIBUTION "/opt/dist/lean"
#define VM_MANAGER "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service"
#define VM_QUIET_MS 90000u /* how long a test waits for the emulated host to be quiet */

struct vm_case {
    const char *name;
    char dir[256];
    enum sandbox_kind sandbox; /* of its calls */
    enum scope_kind scope;
    struct work_input extra; /* a second input of its calls, NULL for none */
    bool unconfined;         /* the call is made without MONITOR's filter: a test acts in it */
    struct runtime *rt;
    struct call_answer answer;
    const struct record_result *r; /* of answer */
    struct err err;
    char text[ERR_TEXT_BYTES]; /* err, formatted */
    int result;                /* of native_call */
};

static inline void vm_sleep_ms(unsigned ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* DIR/NAME of a case; the last eight stay valid. */
static inline const char *vm_path(const struct vm_case *c, const char *name)
{
    static char path[8][512];
    static unsigned at;
    char *p = path[at++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", c->dir, name);
    return p;
}

static inline bool vm_exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static inline bool vm_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text);
}

/* A file's first mebibyte as text ("" if there is none), until the next call. */
static inline const char *vm_read(const char *path)
{
    static char text[(1 << 20) + 1];
    size_t n = 0;
    ssize_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n < sizeof text - 1 && (got = read(fd, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    if (fd >= 0)
        close(fd);
    text[n] = '\0';
    return text;
}

static inline long long vm_size(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? (long long)st.st_size : -1;
}

static inline unsigned vm_count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        n++;
    return n;
}

static inline const char *vm_log(const struct vm_case *c, const char *call)
{
    char name[160];
    snprintf(name, sizeof name, "out/%s.log", call);
    return vm_read(vm_path(c, name));
}

/* A record's text: reserved or result. */
static inline const char *vm_record(const struct vm_case *c, const char *call, const char *which)
{
    char name[160];
    snprintf(name, sizeof name, "out/%s-%s.json", call, which);
    return vm_read(vm_path(c, name));
}

static inline const char *vm_ledger(const struct vm_case *c)
{
    return vm_read(vm_path(c, "out/ledger.jsonl"));
}

/* The sandbox that run-root asks for: bwrap, or direct. */
static inline enum sandbox_kind vm_sandbox(void)
{
    enum sandbox_kind kind = SANDBOX_BWRAP;
    const char *word = getenv("VM_SANDBOX");
    if (word != NULL && !sandbox_parse(word, &kind))
        abort();
    return kind;
}

/* And the scope: the user manager's, or a delegated cgroup's. */
static inline enum scope_kind vm_scope(void)
{
    enum scope_kind kind = SCOPE_SYSTEMD;
    const char *word = getenv("VM_SCOPE");
    if (word != NULL && !scope_parse(word, &kind))
        abort();
    return kind;
}

/* Where the cases are, and what follows a case's name when it is run another way. */
static inline const char *vm_base(void)
{
    return getenv("VM_BASE") != NULL ? getenv("VM_BASE") : "/home/tester/vm";
}

static inline const char *vm_suffix(void)
{
    return getenv("VM_SUFFIX") != NULL ? getenv("VM_SUFFIX") : "";
}

/* Make the directories and files of a case.  extra: further fields, ",…" or "". */
static inline bool vm_make(struct vm_case *c, const char *name, const char *distribution,
                           const char *extra)
{
    char config[1024];
    memset(c, 0, sizeof *c);
    c->name = name;
    c->sandbox = vm_sandbox();
    c->scope = vm_scope();
    c->r = &c->answer.result;
    snprintf(c->dir, sizeof c->dir, "%s/%s%s", vm_base(), name, vm_suffix());
    (void)mkdir(vm_base(), 0700);
    snprintf(config, sizeof config,
             "{\"schema\":\"lema.runtime-linux/v2\",\"distribution\":\"%s\",\"output\":\"%s/out\","
             "\"shared_lock\":\"%s/lock\"%s}",
             distribution, c->dir, c->dir, extra);
    return mkdir(c->dir, 0700) == 0 && mkdir(vm_path(c, "out"), 0700) == 0 &&
           vm_write(vm_path(c, "lock"), "") && vm_write(vm_path(c, "config.json"), config);
}

/* The error as text, "" if there is none. */
static inline void vm_format(struct vm_case *c)
{
    struct text t = text_on(c->text, sizeof c->text);
    c->text[0] = '\0';
    if (c->err.what != ERR_NONE)
        err_format(&c->err, &t);
}

static inline bool vm_load(struct vm_case *c)
{
    err_clear(&c->err);
    c->rt = sys_memory(sizeof *c->rt);
    if (c->rt == NULL)
        return false;
    runtime_init(c->rt);
    bool loaded =
        (vm_scope() != SCOPE_CGROUP || runtime_delegate(c->rt, &c->err) == 0) &&
        runtime_start(c->rt, &c->err) == 0 &&
        runtime_load(c->rt, str_span(vm_path(c, "config.json")), RUNTIME_WHOLE, NULL, &c->err) == 0;
    vm_format(c);
    return loaded;
}

static inline bool vm_open(struct vm_case *c, const char *name, const char *distribution,
                           const char *extra)
{
    return CHECK(vm_make(c, name, distribution, extra) && vm_load(c),
                 "%s: the configuration loads %s", name, c->text);
}

static inline void vm_close(struct vm_case *c)
{
    if (c->rt != NULL)
        runtime_close(c->rt);
    c->rt = NULL;
}

/* One call with a source text, in this process. */
static inline void vm_call_here(struct vm_case *c, const char *call, const char *source)
{
    const char *const argv[] = {"/lean/bin/lean", "--memory=4096", "--root=/call",
                                "/call/LemaCheck.lean", NULL};
    struct work_input input[] = {{"LemaCheck.lean", str_span(source)}, c->extra};
    struct call_request request = {.name = call,
                                   .kind = KIND_CHECK_RUNTIME,
                                   .argv = argv,
                                   .input = input,
                                   .input_n = c->extra.name != NULL ? 2 : 1,
                                   .sandbox = c->sandbox,
                                   .scope = c->scope};

    err_clear(&c->err);
    c->result = native_call(c->rt, &request, &c->answer, &c->err);
}

static bool vm_quiet; /* a call that succeeds says nothing */

/* The same in a process that confined itself as lema does; it is a copy of this one, with
 * the same launcher and workers, and what it answers comes back. */
static inline void vm_call_confined(struct vm_case *c, const char *call, const char *source)
{
    int status = 0;
    struct vm_case *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    *shared = *c;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        err_clear(&shared->err);
        if (confine_monitor(&shared->err) != 0 || confine_writes(c->rt, &shared->err) < 0)
            _exit(2);
        vm_call_here(shared, call, source);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    bool lived = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!lived || !vm_quiet)
        CHECK(lived, "%s/%s: lema did nothing that its filter does not allow (status %d)", c->name,
              call, status);
    c->answer = shared->answer;
    c->err = shared->err;
    c->result = shared->result;
    munmap(shared, sizeof *shared);
}

/* One call.  Waits while the host is not quiet. */
static inline void vm_call(struct vm_case *c, const char *call, const char *source)
{
    uint64_t start = clock_boot_ns(), waited = 0;

    for (;; waited += 2000) {
        if (c->unconfined)
            vm_call_here(c, call, source);
        else
            vm_call_confined(c, call, source);
        if (c->err.what != ERR_PRESSURE_RETRY || waited >= VM_QUIET_MS)
            break;
        vm_sleep_ms(2000);
    }
    vm_format(c);
    if (vm_quiet)
        return;
    printf("# %s/%s: %s, exit %d, signal %d, fault %s, wall %lld ms, gone %lld ms; %llu ms in all, "
           "%llu of them waiting for quiet%s%s%s%s\n",
           c->name, call, c->answer.reservations == 0 ? "refused" : outcome_word(c->r->outcome),
           (int)c->r->exit_code, (int)c->r->signal, fault_word(fault_first(c->r->faults)),
           (long long)c->r->wall_ms, (long long)c->r->gone_ms,
           (unsigned long long)((clock_boot_ns() - start) / 1000000), (unsigned long long)waited,
           c->text[0] != '\0' ? "; " : "", c->text,
           c->answer.diagnostics[0] != '\0' ? "; said: " : "", c->answer.diagnostics);
}

/* lema recover --call CALL, with the result and error in c. */
static inline void vm_recover(struct vm_case *c, const char *call)
{
    static struct recover r;
    struct recover_done done;

    err_clear(&c->err);
    recover_init(&r);
    c->result = recover_look(&r, c->rt, call, &c->err);
    if (c->result == 0)
        c->result = recover_apply(&r, c->rt, false, "a test looked at it", &done, &c->err);
    recover_close(&r);
    vm_format(c);
}

/* How many temporary names the output holds. */
static inline unsigned vm_temporaries(const struct vm_case *c)
{
    unsigned n = 0;
    struct dirent *entry;
    DIR *d = opendir(vm_path(c, "out"));
    while (d != NULL && (entry = readdir(d)) != NULL)
        n += strstr(entry->d_name, ".tmp") != NULL;
    if (d != NULL)
        closedir(d);
    return n;
}

/* --- What is left on the machine --------------------------------------------------- */

static int vm_found; /* cgroups called lema-native-* */
static char vm_found_path[512];

static inline int vm_look_at(const char *path, const struct stat *st, int type, struct FTW *f)
{
    (void)st;
    if (type == FTW_D && strncmp(path + f->base, UNIT_PREFIX, strlen(UNIT_PREFIX)) == 0)
        vm_found++, snprintf(vm_found_path, sizeof vm_found_path, "%s", path);
    return 0;
}

/* Cgroups called lema-native-*, anywhere. */
static inline int vm_scopes(void)
{
    vm_found = 0;
    (void)nftw(SCOPE_CGROUP_ROOT, vm_look_at, 16, FTW_PHYS);
    return vm_found;
}

/* The first process of a cgroup, or 0. */
static inline pid_t vm_first_of(const char *cgroup)
{
    char path[600];
    snprintf(path, sizeof path, "%s/cgroup.procs", cgroup);
    return (pid_t)atoi(vm_read(path));
}

/* Processes by the name that the kernel keeps of them; the first one's pid in *pid. */
static inline int vm_processes(const char *comm, pid_t *pid)
{
    int n = 0;
    struct dirent *entry;
    DIR *d = opendir("/proc");
    while (d != NULL && (entry = readdir(d)) != NULL) {
        char path[300], line[64];
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        snprintf(line, sizeof line, "%.60s", vm_read(path));
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, comm) != 0)
            continue;
        if (n++ == 0 && pid != NULL)
            *pid = (pid_t)atoi(entry->d_name);
    }
    if (d != NULL)
        closedir(d);
    return n;
}

/* Nothing of a call may be there: no cgroup, no process. */
static inline void vm_check_gone(const char *what)
{
    CHECK_I64(vm_scopes(), 0, "%s: no cgroup lema-native-* is left", what);
    CHECK_I64(vm_processes("lean", NULL), 0, "%s: no process of the program is left", what);
}

/* Nothing of a call runs.  systemd keeps an empty scope if its process was killed while it
 * was being moved there; recover has it stopped. */
static inline void vm_check_no_process(const char *what)
{
    CHECK(vm_scopes() == 0 || (vm_found == 1 && vm_first_of(vm_found_path) == 0),
          "%s: no process is left in a scope", what);
    CHECK_I64(vm_processes("lean", NULL), 0, "%s: no process of the program is left", what);
}

/* Wait until a program called lean runs.  returns  its pid, or 0 */
static inline pid_t vm_wait_for_program(void)
{
    pid_t pid = 0;
    for (int i = 0; i < 600; i++) {
        if (vm_processes("lean", &pid) > 0)
            return pid;
        vm_sleep_ms(50);
    }
    return 0;
}

/* Another lema: a process with its own runtime on the case's configuration makes
 * the call and ends with 0 if it succeeded without a fault, 1 otherwise. */
static inline pid_t vm_fork_call(const struct vm_case *c, const char *call, const char *source)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    struct vm_case own = *c;
    own.r = &own.answer.result;
    if (!vm_load(&own))
        _exit(2);
    uint64_t end = clock_boot_ns() + VM_QUIET_MS * UINT64_C(1000000);
    if (confine_monitor(&own.err) != 0 || confine_writes(own.rt, &own.err) < 0)
        _exit(3);
    do
        vm_call_here(&own, call, source);
    while (own.err.what == ERR_PRESSURE_RETRY && clock_boot_ns() < end);
    vm_close(&own);
    _exit(own.result == 0 ? 0 : 1);
}

/* INNER and INIT are this program again; otherwise the cases named on the command line. */
struct vm_test {
    const char *name;
    void (*run)(void);
};

static inline int vm_main(int argc, char **argv, const struct vm_test *test, size_t n)
{
    if (argc == 2 && strcmp(argv[1], "--inner") == 0)
        inner_main();
    if (argc == 2 && strcmp(argv[1], "--init") == 0)
        init_main();
    umask(077);
    for (int i = 1; i < argc; i++) {
        size_t at = 0;
        while (at < n && strcmp(test[at].name, argv[i]) != 0)
            at++;
        if (CHECK(at < n, "there is a case %s", argv[i])) {
            uint64_t start = clock_boot_ns();
            test[at].run();
            printf("# case %s: %llu ms\n", argv[i],
                   (unsigned long long)((clock_boot_ns() - start) / 1000000));
        }
    }
    return check_end();
}

#endif
