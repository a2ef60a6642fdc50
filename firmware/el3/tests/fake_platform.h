/* SPDX-License-Identifier: BSD-3-Clause */
/* A platform for the tests: any tree of clusters, a power controller that checks what it is told. */
#ifndef FAKE_PLATFORM_H
#define FAKE_PLATFORM_H

#include "host.h"
#include "psci.h"

#define FAKE_NS_BASE 0x80000000ULL
#define FAKE_NS_BYTES 0x100000ULL
#define FAKE_ENTRY FAKE_NS_BASE

struct fake_shape {
    unsigned clusters;
    unsigned cores[8];
    unsigned clusters_per_group; /* 0: two levels above the cores at most, cluster and system */
    bool no_system;              /* one level: one cluster, nothing above */
};

extern const struct fake_shape fake_juno;

/* A fresh machine, PSCI and monitor; core 0 is on. Times advance by one tick an operation. */
void fake_init(const struct fake_shape *shape, const struct host_machine *machine);
extern const struct psci_topology *fake_topology;

uint64_t fake_mpidr(unsigned core);
enum host_outcome fake_call(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3, int64_t *result);

/* The result of a call that must return. */
int64_t fake_returns(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3);

/* What the hooks saw since fake_init(). */
struct fake_seen {
    unsigned switched_on[HOST_MAX_CORES];
    unsigned messages;
    enum psci_level last_message;
    unsigned domain_ups[PSCI_MAX_DOMAINS];
    unsigned prepared_for_off;
    unsigned system_offs;
    unsigned system_resets;
    unsigned resets_alone;
    bool mem_protect;
};
extern struct fake_seen fake_seen;

/* The power controller starts no core. */
extern bool fake_refuses_to_switch_on;

#endif
