/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that a firmware answers at once, from Arm's documents and the general queries of SMCCC. What it lacks it says so. */
#ifndef SMC_CALLS_FAST_CALLS_H
#define SMC_CALLS_FAST_CALLS_H

void make_fast_calls(void);
/* FF-A up to the description of partitions, where there is one. */
void make_ffa_calls(void);

#endif
