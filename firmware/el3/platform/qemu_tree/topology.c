/* SPDX-License-Identifier: BSD-3-Clause */
/* The topology of power domains: a system of clusters over cores that QEMU numbers in one row. */
#include "arch_el3.h"
#include "qemu_tree.h"

static uint16_t domain_of_core[MAX_CORES];
static struct psci_domain_shape shapes[MAX_CLUSTERS + 1];
static struct psci_topology topology = { .top_level = 2, .domain_of_core = domain_of_core, .shapes = shapes };

_Static_assert(MAX_CLUSTERS + 1 <= PSCI_MAX_DOMAINS, "one domain for each cluster and the system");

static uint16_t add_cluster(uint16_t cluster, uint16_t first_core, uint16_t cores, uint16_t system)
{
    for (uint16_t core = first_core; core < first_core + cores; core++) {
        domain_of_core[core] = cluster;
    }
    shapes[cluster] = (struct psci_domain_shape){
        .level = (enum psci_level)1,
        .parent = system,
        .first_core = first_core,
        .cores = cores,
    };
    return (uint16_t)(first_core + cores);
}

/*
 * Takes the clusters that the user wants, "2,4", in the place of the machine's own: QEMU's cannot differ in size. Anything but
 * digits and commas, an empty cluster or another sum than the machine's cores is refused.
 */
static bool wanted_clusters(struct tree_machine *machine, const char *wanted)
{
    unsigned sum = 0;

    machine->clusters = 0;
    while (machine->clusters < MAX_CLUSTERS) {
        unsigned cores = 0;

        for (; *wanted >= '0' && *wanted <= '9' && cores <= MAX_CORES; wanted++) {
            cores = cores * 10 + (unsigned)(*wanted - '0');
        }
        if (cores == 0) {
            return false;
        }
        machine->cluster_cores[machine->clusters++] = (uint8_t)cores;
        sum += cores;
        if (*wanted == '\0') {
            return sum == machine->cores;
        }
        if (*wanted++ != ',') {
            return false;
        }
    }
    return false;
}

const struct psci_topology *qemu_tree_topology(struct tree_machine *machine)
{
    char wanted[WANTED_BYTES];
    uint16_t first = 0;

    if (qemu_tree_wanted("opt/latlab/clusters", wanted) && !wanted_clusters(machine, wanted)) {
        platform_panic("the wanted clusters (fw_cfg opt/latlab/clusters) do not add up to the machine's cores (which are)", machine->cores, 0, 0);
    }
    for (uint16_t cluster = 0; cluster < machine->clusters; cluster++) {
        first = add_cluster(cluster, first, machine->cluster_cores[cluster], (uint16_t)machine->clusters);
    }
    shapes[machine->clusters] = (struct psci_domain_shape){ .level = (enum psci_level)2, .parent = PSCI_NO_DOMAIN, .cores = first };
    topology.cores = first;
    topology.domains = (uint16_t)(machine->clusters + 1);
    return &topology;
}

struct monitor_location qemu_tree_location(unsigned core)
{
    uint16_t cluster = domain_of_core[core];

    return (struct monitor_location){
        .mpidr = qemu_tree_mpidr_of(core),
        .cluster = cluster,
        .core = core - shapes[cluster].first_core,
    };
}
