/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that the host leaves in memory before boot. README.md has the loader options. */
#ifndef PAYLOAD_BENCH_PARAMS_H
#define PAYLOAD_BENCH_PARAMS_H

#include <stdint.h>

#include "machine.h"

#define BENCH_PARAMS_ADDRESS ((uintptr_t)MACHINE_PARAMS)
#define BENCH_PARAMS_MAGIC 0x4c41544c41420001UL
#define BENCH_CORES_STAY_ON 1UL /* the machine cannot start a core again that its firmware switched off */

struct bench_params {
    uint64_t magic;
    uint64_t iterations; /* psci_bench: iterations of each test; psci_differ: lives of cores */
    uint64_t seed; /* psci_stress, smc_fuzz, psci_differ */
    uint64_t count; /* psci_stress: transitions; smc_fuzz: calls; psci_calls, psci_differ: cores of the machine; 0: the program's own default */
    uint64_t duration_ms; /* psci_stress, smc_fuzz: stop after this long; 0: no limit */
    uint64_t flags; /* BENCH_FLAG_* of the program; 0 where the host leaves none */
};

#define BENCH_FLAG_AARCH32 1U /* smc_fuzz at EL2: call from an AArch32 EL1 */
#define BENCH_FLAG_OS_INITIATED 2U /* psci_stress: suspends by the rules of that mode */
#define BENCH_FLAG_DELAYS 4U /* psci_stress: its cores wait at random around their calls */
#define BENCH_FLAG_ALL_OFF 8U /* psci_stress: at the end every core goes off, the machine stays on */
#define BENCH_FLAG_STANDBY_ONLY 16U /* psci_differ: no suspend that powers down, where a firmware has none */
#define BENCH_FLAG_SWEEP 32U /* smc_calls: interrupts into its calls, for so many million ticks each as there are iterations */
#define BENCH_FLAG_ONE_EACH 64U /* smc_calls: of each sweep one interrupt, due when a word behind the block says */
#define BENCH_FLAG_OF_SECURE 128U /* smc_calls: they are the secure world's */
#define BENCH_FLAG_OF_EL3 256U /* smc_calls: they are EL3's */

/* The block at BENCH_PARAMS_ADDRESS, or the defaults where its magic is missing. */
struct bench_params bench_params_read(void);

#endif
