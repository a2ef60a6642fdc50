/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#include "clock.h"
#include "keep_awake.h"
#include "pinned_thread.h"

#define READ_AGAIN 3U
#define OPEN_FOR_NS 500000000ULL /* counters of 32 bits overflow later than this below 4.2 GHz: half their range is what the kernel lets them count */

atomic_int watch_stop;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t *all_ready;
static pthread_barrier_t *all_go;

static bool stopped(void)
{
    return atomic_load_explicit(&watch_stop, memory_order_relaxed);
}

static bool read_whole(struct watcher *self, struct reading *reading)
{
    for (unsigned i = 0; i <= READ_AGAIN; i++) {
        if (counters_read(&self->counters, reading) != 0) {
            return false;
        }
        if (!meter_torn(&self->found.rules, reading, METER_STRICT)) {
            return true;
        }
        self->meter.torn++;
    }
    return !meter_torn(&self->found.rules, reading, METER_LENIENT);
}

/* Two readings one behind the other that say the same. */
static bool read_twice(struct watcher *self, struct reading *reading)
{
    struct reading again;

    for (unsigned i = 0; i <= READ_AGAIN && read_whole(self, &again); i++) {
        bool agree = !meter_apart(&self->found.rules, reading, &again);

        *reading = again;
        if (agree) {
            return true;
        }
        self->meter.torn++;
    }
    return false;
}

static bool read_first(struct watcher *self, struct reading *reading)
{
    return read_whole(self, reading) && read_twice(self, reading);
}

static bool read_next(struct watcher *self, struct reading *reading)
{
    return read_whole(self, reading) && (!meter_apart(&self->found.rules, &self->meter.last, reading) || read_twice(self, reading));
}

static void put_theft(struct watcher *self, const struct theft *theft)
{
    unsigned put = atomic_load_explicit(&self->thefts_put, memory_order_relaxed);

    if (put - atomic_load_explicit(&self->thefts_taken, memory_order_acquire) == THEFTS_HELD) {
        self->dropped++;
        return;
    }
    self->thefts[put % THEFTS_HELD] = *theft;
    atomic_store_explicit(&self->thefts_put, put + 1U, memory_order_release);
}

static void put_second(struct watcher *self, uint64_t number, struct meter_sums *sums)
{
    unsigned put = atomic_load_explicit(&self->seconds_put, memory_order_relaxed);
    double rate = self->meter.rates[0];

    if (sums->windows != 0 && put - atomic_load_explicit(&self->seconds_taken, memory_order_acquire) < SECONDS_HELD) {
        self->seconds[put % SECONDS_HELD] = (struct second){ number, *sums, rate };
        atomic_store_explicit(&self->seconds_put, put + 1U, memory_order_release);
    }
    *sums = (struct meter_sums){ 0 };
}

bool watch_take_theft(struct watcher *watcher, struct theft *theft)
{
    unsigned taken = atomic_load_explicit(&watcher->thefts_taken, memory_order_relaxed);

    if (taken == atomic_load_explicit(&watcher->thefts_put, memory_order_acquire)) {
        return false;
    }
    *theft = watcher->thefts[taken % THEFTS_HELD];
    atomic_store_explicit(&watcher->thefts_taken, taken + 1U, memory_order_release);
    return true;
}

bool watch_take_second(struct watcher *watcher, struct second *second)
{
    unsigned taken = atomic_load_explicit(&watcher->seconds_taken, memory_order_relaxed);

    if (taken == atomic_load_explicit(&watcher->seconds_put, memory_order_acquire)) {
        return false;
    }
    *second = watcher->seconds[taken % SECONDS_HELD];
    atomic_store_explicit(&watcher->seconds_taken, taken + 1U, memory_order_release);
    return true;
}

/* Before a counter can overflow, whose interrupt stops both for longer than many a theft; only marks tell the two apart. */
static bool open_again(struct watcher *self, uint64_t *until_ns)
{
    struct reading first;

    counters_close(&self->counters);
    *until_ns = clock_ns(CLOCK_MONOTONIC) + OPEN_FOR_NS;
    if (counters_open(&self->counters, self->cpu) != 0 || !read_first(self, &first)) {
        return false;
    }
    self->meter.last = first;
    return true;
}

static bool begin(struct watcher *self, uint64_t *due_ns)
{
    struct reading first;

    while (!read_first(self, &first)) {
        struct timespec due = from_ns(*due_ns += self->interval_ns);

        if (stopped()) {
            return false;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }
    meter_begin(&self->meter, &self->found.rules, &first);
    return true;
}

static void measure(struct watcher *self)
{
    const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
    const uint64_t ticks_a_second = (uint64_t)self->found.rules.counter_hz;
    const bool reopens = self->found.rules.regime == REGIME_UNMARKED;
    uint64_t open_until_ns = begin_ns + OPEN_FOR_NS;
    uint64_t due_ns = begin_ns;
    uint64_t number = 0;
    struct meter_sums sums = { 0 };
    struct reading reading;

    if (!begin(self, &due_ns)) {
        return;
    }
    while (!stopped() && due_ns < begin_ns + self->duration_ns) {
        struct timespec due = from_ns(due_ns += self->interval_ns);
        struct theft theft;

        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
        }
        bool is_read = read_next(self, &reading);

        if (sched_getcpu() != (int)self->cpu) {
            self->went_off = true;
            break;
        }
        if (!is_read) {
            continue;
        }
        bool marked = meter_window(&self->meter, &reading, &theft);

        if ((reading.before_ticks - self->start_ticks) / ticks_a_second != number) {
            put_second(self, number, &sums);
            number = (reading.before_ticks - self->start_ticks) / ticks_a_second;
        }
        meter_add(&sums, &theft, marked);
        if (marked && theft.stolen_ns >= self->threshold_ns) {
            put_theft(self, &theft);
        }
        uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

        if (reopens && now_ns >= open_until_ns && !open_again(self, &open_until_ns)) {
            break;
        }
        while (due_ns + self->interval_ns <= now_ns) {
            due_ns += self->interval_ns;
        }
    }
    put_second(self, number, &sums);
}

static void *watch(void *argument)
{
    struct watcher *self = argument;

    pthread_mutex_lock(&one_at_a_time);
    calibrate(&self->found, &self->counters, self->cpu);
    pthread_mutex_unlock(&one_at_a_time);
    pthread_barrier_wait(all_ready);
    pthread_barrier_wait(all_go);
    if (self->found.blind != BLIND_NOT) {
        return NULL;
    }
    uint64_t before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

    measure(self);
    self->own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
    counters_close(&self->counters);
    return NULL;
}

int watch_start(struct watcher *watcher, pthread_barrier_t *ready, pthread_barrier_t *go)
{
    all_ready = ready;
    all_go = go;
    return pinned_thread(watcher->cpu, watcher->priority > 0 ? SCHED_FIFO : SCHED_OTHER, watcher->priority, watch, watcher, &watcher->thread);
}

/* A CPU that sleeps stops its cycle counters, which would look like a theft where the system counter measures. */
int watch_keep_awake(struct watcher *watcher)
{
    return needs_awake(&watcher->found.rules) ? keep_awake(watcher->cpu, &watch_stop, &watcher->keeper) : 0;
}

void watch_join(struct watcher *watcher)
{
    pthread_join(watcher->thread, NULL);
    if (watcher->keeper != 0) {
        pthread_join(watcher->keeper, NULL);
    }
}
