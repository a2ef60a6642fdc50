/* SPDX-License-Identifier: BSD-3-Clause */
/* The SMC router of EL3 and the services beside PSCI: SMCCC's own calls, TRNG, PMF and trace. */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

#define SMC_UNK UINT64_MAX

/* x0 to x17 as the caller left them, and as it will find them. */
struct smc_frame {
    uint64_t x[18];
};

struct monitor_location {
    uint64_t mpidr;
    uint32_t cluster;
    uint32_t core;
};

struct monitor_platform {
    uint32_t soc_version;  /* SMCCC_ARCH_SOC_ID, type 0 */
    uint32_t soc_revision; /* type 1 */
    uint32_t trng_uuid[4];
    uint64_t (*random)(void); /* 64 fresh bits */
    const char *build;        /* what was built, at most 96 characters */
    unsigned cores;
    uint32_t capture_mticks; /* measured at boot */
    struct monitor_location (*location)(unsigned core);
    int (*core_of_mpidr)(uint64_t mpidr);
    const struct trace_ring *(*ring)(unsigned core);
};

extern struct monitor_platform monitor;

/* Called by the SMC entry with the frame on the caller's own EL3 stack. */
void smc_handle(struct smc_frame *frame);

/* Services: true where the id was theirs. An unknown id leaves the frame untouched. */
bool smccc_arch_call(uint32_t id, struct smc_frame *frame);
bool trng_call(uint32_t id, struct smc_frame *frame);
bool trace_call(uint32_t id, struct smc_frame *frame);

#endif
