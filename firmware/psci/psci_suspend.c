/* CPU_SUSPEND, CPU_DEFAULT_SUSPEND (by its power state) and SYSTEM_SUSPEND. */
#include "psci_private.h"
#include "trace.h"

static void stand_by(struct psci_core *core, const struct psci_request *request)
{
    uint64_t down_ticks = arch_counter_ticks();

    arch_shared_store(&core->state, PSCI_CORE_IN_RETENTION);
    trace_event(TRACE_ENTER_HW_LOW_PWR, (uint64_t)request->highest);
    arch_interrupt_wait();
    trace_event(TRACE_EXIT_HW_LOW_PWR, 0);
    arch_shared_store(&core->state, PSCI_CORE_ON);

    core->stat[PSCI_RETENTION].count++;
    core->stat[PSCI_RETENTION].residency_ticks += arch_counter_ticks() - down_ticks;
    psci_coordinate_up(core);
}

static int64_t suspend(struct psci_core *core, const struct psci_request *request)
{
    enum psci_level last_man_of;
    int64_t error = psci_coordinate_down(core, request, &last_man_of);

    if (error != PSCI_SUCCESS) {
        return error;
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
    request.must_be_last = psci.os_initiated && request.highest != PSCI_LEVEL_CORE;
    return suspend(core, &request);
}

int64_t psci_system_suspend(uint64_t address, uint64_t context_id)
{
    if (!psci_all_others(psci_self(), psci_is_off)) {
        return PSCI_DENIED;
    }
    return psci_cpu_suspend(psci.platform->system_suspend_state, address, context_id);
}
