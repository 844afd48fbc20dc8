/* The log of a call: standard output and standard error, merged.  Layer: call.
 *
 * Specification 9: counted as read; one byte over LOG_BYTES_MAX is
 * log-overflow, exactly that many pass.  The bytes are never looked into. */
#ifndef LEMA_CALL_CAPTURE_H
#define LEMA_CALL_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "host/file.h"

struct capture {
    int pipe_fd;              /* MONITOR's end, non-blocking; -1 at its end */
    struct file_pending file; /* CALL.log on its way */
    uint64_t bytes;           /* stored */
    bool overflow;            /* there was more than LOG_BYTES_MAX */
    bool failed;              /* it could not be read or stored whole */
};

/* Begin CALL.log with its space taken.  returns 0, or -1. */
int capture_begin(struct capture *c, int output_fd, const char *call, struct err *err);

/* Read what is there now, at most a pipe's worth.  Never fails: what went
 * wrong is in the flags.  At the pipe's end pipe_fd is -1. */
void capture_drain(struct capture *c);

/* Read to the end of the pipe, as far as it is there (the scope is gone: all
 * writers are dead).  A pipe that is still open then sets failed. */
void capture_finish(struct capture *c);

/* Release everything, the temporary file too unless it was committed. */
void capture_close(struct capture *c);

#endif
