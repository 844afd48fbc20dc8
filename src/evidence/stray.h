/* Evidence beside a ledger without a line.  Layer: evidence. */
#ifndef LEMA_EVIDENCE_STRAY_H
#define LEMA_EVIDENCE_STRAY_H

#include "base/err.h"

/* Refuse an output in which a result stands: a result is written after its reserve line, so
 * beside an empty or missing ledger it says that lines, or all of the ledger, were taken away.
 * returns  0 if there is none, or -1 with ERR_LEDGER, which names one, or ERR_IO */
int stray_refuse_results(int output_fd, struct err *err);

#endif
