/* Names of errors and signals, the same with every C library. */
#ifndef STANDIN_NAMES_H
#define STANDIN_NAMES_H

/* "EACCES"; "none" for 0; "EOTHER" for what the table does not hold. */
const char *errno_name(int number);
/* "KILL"; "other" for what the table does not hold. */
const char *signal_name(int number);
/* From "KILL", "SIGKILL" or "9"; 0 if there is no such signal. */
int signal_number(const char *name);

#endif
