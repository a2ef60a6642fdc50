#include "psci_private.h"

struct psci_state psci;

unsigned psci_domain_of(unsigned core, enum psci_level level)
{
    const struct psci_topology *topology = psci.platform->topology;
    unsigned domain = topology->domain_of_core[core];

    while (topology->shapes[domain].level != level) {
        domain = topology->shapes[domain].parent;
    }
    return domain;
}

enum psci_core_state psci_core_state(unsigned core)
{
    return (enum psci_core_state)arch_shared_load(&psci.cores[core].state);
}

bool psci_is_off(enum psci_core_state state)
{
    return state == PSCI_CORE_OFF;
}

bool psci_all_others(unsigned core, bool (*test)(enum psci_core_state state))
{
    for (unsigned other = 0; other < psci.platform->topology->cores; other++) {
        if (other != core && !test(psci_core_state(other))) {
            return false;
        }
    }
    return true;
}

static void init_core(unsigned index, bool is_boot_core)
{
    struct psci_core *core = &psci.cores[index];

    *core = (struct psci_core){ .down_to = psci.platform->topology->top_level };
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

    *domain = (struct psci_domain){ .local = is_up ? PSCI_RUN : PSCI_OFF };
    domain->requests[PSCI_RUN] = is_up ? 1 : 0;
    domain->requests[PSCI_OFF] = (uint16_t)(shape->cores - domain->requests[PSCI_RUN]);
    arch_shared_store(&domain->running, domain->requests[PSCI_RUN]);
    arch_shared_store(&domain->state, is_up ? PSCI_DOMAIN_ON : PSCI_DOMAIN_DOWN);
}

void psci_init(const struct psci_platform *platform, unsigned boot_core)
{
    psci.platform = platform;
    psci.os_initiated = false;
    for (unsigned core = 0; core < platform->topology->cores; core++) {
        init_core(core, core == boot_core);
    }
    for (unsigned domain = 0; domain < platform->topology->domains; domain++) {
        init_domain(domain, boot_core);
    }
}
