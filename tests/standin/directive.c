/* Directives: see directive.h. The table below is the whole list.
 *
 *   processes  fork-bomb setsid-child hang hang-ignoring-signals stop-self spin sleep exit raise
 *              abort ignore-signal kill-parent exec
 *   output     print print-stderr print-escapes print-binary fill-log close-stdout forge-verdict
 *              echo-args cat-stdin
 *   space      allocate allocate-tmpfile allocate-memfd fill-disk sparse-file many-files deep-dirs
 *   entries    write append read remove chmod symlink hardlink fifo mknod-device
 *              name-with-newline swap-loop
 *   probes     write-everywhere fd-check open-net read-proc-1 userns ptrace-1 mount-try syscall
 *              int80 ioctl-tty show-view */
#include "directive.h"

#include <string.h>

#include "act.h"
#include "files.h"

#define NUMBER_MAX ((uint64_t)1 << 53)

struct directive {
    const char *name;
    const char *takes; /* n number, w word, t the rest of the line; ? optional from here */
    directive_function *run;
    const char *usage;
    const char *purpose;
};

static const struct directive table[] = {
    {"fork-bomb", "n?n", act_fork_bomb, "N [SECONDS]", "fork N children that sleep (600 s)"},
    {"setsid-child", "nw?w", act_setsid_child, "SECONDS PATH [keep|close]",
     "a detached child sleeps, then appends to PATH; holds stdout or closes it"},
    {"hang", "", act_hang, "", "wait for ever"},
    {"hang-ignoring-signals", "", act_hang_ignoring_signals, "", "the same, deaf to signals"},
    {"stop-self", "", act_stop_self, "", "send SIGSTOP to itself"},
    {"spin", "n", act_spin, "SECONDS", "use a whole processor"},
    {"sleep", "n", act_sleep, "SECONDS", "sleep"},
    {"exit", "n", act_exit, "CODE", "end at once with CODE, writing nothing"},
    {"raise", "w", act_raise, "SIGNAL", "send itself a signal, by name or number"},
    {"abort", "", act_abort, "", "call abort"},
    {"ignore-signal", "w", act_ignore_signal, "SIGNAL", "ignore a signal from now on"},
    {"kill-parent", "", act_kill_parent, "", "send SIGKILL to the parent process"},
    {"exec", "w?www", act_exec, "PATH [ARG...]", "run a program and tell how it ended"},
    {"print", "t", act_print, "TEXT", "a line on standard output"},
    {"print-stderr", "t", act_print_stderr, "TEXT", "a line on standard error"},
    {"print-escapes", "", act_print_escapes, "",
     "terminal escapes, control bytes, bidi, bad UTF-8"},
    {"print-binary", "n", act_print_binary, "BYTES", "bytes of every value, the same each time"},
    {"fill-log", "n?n", act_fill_log, "BYTES [CHUNK]", "so much output, in writes of CHUNK (4096)"},
    {"close-stdout", "", act_close_stdout, "", "close standard output and standard error"},
    {"forge-verdict", "", act_forge_verdict, "", "lines that look like a supervisor's verdict"},
    {"echo-args", "", act_echo_args, "", "the program's arguments, one a line, escaped"},
    {"cat-stdin", "", act_cat_stdin, "", "copy standard input to standard output"},
    {"allocate", "n", act_allocate, "MIB", "take and touch memory"},
    {"allocate-tmpfile", "n", act_allocate_tmpfile, "MIB", "fill an unlinked file in TMPDIR"},
    {"allocate-memfd", "n", act_allocate_memfd, "MIB", "fill a memfd"},
    {"fill-disk", "nw", act_fill_disk, "BYTES PATH", "write a file of so many bytes"},
    {"sparse-file", "nw", act_sparse_file, "BYTES PATH",
     "make a file of that size without writing"},
    {"many-files", "n?w", act_many_files, "N [DIR]", "make N empty files in DIR (many)"},
    {"deep-dirs", "n", act_deep_dirs, "N", "make N folders, each in the one before"},
    {"write", "wt", act_write, "PATH TEXT", "write a file"},
    {"append", "wt", act_append, "PATH TEXT", "append to a file"},
    {"read", "w", act_read, "PATH", "try to read a file, tell how many bytes"},
    {"remove", "w", act_remove, "PATH", "unlink a file or remove an empty folder"},
    {"chmod", "ww", act_chmod, "OCTAL PATH", "change a mode"},
    {"symlink", "ww", act_symlink, "TARGET PATH", "make a symbolic link"},
    {"hardlink", "ww", act_hardlink, "TARGET PATH", "make a hard link"},
    {"fifo", "w", act_fifo, "PATH", "make a fifo"},
    {"mknod-device", "w", act_mknod_device, "PATH", "make a character device 1:3"},
    {"name-with-newline", "", act_name_with_newline, "", "make files with hostile names"},
    {"swap-loop", "n", act_swap_loop, "SECONDS", "a child turns `swap` into every kind of entry"},
    {"write-everywhere", "", act_write_everywhere, "", "try to open files for writing, everywhere"},
    {"fd-check", "", act_fd_check, "", "list open descriptors above 2"},
    {"open-net", "", act_open_net, "", "try to make sockets of many families"},
    {"read-proc-1", "", act_read_proc_1, "", "try to open what /proc/1 holds"},
    {"userns", "", act_userns, "", "try to make and enter namespaces"},
    {"ptrace-1", "", act_ptrace_1, "", "try to trace or read process 1 and the parent"},
    {"mount-try", "", act_mount_try, "", "try to mount, unmount and change the root"},
    {"syscall", "n?nnn", act_syscall, "NUMBER [A [B [C]]]", "one system call, in a child"},
    {"int80", "", act_int80, "", "a 32-bit system call, in a child"},
    {"ioctl-tty", "", act_ioctl_tty, "", "try TIOCSTI and TIOCLINUX"},
    {"show-view", "", act_show_view, "", "all that the process sees and is"},
};

#define COUNT (sizeof table / sizeof table[0])

static const struct directive *find(struct span name)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (span_is(name, table[i].name))
            return &table[i];
    }
    return NULL;
}

static int hex(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at == NULL ? -1 : (int)(at - digits);
}

/* Replaces \n, \t, \\ and \xHH. NULL for another escape or a NUL byte. */
static const char *unescaped(struct span s)
{
    char *out = span_copy(s);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (c == '\0')
            return NULL;
        if (c == '\\') {
            char what = ++i < s.n ? s.p[i] : '\0';
            int value = i + 2 < s.n ? hex(s.p[i + 1]) * 16 + hex(s.p[i + 2]) : -1;

            if (what == 'x' && value > 0 && hex(s.p[i + 2]) >= 0) {
                c = (char)value;
                i += 2;
            } else if (what == 'n' || what == 't' || what == '\\') {
                c = what == 'n' ? '\n' : what == 't' ? '\t' : '\\';
            } else {
                return NULL;
            }
        }
        out[n++] = c;
    }
    out[n] = '\0';
    return out;
}

static bool take(char type, struct span *rest, struct arguments *a)
{
    struct span word = *rest;
    uint64_t number;

    if (type == 't')
        *rest = (struct span){NULL, 0};
    else
        word = span_take(rest, ' ');
    if (type == 'n' && !span_number(word, NUMBER_MAX, &number))
        return false;
    a->at[a->n] = unescaped(word);
    return a->at[a->n++] != NULL;
}

static int parse(struct span text, const struct directive **row, struct arguments *a)
{
    struct span rest = text;
    bool optional = false;

    *row = find(span_take(&rest, ' '));
    *a = (struct arguments){.n = 0};
    if (*row == NULL)
        return -1;
    for (const char *type = (*row)->takes; *type != '\0'; type++) {
        if (*type == '?')
            optional = true;
        else if (rest.n == 0 ? !optional : !take(*type, &rest, a))
            return -1;
    }
    return rest.n == 0 ? 0 : -1;
}

int directive_check(struct span text, struct text *why)
{
    const struct directive *row;
    struct arguments a;

    if (parse(text, &row, &a) == 0)
        return 0;
    if (row == NULL)
        text_add_string(why, "unknown directive '");
    else
        text_addf(why, "usage: %s %s: '", row->name, row->usage);
    text_add_escaped(why, text);
    text_add_string(why, "'");
    return -1;
}

void directive_run(struct directive_context *c, struct span text)
{
    const struct directive *row;
    struct arguments a;

    if (parse(text, &row, &a) != 0)
        die(DIRECTIVE_UNKNOWN, "unknown directive");
    row->run(c, &a);
}

void directive_help(void)
{
    for (size_t i = 0; i < COUNT; i++)
        say("  --! %s%s%s\n        %s", table[i].name, table[i].usage[0] == '\0' ? "" : " ",
            table[i].usage, table[i].purpose);
}

uint64_t argument_number(const struct arguments *a, size_t i, uint64_t standard)
{
    uint64_t number = standard;

    if (i < a->n && !span_number(span_of(a->at[i]), NUMBER_MAX, &number))
        return standard;
    return number;
}

const char *argument(const struct arguments *a, size_t i, const char *standard)
{
    return i < a->n ? a->at[i] : standard;
}
