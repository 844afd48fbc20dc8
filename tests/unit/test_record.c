/* evidence/record and record_read: the two records, byte for byte.
 *
 *     test_record print     the sample records, one a line, for tests/records_parse */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "evidence/record.h"

#include "unit/check.h"
#include "unit/scratch.h"

#define HEX32(pair) pair pair pair pair pair pair pair pair
#define SHA(pair) HEX32(pair) HEX32(pair) HEX32(pair) HEX32(pair)

static struct digest filled(int byte)
{
    struct digest d;
    memset(d.b, byte, sizeof d.b);
    return d;
}

/* --- The reserved record --------------------------------------------------------- */

static const char *const argv[] = {"/lean/bin/lean", "--memory=4096", "a \"b\" \\ \n\xc3\xa9",
                                   "raw \xff\\", NULL};
static const char *const env[] = {"PATH=/lean/bin", "HOME=/call", NULL};
static const struct record_input inputs[] = {{.path = "LemaCodebase.lean", .size = 12},
                                             {.path = "a/b", .size = 0}};

#define LIMITS_OF_SCOPE                                                                            \
    "\"memory_bytes\":4294967296,\"swap_bytes\":0,\"tasks\":256,"                                  \
    "\"cpu_quota_us\":400000,\"cpu_period_us\":100000"

static const char reserved_text[] =
    "{\"schema\":\"lema.call-reserved/v1\",\"call\":\"c1\",\"kind\":\"elaborate\","
    "\"time\":\"2026-01-02T03:04:05.678Z\","
    "\"unit\":\"lema-native-0123456789abcdef0123456789abcdef.scope\","
    "\"sandbox\":\"bwrap\",\"scope\":\"systemd\","
    "\"argv\":[\"/lean/bin/lean\",\"--memory=4096\",\"a \\\"b\\\" \\\\ \\n\xc3\xa9\","
    "\"raw \\\\xff\\\\\\\\\"],"
    "\"env\":[\"PATH=/lean/bin\",\"HOME=/call\"],"
    "\"limits\":{\"wall_ms\":300000," LIMITS_OF_SCOPE ",\"log_bytes\":16777216,"
    "\"file_bytes\":4294967296,\"core_bytes\":1,\"open_files\":4096,"
    "\"work_bytes\":8589934592,\"work_entries\":65536,\"work_depth\":32},"
    "\"inputs\":[{\"path\":\"LemaCodebase.lean\",\"size\":12,\"sha256\":\"" SHA(
        "00") "\"},"
              "{\"path\":\"a/b\",\"size\":0,\"sha256\":\"" SHA(
                  "00") "\"}],"
                        "\"config_sha256\":\"" SHA("a1") "\",\"distribution_id\":\"" SHA(
                            "b2") "\","
                                  "\"host_id\":\"" SHA("c3") "\",\"profile_id\":\"" SHA(
                                      "d4") "\","
                                            "\"host\":{\"host_kind\":\"bare\",\"mem_total\":"
                                            "16777216000,\"mem_available\":9000000000,"
                                            "\"memory_pressure_some_avg10\":0.00,\"cpu_pressure_"
                                            "some_avg10\":40.00},"
                                            "\"lema\":{\"version\":\"1.0.0\",\"binary_sha256\":"
                                            "\"" SHA("e5") "\"}}\n";

static struct record_limits limits(uint64_t wall_ms)
{
    return (struct record_limits){wall_ms, UINT64_C(4294967296), 0, 256, 400000, 100000};
}

static struct record_reserved sample_reserved(void)
{
    return (struct record_reserved){
        .call = "c1",
        .kind = KIND_ELABORATE,
        .time = "2026-01-02T03:04:05.678Z",
        .unit = "lema-native-0123456789abcdef0123456789abcdef.scope",
        .sandbox = "bwrap",
        .scope = "systemd",
        .argv = argv,
        .env = env,
        .limits = limits(300000),
        .input = inputs,
        .input_n = 2,
        .config_sha256 = filled(0xa1),
        .distribution_id = filled(0xb2),
        .host_id = filled(0xc3),
        .profile_id = filled(0xd4),
        .binary_sha256 = filled(0xe5),
        .host = {.kind = MACHINE_BARE,
                 .mem_total = UINT64_C(16777216000),
                 .mem_available = UINT64_C(9000000000),
                 .cpu_pressure_centi = 4000},
        .version = "1.0.0",
    };
}

static void test_reserved(void)
{
    char text[8192];
    struct err err;
    struct record_reserved r = sample_reserved();
    struct text t = text_on(text, sizeof text);
    err_clear(&err);
    CHECK(record_write_reserved(&t, &r, &err) == 0, "a reserved record is written");
    CHECK_TEXT(text, reserved_text, "with the fields of specification 4 in their order");
    t = text_on(text, sizeof reserved_text - 1);
    CHECK(record_write_reserved(&t, &r, &err) == -1 && err.what == ERR_INTERNAL,
          "one byte less room, and it is an error");
    static const char *const nothing[] = {NULL};
    r.argv = nothing;
    r.env = nothing;
    r.input_n = 0;
    err_clear(&err);
    t = text_on(text, sizeof text);
    CHECK(record_write_reserved(&t, &r, &err) == 0 &&
              strstr(text, "\"argv\":[],\"env\":[],") != NULL &&
              strstr(text, "\"inputs\":[],") != NULL,
          "lists may be empty");
}

/* --- The result record ----------------------------------------------------------- */

struct list {
    const struct record_output *output;
    size_t n;
    size_t at;
    size_t repeat; /* give the list so often */
};

static int next_output(void *arg, struct record_output *output, struct err *err)
{
    struct list *list = arg;
    (void)err;
    if (list->n == 0 || list->at == list->n * list->repeat)
        return 0;
    *output = list->output[list->at++ % list->n];
    return 1;
}

static int fail_output(void *arg, struct record_output *output, struct err *err)
{
    size_t *left = arg;
    (void)output;
    if ((*left)-- > 0) {
        output->path = str_span("x");
        return 1;
    }
    return err_sys(err, ERR_IO, "openat", EIO, str_span("work"), NULL);
}

#define RESULT_HEAD                                                                                \
    "{\"schema\":\"lema.call-result/v1\",\"call\":\"c1\",\"kind\":\"executable\","                 \
    "\"time\":\"2026-01-02T03:04:07.001Z\","

static const char exited_text[] = RESULT_HEAD
    "\"outcome\":\"exited\",\"exit_code\":0,\"signal\":null,\"fault\":null,"
    "\"setup_error\":null,\"preflight\":{\"write-root\":\"EROFS\",\"mount\":\"succeeded\"},"
    "\"oom_killed\":false,\"enforced\":{" LIMITS_OF_SCOPE "},"
    "\"wall_ms\":1323,\"overrun_ms\":0,\"gone_ms\":4,\"cpu_ms\":1200,\"memory_peak\":123456789,"
    "\"tasks_peak\":7,\"log\":{\"bytes\":1234,\"sha256\":\"" SHA(
        "e5") "\",\"truncated\":false},"
              "\"also\":[],\"outputs\":["
              "{\"path\":\"a.olean\",\"type\":\"file\",\"size\":77,\"sha256\":\"" SHA(
                  "11") "\"},"
                        "{\"path\":\"hard-link\",\"type\":\"file\",\"size\":77,\"sha256\":null},"
                        "{\"path\":\"d\",\"type\":\"directory\",\"size\":null,\"sha256\":null},"
                        "{\"path\":\"\\\\x1b[2J\\\\xff "
                        "\xc3\xa9\\\\\\\\\",\"type\":\"symlink\",\"size\":null,\"sha256\":null}],"
                        "\"reserved_sha256\":\"" SHA("f6") "\"}\n";

static const char failed_text[] = RESULT_HEAD
    "\"outcome\":\"setup-failed\",\"exit_code\":null,\"signal\":null,"
    "\"fault\":\"scope-not-gone\",\"setup_error\":{\"step\":\"mount\",\"object\":\"/le\xc3\xa9n\","
    "\"errno\":\"EPERM\"},\"preflight\":null,\"oom_killed\":true,\"enforced\":null,\"wall_ms\":"
    "null,"
    "\"overrun_ms\":0,\"gone_ms\":null,\"cpu_ms\":null,\"memory_peak\":null,"
    "\"tasks_peak\":null,\"log\":{\"bytes\":0,\"sha256\":\"" SHA(
        "e5") "\",\"truncated\":true},"
              "\"also\":[\"scope-mismatch\",\"timeout\",\"work-overflow\"],\"outputs\":[],"
              "\"reserved_sha256\":\"" SHA("f6") "\"}\n";

static const char *const hostile_path = "\x1b[2J\xff \xc3\xa9\\";

static struct record_result sample_exited(void)
{
    return (struct record_result){
        .call = "c1",
        .kind = KIND_EXECUTABLE,
        .time = "2026-01-02T03:04:07.001Z",
        .outcome = OUTCOME_EXITED,
        .exit_code = 0,
        .signal = -1,
        .preflight = {{"write-root", EROFS}, {"mount", 0}},
        .preflight_n = 2,
        .enforced_known = true,
        .enforced = limits(0),
        .wall_ms = 1323,
        .gone_ms = 4,
        .cpu_ms = 1200,
        .memory_peak = 123456789,
        .tasks_peak = 7,
        .log_bytes = 1234,
        .log_sha256 = filled(0xe5),
        .reserved_sha256 = filled(0xf6),
    };
}

static struct record_result sample_failed(void)
{
    struct record_result r = sample_exited();
    r.outcome = OUTCOME_SETUP_FAILED;
    r.exit_code = -1;
    r.faults = UINT32_C(1) << FAULT_TIMEOUT | UINT32_C(1) << FAULT_SCOPE_NOT_GONE |
               UINT32_C(1) << FAULT_WORK_OVERFLOW | UINT32_C(1) << FAULT_SCOPE_MISMATCH;
    r.setup_failed = true;
    (void)str_copy(r.setup_step, sizeof r.setup_step, str_span("mount"));
    (void)str_copy(r.setup_object, sizeof r.setup_object, str_span("/le\xc3\xa9n"));
    r.setup_errno = EPERM;
    r.preflight_n = 0;
    r.oom_killed = true;
    r.enforced_known = false;
    r.wall_ms = r.gone_ms = r.cpu_ms = r.memory_peak = r.tasks_peak = RECORD_NULL;
    r.log_bytes = 0;
    r.log_truncated = true;
    return r;
}

static struct list sample_outputs(size_t repeat)
{
    static struct record_output output[4];
    output[0] = (struct record_output){
        .path = str_span("a.olean"), .type = WORK_FILE, .size = 77, .has_sha256 = true};
    output[0].sha256 = filled(0x11);
    output[1] =
        (struct record_output){.path = str_span("hard-link"), .type = WORK_FILE, .size = 77};
    output[2] = (struct record_output){.path = str_span("d"), .type = WORK_DIRECTORY, .size = 4096};
    output[3] =
        (struct record_output){.path = str_span(hostile_path), .type = WORK_SYMLINK, .size = 3};
    return (struct list){output, repeat == 0 ? 0 : 4, 0, repeat};
}

/* Write a result as NAME in the scratch directory. */
static int write_result(const char *name, const struct record_result *r, struct list list,
                        struct digest *sha256, struct err *err)
{
    struct file_pending f;
    err_clear(err);
    if (file_begin(&f, scratch_fd, name, RESERVE_RESULT_BYTES, err) != 0)
        return -1;
    int result = record_write_result(&f, r, next_output, &list, sha256, err);
    if (result == 0)
        result = file_commit(&f, err);
    file_abandon(&f);
    return result;
}

static void check_result(const struct record_result *r, size_t repeat, const char *want,
                         const char *claim)
{
    static char text[8192];
    struct digest sha256;
    struct digest of_file;
    struct err err;
    scratch_begin();
    CHECK(write_result("r.json", r, sample_outputs(repeat), &sha256, &err) == 0, "%s is written",
          claim);
    ssize_t n = scratch_read("r.json", text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    CHECK_TEXT(text, want, "%s has the fields of specification 4 in their order", claim);
    sha256_of(text, n > 0 ? (size_t)n : 0, &of_file);
    CHECK(digest_equal(&sha256, &of_file), "%s: the digest told is that of the file", claim);
}

static void test_result(void)
{
    struct record_result r = sample_exited();
    check_result(&r, 1, exited_text, "the result of a call that exited");
    r = sample_failed();
    check_result(&r, 0, failed_text, "the result of a call that could not be started");
}

static bool result_has(const struct record_result *r, const char *piece)
{
    static char text[8192];
    struct digest sha256;
    struct err err;
    scratch_begin();
    if (write_result("r.json", r, sample_outputs(0), &sha256, &err) != 0)
        return false;
    ssize_t n = scratch_read("r.json", text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return strstr(text, piece) != NULL;
}

static void test_result_values(void)
{
    struct record_result r = sample_exited();
    r.outcome = OUTCOME_SIGNALED;
    r.exit_code = -1;
    r.signal = 11;
    CHECK(result_has(&r, "\"outcome\":\"signaled\",\"exit_code\":null,\"signal\":11,"),
          "a signal is a number");
    r = sample_failed();
    r.faults = UINT32_C(1) << FAULT_TIMEOUT;
    CHECK(result_has(&r, "\"fault\":\"timeout\",") && result_has(&r, "\"also\":[],"),
          "one fault has no others");
    r.setup_errno = 0;
    CHECK(result_has(&r, "\"object\":\"/le\xc3\xa9n\",\"errno\":null}"),
          "a setup error may have no errno");
    r.setup_errno = 4711;
    CHECK(result_has(&r, "\"errno\":\"errno 4711\"}"), "or one without a name");
    memset(r.setup_step, 's', sizeof r.setup_step);
    memset(r.setup_object, 0xff, sizeof r.setup_object);
    CHECK(result_has(&r, "\"object\":\"\\\\xff\\\\xff"),
          "words that do not end, or are not UTF-8, do not keep it from being written");
    r = sample_exited();
    r.enforced.memory_bytes = RECORD_NULL;
    CHECK(result_has(&r, "\"enforced\":{\"memory_bytes\":null,"), "max, read back, is null");
}

static void test_types(void)
{
    static const char *const words[] = {"file",   "directory", "symlink", "fifo",
                                        "socket", "device",    "other"};
    CHECK_ROWS(words, WORK_OTHER + 1, "types");
    for (int i = 0; i <= WORK_OTHER; i++)
        CHECK_TEXT(work_type_word((enum work_type)i), words[i], "a type is called %s", words[i]);
    CHECK_TEXT(work_type_word((enum work_type)99), "other", "a type out of range has a word");
}

/* --- Many outputs, and long ones ------------------------------------------------- */

static void test_many(void)
{
    static char text[12u << 20];
    struct digest sha256;
    struct digest of_file;
    struct record_result r = sample_exited();
    struct record_head head;
    struct err err;
    scratch_begin();
    CHECK(write_result("many.json", &r, sample_outputs(16384), &sha256, &err) == 0,
          "a result with 65,536 outputs is written");
    ssize_t n = scratch_read("many.json", text, sizeof text);
    CHECK(n > (ssize_t)MIB(4) && n < (ssize_t)sizeof text, "piece by piece");
    sha256_of(text, (size_t)n, &of_file);
    CHECK(digest_equal(&sha256, &of_file), "its digest is that of the file");
    CHECK(record_parse_head((struct span){(const uint8_t *)text, (size_t)n}, &head, &err) == 0 &&
              head.is_result == 1 && strcmp(head.call, "c1") == 0 && head.kind == KIND_EXECUTABLE,
          "it has the shape of a result");
}

static void test_long_path(void)
{
    static char path[WORK_DEPTH_MAX * (COMPONENT_BYTES_MAX + 1)];
    static char longer[KIB(16)];
    static char text[1u << 20];
    struct digest sha256;
    struct record_result r = sample_exited();
    struct record_head head;
    struct err err;
    memset(path, '\\', sizeof path);
    memset(longer, 0xff, sizeof longer);
    const struct record_output deep[] = {
        {.path = {(const uint8_t *)path, sizeof path}, .type = WORK_FILE, .has_sha256 = true}};
    const struct record_output deeper[] = {
        {.path = {(const uint8_t *)longer, sizeof longer}, .type = WORK_FILE}};
    scratch_begin();
    CHECK(write_result("deep.json", &r, (struct list){deep, 1, 0, 9}, &sha256, &err) == 0,
          "a path of 32 components of 255 backslashes fits, also several");
    ssize_t n = scratch_read("deep.json", text, sizeof text);
    CHECK(n > 0 &&
              record_parse_head((struct span){(const uint8_t *)text, (size_t)n}, &head, &err) == 0,
          "and is JSON");
    memset(path, 0xff, sizeof path);
    CHECK(write_result("raw.json", &r, (struct list){deep, 1, 0, 9}, &sha256, &err) == 0,
          "so does one of bytes that are not UTF-8");
    CHECK(write_result("none.json", &r, (struct list){deeper, 1, 0, 1}, &sha256, &err) == -1 &&
              err.what == ERR_INTERNAL,
          "a path that no work directory can have is an error");
    CHECK(scratch_names() == 2, "and leaves nothing behind");
}

static void test_result_fails(void)
{
    struct file_pending f;
    struct digest sha256;
    struct err err;
    struct record_result r = sample_exited();
    size_t left = 2;
    scratch_begin();
    err_clear(&err);
    CHECK(file_begin(&f, scratch_fd, "f.json", RESERVE_RESULT_BYTES, &err) == 0, "a file");
    CHECK(record_write_result(&f, &r, fail_output, &left, &sha256, &err) == -1 &&
              err.what == ERR_IO && strcmp(err.op, "openat") == 0,
          "an output that cannot be told is an error, with its own words");
    file_abandon(&f);
    err_clear(&err);
    CHECK(file_begin(&f, scratch_fd, "g.json", 0, &err) == 0, "a file that was closed");
    int fd = f.fd;
    f.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct list none = sample_outputs(0);
    CHECK(record_write_result(&f, &r, next_output, &none, &sha256, &err) == -1 &&
              err.what == ERR_IO && err.sys == ENOSPC,
          "a full disk is an error");
    close(fd);
    file_abandon(&f);
    CHECK(scratch_names() == 0, "nothing is left behind");
}

/* --- Reading: the outer shape ---------------------------------------------------- */

static const struct head_row {
    const char *claim;
    const char *text; /* of exited_text or reserved_text */
    const char *from, *to;
    const char *field;
} heads[] = {
    {"another schema", exited_text, "result/v1", "result/v2", "schema"},
    {"a schema written with escapes", exited_text, "lema.call", "\\u006cema.call", "schema"},
    {"white space", exited_text, "{\"schema\"", "{ \"schema\"", "schema"},
    {"the schema of the other record", exited_text, "call-result", "call-reserved", "unit"},
    {"a missing field", exited_text, "\"signal\":null,", "", "signal"},
    {"a field twice", exited_text, "\"signal\":null,", "\"signal\":null,\"signal\":null,", "fault"},
    {"fields in another order", exited_text, "\"exit_code\":0,\"signal\":null",
     "\"signal\":null,\"exit_code\":0", "exit_code"},
    {"an unknown field at the end", exited_text, "\"}\n", "\",\"x\":1}\n", ""},
    {"no newline at the end", exited_text, "\"}\n", "\"}", ""},
    {"two newlines at the end", exited_text, "\"}\n", "\"}\n\n", ""},
    {"a call with a slash", exited_text, "\"c1\"", "\"c/1\"", "call"},
    {"a call written with escapes", exited_text, "\"c1\"", "\"c\\u0031\"", "call"},
    {"a call that is a number", exited_text, "\"c1\"", "1", "call"},
    {"another kind", exited_text, "executable", "program", "kind"},
    {"a cut record", exited_text, "\"reserved_sha256\"", "\0", ""},
    {"a record that is no JSON", exited_text, "\"exit_code\":0", "\"exit_code\":00", ""},
    {"a second value", exited_text, "\"}\n", "\"}\n{}", ""},
    {"a reserved record without env", reserved_text, "\"env\":[\"PATH=/lean/bin\",\"HOME=/call\"],",
     "", "env"},
};

static struct span replaced(const char *text, const char *from, const char *to)
{
    static char buffer[16384];
    struct text t = text_on(buffer, sizeof buffer);
    const char *at = strstr(text, from);
    if (at == NULL)
        return (struct span){NULL, 0};
    text_add(&t, (struct span){(const uint8_t *)text, (size_t)(at - text)});
    text_adds(&t, to);
    if (to[0] != '\0' || from[strlen(from) - 1] == ',')
        text_adds(&t, at + strlen(from));
    return text_span(&t);
}

static void test_head(void)
{
    struct record_head head;
    struct record_head zero;
    struct err err;
    memset(&zero, 0, sizeof zero);
    err_clear(&err);
    CHECK(record_parse_head(str_span(exited_text), &head, &err) == 0 && head.is_result == 1 &&
              strcmp(head.call, "c1") == 0 && head.kind == KIND_EXECUTABLE,
          "a result is read");
    CHECK(record_parse_head(str_span(failed_text), &head, &err) == 0, "so is one of a failure");
    CHECK(record_parse_head(str_span(reserved_text), &head, &err) == 0 && head.is_result == 0 &&
              strcmp(head.call, "c1") == 0 && head.kind == KIND_ELABORATE,
          "so is a reserved record");
    CHECK_ROWS(heads, 18, "heads");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct span text = replaced(heads[i].text, heads[i].from, heads[i].to);
        err_clear(&err);
        if (!CHECK(text.p != NULL, "the piece of %s stands there", heads[i].claim))
            continue;
        CHECK(record_parse_head(text, &head, &err) == -1 && err.what == ERR_EVIDENCE,
              "%s is refused", heads[i].claim);
        CHECK_TEXT(err.obj, heads[i].field, "%s: the place is named", heads[i].claim);
        CHECK(memcmp(&head, &zero, sizeof head) == 0, "%s leaves nothing behind", heads[i].claim);
    }
    err_clear(&err);
    CHECK(record_parse_head(str_span(""), &head, &err) == -1, "an empty record is refused");
    CHECK_TEXT(err.why, "byte 1: expected a value, found the end", "with the place");
}

/* Whatever stands in a record, cut anywhere, the scan comes to an end in it. */
static void test_head_cut(void)
{
    struct record_head head;
    unsigned refused = 0;
    for (size_t n = 0; n + 1 < sizeof exited_text; n++) {
        struct err err;
        err_clear(&err);
        char *copy = malloc(n + 1); /* exactly as long: the sanitizer watches its end */
        memcpy(copy, exited_text, n);
        refused += record_parse_head((struct span){(const uint8_t *)copy, n}, &head, &err) == -1;
        free(copy);
    }
    CHECK_U64(refused, sizeof exited_text - 1, "cut at any byte, a record is refused");
}

/* --- Through a worker ------------------------------------------------------------ */

static int head_of(struct worker *w, const char *text, struct record_head *head, struct err *err)
{
    int fd = memfd_create("record", MFD_CLOEXEC);
    size_t n = strlen(text);
    if (fd < 0 || write(fd, text, n) != (ssize_t)n)
        abort();
    err_clear(err);
    int result = record_read_head(w, fd, n, str_span("c1-result.json"), head, err);
    close(fd);
    return result;
}

static void test_worker(void)
{
    struct worker w;
    struct record_head head;
    struct err err;
    char message[ERR_TEXT_BYTES];
    struct text t = text_on(message, sizeof message);
    err_clear(&err);
    if (!CHECK(worker_start(&w, record_duty, &err) == 0, "the record worker starts"))
        return;
    CHECK(head_of(&w, exited_text, &head, &err) == 0 && head.is_result == 1 &&
              strcmp(head.call, "c1") == 0,
          "it reads a result");
    CHECK(head_of(&w, reserved_text, &head, &err) == 0 && head.is_result == 0,
          "and a reserved record");
    CHECK(head_of(&w, "{}", &head, &err) == -1 && err.what == ERR_EVIDENCE, "it refuses others");
    err_format(&err, &t);
    CHECK_TEXT(message, "c1-result.json: schema: not a record's",
               "the message names the file, the field and the reason");
    CHECK(head_of(&w, "", &head, &err) == -1 && err.what == ERR_EVIDENCE, "it refuses nothing");
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    err_clear(&err);
    CHECK(record_read_head(&w, fd, MIB(64) + 1, str_span("r"), &head, &err) == -1 &&
              err.what == ERR_EVIDENCE,
          "a record of more than 64 MiB is refused before it is read");
    close(fd);
    CHECK(head_of(&w, exited_text, &head, &err) == 0, "it is still in step");
    kill(w.pid, SIGKILL);
    CHECK(head_of(&w, exited_text, &head, &err) == -1 && err.what == ERR_WORKER &&
              head.call[0] == '\0',
          "a killed worker is an error, not an answer");
    worker_stop(&w);
}

/* --- A worker that lies ---------------------------------------------------------- */

static struct {
    struct err err;
    struct record_head head;
} lie;

static void lying_duty(int in, int out)
{
    static uint8_t bytes[8192];
    struct worker_job job;
    while (worker_read(in, &job, sizeof job) == sizeof job) {
        (void)worker_read(in, bytes, (size_t)job.bytes);
        worker_write(out, &lie, sizeof lie);
    }
}

static void tell(const struct record_head *head, enum err_what what, int want, const char *claim)
{
    struct worker w;
    struct record_head got;
    struct err err;
    err_clear(&err);
    memset(&lie, 0, sizeof lie);
    lie.head = *head;
    lie.err.what = what;
    if (worker_start(&w, lying_duty, &err) != 0)
        abort();
    int result = head_of(&w, exited_text, &got, &err);
    CHECK(result == want && (want == 0 || err.what == ERR_WORKER), "%s", claim);
    worker_stop(&w);
}

static void test_lies(void)
{
    const struct record_head honest = {1, "c1", KIND_EXECUTABLE, 0};
    struct record_head head = honest;
    tell(&head, ERR_NONE, 0, "an honest answer is taken");
    head.is_result = 2;
    tell(&head, ERR_NONE, -1, "a flag of 2 is no answer");
    head = honest;
    head.kind = KIND_COUNT;
    tell(&head, ERR_NONE, -1, "a kind out of range is no answer");
    head = honest;
    memset(head.call, 'a', sizeof head.call);
    tell(&head, ERR_NONE, -1, "a call without an end is no answer");
    head = honest;
    head.call[1] = '/';
    tell(&head, ERR_NONE, -1, "a call with a slash is no answer");
    head = honest;
    head.unused = 1;
    tell(&head, ERR_NONE, -1, "what is not used must be 0");
    tell(&honest, ERR_LATCHED, -1, "an error of another kind is no answer");
}

static int print_samples(void)
{
    struct record_result r[2] = {sample_exited(), sample_failed()};
    static char text[16384];
    struct digest sha256;
    struct err err;
    fputs(reserved_text, stdout);
    scratch_begin();
    for (size_t i = 0; i < 2; i++) {
        const char *name = i == 0 ? "a.json" : "b.json";
        if (write_result(name, &r[i], sample_outputs(i == 0 ? 5 : 0), &sha256, &err) != 0)
            return 1;
        ssize_t n = scratch_read(name, text, sizeof text - 1);
        text[n > 0 ? n : 0] = '\0';
        fputs(text, stdout);
    }
    scratch_end();
    return 0;
}

int main(int argc, char **arguments)
{
    umask(077);
    if (argc > 1 && strcmp(arguments[1], "print") == 0)
        return print_samples();
    test_reserved();
    test_result();
    test_result_values();
    test_types();
    test_many();
    test_long_path();
    test_result_fails();
    test_head();
    test_head_cut();
    test_worker();
    test_lies();
    scratch_end();
    return check_end();
}
