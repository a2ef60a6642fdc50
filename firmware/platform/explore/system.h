/* A small system for exploration: what each core does, a power controller, and what must always hold. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "psci_platform.h"

#define SYSTEM_OPERATIONS 16U

/* What changes besides psci and the cores themselves. */
struct system_state {
    uint8_t position[PSCI_MAX_CORES]; /* in the core's program */
    bool armed[PSCI_MAX_CORES];       /* an interrupt is still to come in this suspend */
    uint8_t about_to[PSCI_MAX_CORES]; /* enum host_operation: what the core does in its next step, and with what */
    const void *about_object[PSCI_MAX_CORES];
    bool in_call[PSCI_MAX_CORES];
    bool is_cut[PSCI_MAX_DOMAINS];
    bool has_last_man[PSCI_MAX_DOMAINS];
    uint8_t told_level[PSCI_MAX_CORES]; /* by the core's last message */
};

extern struct system_state system_state;

struct system_setup {
    unsigned cores;
    unsigned clusters;
    unsigned cluster_cores[PSCI_MAX_DOMAINS];
    char programs[PSCI_MAX_CORES][SYSTEM_OPERATIONS];
    bool os_initiated;
    bool transition_scope;
};

/* "2,2" and "2|2|0|f": cores of each cluster; a program a core, a letter a call (README beside this file). */
bool system_parse(struct system_setup *setup, const char *clusters, const char *programs);

/* A fresh machine in which every core stands before its first call, or is off where its program begins with `-`. */
void system_start(const struct system_setup *setup);

/* One step of one core, or one interrupt. False: a rule is broken. */
bool system_step(unsigned choice);
const char *system_fault(void);

/* The choices that there are: core c runs a step (c), or its interrupt comes (cores + c). */
unsigned system_choices(unsigned *choices);

/* NULL where the system may rest like this; else what is wrong. */
const char *system_rest_fault(void);

uint64_t system_hash(void);

/* Where the core stands, for a timeline. */
const char *system_describe(unsigned choice, char *text, unsigned bytes);

#endif
