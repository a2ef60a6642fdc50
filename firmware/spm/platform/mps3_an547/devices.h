/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices that programs and partitions of benches and tests use. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_WORD(address) (*(volatile uint32_t *)(address))

/* The system counter as TIMER0 shows it, turned round so that it counts down like the timers of the other boards. */
#define TIMER_HZ          32000000U
#define INSTRUCTION_TICKS 33U /* of QEMU with icount shift 10, rounded up */
#define WHOLE_TICKS       4096U /* take exactly as long as */
#define ROUNDING_TICKS    3U /* of three readings: to fire TIMER1 one is taken too */
#define WHOLE_INSTRUCTIONS 125U
#define TIMER0_WORD       DEVICE_WORD(0x48000000U)
#define TIMER0_ADDRESS    "0x48000000"
#define TIMER0_OF(word)   (~(word))
#define TIMER0_VALUE      TIMER0_OF(TIMER0_WORD)
#define TIMER0_SPENT(to, then, now) "sub " to ", " now ", " then

/* A system timer: the low word of the counter, then its high word, what is compared with it, and the control. */
#define SYSTEM_TIMER_HIGH    0x04U
#define SYSTEM_TIMER_COMPARE 0x20U
#define SYSTEM_TIMER_CONTROL 0x2CU
/* The handler that fires it so late leaves time for some instructions of what it interrupted. */
#define TIMER1_SOON_TICKS    528U
#define TIMER1               0x48001000U

/* TIMER2. The word holds what is written to it. */
#define SECURE_TIMER      0x58002000U
#define SECURE_TIMER_WORD DEVICE_WORD(SECURE_TIMER + SYSTEM_TIMER_COMPARE)

/*
 * An SG of Armv8.1-M reads the secure stack of the interrupted thread. QEMU takes the main one where the caller is on its main
 * stack, which an unprivileged partition may not read.
 */
#define GATEWAY_READS_MAIN_STACK 1

#define SLOW_TIMER        0x5802F000U
#define UART1_BASE        0x59304000U
#define UART2_BASE        0x59305000U
#define RAM_ALIAS         0x21000000U

/* The secure side has started the counter. */
static inline void timer0_start(void)
{
}

static inline bool timer0_is_on(void)
{
    return true;
}

static inline void system_timer_stop(uintptr_t timer)
{
    DEVICE_WORD(timer + SYSTEM_TIMER_CONTROL) = 0;
}

/*
 * Due at a multiple of four ticks, which is a whole number of nanoseconds: QEMU's model keeps time in those, and where it has to
 * round it is woken before the tick, for ever.
 */
static inline uint32_t system_timer_fire(uintptr_t timer, uint32_t ticks)
{
    uint32_t high;
    uint32_t low;

    system_timer_stop(timer);
    do {
        high = DEVICE_WORD(timer + SYSTEM_TIMER_HIGH);
        low = DEVICE_WORD(timer);
    } while (high != DEVICE_WORD(timer + SYSTEM_TIMER_HIGH));

    uint64_t due = (((uint64_t)high << 32 | low) + ticks + 3U) & ~3ULL;

    DEVICE_WORD(timer + SYSTEM_TIMER_COMPARE) = (uint32_t)due;
    DEVICE_WORD(timer + SYSTEM_TIMER_COMPARE + 4U) = (uint32_t)(due >> 32);
    DEVICE_WORD(timer + SYSTEM_TIMER_CONTROL) = 1U;
    return (uint32_t)due - low - ticks;
}

/* TIMER1 interrupts once, so many ticks from now. Returns how many later. */
static inline uint32_t timer1_fire(uint32_t ticks)
{
    return system_timer_fire(TIMER1, ticks);
}

static inline void timer1_stop(void)
{
    system_timer_stop(TIMER1);
}

static inline bool timer1_is_on(void)
{
    return DEVICE_WORD(TIMER1 + SYSTEM_TIMER_CONTROL) != 0U;
}

static inline void secure_timer_fire(uint32_t ticks)
{
    system_timer_fire(SECURE_TIMER, ticks);
}

static inline void secure_timer_clear(void)
{
    system_timer_stop(SECURE_TIMER);
}

#endif
