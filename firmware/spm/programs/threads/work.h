/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the threads do, whichever scheduler runs them: calls whose every answer is known, each at another distance from
 * the next tick, so that over the run ticks fall on every instruction of a call; and registers that have to stay.
 */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stdint.h>

#define WORK_CALLERS 2U

/* Of both callers together, where nobody asks for another number. */
#ifndef WORK_CALLS
#define WORK_CALLS 100000U
#endif

struct work_scheduler {
    void (*tick_in)(uint32_t ticks); /* NULL: the ticks come as they come */
    void (*finish)(void);            /* a caller is done: lets the others run, for ever */
};

/* Before the threads. Registers the callers' client ids, -10 and -11. */
bool work_prepare(const struct work_scheduler *scheduler);

/* The body of caller 0 or 1, with `its_calls` calls; returns by finish(). */
_Noreturn void work_call(uint32_t caller);

/* The body of a thread that keeps patterns in its registers while others call. Never returns. */
_Noreturn void work_compute(void);

int32_t work_client_id(uint32_t caller);

/* How far it is; in handlers too. */
bool work_is_done(void);
uint32_t work_calls(void);

/* Prints the count of calls, of those that waited for a secure interrupt, and what went wrong. False if anything did. */
bool work_report(void);

#endif
