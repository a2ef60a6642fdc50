/* SPDX-License-Identifier: BSD-3-Clause */
/* An interrupt at every instruction of a call, from a timer that every processor of this kind has for the non-secure side. */
#include "psa_calls.h"

/* QEMU's instruction clock at shift 10: 2048 ticks of 20 MHz are 100 instructions. */
#define TICKS           2048U
#define INSTRUCTIONS    100U
#define MOST_COMPLAINTS 8U
#define SHOTS_A_SIGN    256U

/* Due in the middle of an instruction's time, so that no rounding brings it to the next one. */
static uint32_t ticks_of(uint32_t instructions)
{
    return (instructions * TICKS - TICKS / 2U) / INSTRUCTIONS;
}

void sweep(struct memory *memory, uint32_t index, struct answer right, bool has_one_digest)
{
    const struct call *call = &memory->params->calls[index];
    uint32_t wrong = 0;

    for (uint32_t shot = 0; shot < call->shots; shot++) {
        uint32_t due = call->first_shot + shot * call->shot_step;
        struct answer answer = call_once(memory, index, MARK_SHOT, due, ticks_of(due));

        if (shot % SHOTS_A_SIGN == SHOTS_A_SIGN - 1U) {
            say(memory, "SHOTS call=%lu shots=%lu", (unsigned long)index, (unsigned long)shot + 1U);
        }
        if (answer.status == right.status && (!has_one_digest || answer.digest == right.digest)) {
            continue;
        }
        if (wrong < MOST_COMPLAINTS) {
            say(memory, "WRONG call=%lu due=%lu status=%ld outputs=%s", (unsigned long)index, (unsigned long)due, (long)answer.status,
                answer.digest == right.digest ? "equal" : "other");
        }
        wrong++;
    }
    say(memory, "SWEPT call=%lu shots=%lu wrong=%lu", (unsigned long)index, (unsigned long)call->shots, (unsigned long)wrong);
}
