/* SPDX-License-Identifier: BSD-3-Clause */
#include "spm.h"

#include <string.h>

struct spm_host_memory spm_host_memory[64];
unsigned spm_host_memory_count;
jmp_buf spm_host_reset;
unsigned spm_host_switch_requests;
void (*spm_host_after_copy)(const void *from, size_t bytes);
uint32_t spm_host_lines;
uint32_t spm_host_pending;
uint32_t spm_host_fired;

bool spm_host_permits(const struct spm_partition *caller, const void *base, size_t bytes, enum spm_access access)
{
    uintptr_t first = (uintptr_t)base;

    for (unsigned i = 0; i < spm_host_memory_count; i++) {
        const struct spm_host_memory *memory = &spm_host_memory[i];
        uintptr_t start = (uintptr_t)memory->base;

        if (memory->owner == caller && first >= start && bytes <= memory->bytes && first - start <= memory->bytes - bytes) {
            return access == SPM_READ || memory->writable;
        }
    }
    return false;
}

void spm_host_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 0U) {
        return;
    }
    memcpy(to, from, bytes);
    if (spm_host_after_copy != NULL) {
        spm_host_after_copy(from, bytes);
    }
}

bool spm_arch_is_in_gateway(void)
{
    return true;
}

_Noreturn void spm_arch_reset(void)
{
    longjmp(spm_host_reset, 1);
}

void spm_arch_thread_init(struct spm_partition *partition, void (*entry)(void))
{
    (void)partition;
    (void)entry;
}

void spm_arch_irq_claim(uint32_t line)
{
    spm_host_lines &= ~(1U << line);
}

void spm_arch_irq_enable(uint32_t line)
{
    spm_host_lines |= 1U << line;
    spm_host_fired |= spm_host_pending & 1U << line;
}

void spm_arch_irq_clear_pending(uint32_t line)
{
    spm_host_pending &= ~(1U << line);
}

bool spm_arch_irq_disable(uint32_t line)
{
    bool enabled = (spm_host_lines >> line & 1U) != 0U;

    spm_host_lines &= ~(1U << line);
    return enabled;
}

psa_flih_result_t spm_arch_first_level(struct spm_partition *owner, psa_flih_result_t (*handler)(void))
{
    (void)owner;
    return handler();
}
