/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupts of partitions: first-level handlers answer at once, second-level ones by a signal.
 *
 *   vector -> spm_irq(line) -> first-level function, spm_signal_assert()     in the middle of anything, also of an API function
 *   gate -> spm_eoi(), spm_reset_signal(), spm_irq_enable(), spm_irq_disable()    one at a time; own signals alone, else a panic
 */
#include "spm.h"

void spm_irq(uint32_t line)
{
    for (uint32_t i = 0; i < spm_irq_count; i++) {
        const struct spm_irq *irq = &spm_irqs[i];

        if (irq->line != line) {
            continue;
        }
        if (irq->first_level == NULL) {
            spm_arch_irq_disable(line);
        } else if (spm_arch_first_level(irq->owner, irq->first_level) == PSA_FLIH_NO_SIGNAL) {
            return;
        }
        spm_signal_assert(irq->owner, irq->signal);
        return;
    }
    spm_panic(SPM_CAUSE_INTERRUPT);
}

/* The caller's interrupt with this signal. */
static const struct spm_irq *own_irq(psa_signal_t signal)
{
    const struct spm_partition *caller = spm_caller();

    for (uint32_t i = 0; i < spm_irq_count; i++) {
        if (spm_irqs[i].owner == caller && spm_irqs[i].signal == signal) {
            return &spm_irqs[i];
        }
    }
    spm_panic(SPM_CAUSE_SIGNAL);
}

static const struct spm_irq *asserted_irq(psa_signal_t signal, bool second_level)
{
    const struct spm_irq *irq = own_irq(signal);

    spm_require((irq->first_level == NULL) == second_level, SPM_CAUSE_SIGNAL);
    spm_require((atomic_load(&irq->owner->asserted) & signal) != 0U, SPM_CAUSE_SIGNAL);
    return irq;
}

spm_word spm_eoi(spm_word signal)
{
    const struct spm_irq *irq = asserted_irq((psa_signal_t)signal, true);

    /* The line was still up when its handler left, so it is pending again; if the device still asks, it stays so. */
    spm_signal_clear(irq->owner, irq->signal);
    spm_arch_irq_clear_pending(irq->line);
    spm_arch_irq_enable(irq->line);
    return 0;
}

spm_word spm_reset_signal(spm_word signal)
{
    const struct spm_irq *irq = asserted_irq((psa_signal_t)signal, false);

    spm_signal_clear(irq->owner, irq->signal);
    return 0;
}

spm_word spm_irq_enable(spm_word signal)
{
    spm_arch_irq_enable(own_irq((psa_signal_t)signal)->line);
    return 0;
}

spm_word spm_irq_disable(spm_word signal)
{
    return spm_arch_irq_disable(own_irq((psa_signal_t)signal)->line) ? 1U : 0U;
}
