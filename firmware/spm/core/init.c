/* SPDX-License-Identifier: BSD-3-Clause */
/* The reset handler calls spm_init() once, before any partition, interrupt or client of the SPM runs. */
#include "spm.h"

struct spm_kernel spm_kernel;

void spm_init(void)
{
    spm_connection_init();
    for (uint32_t i = 0; i < spm_irq_count; i++) {
        spm_arch_irq_claim(spm_irqs[i].line);
    }
    spm_backend_init();
}
