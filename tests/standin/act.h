/* The functions behind the rows of directive.c, by file. Each prints lines that
 * begin with the directive's name; README.md gives their shapes. */
#ifndef STANDIN_ACT_H
#define STANDIN_ACT_H

#include "directive.h"

/* act_process.c: processes, signals, endings */
directive_function act_fork_bomb, act_setsid_child, act_hang, act_hang_ignoring_signals;
directive_function act_stop_self, act_spin, act_sleep, act_exit, act_raise, act_abort;
directive_function act_ignore_signal, act_kill_parent, act_exec;

/* act_output.c: what goes to the log */
directive_function act_print, act_print_stderr, act_print_escapes, act_print_binary;
directive_function act_fill_log, act_close_stdout, act_forge_verdict, act_echo_args, act_cat_stdin;

/* act_space.c: memory, disk, numbers of entries */
directive_function act_allocate, act_allocate_tmpfile, act_allocate_memfd, act_fill_disk;
directive_function act_sparse_file, act_many_files, act_deep_dirs;

/* act_files.c: entries of every kind */
directive_function act_write, act_append, act_read, act_remove, act_chmod, act_symlink;
directive_function act_hardlink, act_fifo, act_mknod_device, act_name_with_newline, act_swap_loop;

/* act_probe.c: what can be reached */
directive_function act_write_everywhere, act_fd_check, act_open_net, act_read_proc_1;

/* act_break.c: what the kernel is asked for */
directive_function act_userns, act_ptrace_1, act_mount_try, act_syscall, act_int80, act_ioctl_tty;

/* act_view.c: what is visible */
directive_function act_show_view;

#endif
