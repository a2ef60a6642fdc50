/* SPDX-License-Identifier: BSD-3-Clause */
/* What the SPM tells of a panic at the next boot: whose fault it was, where, and with what in the fault registers. */
#include "conformance.h"
#include "memory_map.h"
#include "ns.h"
#include "ns_threads.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define NVIC_ISER0     NS_REG32(0xE000E100U)
#define TIMER1_BIT     (1U << 4)
#define SCB_AIRCR      NS_REG32(0xE000ED0CU)
#define AIRCR_RESET    0x05FA0004U
#define SECURE_RAM     S_RAM_START
#define CFSR_UNDEFINED 0x00010000U
#define HFSR_FORCED    0x40000000U
#define SFSR_AUVIOL    0x8U
#define SFSR_RETURNS   0x6U /* INVIS, INVER */

/* struct spm_panic_record */
enum word { CAUSE, PARTITION, PC, CFSR, HFSR, SFSR };

#define WHOLE_RECORD (-1)
enum fault { UNDEFINED, SECURE_DATA, FORGED_RETURN };

extern const uint32_t undefined_here[];
extern const uint32_t looks_here[];

static bool is_at(const uint32_t *instruction)
{
    return nsc_panic_word(PC) == ((uint32_t)(uintptr_t)instruction & ~1U);
}

static bool is_record_of(enum fault fault)
{
    switch (fault) {
    case UNDEFINED:
        return is_at(undefined_here) && nsc_panic_word(CFSR) == CFSR_UNDEFINED && nsc_panic_word(HFSR) == HFSR_FORCED;
    case SECURE_DATA:
        return is_at(looks_here) && nsc_panic_word(CFSR) == 0U && nsc_panic_word(HFSR) == 0U && (nsc_panic_word(SFSR) & SFSR_AUVIOL) != 0U;
    default:
        return nsc_panic_word(PC) == 0U && (nsc_panic_word(SFSR) & SFSR_RETURNS) != 0U;
    }
}

bool is_told(const struct test *test)
{
    uint32_t cause = nsc_panic_word(CAUSE);

    if (cause == SPM_CAUSE_NONE || cause != (uint32_t)test->expected) {
        return false;
    }
    return test->handle != WHOLE_RECORD || is_record_of((enum fault)test->type);
}

static bool undefined(const struct test *test)
{
    (void)test;
    __asm__ volatile(".global undefined_here\nundefined_here:\n\tudf #0" ::: "memory");
    return true;
}

/* A masked call before it comes through a HardFault of its own (levels 2 and 3), which must leave nothing behind. */
static bool look_at_secure_data(const struct test *test)
{
    uint32_t out = 0;

    (void)test;
    __asm__ volatile("msr primask, %0" : : "r"(1U) : "memory");
    request(TEST_STATELESS_HANDLE, SERVER_STATUS, 7, &out);
    __asm__ volatile("msr primask, %0\n\t"
                     ".global looks_here\nlooks_here:\n\tldr r0, [%1]"
                     :
                     : "r"(0U), "r"(SECURE_RAM)
                     : "r0", "memory");
    return true;
}

static __attribute__((naked)) void forge_return(void)
{
    __asm__ volatile("mvn lr, #2\n\tbx lr"); /* to a secure thread */
}

static bool forged_return(const struct test *test)
{
    (void)test;
    NVIC_ISER0 = TIMER1_BIT;
    ns_on_timer1 = forge_return;
    ns_fire_timer1(20);
    for (uint32_t i = 0; i < 10000U; i++) {
        __asm__ volatile("nop");
    }
    return true;
}

static bool reset(const struct test *test)
{
    (void)test;
    SCB_AIRCR = AIRCR_RESET;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    return true;
}

const struct test record_tests[] = {
    { "a fault of the non-secure side tells where and why", undefined, SPM_CAUSE_NON_SECURE_FAULT, ANY_BUILD, WHOLE_RECORD, UNDEFINED },
    { "a look at secure memory tells where, and at what", look_at_secure_data, SPM_CAUSE_NON_SECURE_FAULT, ANY_BUILD, WHOLE_RECORD, SECURE_DATA },
    { "a forged return tells no word of the secure side as its place", forged_return, SPM_CAUSE_NON_SECURE_FAULT, ANY_BUILD, WHOLE_RECORD, FORGED_RETURN },
    { "a partition that asks for the second entry is told as that", request_alone, SPM_CAUSE_NUMBER, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, CLIENT_SECOND_ENTRY },
    { "the non-secure side cannot reset the system", reset, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
};
const uint32_t record_test_count = sizeof(record_tests) / sizeof(record_tests[0]);
