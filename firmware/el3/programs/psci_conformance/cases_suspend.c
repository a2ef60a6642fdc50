/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU_SUSPEND and CPU_DEFAULT_SUSPEND: what succeeds. All other cores are off. */
#include "cases.h"

#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "check.h"
#include "format.h"
#include "psci.h"
#include "smc.h"
#include "suspend.h"
#include "timer.h"

#define SLEEP_US 3000UL
#define CONTEXT_64 0x8877665544332211UL
#define CONTEXT_32 0x5a5aa5a5UL

/* Makes the call with a wake-up timer running; `slept` tells whether it came back only when that had fired. */
static struct suspend_result sleep_in(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3, bool *slept)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(SLEEP_US);
    struct suspend_result r;

    timer_start_at(deadline);
    r = psci_resumable_call(function, a1, a2, a3);
    *slept = timer_now() >= deadline;
    timer_stop();
    return r;
}

static void check_slept(const char *what, bool slept)
{
    char name[128];

    format_text(name, sizeof(name), "%s lasts until its wake-up interrupt", what);
    check_true(name, slept, "no return before the timer fired", 0);
}

static void check_standby(const struct named_state *state)
{
    char name[128];
    bool slept;
    struct suspend_result r = sleep_in(SMC64(PSCI_CPU_SUSPEND), state->power_state, 0, 0, &slept);

    format_text(name, sizeof(name), "CPU_SUSPEND to %s returns SUCCESS to its caller", state->name);
    check_equal(name, PSCI_SUCCESS, r.resumed ? 1 : r.status);
    check_slept(state->name, slept);
}

static void check_powerdown(const char *what, uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t context_id)
{
    char name[128];
    bool slept;
    struct suspend_result r = sleep_in(function, a1, a2, a3, &slept);

    format_text(name, sizeof(name), "%s comes back at its entry point", what);
    check_true(name, r.resumed, "a resume", r.status);
    format_text(name, sizeof(name), "%s comes back with its context_id", what);
    check_equal(name, (int64_t)context_id, (int64_t)r.context_id);
    check_slept(what, slept);
}

static void check_default_suspend(const char *what, uint64_t function, uint64_t context_id)
{
    char name[128];
    bool slept;
    struct suspend_result r = sleep_in(function, (uint64_t)payload_resume, context_id, 0, &slept);

    format_text(name, sizeof(name), "%s succeeds in a state of the firmware's choice", what);
    check_true(name, r.status == PSCI_SUCCESS && (!r.resumed || r.context_id == context_id),
               "SUCCESS, or a resume with its context_id", r.status);
    check_slept(what, slept);
}

/* With its wake-up interrupt pending from the start, masked as all are. */
static void check_pending(const struct named_state *state)
{
    char name[128];
    struct suspend_result r;

    timer_start_at(timer_now());
    r = psci_cpu_suspend(state->power_state, CONTEXT_64);
    timer_stop();
    format_text(name, sizeof(name), "CPU_SUSPEND to %s comes back at once from an interrupt that is pending already",
                state->name);
    check_equal(name, PSCI_SUCCESS, r.status);
}

void cases_suspend(void)
{
    char what[96];

    for (const struct named_state *state = board.standby; state->name != NULL; state++) {
        check_standby(state);
        check_pending(state);
    }
    for (const struct named_state *state = board.powerdown; state->name != NULL; state++) {
        check_pending(state);
        format_text(what, sizeof(what), "CPU_SUSPEND to %s", state->name);
        check_powerdown(what, SMC64(PSCI_CPU_SUSPEND), state->power_state, (uint64_t)payload_resume, CONTEXT_64, CONTEXT_64);
    }
    check_default_suspend("CPU_DEFAULT_SUSPEND (64-bit)", SMC64(PSCI_CPU_DEFAULT_SUSPEND), CONTEXT_64);
    check_powerdown("SYSTEM_SUSPEND (64-bit)", SMC64(PSCI_SYSTEM_SUSPEND), (uint64_t)payload_resume, CONTEXT_64, 0, CONTEXT_64);
    if (board_fits_32_bits()) {
        check_powerdown("CPU_SUSPEND (32-bit)", PSCI_CPU_SUSPEND, POWER_STATE_DOWN_0, (uint64_t)payload_resume, CONTEXT_32, CONTEXT_32);
        check_default_suspend("CPU_DEFAULT_SUSPEND", PSCI_CPU_DEFAULT_SUSPEND, CONTEXT_32);
        check_powerdown("SYSTEM_SUSPEND", PSCI_SYSTEM_SUSPEND, (uint64_t)payload_resume, CONTEXT_32, 0, CONTEXT_32);
    }
}
