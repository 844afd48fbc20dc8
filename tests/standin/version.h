/* What the stand-in says it is. */
#ifndef STANDIN_VERSION_H
#define STANDIN_VERSION_H

/* The shape of the release that lema is made for, and never its plain number. */
#define STANDIN_SHORT_VERSION "4.34.1-standin"
#define STANDIN_GITHASH "0000000000000000000000000000000000000000"
#define STANDIN_NOTICE "lema stand-in, not Lean"
#define STANDIN_VERSION                                                                            \
    "Lean (version " STANDIN_SHORT_VERSION ", x86_64-unknown-linux-gnu, commit " STANDIN_GITHASH   \
    ", Release) " STANDIN_NOTICE
#define STANDIN_VERSION_STRING STANDIN_SHORT_VERSION " (" STANDIN_NOTICE ")"

#endif
