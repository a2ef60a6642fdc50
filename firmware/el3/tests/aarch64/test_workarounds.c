/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores need which workaround, by Arm's advisories: compiled with and without LATLAB_HARDENED. */
#include <string.h>

#include "arch_el3.h"
#include "harness.h"
#include "monitor.h"
#include "percpu.h"
#include "registers.h"

#define CSV2 (1ULL << 56)
#define SSBS (1U << 4)
#define CPUACTLR "s3_1_c15_c2_0"
#define SCTLR 0x30C51835U
#define FLUSHES 1U
#define STOPS 2U

#define ARM(part) (0x41U << 24 | 2U << 20 | 0xFU << 16 | (unsigned)(part) << 4 | 3U)

static void a_core(uint64_t midr, uint64_t pfr0, uint64_t pfr1, uint64_t pmu)
{
    machine_clear();
    machine_set("midr_el1", midr);
    machine_set("id_aa64pfr0_el1", pfr0);
    machine_set("id_aa64pfr1_el1", pfr1);
    machine_set("id_aa64dfr0_el1", pmu << 8 | 0xF0006U);
    machine_set("sctlr_el3", SCTLR);
    machine_set(CPUACTLR, 0x1234);
    machine_set("pmcr_el0", 0x41003061U);
}

static const struct {
    uint64_t midr;
    uint64_t pfr0;
    uint64_t pfr1;
    int64_t targets;
    int64_t stores;
    int64_t history;
    bool has_chicken_bit;
} cores[] = {
    { ARM(0xD03), 0, 0, 1, 1, 1, false },              /* cortex-a53: in order */
    { ARM(0xD04), 0, 0, 1, 1, 1, false },              /* a35 */
    { ARM(0xD05), CSV2, SSBS, 1, 1, 1, false },        /* a55 */
    { ARM(0xD05), 0, 0, 1, 1, 1, false },
    { ARM(0xD07), 0, 0, 0, -1, 0, true },              /* a57 */
    { ARM(0xD08), 0, 0, 0, -1, 0, true },              /* a72 */
    { ARM(0xD08), CSV2, 0, 1, -1, -1, true },          /* a72, later revisions */
    { ARM(0xD09), 0, 0, -1, -1, -1, false },           /* one that the table does not have */
    { ARM(0xD0B), CSV2, SSBS, 1, 1, -1, false },       /* a76 */
    { ARM(0xD0B), CSV2 << 1, SSBS << 1, 1, 1, -1, false },
    { 0x42U << 24 | 0xD03U << 4, 0, 0, -1, -1, -1, false }, /* another maker's part of the same number */
    { 0x42U << 24 | 0xD07U << 4, 0, 0, -1, -1, -1, false },
};

TEST(each_core_is_told_of_each_workaround_what_its_advisory_says)
{
    for (unsigned i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
        int64_t stores = LATLAB_HARDENED && cores[i].has_chicken_bit ? 1 : cores[i].stores;

        a_core(cores[i].midr, cores[i].pfr0, cores[i].pfr1, 1);
        CHECK_EQUAL(arch_workaround_feature(SMCCC_ARCH_WORKAROUND_1), cores[i].targets);
        CHECK_EQUAL(arch_workaround_feature(SMCCC_ARCH_WORKAROUND_2), stores);
        CHECK_EQUAL(arch_workaround_feature(SMCCC_ARCH_WORKAROUND_3), cores[i].history);
    }
}

TEST(the_predictor_forgets_by_an_mmu_that_is_turned_off_and_on_where_that_is_needed)
{
    for (unsigned i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
        const char *flushed = cores[i].targets == 0 ? "sctlr_el3=30c51834\nsctlr_el3=30c51835\n" : "";

        a_core(cores[i].midr, cores[i].pfr0, cores[i].pfr1, 1);
        arch_workaround(SMCCC_ARCH_WORKAROUND_1);
        CHECK_TEXT(flushed, machine_written());
        arch_workaround(SMCCC_ARCH_WORKAROUND_3);
        CHECK_TEXT(flushed, machine_written());
        arch_workaround(SMCCC_ARCH_WORKAROUND_2);
        CHECK_TEXT("", machine_written());
    }
}

static uint32_t on_entry(bool flushes, uint32_t stops, int64_t targets, int64_t history)
{
    return (uint32_t)flushes << ENTRY_FLUSHES_PREDICTOR | stops | (uint32_t)(targets == 1) << ENTRY_IS_SAFE_1 |
           (uint32_t)(history == 1) << ENTRY_IS_SAFE_3;
}

TEST(the_vectors_know_of_each_core_which_workaround_is_done_and_which_is_nothing)
{
    for (unsigned i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
        a_core(cores[i].midr, cores[i].pfr0, cores[i].pfr1, 0);
        CHECK_EQUAL(arch_on_entry(), on_entry(cores[i].targets == 0, 0, cores[i].targets, cores[i].history));
    }
}

TEST(an_entry_to_el3_is_hardened_by_what_the_core_lacks)
{
    static const struct {
        uint64_t pmu;
        uint32_t stops;
    } pmus[] = { { 0, 0 }, { 1, STOPS }, { 5, STOPS }, { 6, 0 }, { 7, 0 }, { 15, 0 } };

    for (unsigned i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
        a_core(ARM(0xD07), 0, 0, pmus[i].pmu);
        CHECK_EQUAL(arch_on_entry(), on_entry(true, pmus[i].stops, 0, 0));
        a_core(ARM(0xD07), CSV2, 0, pmus[i].pmu);
        CHECK_EQUAL(arch_on_entry(), on_entry(false, pmus[i].stops, 1, -1));
        a_core(ARM(0xD03), 0, 0, pmus[i].pmu);
        CHECK_EQUAL(arch_on_entry(), on_entry(false, pmus[i].stops, 1, 1));
    }
    CHECK_EQUAL(FLUSHES, 1U << ENTRY_FLUSHES_PREDICTOR);
    CHECK_EQUAL(STOPS, 1U << ENTRY_STOPS_CYCLES);
}

TEST(a_hardened_normal_world_begins_with_its_counter_on_and_no_load_before_a_store)
{
    a_core(ARM(0xD08), 0, 0, 1);
    arch_harden_ns();
    CHECK_TEXT(CPUACTLR "=80000000001234\npmcr_el0=41003041\n", machine_written());
    a_core(ARM(0xD03), 0, 0, 5);
    arch_harden_ns();
    CHECK_TEXT("pmcr_el0=41003041\n", machine_written());
    a_core(ARM(0xD0B), CSV2, SSBS, 6);
    arch_harden_ns();
    CHECK_TEXT("", machine_written());
}
