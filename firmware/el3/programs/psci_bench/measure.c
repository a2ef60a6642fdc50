/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include "core.h"
#include "panic.h"
#include "psci.h"
#include "smc.h"
#include "suspend.h"
#include "timer.h"
#include "trace_call.h"

#define CONTEXT_ID_MAGIC 0x4c32000000000000UL
#define PSCI_VERSION_1_1 0x00010001

static uint64_t next_sequence(void)
{
    struct smc_result r = smc(TRACE_STATUS, cores[core_self()].mpidr, 0, 0);

    if (r.x[0] != 0) {
        panic("TRACE_STATUS returned %ld: this program needs a firmware with the trace service", (int64_t)r.x[0]);
    }
    return r.x[1];
}

/* False where the firmware refuses one of them. */
static bool read_stamps(struct stamps *stamps, uint64_t mpidr)
{
    for (uint32_t i = 0; i < STAMP_COUNT; i++) {
        struct smc_result r = smc(SMC64(PMF_GET_TIMESTAMP), PMF_RUNTIME_INSTRUMENTATION(i), mpidr, 0);

        if (r.x[0] != 0) {
            return false;
        }
        stamps->ticks[i] = r.x[1];
    }
    return true;
}

void measure_begin(struct measurement *measurement)
{
    measurement->first_sequence = next_sequence();
    measurement->start_ticks = timer_now();
}

void measure_end(struct measurement *measurement, int64_t status)
{
    measurement->end_ticks = timer_now();
    measurement->end_sequence = next_sequence();
    measurement->stamps_valid = read_stamps(&measurement->stamps, cores[core_self()].mpidr);
    measurement->status = status;
}

void measure_suspend(struct measurement *measurement, uint32_t power_state, uint64_t wake_us)
{
    uint64_t context_id = CONTEXT_ID_MAGIC | core_self();
    struct suspend_result r;

    timer_start_at(timer_now() + timer_ticks_of_us(wake_us));
    measure_begin(measurement);
    r = psci_cpu_suspend(power_state, context_id);
    timer_stop();
    measure_end(measurement, r.status);
    if (r.resumed && r.context_id != context_id) {
        panic("CPU_SUSPEND %08x came back with context_id %lx", power_state, r.context_id);
    }
}

void measure_version(struct measurement *measurement)
{
    int64_t version;

    measure_begin(measurement);
    version = (int32_t)smc(PSCI_VERSION, 0, 0, 0).x[0];
    measure_end(measurement, version >= PSCI_VERSION_1_1 ? PSCI_SUCCESS : version);
}
