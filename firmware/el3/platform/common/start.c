/* SPDX-License-Identifier: BSD-3-Clause */
#include "start.h"

#include "arch.h"
#include "arch_el3.h"
#include "memory_map.h"
#include "parking.h"
#include "sysregs.h"
#include "trace.h"

#define MOST_RECORDS 65536U /* of a ring: a megabyte */

extern char __const_end[], __bss_end[], __ram_end[];

struct percpu percpus[MAX_CORES];
uint64_t start_counter_hz;

const struct trace_ring *start_ring_of(unsigned core)
{
    return &percpus[core].ring;
}

void start_percpus(unsigned cores, uintptr_t end)
{
    uint64_t free_records = (uint64_t)(end - (uintptr_t)__ram_end) / sizeof(struct trace_record);
    uint64_t records = free_records / cores;
    struct trace_record *at = (struct trace_record *)(uintptr_t)__ram_end;

    records = records < MOST_RECORDS + TRACE_SLACK ? records : MOST_RECORDS + TRACE_SLACK;
    for (unsigned core = 0; core < cores; core++) {
        percpus[core].core_index = core;
        trace_init(&percpus[core].ring, at, records - TRACE_SLACK);
        at += records;
    }
}

void start_clean_to_memory(void)
{
    for (const char *line = __const_end; line < __bss_end; line += ARCH_CACHE_LINE) {
        arch_clean_invalidate(line);
    }
}

void start_core(void)
{
    SYSREG_WRITE("cntfrq_el0", start_counter_hz);
    arch_features_init();
    percpu()->on_entry = arch_on_entry();
}

void platform_secondary_core(unsigned core) __attribute__((noreturn));

void platform_secondary_core(unsigned core)
{
    start_core();
    parking_park(core);
}

void arch_unexpected_exception(uint64_t esr, uint64_t elr, uint64_t far) __attribute__((noreturn));

void arch_unexpected_exception(uint64_t esr, uint64_t elr, uint64_t far)
{
    platform_panic("exception at EL3 (ESR, ELR, FAR)", esr, elr, far);
}
