/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases by subject. Each finds all other cores off and leaves them so. */
#ifndef PSCI_CONFORMANCE_CASES_H
#define PSCI_CONFORMANCE_CASES_H

#include "bench_params.h"

void cases_identity(void);
void cases_unknown(void);
void cases_cpu_on(void);
void cases_affinity(void);
void cases_suspend(void);
void cases_suspend_errors(void);
void cases_os_initiated(void);
void cases_suspended_core(void);
void cases_stat(void);
void cases_system(void);
void cases_memory(void);
void cases_smccc(void);
void cases_trng(void);
void cases_trace(void);
void cases_empty_rings(void);

#endif
