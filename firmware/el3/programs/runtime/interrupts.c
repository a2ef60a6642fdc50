/* SPDX-License-Identifier: BSD-3-Clause */
#include "interrupts.h"

#include "core.h"
#include "gic.h"
#include "timer.h"

#define PRIORITY_STEP 0x10U
#define PRIORITIES 16U
#define SIGNALLED 15U /* the lowest is below every mask */
#define FIRMWARE_SGIS 8U /* from here on: by custom the secure world's */
#define FIRST_SPECIAL_ID 1020U
#define MOST_SENT 3U
#define LOOKS 100U
#define PAST_SPREAD_US 100000U

void interrupts_arrive(void)
{
    gic_forget_active();
}

/* One of the SGIs whose priority is known, once the one that has just been sent had time to come. */
static uint32_t take(void)
{
    for (uint32_t look = 0; look < LOOKS; look++) {
        uint32_t taken = gic_acknowledge();

        if (gic_id(taken) < FIRMWARE_SGIS) {
            return taken;
        }
        interrupts_leave(taken);
    }
    return GIC_NONE;
}

/* Priorities in steps, from the highest. */
struct places {
    uint32_t of[FIRMWARE_SGIS];
};

static struct places draw(struct random *random)
{
    struct places places;

    for (uint32_t id = 0; id < FIRMWARE_SGIS; id++) {
        places.of[id] = random_below(random, PRIORITIES);
        gic_open(id, (uint8_t)(places.of[id] * PRIORITY_STEP));
    }
    return places;
}

static uint32_t send_and_take(struct random *random)
{
    gic_send(core_self(), random_below(random, FIRMWARE_SGIS));
    return take();
}

void interrupts_enter_for_good(struct random *random)
{
    timer_stop();
    draw(random);
    send_and_take(random);
    gic_open(GIC_TIMER_PPI, (uint8_t)(random_below(random, PRIORITIES) * PRIORITY_STEP));
}

uint32_t interrupts_enter(struct random *random)
{
    uint32_t timer = SIGNALLED;
    uint32_t entered = GIC_NONE;

    timer_stop();
    struct places places = draw(random);

    if (random_below(random, 2) == 0) {
        entered = send_and_take(random);
    }
    if (entered != GIC_NONE && places.of[gic_id(entered)] == 0) {
        interrupts_leave(entered);
        entered = GIC_NONE;
    }
    if (entered != GIC_NONE) {
        timer = places.of[gic_id(entered)];
    }
    gic_open(GIC_TIMER_PPI, (uint8_t)(random_below(random, timer) * PRIORITY_STEP));
    return entered;
}

void interrupts_leave(uint32_t entered)
{
    if (gic_id(entered) < FIRST_SPECIAL_ID) {
        gic_end(entered);
    }
}

/* What others have sent to it would end every sleep at once: most of the time it is taken and dropped. */
static void drop(void)
{
    uint32_t taken;

    do {
        taken = gic_acknowledge();
        interrupts_leave(taken);
    } while (gic_id(taken) < FIRST_SPECIAL_ID);
}

void interrupts_send(struct random *random)
{
    uint32_t count = random_below(random, MOST_SENT + 1);

    for (uint32_t i = 0; i < count; i++) {
        gic_send(random_below(random, core_count), random_below(random, GIC_SGIS));
    }
    if (random_below(random, 4) != 0) {
        drop();
    }
}

void interrupts_past_timer(struct random *random)
{
    uint64_t ago = timer_ticks_of_us(random_below(random, PAST_SPREAD_US));
    uint64_t now = timer_now();

    timer_start_at(now > ago ? now - ago : 0);
}
