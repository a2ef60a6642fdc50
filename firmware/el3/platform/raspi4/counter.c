/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast the system counter goes: a board and its emulator differ. */
#include "gic.h"
#include "raspi4.h"
#include "sysregs.h"

#define LOCAL_CONTROL 0x0U
#define LOCAL_PRESCALER 0x8U
#define PRESCALER_NONE 0x80000000U /* 2^31 over this */

#define SYSTEM_TIMER_US 0x4U
#define MEASURED_US 2000U
#define US_PER_S 1000000U
#define TOLERANCE 64U /* one part of so many */

void raspi4_counter_start(void)
{
    mmio_write32(LOCAL_BASE + LOCAL_CONTROL, 0);
    mmio_write32(LOCAL_BASE + LOCAL_PRESCALER, PRESCALER_NONE);
}

static uint32_t timer_us(void)
{
    return mmio_read32(SYSTEM_TIMER_BASE + SYSTEM_TIMER_US);
}

struct moment {
    uint32_t us;
    uint64_t ticks;
};

/* Both clocks within two microseconds: an emulator may stop between the two. */
static struct moment now(void)
{
    struct moment moment;

    do {
        moment.us = timer_us();
        isb();
        moment.ticks = SYSREG_READ("cntpct_el0");
        isb();
    } while (timer_us() - moment.us > 1);
    return moment;
}

static bool is_about(uint64_t hz, uint64_t measured_hz)
{
    uint64_t tolerance = measured_hz / TOLERANCE;

    return hz >= measured_hz - tolerance && hz <= measured_hz + tolerance;
}

uint64_t raspi4_counter_hz(void)
{
    uint64_t of_register = SYSREG_READ("cntfrq_el0");
    struct moment first = now();
    struct moment last = now();

    while (last.us - first.us < MEASURED_US) {
        last = now();
    }
    uint64_t measured = (last.ticks - first.ticks) * US_PER_S / (last.us - first.us);

    if (is_about(of_register, measured)) {
        return of_register;
    }
    return is_about(CRYSTAL_HZ, measured) ? CRYSTAL_HZ : 0;
}
