/* SPDX-License-Identifier: BSD-3-Clause */
/* The logical topology: a system of clusters, LATLAB_CLUSTERS cores each, over cores that QEMU numbers in one row. */
#include "qemu_virt.h"

static const uint8_t clusters[] = { LATLAB_CLUSTERS };

#define CLUSTERS (sizeof(clusters) / sizeof(clusters[0]))

static uint16_t domain_of_core[MAX_CORES];
static struct psci_domain_shape shapes[CLUSTERS + 1];
static struct psci_topology topology = { .top_level = 2, .domain_of_core = domain_of_core, .shapes = shapes };

_Static_assert(CLUSTERS + 1 <= PSCI_MAX_DOMAINS, "one domain per cluster, and the system");

static uint16_t add_cluster(uint16_t cluster, uint16_t first_core)
{
    for (uint16_t core = first_core; core < first_core + clusters[cluster]; core++) {
        domain_of_core[core] = cluster;
    }
    shapes[cluster] = (struct psci_domain_shape){
        .level = (enum psci_level)1,
        .parent = CLUSTERS,
        .first_core = first_core,
        .cores = clusters[cluster],
    };
    return (uint16_t)(first_core + clusters[cluster]);
}

const struct psci_topology *qemu_virt_topology(void)
{
    uint16_t cores = 0;

    for (uint16_t cluster = 0; cluster < CLUSTERS; cluster++) {
        cores = add_cluster(cluster, cores);
    }
    shapes[CLUSTERS] = (struct psci_domain_shape){ .level = (enum psci_level)2, .parent = PSCI_NO_DOMAIN, .cores = cores };
    topology.cores = cores;
    topology.domains = CLUSTERS + 1;
    return &topology;
}

/* QEMU's MPIDRs: Aff0 counts to 16, then Aff1. */
static uint64_t mpidr_of(unsigned core)
{
    return (uint64_t)(core / 16U) << 8 | core % 16U;
}

int qemu_virt_core_of_mpidr(uint64_t mpidr)
{
    unsigned core = (unsigned)((mpidr >> 8 & 0xFFU) * 16U + (mpidr & 0xFFU));

    return core < topology.cores && mpidr_of(core) == mpidr ? (int)core : -1;
}

struct monitor_location qemu_virt_location(unsigned core)
{
    uint16_t cluster = domain_of_core[core];

    return (struct monitor_location){
        .mpidr = mpidr_of(core),
        .cluster = cluster,
        .core = core - shapes[cluster].first_core,
    };
}
