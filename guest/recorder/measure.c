/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "measure.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "pinned_thread.h"

#define COST_ROUNDS 4096U

atomic_int measure_stop;

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may touch no other atomic");

static inline void begin_change(struct measurer *self)
{
    __atomic_store_n(&self->generation, self->generation + 1U, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void end_change(struct measurer *self)
{
    __atomic_store_n(&self->generation, self->generation + 1U, __ATOMIC_RELEASE);
}

/* What happens between two sleeps; the cost measurement runs the same. */
static inline uint64_t note_wake_up(struct measurer *self, uint64_t due_ns)
{
    struct outlier wake = { .wake_ns = clock_ns(CLOCK_MONOTONIC), .wake_ticks = counter_ticks(), .cpu = self->cpu };
    uint64_t outliers = self->tally.outliers;
    uint64_t next_ns;

    begin_change(self);
    next_ns = tally_wake_up(&self->tally, &self->queue, &self->rules, due_ns, &wake);
    end_change(self);
    if (self->kernel_events != NULL && self->tally.outliers != outliers) {
        wake.late_ns = wake.wake_ns - due_ns;
        kernel_events_keep(self->kernel_events, &wake);
    }
    return next_ns;
}

/* CPU hotplug, a cpuset or another affinity moves the thread, and nothing moves it back. */
static inline bool has_left(struct measurer *self)
{
    int cpu = sched_getcpu();

    if (cpu < 0 || (uint32_t)cpu == self->cpu) {
        return false;
    }
    begin_change(self);
    self->tally.left_ns = clock_ns(CLOCK_MONOTONIC);
    self->tally.left_for = (uint64_t)cpu;
    end_change(self);
    return true;
}

static void *measure(void *argument)
{
    struct measurer *self = argument;
    uint64_t due_ns = self->first_due_ns;

    if (self->kernel_events != NULL) {
        kernel_events_of(self->kernel_events, gettid());
    }
    while (!atomic_load_explicit(&measure_stop, memory_order_relaxed) && due_ns < self->end_ns) {
        struct timespec due = from_ns(due_ns);

        if (self->kernel_events != NULL) {
            kernel_events_sleep(self->kernel_events);
        }
        if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0) {
            continue;
        }
        if (has_left(self)) {
            break;
        }
        due_ns = note_wake_up(self, due_ns);
    }
    return NULL;
}

int measure_start(struct measurer *measurer)
{
    tally_init(&measurer->tally);
    return pinned_thread(measurer->cpu, SCHED_FIFO, measurer->priority, measure, measurer, &measurer->thread);
}

void measure_snapshot(const struct measurer *measurer, struct tally *copy)
{
    uint32_t before;
    uint32_t after;

    do {
        before = __atomic_load_n(&measurer->generation, __ATOMIC_ACQUIRE);
        memcpy(copy, &measurer->tally, sizeof(*copy));
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        after = __atomic_load_n(&measurer->generation, __ATOMIC_RELAXED);
    } while (before != after || (before & 1U) != 0);
}

uint64_t measure_loop_cost_ps(struct measurer *scratch)
{
    const uint64_t far_ns = NS_PER_S;

    scratch->rules = (struct tally_rules){ .interval_ns = far_ns, .outlier_ns = far_ns };
    tally_init(&scratch->tally);
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

    for (unsigned i = 0; i < COST_ROUNDS; i++) {
        note_wake_up(scratch, start_ns);
    }
    return (clock_ns(CLOCK_MONOTONIC) - start_ns) * 1000U / COST_ROUNDS;
}
