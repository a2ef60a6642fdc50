/* SPDX-License-Identifier: BSD-3-Clause */
#include "locked.h"

#include <stdio.h>

#include "psci_private.h"
#include "system_state.h"

struct sums {
    uint64_t running;
    uint64_t retention;
    enum psci_local_state local;
};

static struct sums sums[PSCI_MAX_DOMAINS];
static struct psci_vote domain_votes[PSCI_MAX_DOMAINS];
static struct psci_vote core_votes[PSCI_MAX_CORES];
static uint32_t taken; /* a bit a domain whose lock the step holds or held */

void locked_begin(unsigned core)
{
    taken = 0;
    for (unsigned i = 0; i < system_topology.domains; i++) {
        const struct psci_domain *domain = &psci.domains[i];

        taken |= (uint32_t)(domain->lock.holder == core + 1U) << i;
        sums[i] = (struct sums){ domain->running, domain->retention, domain->local };
        domain_votes[i] = domain->vote;
    }
    for (unsigned i = 0; i < system_topology.cores; i++) {
        core_votes[i] = psci.cores[i].vote;
    }
}

void locked_take(const void *lock)
{
    for (unsigned i = 0; i < system_topology.domains; i++) {
        taken |= (uint32_t)(lock == &psci.domains[i].lock) << i;
    }
}

static bool is_taken(const struct psci_domain *domain)
{
    return (taken >> (domain - psci.domains) & 1U) != 0;
}

static bool differ(struct psci_vote a, struct psci_vote b)
{
    return a.running != b.running || a.retention != b.retention;
}

static const struct psci_domain *changed_domain(void)
{
    for (unsigned i = 0; i < system_topology.domains; i++) {
        const struct psci_domain *domain = &psci.domains[i];
        bool own = sums[i].running != domain->running || sums[i].retention != domain->retention || sums[i].local != domain->local;

        if (own && !is_taken(domain)) {
            return domain;
        }
        if (differ(domain_votes[i], domain->vote) && !is_taken(domain->parent)) {
            return domain->parent;
        }
    }
    for (unsigned i = 0; i < system_topology.cores; i++) {
        const struct psci_core *core = &psci.cores[i];

        if (differ(core_votes[i], core->vote) && !is_taken(core->domain)) {
            return core->domain;
        }
    }
    return NULL;
}

const char *locked_fault(unsigned core)
{
    static char text[80];
    const struct psci_domain *domain = changed_domain();

    if (domain == NULL) {
        return NULL;
    }
    snprintf(text, sizeof(text), "core %u: changes the votes of domain %u without its lock", core, (unsigned)(domain - psci.domains));
    return text;
}
