/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep.h"

#include <stdbool.h>
#include <stddef.h>

#include "gic.h"
#include "named_call.h"
#include "panic.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"

/* Of PSCI_FEATURES, as in named_call.c: the interrupt is due so many instructions after this; the call is over. The vector says that it has come. */
#define MARK_SHOT 0x4c4d0003U
#define MARK_SHOT_END 0x4c4d0004U

/* Of firmware that is built for it: starts the secure timer, x1 ns from now, 0 to stop it; x3 = 1: EL3 takes its interrupt itself. */
#define SECURE_TIMER 0xc70000f1U
#define NS_PER_S 1000000000UL
#define LEAD 8000U /* more than firmware takes to start the secure timer; ours may clear its ring of events meanwhile */
#define MOST_FOLLOWED 1000000U /* instructions of a call in which whoever watches can tell when the secure world's handler began */
#define SPARE 600U /* the first interrupts are due before the call, whatever the start took */

#define EL2_TIMER_PPI 26U
#define PRIORITY 0x80U
#define TIMER_ENABLE 1UL
#define INSTRUCTION_HZ 62500000U /* of the clock on which a sweep is made; the counter of some processors ticks several times in one */
#define FIRST_DUE 16U /* the timer's start takes some itself */
#define MARGIN 64U /* from the timer's start to the call, and from the call's return until nothing of it is left */

extern const char sweep_vectors[];

static struct sweep_plan plan;
static uint32_t sweeps;
static volatile bool has_come;

void interrupt_came(void);

/* From assembly. */
void interrupt_came(void)
{
    uint32_t acknowledged = gic_acknowledge();

    __asm__ volatile("msr cnthp_ctl_el2, xzr; isb" ::: "memory");
    gic_end(acknowledged);
    if (gic_id(acknowledged) != EL2_TIMER_PPI) {
        panic("interrupt %u came in place of the timer's", gic_id(acknowledged));
    }
    has_come = true;
}

static uint64_t ticks_of_one(void)
{
    return timer_frequency_hz() > INSTRUCTION_HZ ? timer_frequency_hz() / INSTRUCTION_HZ : 1U;
}

static void start_secure_timer(uint64_t instructions)
{
    const uint64_t ns = instructions * (NS_PER_S / INSTRUCTION_HZ);
    const int64_t status = (int64_t)smc(SECURE_TIMER, ns, 0, plan.interrupt == INTERRUPT_OF_EL3).x[0];

    if (status != 0) {
        panic("this firmware starts no secure timer: %ld", status);
    }
}

static void wait_until(uint64_t ticks)
{
    while (timer_now() < ticks) {
    }
}

/* Nothing here can mask it: it comes as soon as the core is in the normal world. */
static void shoot_secure(uint64_t due, swept_calls *make, uint64_t argument)
{
    uint64_t begin;

    smc(PSCI_FEATURES, MARK_SHOT, due, 0);
    begin = timer_now();
    start_secure_timer(LEAD + due);
    wait_until(begin + (LEAD + SPARE) * ticks_of_one());
    make(argument);
    wait_until(begin + (2 * LEAD + due) * ticks_of_one());
    start_secure_timer(0);
    smc(PSCI_FEATURES, MARK_SHOT_END, due, 0);
}

static void shoot(uint64_t due, swept_calls *make, uint64_t argument)
{
    const uint64_t ticks = due * ticks_of_one();

    if (plan.interrupt != INTERRUPT_OF_EL2) {
        shoot_secure(due, make, argument);
        return;
    }
    has_come = false;
    __asm__ volatile("msr daifclr, #3" ::: "memory");
    smc(PSCI_FEATURES, MARK_SHOT, due, 0);
    __asm__ volatile("msr cnthp_cval_el2, %0; msr cnthp_ctl_el2, %1; isb" ::"r"(timer_now() + ticks), "r"(TIMER_ENABLE) : "memory");
    make(argument);
    while (!has_come) {
    }
    __asm__ volatile("msr daifset, #3" ::: "memory");
    smc(PSCI_FEATURES, MARK_SHOT_END, due, 0);
}

void sweep_prepare(struct sweep_plan wanted)
{
    uint64_t level;

    __asm__ volatile("mrs %0, CurrentEL" : "=r"(level));
    if (level >> 2 != 2) {
        panic("a sweep needs EL2, this is EL%lu", level >> 2);
    }
    plan = wanted;
    __asm__ volatile("msr vbar_el2, %0; isb" ::"r"(sweep_vectors) : "memory");
    gic_open(EL2_TIMER_PPI, PRIORITY);
    if (plan.interrupt != INTERRUPT_OF_EL2) { /* the first may find other ways */
        start_secure_timer(LEAD);
        wait_until(timer_now() + 2 * LEAD * ticks_of_one());
        start_secure_timer(0);
    }
}

static uint64_t length_of(swept_calls *make, uint64_t argument)
{
    uint64_t begin = timer_now();

    make(argument);
    return (timer_now() - begin) / ticks_of_one();
}

/* The first may find caches of the firmware empty. */
void sweep(const char *name, swept_calls *make, uint64_t argument)
{
    uint64_t length, step, only;

    if (plan.most_instructions == 0) {
        return;
    }
    name_calls(name);
    length_of(make, argument);
    length = length_of(make, argument) + MARGIN + (plan.interrupt == INTERRUPT_OF_EL2 ? 0 : SPARE);
    if (plan.interrupt == INTERRUPT_OF_SECURE_WORLD && length > MOST_FOLLOWED) {
        return;
    }
    step = length * length / plan.most_instructions + 1;
    only = plan.only != NULL && sweeps < SWEEPS ? plan.only[sweeps] : 0;
    sweeps++;
    if (only != 0) {
        shoot(only, make, argument);
        return;
    }
    for (uint64_t due = FIRST_DUE; due <= FIRST_DUE + length; due += step) {
        shoot(due, make, argument);
    }
}
