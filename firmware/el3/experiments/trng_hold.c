/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For experiments, never for a product: TRNG_RND takes longer by a time that the normal world sets. Linked in front of the real service by
 * --wrap when LATLAB_TRNG_HOLD is on; no other source knows of it.
 *
 * 0xC70000F0 TRNG_HOLD: x1 = ns that each later TRNG_RND is held, at most 10 ms. x0 = 0, or -2 for more.
 */
#include "arch.h"
#include "monitor.h"

#define TRNG_HOLD 0xC70000F0U
#define TRNG_RND 0x84000053U
#define CONVENTION_64 0x40000000U
#define NS_PER_S 1000000000ULL
#define LONGEST_NS 10000000ULL
#define INVALID_PARAMETERS ((uint64_t)-2)

static struct arch_shared hold_ticks;

bool __real_trng_call(uint32_t id, struct smc_frame *frame);
bool __wrap_trng_call(uint32_t id, struct smc_frame *frame);

static void hold(void)
{
    uint64_t start = arch_counter_ticks();

    while (arch_counter_ticks() - start < arch_shared_load(&hold_ticks)) {
    }
}

bool __wrap_trng_call(uint32_t id, struct smc_frame *frame)
{
    if (id == TRNG_HOLD) {
        if (frame->x[1] > LONGEST_NS) {
            frame->x[0] = INVALID_PARAMETERS;
            return true;
        }
        arch_shared_store(&hold_ticks, (uint32_t)(frame->x[1] * arch_counter_hz() / NS_PER_S));
        frame->x[0] = 0;
        return true;
    }
    if ((id & ~CONVENTION_64) == TRNG_RND) {
        hold();
    }
    return __real_trng_call(id, frame);
}
