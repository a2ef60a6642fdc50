/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls with interrupts masked on the non-secure side: what a mask holds back stays out for the whole call, and the mask
 * comes back as it was. With PRIS such a mask holds off the secure side's own switches too.
 */
#include "conformance.h"
#include "ns.h"
#include "ns_threads.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define NVIC_ISER0      NS_REG32(0xE000E100U)
#define NVIC_ISPR0      NS_REG32(0xE000E200U)
#define NVIC_ICPR0      NS_REG32(0xE000E280U)
#define NVIC_IPR_TIMER1 (*(volatile uint8_t *)0xE000E404U)
#define TIMER1_BIT      (1U << 4)
#define PRIORITY_STEP   0x20U
#define WAIT_TICKS      (TIMER_HZ / 5000U)
#define LAST_TICKS      (TIMER_HZ / 400U) /* behind the end of the call */
#define SWEEP_TICKS     (TIMER_HZ / 500U)
#define SWEEP_STEP      397U

struct masks {
    uint32_t primask;
    uint32_t basepri;
    uint32_t faultmask;
};

static const struct masks open_masks;
static const struct masks kinds[] = {
    { 1, 0, 0 },    { 0, 0x20, 0 }, { 0, 0x40, 0 }, { 0, 0x60, 0 }, { 0, 0x80, 0 },
    { 0, 0xA0, 0 }, { 0, 0xC0, 0 }, { 0, 0xE0, 0 }, { 0, 0, 1 },    { 1, 0x40, 1 },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static volatile uint32_t handled;
static const struct masks *volatile masks_of_handler;

static void set_masks(const struct masks *masks)
{
    __asm__ volatile("msr primask, %0\n\tmsr basepri, %1\n\tmsr faultmask, %2\n\tisb"
                     :
                     : "r"(masks->primask), "r"(masks->basepri), "r"(masks->faultmask)
                     : "memory");
}

static bool are_masks(const struct masks *wanted)
{
    struct masks now;

    __asm__ volatile("mrs %0, primask\n\tmrs %1, basepri\n\tmrs %2, faultmask"
                     : "=r"(now.primask), "=r"(now.basepri), "=r"(now.faultmask));
    return now.primask == wanted->primask && now.basepri == wanted->basepri && now.faultmask == wanted->faultmask;
}

static bool holds_back(const struct masks *masks, uint32_t priority)
{
    return masks->primask != 0U || masks->faultmask != 0U || (masks->basepri != 0U && priority >= masks->basepri);
}

static void count_handler(void)
{
    handled++;
}

static void mask_in_handler(void)
{
    set_masks(masks_of_handler);
}

/* A call that one partition serves, one that a secure interrupt ends, one that is refused. */
static bool calls_are_served(void)
{
    uint32_t ticks = WAIT_TICKS;
    uint32_t out = 0;

    CHECK(request(TEST_STATELESS_HANDLE, SERVER_STATUS, 7, &out) == 7);
    CHECK(request(TEST_DRIVER_HANDLE, DRIVER_WAIT_FOR, ticks, &out) == PSA_SUCCESS && out == ticks);
    CHECK(request((psa_handle_t)7, SERVER_STATUS, 7, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    return true;
}

/* An interrupt of this priority is pending from before the calls, and again at some instruction inside. */
static bool stays_out(const struct masks *masks, uint32_t priority, uint32_t due)
{
    bool held = holds_back(masks, priority);
    bool served;

    NVIC_IPR_TIMER1 = (uint8_t)priority;
    timer1_stop(); /* of the round before, whose calls may have ended first */
    NVIC_ICPR0 = TIMER1_BIT;
    handled = 0;
    set_masks(masks);
    NVIC_ISPR0 = TIMER1_BIT;
    ns_fire_timer1(due);
    served = calls_are_served();

    uint32_t inside = handled;
    bool kept = are_masks(masks);

    set_masks(&open_masks);
    CHECK(served && kept);
    CHECK((inside == 0U) == held);
    CHECK(handled != 0U);
    return true;
}

static bool masked_by_the_caller(const struct test *test)
{
    (void)test;
    ns_on_timer1 = count_handler;
    NVIC_ISER0 = TIMER1_BIT;
    for (uint32_t due = SWEEP_STEP; due < SWEEP_TICKS; due += SWEEP_STEP) {
        for (uint32_t i = 0; i < KINDS; i++) {
            CHECK(stays_out(&kinds[i], due * PRIORITY_STEP % 0x100U, due));
        }
    }
    NVIC_IPR_TIMER1 = 0;
    return true;
}

/* The handler returns into whatever it interrupted: a gate, the SPM, a partition, the thread that waits for an interrupt. */
static bool masked_by_a_handler(const struct test *test)
{
    (void)test;
    ns_on_timer1 = mask_in_handler;
    NVIC_ISER0 = TIMER1_BIT;
    for (uint32_t i = 0; i < KINDS; i++) {
        if (kinds[i].faultmask != 0U) {
            continue; /* the return from the handler clears it */
        }
        masks_of_handler = &kinds[i];
        for (uint32_t due = 20U; due < LAST_TICKS; due += 41U) {
            ns_fire_timer1(due);
            CHECK(calls_are_served());
            CHECK(timer1_is_on() || are_masks(&kinds[i]));
            set_masks(&open_masks);
        }
    }
    return true;
}

const struct test mask_tests[] = {
    { "a mask of the caller's holds for the whole call and comes back as it was", masked_by_the_caller, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a handler may mask interrupts in the middle of a call", masked_by_a_handler, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
};
const uint32_t mask_test_count = sizeof(mask_tests) / sizeof(mask_tests[0]);
