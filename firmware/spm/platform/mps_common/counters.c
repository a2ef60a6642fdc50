/* SPDX-License-Identifier: BSD-3-Clause */
/* DWT where it counts (QEMU has none), then TIMER0, which both worlds can read, then SysTick of the own world. */
#include "counter.h"
#include "devices.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define DEMCR           REGISTER(0xE000EDFCU)
#define DEMCR_TRCENA    (1U << 24)
#define DWT_CTRL        REGISTER(0xE0001000U)
#define DWT_CTRL_COUNT  1U
#define DWT_NOCYCCNT    (1U << 25)
#define DWT_CYCCNT      0xE0001004U

#define SYST_CSR        REGISTER(0xE000E010U)
#define SYST_RVR        REGISTER(0xE000E014U)
#define SYST_CVR        0xE000E018U

/* The system control space is out of an unprivileged partition's reach. */
static bool is_privileged(void)
{
    uint32_t control;

    __asm__ volatile("mrs %0, control" : "=r"(control));
    return (control & 1U) == 0U;
}

static bool start_dwt(void)
{
    if (!is_privileged()) {
        return false;
    }
    DEMCR |= DEMCR_TRCENA;
    if ((DWT_CTRL & DWT_NOCYCCNT) != 0U) {
        return false;
    }
    DWT_CTRL |= DWT_CTRL_COUNT;
    return true;
}

/* Left alone when it runs: the other world may be measuring with it. */
static bool start_timer0(void)
{
    if (!timer0_is_on()) {
        timer0_start();
    }
    return true;
}

static bool start_systick(void)
{
    if (!is_privileged()) {
        return false;
    }
    SYST_RVR = 0x00FFFFFFU;
    SYST_CSR = 5U;
    return true;
}

static const struct counter dwt = { "DWT", (const volatile uint32_t *)DWT_CYCCNT, 0xFFFFFFFFU, false, start_dwt };
static const struct counter timer0 = { "TIMER0", &TIMER0_WORD, 0xFFFFFFFFU, TIMER0_OF(0U) == 0U, start_timer0 };
static const struct counter systick = { "SysTick", (const volatile uint32_t *)SYST_CVR, 0x00FFFFFFU, true, start_systick };

const struct counter *const counters[] = { &dwt, &timer0, &systick };
const uint32_t counter_count = sizeof(counters) / sizeof(counters[0]);
