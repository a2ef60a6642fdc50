/* SPDX-License-Identifier: BSD-3-Clause */
#include "delays.h"

#include "arch.h"
#include "meet.h"
#include "psci_platform.h"

#define US_PER_S 1000000U
/* Of sixteen places one waits for milliseconds, one visit in sixteen, and six for microseconds, one visit in four. */
#define KINDS 16U
#define LONG_KINDS 1U
#define SHORT_KINDS 7U
#define LONG_VISITS 16U
#define SHORT_VISITS 4U
#define LONG_US 4096U
#define SHORT_US 64U
/* Seeds whose tellers and leavers wait, and how long. */
#define PAIR_SEEDS 4U
#define PAIR_VISITS 2U
#define TELLS_US 8192U
#define LEAVES_US 256U

uint64_t delays_seed __attribute__((section(".data"))); /* who has no other way to say one writes it into the image */
struct delays_place delays_places[DELAYS_PLACES];

/* Each core's own. */
static struct {
    uint64_t state;
} __attribute__((aligned(ARCH_CACHE_LINE))) cores[PSCI_MAX_CORES];

/* The finalizer of SplitMix64. */
static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ value >> 27) * 0x94D049BB133111EBULL;
    return value ^ value >> 31;
}

/* Cores that note at once may lose a note; it is for the reader of a report. */
static void note(uint64_t place, uint64_t ticks)
{
    for (unsigned i = 0; i < DELAYS_PLACES; i++) {
        struct delays_place *slot = &delays_places[(place / 4U + i) % DELAYS_PLACES];

        if (slot->place == 0 || slot->place == place) {
            slot->place = place;
            slot->waits++;
            slot->longest_ticks = ticks > slot->longest_ticks ? ticks : slot->longest_ticks;
            return;
        }
    }
}

static void wait(uint64_t place, uint64_t us)
{
    uint64_t start = arch_counter_ticks();
    uint64_t ticks = us * arch_counter_hz() / US_PER_S;

    note(place, ticks);
    while (arch_counter_ticks() - start < ticks) {
    }
}

/* The next number of this core's own. */
static uint64_t drawn(void)
{
    uint64_t *state = &cores[arch_core_index()].state;

    *state += 0x9E3779B97F4A7C15ULL;
    return mixed(*state ^ delays_seed << 8 ^ arch_core_index());
}

static void meet_as_one_of_two(uint64_t place, uint64_t most_us)
{
    if (delays_seed == 0 || mixed(delays_seed) % PAIR_SEEDS != 0) {
        return;
    }
    uint64_t chance = drawn();

    if (chance % PAIR_VISITS == 0) {
        wait(place, chance / PAIR_VISITS % most_us);
    }
}

void arch_meet_tells(void)
{
    meet_as_one_of_two((uint64_t)(uintptr_t)__builtin_return_address(0), TELLS_US);
}

void arch_meet_leaves(void)
{
    meet_as_one_of_two((uint64_t)(uintptr_t)__builtin_return_address(0), LEAVES_US);
}

void arch_meet(void)
{
    uint64_t place = (uint64_t)(uintptr_t)__builtin_return_address(0);

    if (delays_seed == 0) {
        return;
    }
    uint64_t kind = mixed(delays_seed * KINDS ^ place) % KINDS;

    if (kind >= SHORT_KINDS) {
        return;
    }
    uint64_t chance = drawn();

    if (kind < LONG_KINDS && chance % LONG_VISITS == 0) {
        wait(place, chance / LONG_VISITS % LONG_US);
    } else if (kind >= LONG_KINDS && chance % SHORT_VISITS == 0) {
        wait(place, chance / SHORT_VISITS % SHORT_US);
    }
}
