/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with interrupts masked on the non-secure side. With PRIS such a mask holds off the secure side's own switches too. */
#include "conformance.h"
#include "ns.h"
#include "ns_threads.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define NVIC_ISER0   NS_REG32(0xE000E100U)
#define WAIT_TICKS   4000U
#define LAST_TICKS   50000U /* behind the end of the call */
#define BASEPRI_HIGH 0x20U

static void mask_by_primask(void)
{
    __asm__ volatile("msr primask, %0" : : "r"(1U) : "memory");
}

static void mask_by_basepri(void)
{
    __asm__ volatile("msr basepri, %0" : : "r"(BASEPRI_HIGH) : "memory");
}

static void mask_by_faultmask(void)
{
    __asm__ volatile("msr faultmask, %0" : : "r"(1U) : "memory");
}

static void (*const masks[])(void) = { mask_by_primask, mask_by_basepri, mask_by_faultmask };
#define MASKS (sizeof(masks) / sizeof(masks[0]))

static void unmask(void)
{
    __asm__ volatile("msr primask, %0\n\tmsr basepri, %0\n\tmsr faultmask, %0\n\tisb" : : "r"(0U) : "memory");
}

static bool calls_are_served(void)
{
    uint32_t ticks = WAIT_TICKS;
    uint32_t out = 0;

    CHECK(request(TEST_STATELESS_HANDLE, SERVER_STATUS, 7, &out) == 7);
    CHECK(request(TEST_DRIVER_HANDLE, DRIVER_WAIT_FOR, ticks, &out) == PSA_SUCCESS && out == ticks);
    return true;
}

static bool masked_by_the_caller(const struct test *test)
{
    (void)test;
    for (uint32_t i = 0; i < MASKS; i++) {
        uint32_t out = 0;
        psa_status_t first;
        psa_status_t second;

        masks[i]();
        first = request(TEST_STATELESS_HANDLE, SERVER_STATUS, 7, &out);
        masks[i]();
        second = request(TEST_DRIVER_HANDLE, DRIVER_WAIT_FOR, WAIT_TICKS, &out);
        unmask();
        CHECK(first == 7 && second == PSA_SUCCESS && out == WAIT_TICKS);
    }
    return true;
}

/* The handler returns into whatever it interrupted: a gate, the SPM, a partition, the thread that waits for an interrupt. */
static bool masked_by_a_handler(const struct test *test)
{
    (void)test;
    NVIC_ISER0 = 1U << 4;
    for (uint32_t i = 0; i < MASKS; i++) {
        ns_on_timer1 = masks[i];
        for (uint32_t due = 20U; due < LAST_TICKS; due += 41U) {
            ns_fire_timer1(due);
            CHECK(calls_are_served());
            unmask();
        }
    }
    return true;
}

const struct test mask_tests[] = {
    { "a call with interrupts masked is served", masked_by_the_caller, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a handler may mask interrupts in the middle of a call", masked_by_a_handler, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
};
const uint32_t mask_test_count = sizeof(mask_tests) / sizeof(mask_tests[0]);
