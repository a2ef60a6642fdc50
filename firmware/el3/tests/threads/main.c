/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The core of PSCI on real threads under a race detector: each thread is a core of two clusters and makes random calls. Ends with 0
 * where every access that two of them share is ordered or atomic, and no core's statistics ever go back.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "psci.h"
#include "psci_private.h"
#include "require.h"

#define CORES 4U
#define CORES_PER_CLUSTER 2U
#define CALLS 20000U /* of the boot core; the others go on until it is done */
#define ENTRY 0x80000000U

_Thread_local unsigned thread_core;

struct thread {
    pthread_t id;
    jmp_buf bottom;
    uint32_t wanted_on;
    uint64_t seed;
    int64_t counts[CORES]; /* the highest that it has read of each core */
    int64_t residencies_us[CORES];
};

static struct thread threads[CORES];
static uint32_t is_over;
static uint32_t went_back;
static uint32_t read_of_others; /* figures that were not zero */

static const uint16_t domain_of_core[CORES] = { 0, 0, 1, 1 };
static const struct psci_domain_shape shapes[] = {
    { .level = (enum psci_level)1, .parent = 2, .first_core = 0, .cores = CORES_PER_CLUSTER },
    { .level = (enum psci_level)1, .parent = 2, .first_core = CORES_PER_CLUSTER, .cores = CORES_PER_CLUSTER },
    { .level = (enum psci_level)2, .parent = PSCI_NO_DOMAIN, .first_core = 0, .cores = CORES },
};
static const struct psci_topology topology = {
    .cores = CORES, .domains = 3, .top_level = (enum psci_level)2, .domain_of_core = domain_of_core, .shapes = shapes,
};

static uint64_t mpidr_of_core(unsigned core)
{
    return core / CORES_PER_CLUSTER << 8 | core % CORES_PER_CLUSTER;
}

static int core_of_mpidr(uint64_t mpidr)
{
    for (unsigned core = 0; core < CORES; core++) {
        if (mpidr_of_core(core) == mpidr) {
            return (int)core;
        }
    }
    return -1;
}

void require_failed(const char *condition)
{
    fprintf(stderr, "a requirement does not hold: %s\n", condition);
    abort();
}

static bool is_ns_memory(uint64_t address, uint64_t bytes)
{
    (void)bytes;
    return address >= ENTRY;
}

static bool core_on(unsigned core)
{
    __atomic_store_n(&threads[core].wanted_on, 1, __ATOMIC_RELEASE);
    return true;
}

static bool ends(void)
{
    return __atomic_load_n(&is_over, __ATOMIC_ACQUIRE) != 0;
}

/* False: the run is over. */
static bool sleeps_until_wanted(struct thread *thread)
{
    while (__atomic_exchange_n(&thread->wanted_on, 0, __ATOMIC_ACQUIRE) == 0) {
        if (ends()) {
            return false;
        }
        sched_yield();
    }
    return true;
}

enum { COMES_BACK = 1, GOES_OFF = 2 };

static void __attribute__((noreturn)) power_down(unsigned core, bool for_off)
{
    longjmp(threads[core].bottom, for_off ? GOES_OFF : COMES_BACK);
}

static void __attribute__((noreturn)) system_off(void)
{
    abort();
}

static void __attribute__((noreturn)) system_reset(bool alone)
{
    (void)alone;
    abort();
}

static const struct psci_platform platform = {
    .topology = &topology,
    .default_suspend_state = 0x00010002,
    .system_suspend_state = 0x02012222,
    .core_of_mpidr = core_of_mpidr,
    .mpidr_of_core = mpidr_of_core,
    .is_ns_memory = is_ns_memory,
    .core_on = core_on,
    .power_down = power_down,
    .system_off = system_off,
    .system_reset = system_reset,
};

static uint64_t random_below(struct thread *thread, uint64_t limit)
{
    thread->seed = thread->seed * 6364136223846793005U + 1442695040888963407U;
    return (thread->seed >> 33) % limit;
}

static void grows(int64_t *last, int64_t now)
{
    if (now < *last) {
        __atomic_store_n(&went_back, 1, __ATOMIC_RELAXED);
    }
    *last = now;
}

static void read_statistics(struct thread *thread)
{
    unsigned other = (unsigned)random_below(thread, CORES);
    uint32_t state = 0x00010002;

    grows(&thread->counts[other], psci_call(PSCI_ID_64(PSCI_STAT_COUNT), mpidr_of_core(other), state, 0));
    grows(&thread->residencies_us[other], psci_call(PSCI_ID_64(PSCI_STAT_RESIDENCY), mpidr_of_core(other), state, 0));
    if (&threads[other] != thread && thread->counts[other] != 0) {
        __atomic_store_n(&read_of_others, 1, __ATOMIC_RELAXED);
    }
    psci_call(PSCI_ID_64(PSCI_STAT_COUNT), mpidr_of_core(other), 0x00000001, 0);
    psci_call(PSCI_ID_64(PSCI_STAT_RESIDENCY), mpidr_of_core(other), 0x02010222, 0);
}

static void suspend(struct thread *thread)
{
    static const uint32_t states[] = { 0x00000001, 0x00010002, 0x01000011, 0x01010012, 0x01010022, 0x02010122, 0x02010222 };

    psci_call(PSCI_ID_64(PSCI_CPU_SUSPEND), states[random_below(thread, sizeof(states) / sizeof(states[0]))], ENTRY, 0);
}

static void random_call(struct thread *thread)
{
    uint64_t other = mpidr_of_core((unsigned)random_below(thread, CORES));

    switch (random_below(thread, 8)) {
    case 0:
        psci_call(PSCI_ID_64(PSCI_AFFINITY_INFO), other, random_below(thread, 3), 0);
        break;
    case 1:
        psci_call(PSCI_ID_64(PSCI_NODE_HW_STATE), other, random_below(thread, 3), 0);
        break;
    case 2:
        psci_call(PSCI_ID_64(PSCI_CPU_ON), other, ENTRY, 0);
        break;
    case 3:
        if (thread != &threads[0]) {
            psci_call(PSCI_CPU_OFF, 0, 0, 0);
        }
        break;
    case 4:
    case 5:
        suspend(thread);
        break;
    default:
        read_statistics(thread);
        break;
    }
}

static void *run_core(void *argument)
{
    struct thread *thread = argument;
    static uint32_t calls; /* the boot core's */

    thread_core = (unsigned)(thread - threads);
    int way = setjmp(thread->bottom);

    if (way == GOES_OFF || (way == 0 && thread != &threads[0])) {
        if (!sleeps_until_wanted(thread)) {
            return NULL;
        }
    }
    if (way != 0 || thread != &threads[0]) {
        psci_warm_boot(arch_counter_ticks());
    }
    while (!ends()) {
        if (thread == &threads[0] && calls++ == CALLS) {
            __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
        }
        random_call(thread);
    }
    return NULL;
}

int main(void)
{
    psci_init(&platform, 0);
    for (unsigned core = 0; core < CORES; core++) {
        threads[core].seed = core + 1U;
        if (pthread_create(&threads[core].id, NULL, run_core, &threads[core]) != 0) {
            return 1;
        }
    }
    for (unsigned core = 0; core < CORES; core++) {
        pthread_join(threads[core].id, NULL);
    }
    if (went_back != 0 || read_of_others == 0) {
        printf("%s\n", went_back != 0 ? "a core's statistics went back" : "no core has read another's statistics");
        return 1;
    }
    return 0;
}
