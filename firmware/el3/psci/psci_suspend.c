/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU_SUSPEND, CPU_DEFAULT_SUSPEND (by its power state) and SYSTEM_SUSPEND.
 *
 *   psci_call() -> psci_cpu_suspend() -> suspend() -> stand_by(), returns, or psci_power_down(), no return
 *
 * On the core itself. Its state says SUSPENDING before the mode is read: psci_set_suspend_mode() relies on that order. No lock is
 * held here; the vote is cast under the locks of psci_coordinate_down().
 */
#include "psci_private.h"
#include "trace.h"

static void stand_by(struct psci_core *core, const struct psci_request *request)
{
    uint64_t down_ticks = arch_counter_ticks();

    REQUIRE(!psci_is_powerdown(request));
    arch_shared_store(&core->state, PSCI_CORE_IN_RETENTION);
    trace_event(TRACE_ENTER_HW_LOW_PWR, (uint64_t)request->highest);
    arch_interrupt_wait();
    trace_event(TRACE_EXIT_HW_LOW_PWR, 0);
    arch_shared_store(&core->state, PSCI_CORE_ON);

    psci_stat_add(core, PSCI_RETENTION, arch_counter_ticks() - down_ticks);
    if (core->vote.running != PSCI_VOTE_AWAKE.running) {
        psci_coordinate_up(core);
    }
}

static void add_vote(struct psci_vote *vote, unsigned level, enum psci_local_state local)
{
    vote->running |= (uint64_t)(local == PSCI_RUN) << (PSCI_VOTE_BITS * level);
    vote->retention |= (uint64_t)(local == PSCI_RETENTION) << (PSCI_VOTE_BITS * level);
}

/*
 * Platform-coordinated, a core says for each level how deep it may go. OS-initiated, it stands in no domain's way that can
 * sleep with a core as deep as this one; which domains do go is the last core's request.
 */
static struct psci_vote vote_for(const struct psci_request *request, bool os_initiated)
{
    struct psci_vote vote = { 0 };

    for (unsigned level = 1; level < PSCI_LEVELS; level++) {
        add_vote(&vote, level, os_initiated ? request->local[PSCI_LEVEL_CORE] : request->local[level]);
    }
    return vote;
}

static int64_t suspend(struct psci_core *core, struct psci_request *request)
{
    enum psci_level last_man_of = PSCI_LEVEL_CORE;

    arch_shared_store(&core->state, PSCI_CORE_SUSPENDING);
    bool os_initiated = psci_suspend_mode() == PSCI_OS_INITIATED;

    if (os_initiated && request->highest != PSCI_LEVEL_CORE) {
        int64_t error = psci_check_last(core, request);

        if (error != PSCI_SUCCESS) {
            arch_shared_store(&core->state, PSCI_CORE_ON);
            return error;
        }
    }
    /* Platform-coordinated, a core that keeps to level 0 says nothing of the levels above: no lock. */
    if (os_initiated || request->highest != PSCI_LEVEL_CORE) {
        request->vote = vote_for(request, os_initiated);
        last_man_of = psci_coordinate_down(core, request);
    }
    if (psci_is_powerdown(request)) {
        psci_power_down(core, last_man_of, false);
    }
    stand_by(core, request);
    return PSCI_SUCCESS;
}

int64_t psci_cpu_suspend(uint32_t power_state, uint64_t address, uint64_t context_id)
{
    struct psci_core *core = psci_self();
    struct psci_request request;

    if (!psci_decode_power_state(power_state, &request)) {
        return PSCI_INVALID_PARAMETERS;
    }
    if (psci_is_powerdown(&request) && !psci_set_entry(&core->entry, address, context_id)) {
        return PSCI_INVALID_ADDRESS;
    }
    return suspend(core, &request);
}

int64_t psci_system_suspend(uint64_t address, uint64_t context_id)
{
    if (!psci_all_others(psci_self(), psci_is_off)) {
        return PSCI_DENIED;
    }
    return psci_cpu_suspend(psci.platform->system_suspend_state, address, context_id);
}
