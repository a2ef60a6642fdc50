/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupt lines and exception priorities, and first-level handlers with their partition's rights. */
#include "spm.h"

void priorities_init(void)
{
#if SPM_GATE_CLASSIC
    uint32_t svc = PRIORITY_URGENT;
#else
    uint32_t svc = PRIORITY_LOWEST;
#endif
    SCB_SHPR2 = svc << 24;
    SCB_SHPR3 = PRIORITY_UNMASKED << 24 | PRIORITY_LOWEST << 16;
    SCB_AIRCR = AIRCR_KEY | AIRCR_PRIS | AIRCR_SYSRESETREQS;
}

/*
 * The floating-point unit, where there is one, belongs to the non-secure side: no secure code is built for it, and no
 * unprivileged partition may use it. Privileged code needs it to keep the state of the thread that carries a call.
 */
void floating_point_init(void)
{
    SCB_NSACR |= NSACR_FPU;
    SCB_CPACR |= CPACR_FPU_PRIVILEGED;
    dsb_isb();
}

void spm_arch_irq_claim(uint32_t line)
{
    NVIC_ITNS(line / 32U) &= ~(1U << line % 32U);
    NVIC_IPR(line) = PRIORITY_PARTITION;
}

void spm_arch_irq_enable(uint32_t line)
{
    NVIC_ISER(line / 32U) = 1U << line % 32U;
}

void spm_arch_irq_clear_pending(uint32_t line)
{
    NVIC_ICPR(line / 32U) = 1U << line % 32U;
}

bool spm_arch_irq_disable(uint32_t line)
{
    bool enabled = (NVIC_ISER(line / 32U) >> line % 32U & 1U) != 0U;

    NVIC_ICER(line / 32U) = 1U << line % 32U;
    dsb_isb();
    return enabled;
}

#if SPM_LEVEL > 1
extern const struct spm_arch_region *mpu_loaded;
psa_flih_result_t flih_call(psa_flih_result_t (*handler)(void), uintptr_t stack_top, uintptr_t stack_limit);

/*
 * An interrupt in the middle of loading the MPU finds `mpu_loaded` naming the table that is being loaded, so loading
 * that again is right.
 */
psa_flih_result_t spm_arch_first_level(struct spm_partition *owner, psa_flih_result_t (*handler)(void))
{
    const struct spm_arch_region *interrupted = mpu_loaded;
    uint32_t region_number = MPU_RNR;

    mpu_load(owner->context.regions);

    psa_flih_result_t result = flih_call(handler, owner->info->flih_stack_top - STACK_SEAL_BYTES, owner->info->flih_stack_limit);

    if (interrupted != NULL) {
        mpu_load(interrupted);
    }
    MPU_RNR = region_number;
    return result;
}
#else
psa_flih_result_t spm_arch_first_level(struct spm_partition *owner, psa_flih_result_t (*handler)(void))
{
    (void)owner;
    return handler();
}
#endif
