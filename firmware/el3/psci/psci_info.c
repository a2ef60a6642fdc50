/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that only look: AFFINITY_INFO, NODE_HW_STATE, STAT_COUNT, STAT_RESIDENCY.
 *
 *   psci_call() -> psci_<call>(mpidr, level or power_state) -> answer
 *
 * No core waits for them and none is changed. States are read without a lock; the figures of a domain with its lock, one at a time.
 * An answer is of one instant: the cores it is about may have moved on when the caller gets it.
 */
#include "psci_private.h"

static unsigned affinity_of(enum psci_core_state state)
{
    return state == PSCI_CORE_OFF || state == PSCI_CORE_ON_PENDING ? (unsigned)state : (unsigned)PSCI_CORE_ON;
}

/*
 * Of all cores that these affinity fields name: ON if any core is, else ON_PENDING if any is, else OFF. An affinity instance is
 * what its fields say, also where the machine's power domains are others.
 */
static int64_t instance_affinity(uint64_t mpidr, uint64_t level)
{
    int64_t affinity = PSCI_INVALID_PARAMETERS;

    if (level > (uint64_t)psci.platform->topology->top_level) {
        return PSCI_INVALID_PARAMETERS;
    }

    for (unsigned core = 0; core < psci.platform->topology->cores; core++) {
        if (!psci_is_named(core, mpidr, (unsigned)level)) {
            continue;
        }
        unsigned state = affinity_of(psci_core_state(&psci.cores[core]));

        if (state == PSCI_CORE_ON) {
            return PSCI_CORE_ON;
        }
        affinity = state > affinity ? state : affinity;
    }
    return affinity;
}

int64_t psci_affinity_info(uint64_t mpidr, uint64_t level)
{
    if (level != PSCI_LEVEL_CORE) {
        return instance_affinity(mpidr, level);
    }
    const struct psci_core *core = psci_core_of_mpidr(mpidr);

    return core == NULL ? PSCI_INVALID_PARAMETERS : (int64_t)affinity_of(psci_core_state(core));
}

enum hw_state { HW_ON = 0, HW_OFF = 1, HW_STANDBY = 2 };

static enum hw_state core_hw_state(enum psci_core_state state)
{
    switch (state) {
    case PSCI_CORE_OFF:
    case PSCI_CORE_SUSPENDED:
        return HW_OFF;
    case PSCI_CORE_IN_RETENTION:
        return HW_STANDBY;
    default:
        return HW_ON;
    }
}

static enum hw_state domain_hw_state(struct psci_domain *domain)
{
    if (arch_shared_load(&domain->state) == PSCI_DOMAIN_DOWN) {
        return HW_OFF;
    }
    arch_lock_acquire(&domain->lock);
    enum psci_local_state local = domain->local;
    arch_lock_release(&domain->lock);
    return local == PSCI_RETENTION ? HW_STANDBY : HW_ON;
}

/*
 * The one domain that has all cores which these fields name; NULL where they name none, or cores of several domains: power domains
 * need not be affinity instances.
 */
static struct psci_domain *named_domain(uint64_t mpidr, unsigned level)
{
    struct psci_domain *found = NULL;

    for (unsigned core = 0; core < psci.platform->topology->cores; core++) {
        if (!psci_is_named(core, mpidr, level)) {
            continue;
        }
        struct psci_domain *domain = psci_domain_at(&psci.cores[core], (enum psci_level)level);

        if (found != NULL && found != domain) {
            return NULL;
        }
        found = domain;
    }
    return found;
}

int64_t psci_node_hw_state(uint64_t mpidr, uint64_t level)
{
    const struct psci_core *core = psci_core_of_mpidr(mpidr);

    if (level > (uint64_t)psci.platform->topology->top_level) {
        return PSCI_INVALID_PARAMETERS;
    }
    if (level == PSCI_LEVEL_CORE) {
        return core == NULL ? PSCI_INVALID_PARAMETERS : (int64_t)core_hw_state(psci_core_state(core));
    }
    struct psci_domain *domain = core == NULL ? named_domain(mpidr, (unsigned)level) : psci_domain_at(core, (enum psci_level)level);

    return domain == NULL ? PSCI_INVALID_PARAMETERS : (int64_t)domain_hw_state(domain);
}

/* The figures of the domain and local state that power_state names; zeros where it names none. */
static struct psci_stat stat_of(uint64_t mpidr, uint32_t power_state)
{
    const struct psci_core *core = psci_core_of_mpidr(mpidr);
    struct psci_request request;

    if (core == NULL || !psci_decode_power_state(power_state, &request)) {
        return (struct psci_stat){ 0 };
    }
    enum psci_local_state local = request.local[request.highest];

    if (request.highest == PSCI_LEVEL_CORE) {
        const struct psci_stat *stat = &core->stat[local];

        return (struct psci_stat){ arch_whole_load(&stat->count), arch_whole_load(&stat->residency_ticks) };
    }
    struct psci_domain *domain = psci_domain_at(core, request.highest);

    arch_lock_acquire(&domain->lock);
    struct psci_stat stat = domain->stat[local];
    arch_lock_release(&domain->lock);
    return stat;
}

int64_t psci_stat_count(uint64_t mpidr, uint32_t power_state)
{
    return (int64_t)stat_of(mpidr, power_state).count;
}

int64_t psci_stat_residency_us(uint64_t mpidr, uint32_t power_state)
{
    const uint64_t us_per_s = 1000000;
    uint64_t ticks = stat_of(mpidr, power_state).residency_ticks;
    uint64_t hz = arch_counter_hz();

    /* In two parts, so that years of residency do not overflow. */
    return (int64_t)(ticks / hz * us_per_s + ticks % hz * us_per_s / hz);
}
