/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores and domains by name and number, and their first state.
 *
 *   cold boot, one core alone -> psci_init(); all other files -> the look-ups, from any core
 *
 * The tree of domains is written once by psci_init() and never changes, so look-ups take no lock.
 */
#include "psci_private.h"

struct psci_state psci;

struct psci_domain *psci_domain_at(const struct psci_core *core, enum psci_level level)
{
    struct psci_domain *domain = core->domain;

    REQUIRE(level != PSCI_LEVEL_CORE && level <= psci.platform->topology->top_level);
    while (domain->level != level) {
        domain = domain->parent;
    }
    return domain;
}

struct psci_core *psci_core_of_mpidr(uint64_t mpidr)
{
    int index = psci.platform->core_of_mpidr(mpidr);

    REQUIRE(index < (int)psci.platform->topology->cores);
    return index < 0 ? NULL : &psci.cores[index];
}

bool psci_is_named(unsigned core, uint64_t mpidr, unsigned level)
{
    const unsigned field_bits = 8; /* Aff0 to Aff2; Aff3 is above every level that has a field below it */

    return (psci.platform->mpidr_of_core(core) ^ mpidr) >> (field_bits * level) == 0;
}

bool psci_is_off(enum psci_core_state state)
{
    return state == PSCI_CORE_OFF;
}

bool psci_all_others(const struct psci_core *core, bool (*test)(enum psci_core_state state))
{
    for (unsigned other = 0; other < psci.platform->topology->cores; other++) {
        if (other != core->index && !test(psci_core_state(&psci.cores[other]))) {
            return false;
        }
    }
    return true;
}

static void init_core(unsigned index, bool is_boot_core)
{
    const struct psci_topology *topology = psci.platform->topology;
    struct psci_core *core = &psci.cores[index];

    *core = (struct psci_core){ .index = index, .domain = &psci.domains[topology->domain_of_core[index]] };
    core->vote = is_boot_core ? PSCI_VOTE_AWAKE : (struct psci_vote){ 0 };
    core->domain->running += core->vote.running;
    arch_shared_store(&core->state, is_boot_core ? PSCI_CORE_ON : PSCI_CORE_OFF);
}

static void init_domain(unsigned index, bool is_up)
{
    const struct psci_domain_shape *shape = &psci.platform->topology->shapes[index];
    struct psci_domain *domain = &psci.domains[index];

    *domain = (struct psci_domain){
        .parent = shape->parent == PSCI_NO_DOMAIN ? NULL : &psci.domains[shape->parent],
        .level = shape->level,
        .trace_arg = (uint32_t)shape->level << 16 | index,
        .local = is_up ? PSCI_RUN : PSCI_OFF,
        .vote = is_up ? PSCI_VOTE_AWAKE : (struct psci_vote){ 0 },
    };
    arch_shared_store(&domain->state, is_up ? PSCI_DOMAIN_ON : PSCI_DOMAIN_DOWN);
}

static void init_domains(unsigned boot_core)
{
    const struct psci_topology *topology = psci.platform->topology;

    for (unsigned index = 0; index < topology->domains; index++) {
        init_domain(index, boot_core - topology->shapes[index].first_core < topology->shapes[index].cores);
    }
    for (unsigned index = 0; index < topology->domains; index++) {
        if (psci.domains[index].parent != NULL) {
            psci.domains[index].parent->running += psci.domains[index].vote.running;
        }
    }
}

/* No vote for running, none for retention: off at every level. */
static void init_off_request(enum psci_level top)
{
    for (unsigned level = 0; level <= (unsigned)top; level++) {
        psci.off.local[level] = PSCI_OFF;
    }
}

void psci_init(const struct psci_platform *platform, unsigned boot_core)
{
    REQUIRE(platform->topology->cores <= PSCI_MAX_CORES && platform->topology->domains <= PSCI_MAX_DOMAINS);
    REQUIRE(boot_core < platform->topology->cores && platform->topology->top_level < PSCI_LEVELS);
    REQUIRE(platform->core_of_mpidr != NULL && platform->mpidr_of_core != NULL && platform->is_ns_memory != NULL);
    REQUIRE(platform->core_on != NULL && platform->power_down != NULL);
    psci.platform = platform;
    arch_shared_store(&psci.suspend_mode, PSCI_PLATFORM_COORDINATED);
    init_off_request(platform->topology->top_level);
    init_domains(boot_core);
    for (unsigned core = 0; core < platform->topology->cores; core++) {
        init_core(core, core == boot_core);
    }
}
