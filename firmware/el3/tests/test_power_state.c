/* SPDX-License-Identifier: BSD-3-Clause */
/* power_state: every valid value, every reserved bit, and random values against an oracle written the other way round. */
#include "fake_platform.h"
#include "harness.h"
#include "psci_private.h"

#define STATES 65536U

/* Builds every value that may be valid from its meaning, instead of taking values apart. */
static uint32_t encode(unsigned highest, const unsigned *local, unsigned last_at)
{
    uint32_t value = highest << 24 | last_at << 12 | (local[0] == 2 ? 1U << 16 : 0);

    for (unsigned level = 0; level <= highest && level < 3; level++) {
        value |= local[level] << (4 * level);
    }
    return value;
}

static uint32_t valid[STATES];
static unsigned valid_count;

static void add_deeper(unsigned highest, unsigned level, unsigned *local, unsigned top)
{
    if (level > highest) {
        for (unsigned last_at = 0; last_at <= top; last_at++) {
            valid[valid_count++] = encode(highest, local, last_at);
        }
        return;
    }
    for (unsigned state = 1; state <= (level == 0 ? 2U : local[level - 1]); state++) {
        local[level] = state;
        add_deeper(highest, level + 1, local, top);
    }
}

/* The State ID has room for three levels: nothing above level 2 can be asked for. */
static void list_valid(unsigned top)
{
    valid_count = 0;
    for (unsigned highest = 0; highest <= top && highest < 3; highest++) {
        unsigned local[4] = { 0 };

        add_deeper(highest, 0, local, top);
    }
}

static bool is_listed(uint32_t value)
{
    for (unsigned i = 0; i < valid_count; i++) {
        if (valid[i] == value) {
            return true;
        }
    }
    return false;
}

static const struct fake_shape shapes[] = {
    { .clusters = 1, .cores = { 4 }, .no_system = true },
    { .clusters = 2, .cores = { 2, 4 } },
    { .clusters = 4, .cores = { 1, 1, 1, 1 }, .clusters_per_group = 2 },
};

static void init(unsigned shape)
{
    fake_init(&shapes[shape], NULL);
    list_valid((unsigned)fake_topology->top_level);
}

TEST(every_value_with_a_meaning_is_decoded_to_it)
{
    for (unsigned shape = 0; shape < 3; shape++) {
        init(shape);
        for (unsigned i = 0; i < valid_count; i++) {
            struct psci_request request;
            unsigned local[4];

            CHECK(psci_decode_power_state(valid[i], &request));
            for (unsigned level = 0; level < 4; level++) {
                local[level] = (unsigned)request.local[level];
                CHECK((level <= (unsigned)request.highest) == (local[level] != 0));
            }
            CHECK_EQUAL(encode((unsigned)request.highest, local, (unsigned)request.last_at), valid[i]);
        }
    }
}

TEST(one_reserved_bit_makes_any_value_invalid)
{
    for (unsigned shape = 0; shape < 3; shape++) {
        init(shape);
        for (unsigned i = 0; i < valid_count; i++) {
            for (unsigned bit = 17; bit < 32; bit++) {
                struct psci_request request;

                if (bit != 24 && bit != 25) {
                    CHECK(!psci_decode_power_state(valid[i] | 1U << bit, &request));
                }
            }
        }
    }
}

TEST(every_value_of_the_fields_agrees_with_the_list_of_valid_ones)
{
    for (unsigned shape = 0; shape < 3; shape++) {
        unsigned accepted = 0;

        init(shape);
        for (uint32_t fields = 0; fields < 1U << 19; fields++) {
            uint32_t value = (fields & 0x1FFFFU) | (fields >> 17) << 24;
            struct psci_request request;

            if (psci_decode_power_state(value, &request)) {
                accepted++;
                CHECK(is_listed(value));
            }
        }
        CHECK_EQUAL(accepted, valid_count);
    }
}

TEST(random_values_agree_with_the_list_of_valid_ones)
{
    init(1);
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t value = (uint32_t)harness_random() & (i % 2 == 0 ? UINT32_MAX : 0x03012333U);
        struct psci_request request;

        CHECK(psci_decode_power_state(value, &request) == is_listed(value));
    }
}

TEST(a_refused_power_state_leaves_the_core_as_it_was)
{
    init(1);
    CHECK_EQUAL(fake_returns(PSCI_CPU_SUSPEND, 0x80010002, FAKE_ENTRY, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_CPU_SUSPEND, 0x00000002, FAKE_ENTRY, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(psci.cores[0].state.value, PSCI_CORE_ON);
    CHECK_EQUAL(psci.cores[0].entry.address, 0);
    CHECK_EQUAL(fake_seen.messages, 0);
}
