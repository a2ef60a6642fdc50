/* SPDX-License-Identifier: BSD-3-Clause */
/* Who can reach whose memory: found out by trying. */
#include "conformance.h"
#include "memory_map.h"
#include "ns.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define SPM_RAM   S_RAM_START
#define SPM_CODE  S_CODE_START
#define SAU_CTRL  0xE000EDD0U
#define MPU_CTRL  0xE000ED94U
#define NVIC_IPR  0xE000E400U
#define INTERRUPT_LINES 92U

enum target { SPM_DATA, SPM_TEXT, OTHER_DATA, SYSTEM_CONTROL, NON_SECURE_DATA, ZERO, ALIAS_OF_RAM, DEVICE_OF_NOBODY, NON_SECURE_CODE };

static uint32_t ns_word = 77;

static uint32_t address_of(psa_handle_t handle)
{
    int32_t which = handle == TEST_CLIENT_HANDLE ? (int32_t)CLIENT_ADDRESS : (int32_t)SERVER_ADDRESS;
    uint32_t address = 0;

    request(handle, which, 0, &address);
    return address;
}

static bool act(psa_handle_t handle, bool write, uint32_t address)
{
    bool client = handle == TEST_CLIENT_HANDLE;
    int32_t touch = client ? (int32_t)CLIENT_TOUCH : (int32_t)SERVER_TOUCH;
    int32_t look = client ? (int32_t)CLIENT_LOOK : (int32_t)SERVER_LOOK;
    uint32_t out;

    CHECK(request(handle, write ? touch : look, address, &out) == PSA_SUCCESS);
    return true;
}

static uint32_t target_of(const struct test *test)
{
    switch ((enum target)test->type) {
    case SPM_DATA:
        return SPM_RAM;
    case SPM_TEXT:
        return SPM_CODE;
    case OTHER_DATA:
        return address_of(test->handle == TEST_CLIENT_HANDLE ? TEST_STATELESS_HANDLE : TEST_CLIENT_HANDLE);
    case SYSTEM_CONTROL:
        return MPU_CTRL;
    case ZERO:
        return 0;
    case ALIAS_OF_RAM:
        return RAM_ALIAS;
    case DEVICE_OF_NOBODY:
        return UART2_BASE;
    case NON_SECURE_CODE:
        return (uint32_t)request & ~1U;
    default:
        return (uint32_t)&ns_word;
    }
}

static bool touch(const struct test *test)
{
    return act(test->handle, true, target_of(test));
}

static bool look(const struct test *test)
{
    return act(test->handle, false, target_of(test));
}

static bool handler_touches_client(const struct test *test)
{
    uint32_t address = test->type == (int32_t)SPM_DATA ? SPM_RAM : address_of(test->handle);
    uint32_t out;

    request(TEST_DRIVER_HANDLE, DRIVER_TOUCH_IN_HANDLER, address, &out);
    return true;
}

static bool non_secure_looks(const struct test *test)
{
    (void)*(volatile uint32_t *)(test->type == (int32_t)SPM_TEXT ? SPM_CODE : SPM_RAM);
    return true;
}

static bool non_secure_touches_gateway(const struct test *test)
{
    (void)test;
    *(volatile uint32_t *)NSC_START = 0;
    return true;
}

static bool non_secure_jumps(const struct test *test)
{
    (void)test;
    ((void (*)(void))(SPM_CODE + 0x401U))();
    return true;
}

/* A priority of the secure side reads as zero here, whatever is written. The last lines of each register of 32 on both machines. */
static bool other_interrupts_are_non_secure(const struct test *test)
{
    (void)test;
    for (uint32_t line = 31U; line < INTERRUPT_LINES; line += 32U) {
        volatile uint8_t *priority = (volatile uint8_t *)(NVIC_IPR + line);

        *priority = 0xE0U;
        CHECK(*priority != 0U);
        *priority = 0U;
    }
    return true;
}

const struct test isolation_tests[] = {
    { "nobody writes to address 0", touch, SPM_CAUSE_FAULT, ANY_BUILD, TEST_STATELESS_HANDLE, ZERO },
    { "nobody reads address 0", look, SPM_CAUSE_FAULT, ANY_BUILD, TEST_STATELESS_HANDLE, ZERO },
    { "nobody writes to the SPM's code", touch, SPM_CAUSE_FAULT, ANY_BUILD, TEST_STATELESS_HANDLE, SPM_TEXT },
    { "nobody writes to an alias of secure RAM", touch, SPM_CAUSE_FAULT, ANY_BUILD, TEST_STATELESS_HANDLE, ALIAS_OF_RAM },
    { "nobody reaches a device that no manifest names", touch, SPM_CAUSE_FAULT, ANY_BUILD, TEST_STATELESS_HANDLE, DEVICE_OF_NOBODY },
    { "no partition writes to non-secure code", touch, SPM_CAUSE_FAULT, ANY_BUILD, TEST_STATELESS_HANDLE, NON_SECURE_CODE },
    { "an interrupt that no manifest names is the non-secure side's", other_interrupts_are_non_secure, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "the non-secure side cannot read secure RAM", non_secure_looks, SPM_CAUSE_NON_SECURE_FAULT, ANY_BUILD, 0, SPM_DATA },
    { "the non-secure side cannot read secure code", non_secure_looks, SPM_CAUSE_NON_SECURE_FAULT, ANY_BUILD, 0, SPM_TEXT },
    { "the non-secure side cannot write to the veneers", non_secure_touches_gateway, SPM_CAUSE_NON_SECURE_FAULT, ANY_BUILD, 0, 0 },
    { "the non-secure side cannot jump into secure code", non_secure_jumps, SPM_CAUSE_NON_SECURE_FAULT, ANY_BUILD, 0, 0 },
    { "an application partition cannot write to the SPM", touch, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, SPM_DATA },
    { "an application partition cannot read the SPM", look, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, SPM_DATA },
    { "an application partition cannot read the SPM's code", look, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, SPM_TEXT },
    { "an application partition cannot write to the MPU", touch, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, SYSTEM_CONTROL },
    { "an application partition cannot write to the PSA RoT", touch, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, OTHER_DATA },
    { "an application partition cannot read the PSA RoT", look, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, OTHER_DATA },
    { "an application partition cannot reach non-secure memory", look, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_CLIENT_HANDLE, NON_SECURE_DATA },
    { "the PSA RoT cannot write to the SPM", touch, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_STATELESS_HANDLE, SPM_DATA },
    { "the PSA RoT cannot write to the MPU", touch, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_STATELESS_HANDLE, SYSTEM_CONTROL },
    { "at level 2 the PSA RoT may read a partition", look, SPM_CAUSE_NONE, ONLY_LEVEL_2, TEST_STATELESS_HANDLE, OTHER_DATA },
    { "at level 3 the PSA RoT cannot write to a partition", touch, SPM_CAUSE_FAULT, NEEDS_LEVEL_3, TEST_STATELESS_HANDLE, OTHER_DATA },
    { "at level 3 the PSA RoT cannot read a partition", look, SPM_CAUSE_FAULT, NEEDS_LEVEL_3, TEST_STATELESS_HANDLE, OTHER_DATA },
    { "a first-level handler cannot write to the SPM", handler_touches_client, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_STATELESS_HANDLE, SPM_DATA },
    { "a first-level handler cannot write to the PSA RoT", handler_touches_client, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_STATELESS_HANDLE, OTHER_DATA },
    { "at level 3 a first-level handler cannot write to another partition", handler_touches_client, SPM_CAUSE_FAULT, NEEDS_LEVEL_3, TEST_CLIENT_HANDLE, OTHER_DATA },
};
const uint32_t isolation_test_count = sizeof(isolation_tests) / sizeof(isolation_tests[0]);
