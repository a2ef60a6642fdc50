/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU whose counters are made up: a reading is 1 us later than the one before it, and where the thread is not on its CPU they stand. */
#define _GNU_SOURCE
#include "watch.h"

#include <sched.h>
#include <time.h>

#include "harness.h"

#define READ_NS 1000U
#define AWAY_NS 50000000U
#define ENOUGH 20U

static atomic_uint here;
static atomic_uint elsewhere;
static unsigned own_cpu;
static struct reading now;

void calibrate(struct calibration *result, struct counters *counters, unsigned cpu)
{
    (void)cpu;
    *counters = (struct counters){ 0, 0 };
    *result = (struct calibration){ .rules = { .regime = REGIME_UNMARKED, .counter_hz = NS_PER_SECOND, .cycles_per_tick = 1, .noise_ns = 64 } };
}

int counters_open(struct counters *counters, unsigned cpu)
{
    (void)counters;
    (void)cpu;
    return 0;
}

void counters_close(struct counters *counters)
{
    (void)counters;
}

int counters_read(const struct counters *counters, struct reading *reading)
{
    bool is_here = sched_getcpu() == (int)own_cpu;

    (void)counters;
    now.before_ticks += is_here ? READ_NS : AWAY_NS;
    now.after_ticks = now.before_ticks;
    now.events += is_here ? READ_NS : 0;
    now.cycles = now.events;
    *reading = now;
    atomic_fetch_add(is_here ? &here : &elsewhere, 1U);
    return 0;
}

static unsigned allowed_beside(const cpu_set_t *allowed, unsigned cpu)
{
    for (unsigned other = 0; other < CPU_SETSIZE; other++) {
        if (other != cpu && CPU_ISSET(other, allowed)) {
            return other;
        }
    }
    return cpu;
}

static void move_to(pthread_t thread, unsigned cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    pthread_setaffinity_np(thread, sizeof(cpus), &cpus);
}

static void wait_for(atomic_uint *count, const bool *or_this)
{
    const struct timespec a_while = { .tv_nsec = 1000000 };

    for (unsigned i = 0; i < 60000U && atomic_load(count) < ENOUGH && !__atomic_load_n(or_this, __ATOMIC_RELAXED); i++) {
        nanosleep(&a_while, NULL);
    }
}

/* The kernel does the same to a thread whose CPU is taken off the machine. */
TEST(a_thread_that_is_moved_to_another_cpu_measures_no_more_and_calls_nothing_a_theft)
{
    static struct watcher watcher = { .interval_ns = 1000000, .duration_ns = 600 * 1000000000ULL };
    pthread_barrier_t ready;
    pthread_barrier_t go;
    struct theft theft;
    cpu_set_t allowed;

    CHECK_EQUAL(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    own_cpu = allowed_beside(&allowed, CPU_SETSIZE);
    unsigned other = allowed_beside(&allowed, own_cpu);

    watcher.cpu = own_cpu;
    pthread_barrier_init(&ready, NULL, 2);
    pthread_barrier_init(&go, NULL, 2);
    CHECK_EQUAL(watch_start(&watcher, &ready, &go), 0);
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&go);
    wait_for(&here, &watcher.went_off);
    CHECK(!watcher.went_off);
    if (other != own_cpu) {
        move_to(watcher.thread, other);
        wait_for(&elsewhere, &watcher.went_off);
    }
    atomic_store(&watch_stop, true);
    watch_join(&watcher);
    CHECK_EQUAL(watcher.went_off, other != own_cpu);
    CHECK(!watch_take_theft(&watcher, &theft));
}
