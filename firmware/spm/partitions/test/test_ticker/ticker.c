/* SPDX-License-Identifier: BSD-3-Clause */
/* A partition that waits for its own interrupt all the time, not only while somebody calls. */
#include "psa_manifest/test_ticker.h"

#include "devices.h"
#include "psa/service.h"
#include "test_requests.h"

#define TIMER_CTRL        DEVICE_WORD(SLOW_TIMER)
#define TIMER_VALUE       DEVICE_WORD(SLOW_TIMER + 4U)
#define TIMER_RELOAD      DEVICE_WORD(SLOW_TIMER + 8U)
#define TIMER_INTCLEAR    DEVICE_WORD(SLOW_TIMER + 12U)
#define ENABLE            0x1U
#define ENABLE_INTERRUPT  0x8U

static volatile uint32_t handled_at;
static struct ticker_report report;

psa_flih_result_t test_tick_flih(void)
{
    handled_at = TIMER0_VALUE;
    TIMER_INTCLEAR = 1;
    report.interrupts++;
#if SPM_LEVEL == 1
    const uint32_t *frame;

    __asm__ volatile("mrs %0, psp" : "=r"(frame));
    report.interrupted_pc = frame[6];
#endif
    return PSA_FLIH_SIGNAL;
}

static void start(const psa_msg_t *message)
{
    uint32_t period = 0;

    psa_read(message->handle, 0, &period, sizeof(period));
    report = (struct ticker_report){ 0 };
    TIMER_CTRL = 0;
    TIMER_RELOAD = period;
    TIMER_VALUE = period;
    TIMER_INTCLEAR = 1;
    psa_irq_enable(TEST_TICK_SIGNAL);
    TIMER_CTRL = ENABLE | ENABLE_INTERRUPT;
}

static psa_status_t answer(const psa_msg_t *message)
{
    switch (message->type) {
    case TICKER_START:
        start(message);
        return PSA_SUCCESS;
    case TICKER_STOP:
        TIMER_CTRL = 0;
        psa_write(message->handle, 0, &report, sizeof(report));
        return PSA_SUCCESS;
    default:
        return PSA_ERROR_NOT_SUPPORTED;
    }
}

/* Before the report: what woke the partition last comes first. */
static void tick(void)
{
    uint32_t late = handled_at - TIMER0_VALUE;

    psa_reset_signal(TEST_TICK_SIGNAL);
    report.ticks++;
    report.latest_ticks = late > report.latest_ticks ? late : report.latest_ticks;
}

void test_ticker_main(void)
{
    psa_msg_t message;

    for (;;) {
        psa_signal_t signals = psa_wait(TEST_TICK_SIGNAL | TEST_TICKER_SIGNAL, PSA_BLOCK);

        if ((signals & TEST_TICK_SIGNAL) != 0U) {
            tick();
        } else if (psa_get(TEST_TICKER_SIGNAL, &message) == PSA_SUCCESS) {
            psa_reply(message.handle, answer(&message));
        }
    }
}
