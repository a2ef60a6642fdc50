#include "psci_private.h"

struct psci_state psci;

struct psci_domain *psci_domain_at(const struct psci_core *core, enum psci_level level)
{
    struct psci_domain *domain = core->domain;

    while (domain->level != level) {
        domain = domain->parent;
    }
    return domain;
}

struct psci_core *psci_core_of_mpidr(uint64_t mpidr)
{
    int index = psci.platform->core_of_mpidr(mpidr);

    return index < 0 ? NULL : &psci.cores[index];
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

    *core = (struct psci_core){
        .index = index,
        .domain = &psci.domains[topology->domain_of_core[index]],
        .down_to = topology->top_level,
    };
    for (unsigned level = 0; level < PSCI_LEVELS; level++) {
        core->local[level] = is_boot_core ? PSCI_RUN : PSCI_OFF;
    }
    arch_shared_store(&core->state, is_boot_core ? PSCI_CORE_ON : PSCI_CORE_OFF);
}

static void init_domain(unsigned index, unsigned boot_core)
{
    const struct psci_domain_shape *shape = &psci.platform->topology->shapes[index];
    struct psci_domain *domain = &psci.domains[index];
    bool is_up = boot_core - shape->first_core < shape->cores;

    *domain = (struct psci_domain){
        .parent = shape->parent == PSCI_NO_DOMAIN ? NULL : &psci.domains[shape->parent],
        .level = shape->level,
        .trace_arg = (uint32_t)shape->level << 16 | index,
        .local = is_up ? PSCI_RUN : PSCI_OFF,
    };
    domain->requests[PSCI_RUN] = is_up ? 1 : 0;
    domain->requests[PSCI_OFF] = (uint16_t)(shape->cores - domain->requests[PSCI_RUN]);
    arch_shared_store(&domain->running, domain->requests[PSCI_RUN]);
    arch_shared_store(&domain->state, is_up ? PSCI_DOMAIN_ON : PSCI_DOMAIN_DOWN);
}

static void init_off_request(enum psci_level top)
{
    psci.off = (struct psci_request){ .highest = top };
    for (unsigned level = 0; level <= (unsigned)top; level++) {
        psci.off.local[level] = PSCI_OFF;
    }
}

void psci_init(const struct psci_platform *platform, unsigned boot_core)
{
    psci.platform = platform;
    psci.os_initiated = false;
    init_off_request(platform->topology->top_level);
    for (unsigned core = 0; core < platform->topology->cores; core++) {
        init_core(core, core == boot_core);
    }
    for (unsigned domain = 0; domain < platform->topology->domains; domain++) {
        init_domain(domain, boot_core);
    }
}
