/* Power cuts, by a model: what a disk may hold if only what was synced is on it.
 * Runs in the test VM as an ordinary user: vm_power success|fault.
 *
 * lema is driven call by call (steps.h).  At each fsync and fdatasync of a file its bytes are
 * kept; at each sync of a directory its names.  At each point of the call two disks are made
 * of that, and judged as a crash is (judge.h):
 *
 *   poor      the names of the last sync of the directory, each file as it was last synced,
 *             empty if it never was
 *   names     every name that there is now, the bytes as last synced: renames that reached
 *             the disk before the data did
 *
 * With every byte and name on the disk it is the crash matrix.  A real file system orders
 * more than this model: what holds here holds there (fsync(2), and the rename rules that
 * ext4, xfs and btrfs keep are weaker promises than "names" takes away). */
#include "vmtests/judge.h"
#include "vmtests/steps.h"

#define FILES_MAX 64

/* A file by its inode, with the bytes of its last sync. */
struct synced {
    ino_t ino;
    size_t n;
    char *bytes; /* NULL: never synced */
};

struct name {
    char name[128];
    ino_t ino;
};

struct disk {
    struct synced file[FILES_MAX];
    unsigned files;
    struct name entry[FILES_MAX]; /* of the output, at its last sync */
    unsigned entries;
    unsigned orders; /* sendmsg so far: the second asks for the scope */
};

static struct disk disk;

static unsigned list(const struct vm_case *c, struct name entry[static FILES_MAX])
{
    unsigned n = 0;
    struct dirent *e;
    DIR *d = opendir(vm_path(c, "out"));
    while (d != NULL && (e = readdir(d)) != NULL && n < FILES_MAX) {
        if (e->d_type != DT_REG)
            continue;
        snprintf(entry[n].name, sizeof entry[n].name, "%.120s", e->d_name);
        entry[n++].ino = e->d_ino;
    }
    if (d != NULL)
        closedir(d);
    return n;
}

static struct synced *file_of(ino_t ino)
{
    for (unsigned i = 0; i < disk.files; i++)
        if (disk.file[i].ino == ino)
            return &disk.file[i];
    return NULL;
}

/* A file was synced: keep its bytes. */
static void keep_file(const char *path)
{
    struct stat st;

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        abort();
    struct synced *f = file_of(st.st_ino);
    if (f == NULL) {
        if (disk.files == FILES_MAX)
            abort();
        f = &disk.file[disk.files++];
        f->ino = st.st_ino;
        f->bytes = NULL;
    }
    free(f->bytes);
    f->n = (size_t)st.st_size;
    f->bytes = malloc(f->n + 1);
    if (f->bytes == NULL || pread(fd, f->bytes, f->n, 0) != (ssize_t)f->n)
        abort();
    close(fd);
}

/* After a change: what is on the disk for certain now? */
static void follow(const struct vm_case *c, const char *change, const char *path)
{
    if (strcmp(change, "sendmsg") == 0)
        disk.orders++;
    if (strcmp(change, "fsync") != 0 && strcmp(change, "fdatasync") != 0)
        return;
    if (strcmp(path, vm_path(c, "out")) == 0)
        disk.entries = list(c, disk.entry);
    else if (strncmp(path, vm_path(c, "out/"), strlen(vm_path(c, "out/"))) == 0)
        keep_file(path);
}

static void put(const struct vm_case *c, const struct name *name)
{
    char path[300];
    const struct synced *f = file_of(name->ino);

    snprintf(path, sizeof path, "%s/%s", vm_path(c, "out"), name->name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || (f != NULL && f->bytes != NULL && write(fd, f->bytes, f->n) != (ssize_t)f->n))
        abort();
    close(fd);
}

/* One disk, in a case of its own. */
static void judge_disk(const char *title, const char *which, unsigned point, const char *what,
                       const struct name *entry, unsigned entries, bool sure)
{
    struct vm_case c;
    char name[64], text[128];

    snprintf(name, sizeof name, "power-%s-%s-%03u", title, which, point);
    snprintf(text, sizeof text, "%s, power cut after change %u (%s), %s", title, point, what,
             which);
    if (!CHECK(vm_make(&c, name, VM_DISTRIBUTION, ""), "%s: a case of its own", name))
        return;
    for (unsigned i = 0; i < entries; i++)
        put(&c, &entry[i]);
    enum state state = judge_look(&c, "call");
    if (sure && disk.orders >= 2)
        CHECK(state != NOTHING && state != RECORD,
              "%s: a scope was asked for, and the reserve line is on the disk", text);
    CHECK(state != FAULTED_UNLATCHED, "%s: no fault without its latch", text);
    judge_after(&c, text);
}

static const char *source;

static void make_call(struct vm_case *c, const char *call)
{
    uint64_t end = clock_boot_ns() + VM_QUIET_MS * UINT64_C(1000000);
    do
        vm_call_here(c, call, source);
    while (c->err.what == ERR_PRESSURE_RETRY && clock_boot_ns() < end);
}

/* A disk changes at these only: between them both disks stay as they were. */
static bool is_point(const char *change)
{
    return strcmp(change, "fsync") == 0 || strcmp(change, "fdatasync") == 0 ||
           strcmp(change, "renameat2") == 0 || strcmp(change, "sendmsg") == 0;
}

/* Run the call up to its point-th point, and judge what a power cut leaves there.
 * returns  false if there are not so many */
static bool cut_at(const char *title, unsigned point)
{
    struct vm_case c;
    struct stepper s;
    struct step_call call;
    const char *change = NULL;
    char name[64], path[512] = "";
    struct name now[FILES_MAX];
    unsigned n = 0;

    memset(&disk, 0, sizeof disk);
    snprintf(name, sizeof name, "power-%s-%03u", title, point);
    if (!CHECK(vm_make(&c, name, VM_DISTRIBUTION, "") &&
                   step_start(&s, &c, make_call, "call", false),
               "%s: lema is traced", name))
        return false;
    while (step_next(&s, &call)) {
        if (call.entry) {
            change = step_changes(&s, &call);
            if (change != NULL)
                snprintf(path, sizeof path, "%s", step_path(&s, call.arg[0]));
            continue;
        }
        if (change == NULL || call.result < 0)
            continue;
        follow(&c, change, path);
        if (!is_point(change) || n++ != point)
            continue;
        unsigned entries = list(&c, now);
        step_kill(&s);
        judge_settle();
        if (vm_load(&c)) { /* the case itself is closed as any other */
            vm_recover(&c, "call");
            vm_close(&c);
        }
        judge_disk(title, "poor", point, change, disk.entry, disk.entries, true);
        judge_disk(title, "names", point, change, now, entries, false);
        return true;
    }
    return false;
}

static void cuts(const char *title, const char *text)
{
    unsigned points = 0;

    source = text;
    vm_quiet = true;
    memset(judge_seen, 0, sizeof judge_seen);
    while (points < 200 && cut_at(title, points))
        points++;
    printf("# %s: %u points:", title, points);
    for (unsigned i = 0; i < STATES; i++)
        printf(" %s %u;", judge_states[i].name, judge_seen[i]);
    printf("\n");
    CHECK(points > 10, "%s: there are points", title);
}

static void success(void)
{
    cuts("success", "--! exit 0");
    CHECK(judge_seen[NOTHING] > 0 && judge_seen[OPEN] > 0 && judge_seen[COMPLETE] > 0,
          "power cuts leave nothing, an open call and a complete one");
}

static void fault(void)
{
    cuts("fault", "--! fill-log 17825792 65536");
    CHECK(judge_seen[OPEN_LATCHED] > 0 && judge_seen[FAULTED] > 0,
          "and with a fault its latch before its completion line");
}

int main(int argc, char **argv)
{
    static const struct vm_test tests[] = {{"success", success}, {"fault", fault}};
    return vm_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
