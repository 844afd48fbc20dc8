/* Attacks of a payload on what confines it: one function each. */
#ifndef LEMA_TESTS_GAUNTLET_ATTACK_H
#define LEMA_TESTS_GAUNTLET_ATTACK_H

/* What came of an attack.  HELD: the attempt was refused; errno says how. */
enum verdict { HELD, SUCCEEDED };

struct attack {
    const char *name;
    const char *claim; /* what must not work */
    enum verdict (*run)(void);
};

extern const struct attack file_attacks[], process_attacks[], kernel_attacks[];
extern const unsigned file_attack_count, process_attack_count, kernel_attack_count;

/* SUCCEEDED if a call did not fail; errno stays. */
enum verdict worked(long result);

#endif
