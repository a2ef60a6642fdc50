/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call that a firmware may offer on Arm, for a probe that counts them from outside: nothing is measured here. */
#include <stddef.h>

#include "core.h"
#include "core_table.h"
#include "fast_calls.h"
#include "named_call.h"
#include "optee.h"
#include "payload.h"
#include "psci.h"
#include "smc.h"
#include "sweep.h"
#include "timer.h"

#define TIMEOUT_US 200000UL
#define STANDBY_US 1000UL
#define MEGA 1000000UL

static void none(uint64_t argument)
{
    (void)argument;
}

static void version(uint64_t argument)
{
    struct call call = { { PSCI_VERSION } };

    (void)argument;
    make_call(&call);
}

/* Another core comes and goes. */
static void make_core_calls(void)
{
    uint32_t other = lead_index == 0 ? 1 : 0;

    if (core_count > 1) {
        core_start(other, none, 0);
        core_wait_off(other, TIMEOUT_US);
    }
}

static void make_standby_call(void)
{
    timer_start_at(timer_now() + timer_ticks_of_us(STANDBY_US));
    smc(SMC64(PSCI_CPU_SUSPEND), POWER_STATE_STANDBY_0, 0, 0);
    timer_stop();
}

void payload_main(const struct bench_params *params)
{
    if (params->count != 0 && params->count < core_count) {
        core_count = (uint32_t)params->count;
    }
    if (params->flags & BENCH_FLAG_SWEEP) {
        sweep_prepare((struct sweep_plan) {
            .most_instructions = params->iterations * MEGA,
            .only = params->flags & BENCH_FLAG_ONE_EACH ? (const uint64_t *)(BENCH_PARAMS_ADDRESS + sizeof(*params)) : NULL,
            .interrupt = params->flags & BENCH_FLAG_OF_EL3      ? INTERRUPT_OF_EL3
                         : params->flags & BENCH_FLAG_OF_SECURE ? INTERRUPT_OF_SECURE_WORLD
                                                                : INTERRUPT_OF_EL2,
        });
        sweep("no call", none, 0);
        sweep("", version, 0);
        make_optee_calls();
        return;
    }
    for (uint64_t i = 0; i < params->iterations; i++) {
        make_fast_calls();
        make_ffa_calls();
        make_standby_call();
        if (!(params->flags & BENCH_CORES_STAY_ON)) {
            make_core_calls();
        }
        make_optee_calls();
    }
}
