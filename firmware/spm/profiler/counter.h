/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters behind one interface; the platform lists them in order of preference. */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct counter {
    /* Free-running at one rate, wide enough that no two neighbouring checkpoints are a lap apart. */
    const char *name;
    const volatile uint32_t *value;
    uint32_t mask; /* its width */
    bool down;
    bool (*start)(void); /* false if it is not there */
};

extern const struct counter *const counters[];
extern const uint32_t counter_count;

/* Its value now. Tests replace it. */
uint32_t counter_look(const struct counter *counter);

/*
 * Starts the counters in turn and returns the first that is there and counts; NULL if there is none. Once in each world,
 * before it measures.
 */
const struct counter *counter_select(void);

#endif
