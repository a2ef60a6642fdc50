/* SPDX-License-Identifier: BSD-3-Clause */
/* The SMC router of EL3 and the services beside PSCI: SMCCC's own calls, TRNG, PMF and trace. */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

#define SMC_UNK UINT64_MAX

/* Calls of the SMCCC that harden a core's speculation: against branch targets, stores, and branch history of others. */
#define SMCCC_ARCH_WORKAROUND_1 0x80008000U
#define SMCCC_ARCH_WORKAROUND_2 0x80007FFFU
#define SMCCC_ARCH_WORKAROUND_3 0x80003FFFU
#define SMCCC_WORKAROUND_IS_NEEDED 0
#define SMCCC_WORKAROUND_NOT_NEEDED 1
#define SMCCC_NOT_SUPPORTED (-1)

/* x0 to x17 as the caller left them, and as it will find them: a service writes what it returns and nothing else. */
struct smc_frame {
    uint64_t x[18];
};

struct monitor_location {
    uint64_t mpidr;
    uint32_t cluster;
    uint32_t core;
};

/* What the services tell of this machine. The functions may be called by all cores at once. */
struct monitor_platform {
    /*
     * What SMCCC_ARCH_FEATURES says of a workaround on the calling core, and that workaround; both by the id of its call. NULL:
     * the platform knows none of them.
     */
    int64_t (*workaround_feature)(uint32_t id);
    void (*workaround)(uint32_t id);
    uint32_t soc_version;  /* SMCCC_ARCH_SOC_ID, type 0 */
    uint32_t soc_revision; /* type 1 */
    uint32_t trng_uuid[4];
    uint64_t (*random)(void); /* 64 fresh bits; NULL: there is no TRNG */
    const char *build;        /* what was built; TRACE_BUILD gives the first 96 characters, spaces and all */
    unsigned cores;
    uint32_t capture_mticks; /* measured at boot */
    struct monitor_location (*location)(unsigned core); /* of a core below `cores` */
    int (*core_of_mpidr)(uint64_t mpidr);               /* as in struct psci_platform */
    const struct trace_ring *(*ring)(unsigned core);    /* initialised, also where the core has never run */
};

/* Filled in once by the platform before the normal world runs, read-only from then on. */
extern struct monitor_platform monitor;

/*
 * Makes one SMC. The exception entry is the caller, on every core at once, with the frame on the core's own EL3 stack,
 * caches on. Whatever the frame holds, EL3 goes on: an id that nobody knows returns SMC_UNK in x0 and leaves x1 to x17 as
 * they were. May not return, as psci_call() may not.
 */
void smc_handle(struct smc_frame *frame);

/*
 * The services, called by smc_handle() alone. True where the id was theirs, with the answer in the frame; false leaves the
 * frame untouched. A refused argument is an answer too, and what it does not define stays the caller's own.
 */
bool smccc_arch_call(uint32_t id, struct smc_frame *frame);
bool trng_call(uint32_t id, struct smc_frame *frame);
bool trace_call(uint32_t id, struct smc_frame *frame);

#endif
