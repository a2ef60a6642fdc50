/* SPDX-License-Identifier: BSD-3-Clause */
/* The client API as a non-secure client sees it. */
#include "conformance.h"
#include "memory_map.h"
#include "ns.h"
#include "ns_threads.h"
#include "psa/service.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define POOL              8U
#define SECURE_CODE       S_CODE_START
#define SECURE_RAM        S_RAM_START
#define PERIPHERALS       UART0_BASE
#define FIRST_NS_CODE     NS_CODE_START
#define END_OF_NS_CODE    NS_CODE_END
#define FIRST_NS_WORD     NS_RAM_START
#define LAST_NS_WORD      (NS_RAM_END - 4U)

psa_status_t request(psa_handle_t handle, int32_t type, uint32_t in, uint32_t *out)
{
    psa_invec in_vec = { &in, sizeof(in) };
    psa_outvec out_vec = { out, sizeof(*out) };

    return psa_call(handle, type, &in_vec, 1, &out_vec, 1);
}

bool request_alone(const struct test *test)
{
    uint32_t out = 0;

    request(test->handle, test->type, 0, &out);
    return true;
}

static psa_handle_t connection(void)
{
    return psa_connect(TEST_CONNECTED_SID, 3);
}

static bool versions(const struct test *test)
{
    (void)test;
    CHECK(psa_framework_version() == 0x0101U);
    CHECK(psa_version(TEST_CONNECTED_SID) == 3U);
    CHECK(psa_version(TEST_STATELESS_SID) == 2U);
    CHECK(psa_version(TEST_SECURE_ONLY_SID) == PSA_VERSION_NONE);
    CHECK(psa_version(0x12345678U) == PSA_VERSION_NONE);
    return true;
}

static bool version_policy(const struct test *test)
{
    psa_handle_t relaxed = psa_connect(TEST_CONNECTED_SID, 1);
    psa_handle_t strict = psa_connect(TEST_STRICT_SID, 3);

    (void)test;
    CHECK(relaxed > 0 && strict > 0);
    CHECK(psa_connect(TEST_CONNECTED_SID, 4) == PSA_ERROR_CONNECTION_REFUSED);
    CHECK(psa_connect(TEST_STRICT_SID, 2) == PSA_ERROR_CONNECTION_REFUSED);
    CHECK(psa_connect(TEST_STRICT_SID, 4) == PSA_ERROR_CONNECTION_REFUSED);
    psa_close(relaxed);
    psa_close(strict);
    CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, NULL, 0, NULL, 0) == PSA_SUCCESS);
    CHECK(psa_call(TEST_STATELESS_HANDLE - 0x100, SERVER_ECHO, NULL, 0, NULL, 0) == PSA_SUCCESS);
    CHECK(psa_call(TEST_STATELESS_HANDLE + 0x100, SERVER_ECHO, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    return true;
}

static bool refused_services(const struct test *test)
{
    (void)test;
    CHECK(psa_connect(0x12345678U, 1) == PSA_ERROR_CONNECTION_REFUSED);
    CHECK(psa_connect(TEST_SECURE_ONLY_SID, 1) == PSA_ERROR_CONNECTION_REFUSED);
    CHECK(psa_connect(TEST_STATELESS_SID, 2) == PSA_ERROR_CONNECTION_REFUSED);
    CHECK(psa_call(TEST_SECURE_STATELESS_HANDLE, SERVER_ECHO, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    return true;
}

static bool server_refuses(const struct test *test)
{
    uint32_t out;

    (void)test;
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_ANSWER_CONNECT, (uint32_t)PSA_ERROR_CONNECTION_REFUSED, &out) == PSA_SUCCESS);
    CHECK(connection() == PSA_ERROR_CONNECTION_REFUSED);
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_ANSWER_CONNECT, (uint32_t)PSA_ERROR_CONNECTION_BUSY, &out) == PSA_SUCCESS);
    CHECK(connection() == PSA_ERROR_CONNECTION_BUSY);
    return true;
}

static bool echo_all_vectors(const struct test *test)
{
    uint8_t in[2][23];
    uint8_t out[2][40];
    psa_invec in_vec[2] = { { in[0], 23 }, { in[1], 7 } };
    psa_outvec out_vec[2] = { { out[0], 40 }, { out[1], 7 } };
    psa_handle_t handle = connection();

    (void)test;
    for (uint32_t i = 0; i < 23U; i++) {
        in[0][i] = (uint8_t)(i * 3U);
        in[1][i] = (uint8_t)(i * 5U);
    }
    CHECK(psa_call(handle, SERVER_ECHO, in_vec, 2, out_vec, 2) == PSA_SUCCESS);
    CHECK(out_vec[0].len == 23U && out_vec[1].len == 7U);
    for (uint32_t i = 0; i < 23U; i++) {
        CHECK(out[0][i] == in[0][i] && (i >= 7U || out[1][i] == in[1][i]));
    }
    psa_close(handle);
    return true;
}

static bool skip(const struct test *test)
{
    static const char text[] = "abcdefgh";
    char out[8] = { 0 };
    psa_invec in_vec = { text, 8 };
    psa_outvec out_vec = { out, 8 };

    (void)test;
    CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_SKIP, &in_vec, 1, &out_vec, 1) == PSA_SUCCESS);
    CHECK(out_vec.len == 5U && out[0] == 'd' && out[4] == 'h');
    return true;
}

#define AT_ONCE 48U /* that the server reads and writes of what it does not skip */

/* The server reads and writes it whole, so every way to copy is gone. */
static bool any_place_and_length(const struct test *test)
{
    static uint8_t in[AT_ONCE + 8U];
    static uint8_t out[AT_ONCE + 8U];

    (void)test;
    for (uint32_t i = 0; i < sizeof(in); i++) {
        in[i] = (uint8_t)(i * 11U + 1U);
    }
    for (uint32_t from = 0; from < 4U; from++) {
        for (uint32_t to = 0; to < 4U; to++) {
            for (uint32_t bytes = 1; bytes <= AT_ONCE; bytes++) {
                psa_invec in_vec = { &in[from], bytes + 3U };
                psa_outvec out_vec = { &out[to], bytes };

                for (uint32_t i = 0; i < sizeof(out); i++) {
                    out[i] = 0;
                }
                CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_SKIP, &in_vec, 1, &out_vec, 1) == PSA_SUCCESS && out_vec.len == bytes);
                for (uint32_t i = 0; i < sizeof(out); i++) {
                    CHECK(out[i] == (i >= to && i < to + bytes ? in[from + 3U + i - to] : 0U));
                }
            }
        }
    }
    return true;
}

static bool message_contents(const struct test *test)
{
    psa_msg_t message;
    psa_invec in_vec[2] = { { &message, 3 }, { NULL, 0 } };
    psa_outvec out_vec[2] = { { &message, sizeof(message) }, { NULL, 0 } };

    (void)test;
    CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_DESCRIBE, in_vec, 2, out_vec, 2) == PSA_SUCCESS);
    CHECK(message.type == SERVER_DESCRIBE && message.client_id < 0 && message.rhandle == NULL);
    CHECK(message.in_size[0] == 3U && message.in_size[1] == 0U && message.in_size[2] == 0U && message.in_size[3] == 0U);
    CHECK(message.out_size[0] == sizeof(message) && message.out_size[1] == 0U && message.out_size[2] == 0U);
    CHECK(((uint32_t)message.handle >> 28 & 1U) == 0U && message.handle > 0);
    return true;
}

static bool rhandles(const struct test *test)
{
    psa_handle_t one = connection();
    psa_handle_t two = connection();
    uint32_t out = 9;

    (void)test;
    for (uint32_t i = 0; i < 3U; i++) {
        CHECK(request(one, SERVER_RHANDLE, 0, &out) == PSA_SUCCESS && out == i);
    }
    CHECK(request(two, SERVER_RHANDLE, 0, &out) == PSA_SUCCESS && out == 0U);
    psa_close(one);
    one = connection();
    CHECK(request(one, SERVER_RHANDLE, 0, &out) == PSA_SUCCESS && out == 0U);
    psa_close(one);
    psa_close(two);
    return true;
}

static bool statuses(const struct test *test)
{
    psa_handle_t handle = connection();
    uint32_t out;

    (void)test;
    CHECK(request(handle, SERVER_STATUS, (uint32_t)PSA_ERROR_GENERIC_ERROR, &out) == PSA_ERROR_GENERIC_ERROR);
    CHECK(request(handle, SERVER_STATUS, 12345U, &out) == 12345);
    psa_close(handle);
    return true;
}

static bool dropped(const struct test *test)
{
    psa_handle_t handle = connection();
    uint32_t out;

    (void)test;
    CHECK(request(handle, SERVER_STATUS, (uint32_t)PSA_ERROR_PROGRAMMER_ERROR, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(request(handle, SERVER_ECHO, 0, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    psa_close(handle);
    CHECK(request(handle, SERVER_ECHO, 0, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_STATUS, (uint32_t)PSA_ERROR_PROGRAMMER_ERROR, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_STATUS, 5, &out) == 5);
    return true;
}

static bool pool(const struct test *test)
{
    psa_handle_t handles[POOL];
    uint32_t out;

    (void)test;
    for (uint32_t round = 0; round < 3U; round++) {
        for (uint32_t i = 0; i < POOL; i++) {
            handles[i] = connection();
            CHECK(handles[i] > 0);
        }
        CHECK(connection() == PSA_ERROR_CONNECTION_BUSY);
        CHECK(request(TEST_STATELESS_HANDLE, SERVER_STATUS, 5, &out) == PSA_ERROR_CONNECTION_BUSY);
        for (uint32_t i = 0; i < POOL; i++) {
            psa_close(handles[i]);
        }
    }
    return true;
}

static bool handles(const struct test *test)
{
    psa_handle_t first = connection();
    psa_handle_t handle = first;
    uint32_t out;

    (void)test;
    for (uint32_t i = 0; i < 100U; i++) {
        psa_close(handle);
        CHECK(request(handle, SERVER_ECHO, 0, &out) == PSA_ERROR_PROGRAMMER_ERROR);
        handle = connection();
        CHECK(handle > 0 && handle != first && handle < 0x20000000);
    }
    CHECK(request(first, SERVER_ECHO, 0, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    psa_close(first);
    CHECK(request(handle, SERVER_STATUS, 3, &out) == 3);
    psa_close(handle);
    psa_close(PSA_NULL_HANDLE);
    psa_close(-5);
    psa_close(TEST_STATELESS_HANDLE);
    for (uint32_t bit = 0; bit < 32U; bit++) {
        psa_handle_t wrong = (psa_handle_t)((uint32_t)TEST_STATELESS_HANDLE ^ 1U << bit);
        bool is_version = bit == 8U; /* version 3 of a relaxed service of version 2, or version 0 */

        CHECK(is_version || bit == 9U || request(wrong, SERVER_STATUS, 3, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    }
    return true;
}

static bool foreign_handle(const struct test *test)
{
    uint32_t handle = 0;
    uint32_t out;

    (void)test;
    CHECK(request(TEST_CLIENT_HANDLE, CLIENT_BORROW, 0, &handle) == PSA_SUCCESS && (int32_t)handle > 0);
    CHECK(request((psa_handle_t)handle, SERVER_ECHO, 0, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    psa_close((psa_handle_t)handle);
    CHECK(request(TEST_CLIENT_HANDLE, CLIENT_RETURN, 0, &out) == PSA_SUCCESS);
    return true;
}

static bool control(const struct test *test)
{
    psa_handle_t handle = connection();
    psa_invec in[5] = { { 0 } };
    psa_outvec out[5] = { { 0 } };

    (void)test;
    CHECK(psa_call(handle, -1, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(psa_call(handle, PSA_CALL_TYPE_MAX + 1, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(psa_call(handle, 0, in, 5, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(psa_call(handle, 0, in, 2, out, 3) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(psa_call(handle, 0, in, 4, out, 0) == PSA_SUCCESS);
    CHECK(psa_call(handle, 0, in, 0, out, 4) == PSA_SUCCESS);
    for (uint32_t bit = 15; bit < 32U; bit++) {
        psa_status_t status = psa_call_packed(handle, 1U << bit, in, out);

        CHECK(status == (bit >= 16U && bit <= 22U && bit != 19U ? PSA_SUCCESS : PSA_ERROR_PROGRAMMER_ERROR));
    }
    psa_close(handle);
    return true;
}

static psa_status_t with_in(const void *base, size_t len)
{
    psa_invec in = { base, len };

    return psa_call(TEST_STATELESS_HANDLE, SERVER_LIFECYCLE, &in, 1, NULL, 0);
}

static psa_status_t with_out(void *base, size_t len)
{
    psa_outvec out = { base, len };

    return psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, NULL, 0, &out, 1);
}

/* A byte too early and a byte too late are refused, the first and the last are taken. */
static bool borders_are(uintptr_t first, uintptr_t end)
{
    CHECK(with_in((const void *)(first - 1U), 1) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_in((const void *)(first - 1U), 2) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_in((const void *)first, 1) != PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_in((const void *)(end - 1U), 1) != PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_in((const void *)(end - 1U), 2) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_in((const void *)end, 1) == PSA_ERROR_PROGRAMMER_ERROR);
    return true;
}

static bool pointers(const struct test *test)
{
    static const uintptr_t bad[] = { SECURE_CODE, SECURE_RAM, PERIPHERALS, 0xE000E000U, 0xFFFFFFF0U, 0x60000000U, 0x00000000U };
    uint32_t word = 0;

    (void)test;
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(with_in((const void *)bad[i], 4) == PSA_ERROR_PROGRAMMER_ERROR);
        CHECK(with_out((void *)bad[i], 4) == PSA_ERROR_PROGRAMMER_ERROR);
        CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, (const psa_invec *)bad[i], 1, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
        CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, NULL, 0, (psa_outvec *)bad[i], 1) == PSA_ERROR_PROGRAMMER_ERROR);
    }
    CHECK(borders_are(FIRST_NS_CODE, END_OF_NS_CODE) && borders_are(FIRST_NS_WORD, LAST_NS_WORD + 4U));
    CHECK(with_in(&word, UINTPTR_MAX) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_in((const void *)LAST_NS_WORD, 5) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_out((void *)LAST_NS_WORD, 5) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_out((void *)LAST_NS_WORD, 4) == PSA_SUCCESS);
    CHECK(with_out(NULL, 0) == PSA_SUCCESS && with_out((void *)SECURE_RAM, 0) == PSA_SUCCESS);
    CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, (const psa_invec *)((uintptr_t)&word + 1U), 1, NULL, 0) ==
          PSA_ERROR_PROGRAMMER_ERROR);
    return true;
}

#define NS_MPU_CTRL NS_REG32(0xE000ED94U)
#define NS_MPU_RNR  NS_REG32(0xE000ED98U)
#define NS_MPU_RBAR NS_REG32(0xE000ED9CU)
#define NS_MPU_RLAR NS_REG32(0xE000EDA0U)

static uint8_t guarded_and_around[160] __attribute__((aligned(32)));
static uint8_t *const guarded = &guarded_and_around[64];

static void guard(uint32_t rights)
{
    NS_MPU_RNR = 0;
    NS_MPU_RBAR = (uint32_t)guarded | rights;
    NS_MPU_RLAR = (uint32_t)guarded | 1U;
    NS_MPU_CTRL = 5;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

static void unguard(void)
{
    NS_MPU_CTRL = 0;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

/* The rights are those of the caller, as its own MPU gives them. */
static bool callers_own_rights(const struct test *test)
{
    psa_status_t read_only_in;
    psa_status_t read_only_out;
    psa_status_t across;
    psa_status_t around;

    (void)test;
    guard(0x7);
    read_only_in = with_in(guarded, 32);
    read_only_out = with_out(guarded, 32);
    across = with_out(&guarded[28], 8);
    around = with_out(&guarded_and_around[0], sizeof(guarded_and_around));
    unguard();
    CHECK(read_only_in == (psa_status_t)PSA_ERROR_BUFFER_TOO_SMALL);
    CHECK(read_only_out == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(across == PSA_ERROR_PROGRAMMER_ERROR && around == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(with_out(guarded_and_around, sizeof(guarded_and_around)) == PSA_SUCCESS);
    CHECK(with_out(guarded, 32) == PSA_SUCCESS);
    return true;
}

static bool lifecycle(const struct test *test)
{
    uint32_t state = 0;

    (void)test;
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_LIFECYCLE, 0, &state) == PSA_SUCCESS);
    CHECK((state & PSA_LIFECYCLE_PSA_STATE_MASK) == PSA_LIFECYCLE_SECURED);
    return true;
}

static bool secure_client(const struct test *test)
{
    (void)test;
    CHECK(psa_call(TEST_CLIENT_HANDLE, CLIENT_NORMAL, NULL, 0, NULL, 0) == PSA_SUCCESS);
    return true;
}

#define NVIC_ISER0     NS_REG32(0xE000E100U)

/* The handler's own call: from handler mode there is nobody who could be told. */
static void call_from_handler(void)
{
    psa_framework_version();
}

static bool call_when_interrupted(const struct test *test)
{
    uint32_t out;

    (void)test;
    ns_on_timer1 = call_from_handler;
    NVIC_ISER0 = 1U << 4;
    timer1_fire(4000U);
    for (uint32_t i = 0; i < 20U; i++) {
        request(TEST_STATELESS_HANDLE, SERVER_STATUS, 0, &out);
    }
    return true;
}

const struct test client_tests[] = {
    { "versions are told to those who may know", versions, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "the version policy decides who may connect", version_policy, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a service that is not for the client is refused", refused_services, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a service may refuse a connection", server_refuses, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "every vector goes there and back", echo_all_vectors, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "skipped bytes are not read", skip, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "bytes of any place and length go there and back", any_place_and_length, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a message says what was sent and by whom", message_contents, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "an rhandle belongs to one connection", rhandles, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a status reaches the client", statuses, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a dropped connection stays dropped", dropped, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "the pool is bounded and comes back", pool, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a closed or invented handle is refused", handles, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "another client's handle is refused", foreign_handle, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "types and counts out of range are refused", control, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "memory that is not the client's is refused", pointers, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "the client's own MPU counts", callers_own_rights, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "the lifecycle state is told", lifecycle, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a secure client is served", secure_client, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a call from handler mode panics", call_when_interrupted, SPM_CAUSE_HANDLER_MODE, ANY_BUILD, 0, 0 },
};
const uint32_t client_test_count = sizeof(client_tests) / sizeof(client_tests[0]);
