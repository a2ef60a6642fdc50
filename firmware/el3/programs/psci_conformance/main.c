/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call of PSCI 1.3, SMCCC 1.2, TRNG 1.0 and the trace service, with the errors that the specifications define. */
#include "board.h"
#include "cases.h"
#include "check.h"
#include "console.h"
#include "core.h"
#include "machine.h"
#include "payload.h"
#include "progress.h"
#include "psci.h"

#define WITNESS_ADDRESS (MACHINE_PARAMS - 0x10000UL) /* memory that no image is loaded to */
#define WITNESS 0x0123456789abcdefUL

static volatile uint64_t *witness(void)
{
    return (volatile uint64_t *)WITNESS_ADDRESS;
}

static void run_cases(void)
{
    cases_empty_rings();
    cases_identity();
    cases_smccc();
    cases_unknown();
    cases_affinity();
    cases_cpu_on();
    cases_suspend();
    cases_suspend_errors();
    cases_suspended_core();
    cases_stat();
    cases_os_initiated();
    cases_system();
    cases_memory();
    cases_trng();
    cases_trace();
}

static void reset_into(enum stage next, const char *name, uint32_t function)
{
    progress_keep(next);
    check_equal(name, 0, call(function, 0, 0, 0));
}

static void check_after_reset(void)
{
    check_call("SYSTEM_RESET boots the payload again, and STAT_COUNT starts from 0", 0, PSCI_STAT_COUNT, cores[lead_index].mpidr,
               POWER_STATE_DOWN_0, 0);
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            check_call("A core is off after SYSTEM_RESET", AFFINITY_OFF, PSCI_AFFINITY_INFO, cores[i].mpidr, 0, 0);
        }
    }
}

static void reset_with_protected_memory(void)
{
    check_call("SYSTEM_RESET2 (warm reset) boots the payload again, on a core that is ON", AFFINITY_ON, PSCI_AFFINITY_INFO,
               cores[lead_index].mpidr, 0, 0);
    if (!board.has_mem_protect) {
        return;
    }
    call(PSCI_MEM_PROTECT, 1, 0, 0);
    *witness() = WITNESS;
    /* In memory, and not only in a cache, by the reset. */
    __asm__ volatile("dc civac, %0; dsb sy" ::"r"(WITNESS_ADDRESS) : "memory");
    reset_into(STAGE_AFTER_MEM_PROTECT, "SYSTEM_RESET with protected memory does not return", PSCI_SYSTEM_RESET);
}

static void check_protected_memory(void)
{
    check_true("MEM_PROTECT has memory overwritten at SYSTEM_RESET", *witness() != WITNESS, "another word", (int64_t)*witness());
    call(PSCI_MEM_PROTECT, 0, 0, 0);
}

void payload_main(const struct bench_params *params)
{
    struct check_totals totals;

    (void)params;
    switch (progress_read()) {
    case STAGE_AFTER_MEM_PROTECT:
        check_protected_memory();
        break;
    case STAGE_AFTER_RESET2:
        reset_with_protected_memory();
        break;
    case STAGE_AFTER_RESET:
        check_after_reset();
        reset_into(STAGE_AFTER_RESET2, "SYSTEM_RESET2 (warm reset) does not return", PSCI_SYSTEM_RESET2);
        break;
    default:
        run_cases();
        reset_into(STAGE_AFTER_RESET, "SYSTEM_RESET does not return", PSCI_SYSTEM_RESET);
        break;
    }
    progress_keep(STAGE_CASES);
    totals = check_totals();
    console_line("%lu passed, %lu failed", totals.passed, totals.failed);
}
