/* One attempt in a child of its own, so that a kill by the kernel is a result
 * and nothing that succeeds outlives it. */
#ifndef STANDIN_PROBE_H
#define STANDIN_PROBE_H

/* Runs `attempt` in a child and prints `DIRECTIVE WHAT: ...`: the name of errno
 * for a negative result, else `returned N`, or `killed by SIGNAL`. */
void probe(const char *directive, const char *what, long (*attempt)(const long *values),
           const long *values);

#endif
