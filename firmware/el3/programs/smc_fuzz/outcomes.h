/* SPDX-License-Identifier: BSD-3-Clause */
/* How often which result came back. */
#ifndef SMC_FUZZ_OUTCOMES_H
#define SMC_FUZZ_OUTCOMES_H

#include <stdint.h>

void outcomes_count(uint64_t x0);
void outcomes_count_resume(void);
void outcomes_print(void);

#endif
