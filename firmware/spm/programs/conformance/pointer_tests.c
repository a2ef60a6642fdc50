/* SPDX-License-Identifier: BSD-3-Clause */
/* What a secure caller may name: every kind of address, in every place where one is given to the SPM. */
#include "conformance.h"
#include "memory_map.h"
#include "ns.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

enum address { ZERO, CODE, CODE_ALIAS, SPM_DATA, ALIAS_OF_RAM, OTHER_DATA, OWN_END, DEVICE, END_OF_MEMORY, NON_SECURE };

static uint32_t ns_word;

static uint32_t told_by(psa_handle_t handle, int32_t type)
{
    uint32_t word = 0;

    request(handle, type, 0, &word);
    return word;
}

static uint32_t address_of(enum address kind, bool server)
{
    switch (kind) {
    case CODE:
        return S_CODE_START;
    case CODE_ALIAS:
        return 0x00001000U;
    case SPM_DATA:
        return S_RAM_START;
    case ALIAS_OF_RAM:
        return RAM_ALIAS;
    case OTHER_DATA:
        return server ? told_by(TEST_CLIENT_HANDLE, CLIENT_ADDRESS) : told_by(TEST_STATELESS_HANDLE, SERVER_ADDRESS);
    case OWN_END: /* two bytes of its own, two of somebody else's; aligned for a message or a vector they would be none of its own */
        return server ? told_by(TEST_STATELESS_HANDLE, SERVER_END) - 2U : told_by(TEST_CLIENT_HANDLE, CLIENT_END) - 2U;
    case DEVICE:
        return UART1_BASE; /* the driver's */
    case END_OF_MEMORY:
        return 0xFFFFFFFCU;
    case NON_SECURE:
        return (uint32_t)&ns_word;
    default:
        return 0;
    }
}

#define KIND_SHIFT 16
#define TYPE_MASK  0xFFFF

static bool name_it(const struct test *test)
{
    int32_t type = test->type & TYPE_MASK;
    uint32_t in = address_of((enum address)(test->type >> KIND_SHIFT), test->handle == TEST_STATELESS_HANDLE);
    uint32_t data = 0x600DDA7AU;
    uint32_t out;
    psa_invec in_vec[2] = { { &in, sizeof(in) }, { &data, sizeof(data) } };
    psa_outvec out_vec = { &out, sizeof(out) };

    psa_call(test->handle, type, in_vec, 2, &out_vec, 1);
    return request(test->handle, type, in, &out) == PSA_SUCCESS; /* SERVER_GET_INTO: the next message */
}

static bool own_device(const struct test *test)
{
    uint32_t out = 0;

    (void)test;
    CHECK(request(TEST_DRIVER_HANDLE, DRIVER_DEVICE_AS_BUFFER, 0x12345678U, &out) == PSA_SUCCESS && out == 0x12345678U);
    CHECK(request(TEST_DRIVER_HANDLE, DRIVER_LOOK_READ_ONLY, 0, &out) == PSA_SUCCESS);
    return true;
}

#define REFUSED(what, handle, request, kind, needs) \
    { what " " #kind " is refused", name_it, SPM_CAUSE_POINTER, needs, handle, request | kind << KIND_SHIFT }
#define SERVER(what, request, kind, needs) REFUSED(what, TEST_STATELESS_HANDLE, request, kind, needs)
#define CLIENT(what, request, kind, needs) REFUSED(what, TEST_CLIENT_HANDLE, request, kind, needs)

/* At level 2 the PSA RoT may name the memory of both domains. */
#define SERVER_AT_ANY(what, request, needs)                                                                                     \
    SERVER(what, request, ZERO, needs), SERVER(what, request, CODE, needs), SERVER(what, request, CODE_ALIAS, needs),           \
        SERVER(what, request, SPM_DATA, needs), SERVER(what, request, ALIAS_OF_RAM, needs),                                        \
        SERVER(what, request, OTHER_DATA, needs | NOT_LEVEL_2), SERVER(what, request, OWN_END, needs | NOT_LEVEL_2),            \
        SERVER(what, request, DEVICE, needs), SERVER(what, request, END_OF_MEMORY, needs), SERVER(what, request, NON_SECURE, needs)
#define CLIENT_AT_ANY(what, request)                                                                                            \
    CLIENT(what, request, ZERO, ANY_BUILD), CLIENT(what, request, CODE, ANY_BUILD), CLIENT(what, request, CODE_ALIAS, ANY_BUILD), \
        CLIENT(what, request, SPM_DATA, ANY_BUILD), CLIENT(what, request, ALIAS_OF_RAM, ANY_BUILD),                                \
        CLIENT(what, request, OTHER_DATA, ANY_BUILD), CLIENT(what, request, OWN_END, NOT_LEVEL_2),                              \
        CLIENT(what, request, DEVICE, ANY_BUILD), CLIENT(what, request, END_OF_MEMORY, ANY_BUILD),                              \
        CLIENT(what, request, NON_SECURE, ANY_BUILD)

const struct test pointer_tests[] = {
    SERVER_AT_ANY("psa_read into", SERVER_READ_INTO, ANY_BUILD),
    SERVER_AT_ANY("psa_write from", SERVER_WRITE_FROM, ANY_BUILD),
    SERVER_AT_ANY("psa_get into", SERVER_GET_INTO, NEEDS_IPC),
    CLIENT_AT_ANY("an input at", CLIENT_IN_AT),
    CLIENT_AT_ANY("an output at", CLIENT_OUT_AT),
    CLIENT_AT_ANY("input vectors at", CLIENT_VECTORS_AT),
    CLIENT_AT_ANY("output vectors at", CLIENT_OUT_VECTORS_AT),
    { "a partition may name its own device", own_device, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "psa_read into a read-only device is refused", request_alone, SPM_CAUSE_POINTER, ANY_BUILD, TEST_DRIVER_HANDLE, DRIVER_READ_INTO_READ_ONLY },
    { "a partition cannot write to a read-only device", request_alone, SPM_CAUSE_FAULT, ANY_BUILD, TEST_DRIVER_HANDLE, DRIVER_TOUCH_READ_ONLY },
};
const uint32_t pointer_test_count = sizeof(pointer_tests) / sizeof(pointer_tests[0]);
