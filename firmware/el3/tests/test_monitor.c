/* SPDX-License-Identifier: BSD-3-Clause */
/* The SMC router and the services beside PSCI. */
#include <string.h>

#include "fake_platform.h"
#include "harness.h"

static struct smc_frame filled(uint64_t x0, uint64_t x1)
{
    struct smc_frame frame;

    for (unsigned i = 0; i < 18; i++) {
        frame.x[i] = 0xA5A5A5A500000000ULL + i;
    }
    frame.x[0] = x0;
    frame.x[1] = x1;
    return frame;
}

static struct smc_frame call(uint64_t x0, uint64_t x1)
{
    struct smc_frame frame = filled(x0, x1);

    CHECK_EQUAL(host_smc(&frame), HOST_RETURNED);
    return frame;
}

static bool is_known(uint32_t id)
{
    struct smc_frame scratch = filled(id, 0);

    return (id & 0xBFFFFFE0U) == PSCI_VERSION || smccc_arch_call(id, &scratch) || trng_call(id, &scratch) || trace_call(id, &scratch);
}

static void check_unknown(uint32_t id)
{
    struct smc_frame before = filled(id, 77);
    struct smc_frame after = call(id, 77);

    CHECK_EQUAL(after.x[0], SMC_UNK);
    CHECK(memcmp(&before.x[1], &after.x[1], sizeof(before) - sizeof(before.x[0])) == 0);
}

TEST(an_unknown_id_gives_smc_unk_and_changes_nothing_else)
{
    unsigned unknown = 0;

    fake_init(&fake_juno, NULL);
    for (unsigned i = 0; i < 50000; i++) {
        uint32_t id = (uint32_t)harness_random();

        id = i % 3 == 0 ? id & 0xFF0000FFU : id;
        if (!is_known(id)) {
            check_unknown(id);
            unknown++;
        }
    }
    CHECK(unknown > 40000);
    check_unknown(0x84000054);
    check_unknown(0xC4000050);
    check_unknown(0x80000003);
    check_unknown(0xC7000035);
    check_unknown(0x87000030);
}

TEST(a_service_leaves_the_frame_of_an_id_that_is_not_its_own_untouched)
{
    struct smc_frame before = filled(0x84000060, 1);
    struct smc_frame frame = before;

    fake_init(&fake_juno, NULL);
    CHECK(!smccc_arch_call(0x84000060, &frame) && !trng_call(0x84000060, &frame) && !trace_call(0x84000060, &frame));
    CHECK(memcmp(&before, &frame, sizeof(frame)) == 0);
}

#define ENDS_CASE(id, has_64, features, ends, answer)                                                                            \
    case id:                                                                                                                     \
        return ends;

static bool may_not_come_back(uint32_t id, uint32_t x1, uint32_t x2)
{
    switch (id) {
        PSCI_CALLS(ENDS_CASE)
    default:
        return false;
    }
}

TEST(psci_calls_touch_no_register_but_x0)
{
    fake_init(&fake_juno, NULL);
    for (uint32_t function = 0; function < 0x20; function++) {
        uint32_t id = PSCI_VERSION + function;
        struct smc_frame before = filled(id, 0xFFFF0F0F);

        if (may_not_come_back(id, (uint32_t)before.x[1], (uint32_t)before.x[2])) {
            continue;
        }
        struct smc_frame after = call(id, 0xFFFF0F0F);

        CHECK(memcmp(&before.x[1], &after.x[1], sizeof(before) - sizeof(before.x[0])) == 0);
    }
}

TEST(smccc_says_its_version_its_calls_and_the_soc)
{
    fake_init(&fake_juno, NULL);
    CHECK_EQUAL(call(0x80000000, 0).x[0], 0x10002);
    CHECK_EQUAL(call(0x80000001, 0x80000000).x[0], 0);
    CHECK_EQUAL(call(0x80000001, 0x80000001).x[0], 0);
    CHECK_EQUAL(call(0x80000001, 0xFFFFFFFF80000002ULL).x[0], 0);
    CHECK_EQUAL(call(0x80000001, 0x80000003).x[0], (uint64_t)-1);
    CHECK_EQUAL(call(0x80000002, 0).x[0], 0x043B1234);
    CHECK_EQUAL(call(0x80000002, 1).x[0], 7);
    CHECK_EQUAL(call(0x80000002, 2).x[0], (uint64_t)-3);
}

static uint32_t asked;
static uint32_t worked_around;

static int64_t feature_of(uint32_t id)
{
    asked = id;
    return id == SMCCC_ARCH_WORKAROUND_3 ? SMCCC_NOT_SUPPORTED : SMCCC_WORKAROUND_IS_NEEDED;
}

static void work_around(uint32_t id)
{
    worked_around = id;
}

TEST(smccc_asks_the_platform_about_workarounds_and_has_it_do_those_that_it_knows)
{
    fake_init(&fake_juno, NULL);
    CHECK_EQUAL(call(0x80000001, 0x80008000).x[0], (uint64_t)-1);
    check_unknown(0x80008000);
    check_unknown(0x80007FFF);
    check_unknown(0x80003FFF);
    monitor.workaround_feature = feature_of;
    monitor.workaround = work_around;
    CHECK_EQUAL(call(0x80000001, 0x80008000).x[0], 0);
    CHECK_EQUAL(asked, 0x80008000);
    CHECK_EQUAL(call(0x80000001, 0x80007FFF).x[0], 0);
    CHECK_EQUAL(asked, 0x80007FFF);
    CHECK_EQUAL(call(0x80000001, 0x80003FFF).x[0], (uint64_t)-1);
    CHECK_EQUAL(asked, 0x80003FFF);
    CHECK_EQUAL(call(0x80000001, 0x80008001).x[0], (uint64_t)-1);
    CHECK_EQUAL(worked_around, 0);
    CHECK_EQUAL(call(0x80008000, 5).x[0], 0x80008000);
    CHECK_EQUAL(worked_around, 0x80008000);
    CHECK_EQUAL(call(0x80007FFF, 5).x[1], 5);
    CHECK_EQUAL(worked_around, 0x80007FFF);
    check_unknown(0x80003FFF);
    CHECK_EQUAL(worked_around, 0x80007FFF);
}

TEST(trng_says_its_version_its_calls_and_its_uuid)
{
    fake_init(&fake_juno, NULL);
    CHECK_EQUAL(call(0x84000050, 0).x[0], 0x10000);
    for (uint32_t id = 0x84000050; id <= 0x84000053; id++) {
        CHECK_EQUAL(call(0x84000051, id).x[0], 0);
    }
    CHECK_EQUAL(call(0x84000051, 0xC4000053).x[0], 0);
    CHECK_EQUAL(call(0x84000051, 0x84000054).x[0], (uint64_t)-1);
    CHECK_EQUAL(call(0x84000051, 0xC4000050).x[0], (uint64_t)-1);
    struct smc_frame uuid = call(0x84000052, 0);

    for (unsigned word = 0; word < 4; word++) {
        CHECK_EQUAL(uuid.x[word], word + 1);
    }
}

/* The source gives all ones: each bit that comes back is one that was handed out. */
static void check_bits(uint32_t id, unsigned bits, unsigned word_bits)
{
    struct smc_frame frame = call(id, bits);
    unsigned low = bits < word_bits ? bits : word_bits;
    unsigned middle = bits < word_bits ? 0 : (bits < 2 * word_bits ? bits - word_bits : word_bits);
    unsigned high = bits < 2 * word_bits ? 0 : bits - 2 * word_bits;

    CHECK_EQUAL(frame.x[0], 0);
    CHECK_EQUAL(frame.x[3], low == 64 ? UINT64_MAX : (1ULL << low) - 1);
    CHECK_EQUAL(frame.x[2], middle == 64 ? UINT64_MAX : (1ULL << middle) - 1);
    CHECK_EQUAL(frame.x[1], high == 64 ? UINT64_MAX : (1ULL << high) - 1);
}

TEST(trng_gives_exactly_the_bits_that_were_asked_for)
{
    fake_init(&fake_juno, NULL);
    for (unsigned bits = 1; bits <= 96; bits++) {
        check_bits(0x84000053, bits, 32);
    }
    for (unsigned bits = 1; bits <= 192; bits++) {
        check_bits(0xC4000053, bits, 64);
    }
}

TEST(trng_refuses_no_bits_and_more_than_three_words)
{
    fake_init(&fake_juno, NULL);
    CHECK_EQUAL(call(0x84000053, 0).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0x84000053, 97).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC4000053, 0).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC4000053, 193).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC4000053, 1ULL << 32).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0x84000053, 1ULL << 32 | 8).x[3], 0xFF);
}

TEST(without_a_source_of_randomness_there_is_no_trng)
{
    fake_init(&fake_juno, NULL);
    monitor.random = NULL;
    for (uint32_t id = 0x84000050; id <= 0x84000053; id++) {
        check_unknown(id);
    }
    check_unknown(0xC4000053);
}

TEST(the_trace_service_describes_the_machine_and_refuses_cores_that_it_does_not_have)
{
    fake_init(&fake_juno, NULL);
    struct smc_frame info = call(0xC7000030, 0);
    struct smc_frame topology = call(0xC7000031, 4);

    CHECK_EQUAL(info.x[0], 0);
    CHECK_EQUAL(info.x[1], TRACE_EVENTS_HASH);
    CHECK_EQUAL(info.x[2], 1000000);
    CHECK_EQUAL(info.x[3], 1500);
    CHECK_EQUAL(topology.x[0], 0);
    CHECK_EQUAL(topology.x[1], fake_mpidr(4));
    CHECK_EQUAL(topology.x[2], 2ULL << 32 | 1);
    CHECK_EQUAL(topology.x[3], 6);
    CHECK_EQUAL(call(0xC7000031, 6).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC7000031, UINT64_MAX).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC7000032, 0xFF00).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC7000033, 0xFF00).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC7000020, 0x41000406).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC7000021, 0).x[1], 1);
}

TEST(the_build_description_comes_back_whole_and_padded_with_zeros)
{
    char text[96] = { 0 };

    fake_init(&fake_juno, NULL);
    for (unsigned offset = 0; offset < 96; offset += 24) {
        struct smc_frame frame = call(0xC7000034, offset);

        CHECK_EQUAL(frame.x[0], 0);
        memcpy(text + offset, &frame.x[1], 24);
    }
    CHECK(strcmp(text, "a build description") == 0);
    CHECK_EQUAL(text[95], 0);
    CHECK_EQUAL(call(0xC7000034, 96).x[0], (uint64_t)-2);
    CHECK_EQUAL(call(0xC7000034, UINT64_MAX).x[0], (uint64_t)-2);
}

#if TRACE_ENABLED
TEST(a_call_outside_psci_leaves_two_events_and_the_trace_service_none)
{
    fake_init(&fake_juno, NULL);
    call(0x84000050, 0);
    CHECK_EQUAL(call(0xC7000032, 0).x[1], 2);
    CHECK_EQUAL(call(0xC7000032, 0).x[1], 2);
    struct smc_frame records = filled(0xC7000033, 0);

    records.x[2] = 0;
    host_smc(&records);
    CHECK_EQUAL(records.x[0], 2);
    CHECK_EQUAL(records.x[2], (0x84000050ULL << 16 | TRACE_ENTER_SMC));
    CHECK_EQUAL(records.x[4], (0x10000ULL << 16 | TRACE_EXIT_SMC));
    CHECK_EQUAL(records.x[5], 0xA5A5A5A500000005ULL);
}

static uint64_t first_event_of(uint32_t id)
{
    fake_init(&fake_juno, NULL);
    call(id, 0);
    struct smc_frame records = filled(0xC7000033, 0);

    records.x[2] = 0;
    host_smc(&records);
    return records.x[2];
}

TEST(only_the_range_of_psci_goes_to_psci)
{
    const uint32_t inside[] = { 0x84000000, 0x8400001F, 0xC4000000, 0xC400001F };
    const uint32_t outside[] = { 0x84000020, 0x8400003F, 0xC4000020, 0x83FFFFFF, 0x80000001, 0x04000000, 0x44000001, 0xC4000100 };

    for (unsigned i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
        CHECK_EQUAL(first_event_of(inside[i]), (uint64_t)inside[i] << 16 | TRACE_ENTER_PSCI);
    }
    for (unsigned i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        CHECK_EQUAL(first_event_of(outside[i]), (uint64_t)outside[i] << 16 | TRACE_ENTER_SMC);
    }
}

TEST(a_call_of_psci_leaves_its_result_behind_its_last_event)
{
    fake_init(&fake_juno, NULL);
    call(PSCI_VERSION, 0);
    call(PSCI_CPU_ON, 0xFF00);
    struct smc_frame records = filled(0xC7000033, 0);

    records.x[2] = 1;
    host_smc(&records);
    CHECK_EQUAL(records.x[0], 3);
    CHECK_EQUAL(records.x[2], 0x10003ULL << 16 | TRACE_EXIT_PSCI);
    CHECK_EQUAL(records.x[6], (uint64_t)(uint32_t)PSCI_INVALID_PARAMETERS << 16 | TRACE_EXIT_PSCI);
}

TEST(pmf_stamps_come_in_one_register_or_in_two_halves)
{
    fake_init(&fake_juno, NULL);
    host_cores[0].now_ticks = 0x123456789AULL;
    call(PSCI_VERSION, 0);
    struct smc_frame whole = filled(0xC7000020, 0x41000400);
    struct smc_frame halves = filled(0x87000020, 0xFFFFFFFF41000400ULL);

    whole.x[2] = halves.x[2] = 0x80000000;
    host_smc(&whole);
    host_smc(&halves);
    CHECK_EQUAL(whole.x[0], 0);
    CHECK_EQUAL(whole.x[1], 0x123456789BULL);
    CHECK_EQUAL(whole.x[2], 0);
    CHECK_EQUAL(halves.x[1], 0x3456789BULL);
    CHECK_EQUAL(halves.x[2], 0x12);
}

TEST(pmf_stamps_are_those_of_the_core_that_is_named)
{
    fake_init(&fake_juno, NULL);
    host_cores[0].now_ticks = 0x1000;
    call(PSCI_VERSION, 0);
    host_become(1);
    host_cores[1].now_ticks = 0x2000;
    call(PSCI_VERSION, 0);
    for (unsigned asked = 0; asked < 2; asked++) {
        struct smc_frame frame = filled(0xC7000020, 0x41000400);

        frame.x[2] = 0x80000000U | fake_mpidr(asked); /* as the register says it */
        host_become(1 - asked);
        host_smc(&frame);
        CHECK_EQUAL(frame.x[0], 0);
        CHECK_EQUAL(frame.x[1], asked == 0 ? 0x1001 : 0x2001);
    }
}
#endif
