/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way down with nothing left to decide, and the way back.
 *
 *   CPU_OFF, suspend -> psci_power_down(), no return ... reset -> psci_warm_boot() -> the entry that the platform jumps to
 *
 * Both run on the core itself, which has cast its vote before the way down. No lock is taken on the way down, where caches go
 * off: only the last man of a domain writes its state then. psci_coordinate_up() takes the locks of the way back.
 */
#include "psci_private.h"
#include "trace.h"

static inline __attribute__((always_inline)) void send_power_message(const struct psci_core *core, enum psci_level goes_down)
{
    if (psci.platform->power_message != NULL) {
        trace_event(TRACE_ENTER_POWER_MESSAGE, (uint64_t)goes_down);
        psci.platform->power_message(core->index, goes_down);
        trace_event(TRACE_EXIT_POWER_MESSAGE, (uint64_t)goes_down);
    }
}

/* What the last man tells: the power controller first, then the cores that wait for the outcome. */
static enum psci_level __attribute__((noinline)) go_down_last(const struct psci_core *core, enum psci_level last_man_of)
{
    enum psci_level goes_down = psci_settle_down(core, last_man_of);

    send_power_message(core, goes_down);
    psci_publish_down(core, last_man_of, goes_down);
    return goes_down;
}

void psci_power_down(struct psci_core *core, enum psci_level last_man_of, bool for_off)
{
    enum psci_level goes_down = PSCI_LEVEL_CORE;

    REQUIRE(core == psci_self());
    REQUIRE(last_man_of <= psci.platform->topology->top_level);
    if (psci.platform->core_prepare_down != NULL) {
        psci.platform->core_prepare_down(core->index, for_off);
    }
    if (last_man_of != PSCI_LEVEL_CORE) {
        psci_await_flushes(core);
    }
    core->down_ticks = arch_counter_ticks();

    trace_event_at(core->down_ticks, TRACE_ENTER_CFLUSH, (uint64_t)last_man_of);
    arch_cache_power_down((unsigned)last_man_of);
    trace_event(TRACE_EXIT_CFLUSH, (uint64_t)last_man_of);
    arch_shared_store(&core->state, PSCI_CORE_FLUSHED);

    if (last_man_of != PSCI_LEVEL_CORE) {
        goes_down = go_down_last(core, last_man_of);
    } else {
        send_power_message(core, PSCI_LEVEL_CORE);
    }
    trace_event(TRACE_ENTER_HW_LOW_PWR, (uint64_t)goes_down);
    /* The very last: from here on a CPU_ON may find the core off. */
    arch_shared_store(&core->state, for_off ? PSCI_CORE_OFF : PSCI_CORE_SUSPENDED);
    psci.platform->power_down(core->index, for_off);
}

const struct psci_entry *psci_warm_boot(uint64_t exit_ticks)
{
    struct psci_core *core = psci_self();

    trace_event_at(exit_ticks, TRACE_EXIT_HW_LOW_PWR, 0);
    trace_event(TRACE_WARM_BOOT, 0);
    if (core->vote.running != PSCI_VOTE_AWAKE.running) {
        psci_coordinate_up(core);
    }
    if (psci.platform->core_up != NULL) {
        psci.platform->core_up(core->index);
    }
    if (core->down_ticks != 0) {
        psci_stat_add(core, PSCI_OFF, exit_ticks - core->down_ticks);
    }
    arch_shared_store(&core->state, PSCI_CORE_ON);
    trace_event(TRACE_EXIT_PSCI, PSCI_SUCCESS);
    trace_settle();
    return &core->entry;
}
