/* Files and descriptors for the stand-in programs. Functions that can fail
 * return -1 with errno set, unless said otherwise. */
#ifndef STANDIN_FILES_H
#define STANDIN_FILES_H

#include "text.h"

int fd_write(int fd, struct span bytes);
/* One line on standard output, in one write; a failed write is ignored. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One line on standard error, then exit with `code`. */
_Noreturn void die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds all that can be read from the descriptor. */
int fd_read(int fd, struct text *out);
int file_read(const char *path, struct text *out);
/* Maps a file read-only for as long as the process lives, as Lean does with
 * an .olean. An empty file gives an empty span. */
int file_map(const char *path, struct span *out);
/* Creates or overwrites, with 0666 or 0777 less the umask. */
int file_write(const char *path, struct span bytes, bool executable);
bool file_exists(const char *path);
bool is_directory(const char *path);

/* The directory `levels` above the program's own file, from /proc/self/exe.
 * Without /proc it fails, as Lean fails. */
int own_root(unsigned levels, struct text *root);

#endif
