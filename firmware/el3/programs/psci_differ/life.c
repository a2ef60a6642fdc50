/* SPDX-License-Identifier: BSD-3-Clause */
#include "life.h"

#include <stdatomic.h>

#include "client_gic.h"
#include "core.h"
#include "psci.h"
#include "suspend.h"
#include "timer.h"

#define PRIORITY_STEPS 16U
#define NAP_US 500UL
#define NOT_BACK (-99)

struct state {
    _Alignas(64) struct life life;
    struct found found;
    _Atomic uint32_t begun;
    _Atomic uint32_t ended;
    _Atomic uint32_t may_go;
};

static struct state states[MAX_CORES];

static const uint32_t power_states[] = { 0, 0, POWER_STATE_STANDBY_0, POWER_STATE_DOWN_0, POWER_STATE_DOWN_1 };
#define WITHOUT_POWER_DOWN 3U

static bool toss(struct random *random)
{
    return random_below(random, 2) == 0;
}

struct life life_draw(struct random *random, bool may_power_down)
{
    uint32_t states_drawn = may_power_down ? sizeof(power_states) / sizeof(power_states[0]) : WITHOUT_POWER_DOWN;
    struct life life = { .suspends = power_states[random_below(random, states_drawn)] };

    for (uint32_t sgi = 1; sgi < CLIENT_SGIS; sgi++) {
        /* Both ends of the range are as likely as all that is between. */
        uint32_t step = random_below(random, 3) == 0 ? 0 : random_below(random, PRIORITY_STEPS);

        life.priority[sgi] = step * 16U;
    }
    life.goes_in_handler = toss(random);
    life.leaves_pending = toss(random);
    life.leaves_timer = toss(random);
    life.past_timer = toss(random);
    life.sent_while_off = random_below(random, 3);
    life.is_wanted_at_once = toss(random);
    return life;
}

void life_prepare(uint32_t core, struct life life)
{
    states[core].life = life;
    states[core].found = (struct found) { .suspended = NOT_BACK };
    atomic_store(&states[core].may_go, 0);
    __asm__ volatile("dsb ish" ::: "memory");
}

void life_go(uint32_t core)
{
    atomic_store(&states[core].may_go, 1);
    __asm__ volatile("dsb ish; sev" ::: "memory");
}

static void begin_handler(void)
{
    client_gic_send(1, core_self());
    client_gic_acknowledge();
}

/* No handler runs meanwhile: what masks the timer would mask the wake-up of any client. */
static void suspend(struct state *state)
{
    uint64_t nap = timer_ticks_of_us(NAP_US);
    struct suspend_result result;

    timer_start_at(state->life.past_timer ? timer_now() - nap : timer_now() + nap);
    result = psci_cpu_suspend(state->life.suspends, state->found.context_id);
    timer_stop();
    state->found.suspended = result.status;
    state->found.is_back = !result.resumed || result.context_id == state->found.context_id;
}

void life_live(uint64_t context_id)
{
    struct state *state = &states[core_self()];
    struct life life = state->life;

    state->found.context_id = context_id;
    state->found.pending = client_gic_begin();
    state->found.had_timer = core_had_timer(core_self());
    for (uint32_t sgi = 1; sgi < CLIENT_SGIS; sgi++) {
        client_gic_set_priority(sgi, life.priority[sgi]);
    }
    atomic_fetch_add(&state->begun, 1);
    while (atomic_load(&state->may_go) == 0) {
        __asm__ volatile("wfe" ::: "memory");
    }
    if (life.suspends != 0) {
        suspend(state);
    } else {
        timer_sleep_us(NAP_US);
    }
    if (life.goes_in_handler) {
        begin_handler();
    }
    if (life.leaves_pending) {
        client_gic_send(2, core_self());
    }
    if (life.leaves_timer) {
        timer_start_at(timer_now() - 1);
    }
    atomic_fetch_add(&state->ended, 1);
}

uint32_t life_begun(uint32_t core)
{
    return atomic_load(&states[core].begun);
}

uint32_t life_ended(uint32_t core)
{
    return atomic_load(&states[core].ended);
}

struct found life_found(uint32_t core)
{
    return states[core].found;
}
