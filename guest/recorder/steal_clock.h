/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that a hypervisor kept from each CPU, as its kernel counts it in /proc/stat; and whether the kernel has such a clock at all. */
#ifndef STEAL_CLOCK_H
#define STEAL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define STEAL_CLOCK_MOST_CPUS 64U

/* Whether a count of 0 means that nothing was stolen. The words of steal_clock_word() are in the output. */
enum steal_clock {
    STEAL_CLOCK_KNOWN,         /* the hypervisor offers it to this kernel */
    STEAL_CLOCK_NO_HYPERVISOR, /* the CPU names none */
    STEAL_CLOCK_NOT_OFFERED,   /* the hypervisor has none for this machine */
    STEAL_CLOCK_UNSAID,        /* nothing but a count above 0 would show it */
    STEAL_CLOCK_UNREADABLE,    /* /proc/stat is missing, or a container's own */
};

const char *steal_clock_word(enum steal_clock clock);

enum steal_clock steal_clock_here(void);

/* The length of the kernel's tick of user space, by which it prints the clock. */
uint64_t steal_clock_tick_ns(void);

/* The ticks of all CPUs below STEAL_CLOCK_MOST_CPUS by their number; 0 or an errno. */
int steal_clock_read(uint64_t ticks[STEAL_CLOCK_MOST_CPUS]);

/* Takes a line of /proc/stat. False if it is none of a CPU, or has no such column. */
bool steal_clock_of_line(const char *line, unsigned *cpu, uint64_t *ticks);

#endif
