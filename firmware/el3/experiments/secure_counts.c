/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For experiments, never for a product: event counters go on in EL3 and in the secure state (MDCR_EL3.SPME), so that nothing tells the normal
 * world when it was gone. Linked behind the real initialisation by --wrap when LATLAB_SECURE_COUNTS is on.
 */
#include "percpu.h"

#define MDCR_SPME (1ULL << 17)
#define MDCR_SCCD (1ULL << 23)
#define MDCR_MCCD (1ULL << 34)

void __real_arch_features_init(void);
void __wrap_arch_features_init(void);

void __wrap_arch_features_init(void)
{
    __real_arch_features_init();
    percpu()->controls.mdcr = (percpu()->controls.mdcr | MDCR_SPME) & ~(MDCR_SCCD | MDCR_MCCD);
}
