/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the PSCI core asks of a platform. A hook that is marked optional may be NULL. No hook is called with a lock held,
 * and none may call the PSCI core. Unless it says otherwise a hook runs on the core that it is told of, and hooks run on
 * all cores at once: those of one core never overlap. With caches off a hook may touch struct arch_shared and what has not
 * changed since boot, takes no lock and swaps nothing.
 */
#ifndef PSCI_PLATFORM_H
#define PSCI_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A power level is a height in the topology (0: core); a local state is how deep one domain sleeps. */
enum psci_level { PSCI_LEVEL_CORE = 0, PSCI_LEVEL_HIGHEST = 3 };
enum psci_local_state { PSCI_RUN = 0, PSCI_RETENTION = 1, PSCI_OFF = 2 };
#define PSCI_LEVELS ((unsigned)PSCI_LEVEL_HIGHEST + 1U)
#define PSCI_LOCAL_STATES 3U

#ifndef PSCI_MAX_CORES
#define PSCI_MAX_CORES 16U
#endif
#ifndef PSCI_MAX_DOMAINS
#define PSCI_MAX_DOMAINS 17U
#endif
#define PSCI_NO_DOMAIN UINT16_MAX

/* A power domain above the cores. Its cores are [first_core, first_core + cores). */
struct psci_domain_shape {
    enum psci_level level;
    uint16_t parent; /* PSCI_NO_DOMAIN at the top */
    uint16_t first_core;
    uint16_t cores;
};

struct psci_topology {
    uint16_t cores;
    uint16_t domains;
    enum psci_level top_level;
    const uint16_t *domain_of_core; /* [cores]: the level-1 domain */
    const struct psci_domain_shape *shapes; /* [domains] */
};

struct psci_platform {
    const struct psci_topology *topology;
    uint32_t default_suspend_state; /* power_state of CPU_DEFAULT_SUSPEND */
    uint32_t system_suspend_state;

    /*
     * Core index of these affinity fields, or -1, also where a bit outside of them is set. The value is the normal world's
     * and untrusted.
     */
    int (*core_of_mpidr)(uint64_t mpidr);
    /* The affinity fields of a core, as core_of_mpidr() takes them. */
    uint64_t (*mpidr_of_core)(unsigned core);
    /* All of the range is memory and the normal world's. Both values are untrusted: a range that wraps is none. */
    bool (*is_ns_memory)(uint64_t address, uint64_t bytes);

    /*
     * On the core that calls CPU_ON: start another that is off, or about to be. True: it comes up at the warm-boot entry, once, and
     * sees there what was stored before this call, also where the hook does no more than tell a device. False: the power controller
     * refuses, the core has not been started and will not be.
     */
    bool (*core_on)(unsigned core);
    /*
     * Before the caches go off, all state intact: take the core out of what it shares. `for_off`: no interrupt may wake it.
     * Optional.
     */
    void (*core_prepare_down)(unsigned core, bool for_off);
    /*
     * Caches off: tell the power controller how far the calling core goes down; `level` is final. May wait for the
     * controller. Optional.
     */
    void (*power_message)(unsigned core, enum psci_level level);
    /* Caches off: stop. The core comes back through the warm-boot entry, at once where what wakes it is pending already. */
    void (*power_down)(unsigned core, bool for_off) __attribute__((noreturn));
    /*
     * First core up in a domain: bring up what its cores share. Its parent is up, and the other cores of the domain wait.
     * Optional.
     */
    void (*domain_up)(unsigned domain);
    /* A core has come back, its domains are up, it is not yet ON to others: set up what it lost. Optional. */
    void (*core_up)(unsigned core);

    /* Whatever the other cores do. `alone`: every other core is off, and nobody is left who could start one. */
    void (*system_off)(void) __attribute__((noreturn));
    void (*system_reset)(bool alone) __attribute__((noreturn));
    /*
     * Returns the previous setting; optional: MEM_PROTECT is then not supported. Where it is on, what a reset finds in the normal
     * world's memory is gone before the normal world runs again. Only where `alone` may a reset do that on its way down.
     */
    bool (*mem_protect)(bool enable);
};

#endif
