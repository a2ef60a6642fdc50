/* SPDX-License-Identifier: BSD-3-Clause */
#include "core_table.h"

struct core_context core_contexts[MAX_CORES];
struct core cores[MAX_CORES];
uint32_t core_count;
uint32_t lead_index;

uint32_t current_el(void)
{
    uint64_t el;

    __asm__ volatile("mrs %0, CurrentEL" : "=r"(el));
    return (uint32_t)(el >> 2 & 3);
}

uint32_t core_self(void)
{
    struct core_context *context;

    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(context));
    return (uint32_t)context->index;
}
