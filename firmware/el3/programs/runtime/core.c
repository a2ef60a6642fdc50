/* SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

#include <stdatomic.h>

#include "gic.h"
#include "machine.h"
#include "panic.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"
#include "trace_call.h"

#define CONTEXT_ID_MAGIC 0x4c31000000000000UL
#define POLL_US 10000UL

struct core_work {
    _Alignas(64) core_job *job;
    uint64_t argument;
};

static struct core_work work[MAX_CORES];
static bool had_timer[MAX_CORES];
static void (*own_arrival)(uint64_t context_id);

static uint32_t place_of(uint64_t mpidr)
{
    return (uint32_t)((mpidr & 0xff) + ((mpidr >> 8 & 0xff) << MACHINE_AFF1_SHIFT));
}

static uint64_t mpidr_at(uint32_t place)
{
    return (uint64_t)(place >> MACHINE_AFF1_SHIFT) << 8 | (place & ((1U << MACHINE_AFF1_SHIFT) - 1U));
}

static uint64_t own_mpidr(void)
{
    uint64_t mpidr;

    __asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
    return mpidr & MPIDR_AFFINITY;
}

static void add_core(uint64_t mpidr, uint32_t cluster, uint32_t core)
{
    uint32_t place = place_of(mpidr);

    if (core_count == MAX_CORES || place >= MAX_CORES) {
        panic("core %u.%u with MPIDR %lx does not fit: this payload knows Aff0 and Aff1 of at most %u cores", cluster, core,
              mpidr, (uint32_t)MAX_CORES);
    }
    cores[core_count] = (struct core) { .mpidr = mpidr, .cluster = cluster, .core = core };
    core_contexts[place].index = core_count;
    if (mpidr == own_mpidr()) {
        lead_index = core_count;
    }
    core_count++;
}

static bool discover_from_trace(void)
{
    struct smc_result r = smc(TRACE_TOPOLOGY, 0, 0, 0);

    if (r.x[0] != 0) {
        return false;
    }
    for (uint64_t i = 0, n = r.x[3]; i < n; i++) {
        r = smc(TRACE_TOPOLOGY, i, 0, 0);
        if (r.x[0] != 0) {
            panic("TRACE_TOPOLOGY of core %lu returned %ld", i, (int64_t)r.x[0]);
        }
        add_core(r.x[1] & MPIDR_AFFINITY, (uint32_t)r.x[2], (uint32_t)(r.x[2] >> 32));
    }
    return true;
}

static void discover_from_affinity_info(void)
{
    for (uint32_t i = 0; i < MAX_CORES; i++) {
        if (psci_affinity_info(mpidr_at(i), 0) != PSCI_INVALID_PARAMETERS) {
            add_core(mpidr_at(i), 0, i);
        }
    }
}

void core_discover(void)
{
    core_count = 0;
    if (!discover_from_trace()) {
        discover_from_affinity_info();
    }
    if (core_count == 0 || cores[lead_index].mpidr != own_mpidr()) {
        panic("the firmware's topology of %u cores lacks the boot core, MPIDR %lx", core_count, own_mpidr());
    }
}

bool core_is_unknown(uint64_t mpidr)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (cores[i].mpidr == mpidr) {
            return false;
        }
    }
    return true;
}

bool core_had_timer(uint32_t index)
{
    return had_timer[index];
}

void core_set_arrival(void (*arrival)(uint64_t context_id))
{
    own_arrival = arrival;
}

void core_start(uint32_t index, core_job *job, uint64_t argument)
{
    int64_t status;

    work[index] = (struct core_work) { .job = job, .argument = argument };
    /* The new core reads its work with its MMU on: it only has to be visible before the call that starts it. */
    __asm__ volatile("dsb ish" ::: "memory");
    status = psci_cpu_on(cores[index].mpidr, (uint64_t)payload_secondary, CONTEXT_ID_MAGIC | index);
    if (status != PSCI_SUCCESS) {
        panic("CPU_ON of core %u.%u returned %ld", cores[index].cluster, cores[index].core, status);
    }
}

static void run_job(uint64_t context_id)
{
    uint32_t self = core_self();

    if (context_id != (CONTEXT_ID_MAGIC | self)) {
        panic("CPU_ON arrived with context_id %lx", context_id);
    }
    work[self].job(work[self].argument);
}

/* From assembly. */
_Noreturn void payload_secondary_start(uint64_t context_id);

_Noreturn void payload_secondary_start(uint64_t context_id)
{
    gic_core_init();
    had_timer[core_self()] = timer_is_on();
    timer_stop();
    if (own_arrival) {
        own_arrival(context_id);
    } else {
        run_job(context_id);
    }
    core_off();
}

_Noreturn void core_off(void)
{
    int64_t status = psci_cpu_off();

    panic("CPU_OFF returned %ld", status);
}

void core_wait_off(uint32_t index, uint64_t timeout_us)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(timeout_us);
    int64_t state;

    for (;;) {
        state = psci_affinity_info(cores[index].mpidr, 0);
        if (state == AFFINITY_OFF) {
            return;
        }
        if (timer_now() > deadline) {
            panic("core %u.%u did not go off: AFFINITY_INFO says %ld", cores[index].cluster, cores[index].core, state);
        }
        timer_sleep_us(POLL_US);
    }
}
