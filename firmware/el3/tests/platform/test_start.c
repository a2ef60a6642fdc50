/* SPDX-License-Identifier: BSD-3-Clause */
/* What every core is given before the normal world runs. */
#include "start.h"

#include <setjmp.h>
#include <string.h>

#include "arch.h"
#include "arch_el3.h"
#include "harness.h"
#include "memory_map.h"
#include "parking.h"
#include "registers.h"
#include "trace.h"

#define RECORD sizeof(struct trace_record)
#define LONGEST 65536U

/* What the linker script names: data that never changes from __const_end on, 200 bytes of it, and free memory. */
char __const_end[256] __attribute__((aligned(64)));
char __ram_end[64] __attribute__((aligned(64)));
__asm__(".globl __bss_end\n.set __bss_end, __const_end + 200");

void platform_secondary_core(unsigned core) __attribute__((noreturn));
void arch_unexpected_exception(uint64_t esr, uint64_t elr, uint64_t far) __attribute__((noreturn));

static jmp_buf left;
static struct {
    const struct trace_ring *ring;
    const struct trace_record *records;
    uint64_t capacity;
} given[MAX_CORES];
static unsigned rings;

void harness_before_each(void)
{
    machine_clear();
    rings = 0;
    memset(percpus, 0xFF, MAX_CORES * sizeof(percpus[0]));
}

void trace_init(struct trace_ring *ring, struct trace_record *records, uint64_t capacity)
{
    given[rings].ring = ring;
    given[rings].records = records;
    given[rings++].capacity = capacity;
}

void arch_features_init(void)
{
    machine_note("features");
}

uint32_t arch_on_entry(void)
{
    return 5;
}

void parking_park(unsigned core)
{
    machine_write("parked", core);
    longjmp(left, 1);
}

void platform_panic(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    CHECK_TEXT("exception at EL3 (ESR, ELR, FAR)", what);
    CHECK_EQUAL(a, 1);
    CHECK_EQUAL(b, 2);
    CHECK_EQUAL(c, 3);
    longjmp(left, 1);
}

static const char *first_line, *next_line;

void arch_clean_invalidate(const void *address)
{
    first_line = first_line != NULL ? first_line : address;
    next_line = (const char *)address + ARCH_CACHE_LINE;
}

static void check_rings(unsigned cores, uint64_t free_bytes, uint64_t each)
{
    harness_before_each();
    start_percpus(cores, (uintptr_t)__ram_end + free_bytes);
    CHECK_EQUAL(rings, cores);
    for (unsigned core = 0; core < cores; core++) {
        CHECK_EQUAL(percpus[core].core_index, core);
        CHECK(given[core].ring == &percpus[core].ring);
        CHECK(start_ring_of(core) == &percpus[core].ring);
        CHECK_EQUAL((uintptr_t)given[core].records, (uintptr_t)__ram_end + core * each * RECORD);
        CHECK_EQUAL(given[core].capacity, each - TRACE_SLACK);
    }
}

TEST(the_rings_share_what_is_free_to_its_end_and_none_is_longer_than_a_megabyte)
{
    check_rings(1, 1000 * RECORD, 1000);
    check_rings(3, 1000 * RECORD, 333);
    check_rings(3, 1000 * RECORD + RECORD - 1, 333);
    check_rings(16, 16 * 100 * RECORD, 100);
    check_rings(16, 16 * 100 * RECORD - 1, 99);
    check_rings(2, 2 * (LONGEST + TRACE_SLACK - 1) * RECORD, LONGEST + TRACE_SLACK - 1);
    check_rings(2, 2 * (LONGEST + TRACE_SLACK) * RECORD, LONGEST + TRACE_SLACK);
    check_rings(2, 2 * (LONGEST + TRACE_SLACK + 1) * RECORD, LONGEST + TRACE_SLACK);
    check_rings(2, 1ULL << 40, LONGEST + TRACE_SLACK);
}

static void want_started(struct percpu *core)
{
    machine_set("tpidr_el3", (uintptr_t)core);
    start_counter_hz = 24000000;
    machine_want("cntfrq_el0=16e3600\nfeatures\n");
}

TEST(a_core_has_the_counters_frequency_and_knows_what_its_entry_does)
{
    want_started(&percpus[3]);
    start_core();
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(percpus[3].on_entry, 5);
    CHECK_EQUAL(percpus[2].on_entry, UINT32_MAX);
}

TEST(a_core_that_is_not_the_boot_core_is_parked_once_it_is_set_up)
{
    want_started(&percpus[4]);
    machine_want("parked=4\n");
    if (setjmp(left) == 0) {
        platform_secondary_core(4);
    }
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(percpus[4].on_entry, 5);
}

TEST(every_line_that_never_changes_again_is_cleaned)
{
    first_line = NULL;
    start_clean_to_memory();
    CHECK(first_line == __const_end);
    CHECK_EQUAL(next_line - first_line, 256);
}

TEST(an_exception_of_el3_itself_is_told_with_its_registers)
{
    if (setjmp(left) == 0) {
        arch_unexpected_exception(1, 2, 3);
    }
}
