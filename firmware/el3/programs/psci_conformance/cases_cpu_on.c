/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU_ON and CPU_OFF. */
#include "cases.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "check.h"
#include "core.h"
#include "format.h"
#include "gic.h"
#include "others.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"

#define TIMEOUT_US 1000000UL
#define CONTEXT_64 0x1122334455667788UL
#define CONTEXT_32 0x99aabbccUL
#define PENDING_TRIES 20
#define DAIF_MASKED 0x3c0
#define SCTLR_M_C_I 0x1005

struct probe_state {
    uint64_t x0;
    uint64_t daif;
    uint64_t current_el;
    uint64_t sctlr;
    uint64_t spsel;
};

extern struct probe_state probe_state;
extern const char probe_entry[];

struct probe_state probe_state;
static _Atomic uint64_t arrived_context;
static _Atomic uint32_t arrivals;
static _Atomic uint32_t leave;

static void arrival(uint64_t context_id)
{
    atomic_store(&arrived_context, context_id);
    atomic_fetch_add(&arrivals, 1);
    while (!atomic_load(&leave)) {
        timer_sleep_us(1000);
    }
}

static void reset_arrival(void)
{
    atomic_store(&arrivals, 0);
    atomic_store(&leave, 0);
    core_set_arrival(arrival);
}

static bool wait_arrivals(uint32_t count)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(TIMEOUT_US);

    while (atomic_load(&arrivals) < count && timer_now() < deadline) {
        timer_sleep_us(1000);
    }
    return atomic_load(&arrivals) >= count;
}

static void send_off(uint32_t index)
{
    atomic_store(&leave, 1);
    core_wait_off(index, TIMEOUT_US);
}

static void check_on_off(uint32_t index)
{
    const struct core *core = &cores[index];
    char name[128];

    reset_arrival();
    format_text(name, sizeof(name), "CPU_ON of core %u.%u succeeds", core->cluster, core->core);
    check_call(name, PSCI_SUCCESS, SMC64(PSCI_CPU_ON), core->mpidr, (uint64_t)payload_secondary, CONTEXT_64 + index);
    format_text(name, sizeof(name), "core %u.%u arrives", core->cluster, core->core);
    check_true(name, wait_arrivals(1), "an arrival within a second", (int64_t)atomic_load(&arrivals));
    format_text(name, sizeof(name), "core %u.%u gets its context_id", core->cluster, core->core);
    check_equal(name, (int64_t)(CONTEXT_64 + index), (int64_t)atomic_load(&arrived_context));
    format_text(name, sizeof(name), "AFFINITY_INFO of core %u.%u is ON", core->cluster, core->core);
    check_call(name, AFFINITY_ON, SMC64(PSCI_AFFINITY_INFO), core->mpidr, 0, 0);
    format_text(name, sizeof(name), "CPU_ON of core %u.%u, which is on, returns ALREADY_ON", core->cluster, core->core);
    check_refused(name, PSCI_ALREADY_ON, SMC64(PSCI_CPU_ON), core->mpidr, (uint64_t)payload_secondary, 0);
    send_off(index);
    format_text(name, sizeof(name), "AFFINITY_INFO of core %u.%u is OFF after CPU_OFF", core->cluster, core->core);
    check_call(name, AFFINITY_OFF, SMC64(PSCI_AFFINITY_INFO), core->mpidr, 0, 0);
    format_text(name, sizeof(name), "core %u.%u arrives once for one CPU_ON", core->cluster, core->core);
    check_equal(name, 1, (int64_t)atomic_load(&arrivals));
}

static void leave_timer_on(uint64_t context_id)
{
    (void)context_id;
    timer_start_at(0);
}

/* An interrupt from a life that is over would come to a normal world that knows nothing of it. */
static void check_timer(uint32_t index)
{
    core_set_arrival(leave_timer_on);
    check_call("CPU_ON of a core that leaves its timer on succeeds", PSCI_SUCCESS, SMC64(PSCI_CPU_ON), cores[index].mpidr,
               (uint64_t)payload_secondary, CONTEXT_64);
    core_wait_off(index, TIMEOUT_US);
    reset_arrival();
    check_call("CPU_ON of a core whose timer was on succeeds", PSCI_SUCCESS, SMC64(PSCI_CPU_ON), cores[index].mpidr,
               (uint64_t)payload_secondary, CONTEXT_64);
    check_true("A core whose timer was on arrives", wait_arrivals(1), "an arrival within a second", (int64_t)atomic_load(&arrivals));
    check_equal("A core that has been off comes with its timer off", 0, core_had_timer(index));
    send_off(index);
}

static void check_32_bit(uint32_t index)
{
    reset_arrival();
    check_call("CPU_ON (32-bit) succeeds", PSCI_SUCCESS, PSCI_CPU_ON, cores[index].mpidr, (uint64_t)payload_secondary,
               CONTEXT_32);
    check_true("A core started with the 32-bit CPU_ON arrives", wait_arrivals(1), "an arrival within a second",
               (int64_t)atomic_load(&arrivals));
    check_equal("The 32-bit context_id arrives zero-extended", CONTEXT_32, (int64_t)atomic_load(&arrived_context));
    send_off(index);
}

static void check_initial_state(uint32_t index)
{
    reset_arrival();
    check_call("CPU_ON at an entry point of its own succeeds", PSCI_SUCCESS, SMC64(PSCI_CPU_ON), cores[index].mpidr,
               (uint64_t)probe_entry, CONTEXT_64);
    wait_arrivals(1);
    check_equal("A started core has its context_id in x0", CONTEXT_64, (int64_t)probe_state.x0);
    check_equal("A started core has all exceptions masked", DAIF_MASKED, (int64_t)probe_state.daif);
    check_equal("A started core is at the exception level of its caller", current_el(), (int64_t)(probe_state.current_el >> 2));
    check_equal("A started core uses the stack pointer of its exception level", 1, (int64_t)probe_state.spsel);
    check_equal("A started core has its MMU and caches off", 0, (int64_t)(probe_state.sctlr & SCTLR_M_C_I));
    send_off(index);
}

/* The second call may come too late to find the core still on its way, so it has several tries. */
static void check_pending(uint32_t index)
{
    uint32_t pending = 0, wrong = 0;
    int64_t status = 0;

    for (uint32_t i = 0; i < PENDING_TRIES && pending == 0 && wrong == 0; i++) {
        reset_arrival();
        psci_cpu_on(cores[index].mpidr, (uint64_t)payload_secondary, CONTEXT_64);
        status = psci_cpu_on(cores[index].mpidr, (uint64_t)payload_secondary, ~CONTEXT_64);
        pending += status == PSCI_ON_PENDING;
        wrong += status != PSCI_ON_PENDING && status != PSCI_ALREADY_ON;
        wait_arrivals(1);
        wrong += atomic_load(&arrived_context) != CONTEXT_64;
        send_off(index);
    }
    check_true("CPU_ON of a core that is on its way returns ON_PENDING and does not touch its context_id",
               pending == 1 && wrong == 0, "ON_PENDING (-5)", status);
}

static void check_bad_addresses(uint32_t index)
{
    char name[128];

    for (const struct named_address *bad = board.bad_entry; bad->name != NULL; bad++) {
        format_text(name, sizeof(name), "CPU_ON refuses an entry point %s", bad->name);
        check_refused(name, PSCI_INVALID_ADDRESS, SMC64(PSCI_CPU_ON), cores[index].mpidr, bad->address, 0);
    }
    check_refused("CPU_ON (32-bit) refuses an entry point in secure memory", PSCI_INVALID_ADDRESS, PSCI_CPU_ON, cores[index].mpidr,
                  board.bad_entry[0].address, 0);
}

static void check_bad_targets(void)
{
    static const uint64_t reserved_bits[] = { 1UL << 24, 1UL << 31, 1UL << 40, 1UL << 63 };
    uint64_t own = cores[lead_index].mpidr;
    char name[128];

    check_refused("CPU_ON of an unknown core returns INVALID_PARAMETERS", PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_ON), 0xff,
                  (uint64_t)payload_secondary, 0);
    check_refused("CPU_ON of an unknown cluster returns INVALID_PARAMETERS", PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_ON), 0xff00,
                  (uint64_t)payload_secondary, 0);
    check_refused("CPU_ON of an unknown Aff3 returns INVALID_PARAMETERS", PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_ON),
                  own | 1UL << 32, (uint64_t)payload_secondary, 0);
    for (size_t i = 0; i < sizeof(reserved_bits) / sizeof(reserved_bits[0]); i++) {
        format_text(name, sizeof(name), "CPU_ON with the reserved bits %lx of its target set returns INVALID_PARAMETERS",
                    reserved_bits[i]);
        check_refused(name, PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_ON), own | reserved_bits[i], (uint64_t)payload_secondary, 0);
    }
}

void cases_cpu_on(void)
{
    uint32_t other = other_core();

    check_refused("CPU_ON of the calling core returns ALREADY_ON", PSCI_ALREADY_ON, SMC64(PSCI_CPU_ON), cores[lead_index].mpidr,
                  (uint64_t)payload_secondary, 0);
    check_bad_targets();
    if (other == NO_CORE) {
        return;
    }
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            check_on_off(i);
        }
    }
    check_timer(other);
    if (board_fits_32_bits()) {
        check_32_bit(other);
    }
    check_initial_state(other);
    check_pending(other);
    check_bad_addresses(other);
    core_set_arrival(NULL);
}
