/* SPDX-License-Identifier: BSD-3-Clause */
#include "counter.h"

#include <stddef.h>

#define LOOK_ROUNDS 64U

/* A test on the development machine has its own. */
__attribute__((weak)) uint32_t counter_look(const struct counter *counter)
{
    return *counter->value;
}

/* A counter that a model leaves out reads as a constant. */
static bool counts(const struct counter *counter)
{
    uint32_t first = counter_look(counter);

    for (uint32_t i = 0; i < LOOK_ROUNDS; i++) {
        if (((counter_look(counter) ^ first) & counter->mask) != 0U) {
            return true;
        }
    }
    return false;
}

const struct counter *counter_select(void)
{
    for (uint32_t i = 0; i < counter_count; i++) {
        if (counters[i]->start() && counts(counters[i])) {
            return counters[i];
        }
    }
    return NULL;
}
