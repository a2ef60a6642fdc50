/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices that programs and partitions of benches and tests use. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_WORD(address) (*(volatile uint32_t *)(address))

/* TIMER0 runs freely; its value counts down. CMSDK timers. */
#define TIMER_HZ          20000000U
#define INSTRUCTION_TICKS 21U /* of QEMU with icount shift 10, rounded up */
#define WHOLE_TICKS       512U /* take exactly as long as */
#define ROUNDING_TICKS    1U /* of two readings of TIMER0 */
#define WHOLE_INSTRUCTIONS 25U
#define TIMER0_WORD       DEVICE_WORD(0x40000004U)
#define TIMER0_ADDRESS    "0x40000004"
#define TIMER0_OF(word)   (word)
#define TIMER0_VALUE      TIMER0_OF(TIMER0_WORD)
#define TIMER0_SPENT(to, then, now) "sub " to ", " then ", " now
#define TIMER0_CTRL       DEVICE_WORD(0x40000000U)
#define TIMER0_RELOAD     DEVICE_WORD(0x40000008U)

/* The handler that fires it so late leaves time for some instructions of what it interrupted. */
#define TIMER1_SOON_TICKS 61U

#define TIMER1_CTRL       DEVICE_WORD(0x40001000U)
#define TIMER1_VALUE      DEVICE_WORD(0x40001004U)
#define TIMER1_RELOAD     DEVICE_WORD(0x40001008U)
#define TIMER1_INTCLEAR   DEVICE_WORD(0x4000100CU)

/* The dual timer. The word holds what is written to it. */
#define SECURE_TIMER          0x50002000U
#define SECURE_TIMER_WORD     DEVICE_WORD(SECURE_TIMER)
#define SECURE_TIMER_CONTROL  DEVICE_WORD(SECURE_TIMER + 8U)
#define SECURE_TIMER_INTCLEAR DEVICE_WORD(SECURE_TIMER + 12U)

#define GATEWAY_READS_MAIN_STACK 0

#define SLOW_TIMER        0x5002F000U
#define UART1_BASE        0x50201000U
#define UART2_BASE        0x50202000U
#define RAM_ALIAS         0x28000000U

static inline void timer0_start(void)
{
    TIMER0_RELOAD = 0xFFFFFFFFU;
    TIMER0_WORD = 0xFFFFFFFFU;
    TIMER0_CTRL = 1U;
}

static inline bool timer0_is_on(void)
{
    return (TIMER0_CTRL & 1U) != 0U;
}

/* TIMER1 interrupts once, so many ticks from now. Returns how many later. */
static inline uint32_t timer1_fire(uint32_t ticks)
{
    TIMER1_RELOAD = 0xFFFFFFFFU;
    TIMER1_VALUE = ticks;
    TIMER1_CTRL = 9U;
    return 0;
}

static inline void timer1_stop(void)
{
    TIMER1_CTRL = 0;
    TIMER1_INTCLEAR = 1;
}

static inline bool timer1_is_on(void)
{
    return TIMER1_CTRL != 0U;
}

static inline void secure_timer_fire(uint32_t ticks)
{
    SECURE_TIMER_CONTROL = 0;
    SECURE_TIMER_WORD = ticks;
    SECURE_TIMER_CONTROL = 0xA3U; /* enabled, interrupt, 32 bits, once */
}

static inline void secure_timer_clear(void)
{
    SECURE_TIMER_INTCLEAR = 1;
}

#endif
