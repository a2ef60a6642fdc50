/* SPDX-License-Identifier: BSD-3-Clause */
/* The SPM as a program sees it that was made for TF-M: its veneers, its control word, its calls for client ids. */
#include "tfm_abi.h"

#include <stdbool.h>

#include "ns.h"
#include "ns_threads.h"
#include "psa/service.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define NVIC_ISER0 NS_REG32(0xE000E100U)
#define WORDS      PSA_MAX_IOVEC

#define CHECK(condition)             \
    do {                             \
        if (!(condition)) {          \
            failed_line = __LINE__;  \
            return false;            \
        }                            \
    } while (0)

static uint32_t failed_line;

static psa_status_t call(psa_handle_t handle, uint32_t type, const psa_invec *in, uint32_t in_count, psa_outvec *out, uint32_t out_count)
{
    return tfm_psa_call_veneer(handle, type | in_count << TFM_IN_SHIFT | out_count << TFM_OUT_SHIFT, in, out);
}

static psa_status_t describe(psa_handle_t handle, psa_msg_t *message)
{
    psa_outvec out = { message, sizeof(*message) };

    return call(handle, SERVER_DESCRIBE, NULL, 0, &out, 1);
}

static bool versions(void)
{
    CHECK(tfm_psa_framework_version_veneer() == PSA_FRAMEWORK_VERSION);
    CHECK(tfm_psa_version_veneer(TEST_CONNECTED_SID) == 3U);
    CHECK(tfm_psa_version_veneer(0xFFFFU) == PSA_VERSION_NONE);
    return true;
}

/* So many words each way, and the other bits of the control word as given. */
static bool echoes(psa_handle_t handle, uint32_t in_count, uint32_t out_count, uint32_t marks)
{
    uint32_t sent[WORDS];
    uint32_t got[WORDS] = { 0 };
    psa_invec in[WORDS];
    psa_outvec out[WORDS];

    for (uint32_t i = 0; i < WORDS; i++) {
        sent[i] = 0x1000U + i;
        in[i] = (psa_invec){ &sent[i], sizeof(sent[i]) };
        out[i] = (psa_outvec){ &got[i], sizeof(got[i]) };
    }
    CHECK(call(handle, SERVER_ECHO | marks, in, in_count, out, out_count) == PSA_SUCCESS);
    for (uint32_t i = 0; i < WORDS; i++) {
        bool wanted = i < out_count;

        CHECK(got[i] == (wanted && i < in_count ? sent[i] : 0U));
        CHECK(out[i].len == (wanted && i >= in_count ? 0U : sizeof(got[i])));
    }
    return true;
}

static bool calls_with_each_number_of_vectors(void)
{
    psa_handle_t handle = tfm_psa_connect_veneer(TEST_CONNECTED_SID, 3);

    CHECK(handle > 0);
    for (uint32_t both = 0; both <= WORDS / 2U; both++) {
        CHECK(echoes(handle, both, both, 0) && echoes(TEST_STATELESS_HANDLE, both, both, 0));
        CHECK(echoes(handle, both, both, TFM_MARKS));
    }
    for (uint32_t outputs = 0; outputs <= WORDS; outputs++) {
        CHECK(echoes(handle, 0, outputs, 0));
    }
    for (uint32_t mark = TFM_MARKS & -TFM_MARKS; mark != 0U; mark <<= 1) {
        CHECK(echoes(handle, 1, 2, mark & TFM_MARKS));
    }
    tfm_psa_close_veneer(handle);
    return true;
}

/* What the service is told is what was asked: type, sizes, the whole of both. */
static bool the_service_sees_what_was_asked(void)
{
    static const uint8_t bytes[3] = { 1, 2, 3 };
    uint8_t spare[5];
    psa_msg_t message;
    psa_invec in[2] = { { bytes, 1 }, { bytes + 1, 2 } };
    psa_outvec out[2] = { { &message, sizeof(message) }, { spare, sizeof(spare) } };

    CHECK(call(TEST_STATELESS_HANDLE, SERVER_DESCRIBE, in, 2, out, 2) == PSA_SUCCESS);
    CHECK(message.type == SERVER_DESCRIBE && message.client_id == -1);
    CHECK(message.in_size[0] == 1U && message.in_size[1] == 2U && message.in_size[2] == 0U);
    CHECK(message.out_size[0] == sizeof(message) && message.out_size[1] == sizeof(spare) && message.out_size[2] == 0U);
    CHECK(call(TEST_STATELESS_HANDLE, PSA_CALL_TYPE_MAX, NULL, 0, NULL, 0) == PSA_ERROR_NOT_SUPPORTED);
    return true;
}

static bool errors_are_refused(void)
{
    uint32_t word = 0;
    psa_invec in[8] = { { &word, 0 } };
    psa_outvec out[8] = { { &word, 0 } };
    psa_handle_t handle = tfm_psa_connect_veneer(TEST_CONNECTED_SID, 3);

    for (uint32_t inputs = 0; inputs < 8U; inputs++) {
        for (uint32_t outputs = 0; outputs < 8U; outputs++) {
            bool fits = inputs + outputs <= PSA_MAX_IOVEC;

            CHECK(call(handle, SERVER_ECHO, in, inputs, out, outputs) == (fits ? PSA_SUCCESS : PSA_ERROR_PROGRAMMER_ERROR));
        }
    }
    CHECK(call(handle, 0x8000U, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(call(handle, 0xFFFFU, in, 1, out, 1) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(call(PSA_NULL_HANDLE, SERVER_ECHO, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    tfm_psa_close_veneer(handle);
    CHECK(call(handle, SERVER_ECHO, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    CHECK(tfm_psa_connect_veneer(TEST_CONNECTED_SID, 4) == PSA_ERROR_CONNECTION_REFUSED);
    CHECK(tfm_psa_connect_veneer(0xFFFFU, 1) == PSA_ERROR_CONNECTION_REFUSED);
    return true;
}

static bool nothing_is_left_in_registers(void)
{
    struct ns_registers after;

    ns_call_with_junk(&after, (void *)(uintptr_t)tfm_psa_framework_version_veneer, 0, 0, 0, 0);
    CHECK(ns_is_scrubbed(&after) && after.r0_to_r3[0] == PSA_FRAMEWORK_VERSION);
    ns_call_with_junk(&after, (void *)(uintptr_t)tfm_psa_version_veneer, TEST_CONNECTED_SID, 0, 7, 7);
    CHECK(ns_is_scrubbed(&after) && after.r0_to_r3[0] == 3U);
    ns_call_with_junk(&after, (void *)(uintptr_t)tfm_psa_connect_veneer, TEST_CONNECTED_SID, 3, 7, 7);
    CHECK(ns_is_scrubbed(&after) && (psa_handle_t)after.r0_to_r3[0] > 0);

    uint32_t handle = after.r0_to_r3[0];

    ns_call_with_junk(&after, (void *)(uintptr_t)tfm_psa_call_veneer, handle, 1000, 7, 7);
    CHECK(ns_is_scrubbed(&after) && (psa_status_t)after.r0_to_r3[0] == PSA_ERROR_NOT_SUPPORTED);
    ns_call_with_junk(&after, (void *)(uintptr_t)tfm_psa_close_veneer, handle, 0, 7, 7);
    CHECK(ns_is_scrubbed(&after));
    ns_call_with_junk(&after, (void *)(uintptr_t)tfm_nsce_load_ctx, 0, 0xFFFFFFF0U, 7, 7);
    CHECK(ns_is_scrubbed(&after) && after.r0_to_r3[0] == TFM_NSCE_ACCESS);
    return true;
}

static struct {
    uint32_t version;
    psa_handle_t connect;
    psa_status_t call;
    bool ran;
} second;

static void second_thread(void)
{
    second.version = tfm_psa_version_veneer(TEST_CONNECTED_SID);
    second.connect = tfm_psa_connect_veneer(TEST_CONNECTED_SID, 3);
    second.call = call(TEST_STATELESS_HANDLE, SERVER_ECHO, NULL, 0, NULL, 0);
    second.ran = true;
    ns_leave_second_thread();
}

static void start_second_thread(void)
{
    ns_run_second_thread(second_thread);
}

static bool a_second_thread_is_turned_away(void)
{
    ns_on_svc = ns_end_second_thread;
    ns_on_timer1 = start_second_thread;
    NVIC_ISER0 = 1U << 4;
    ns_threads_only = true;
    ns_fire_timer1(40000U); /* some 2,000 instructions: the service spins for longer */
    CHECK(call(TEST_STATELESS_HANDLE, SERVER_SPIN, NULL, 0, NULL, 0) == PSA_SUCCESS);
    ns_threads_only = false;
    CHECK(second.ran && second.version == PSA_VERSION_NONE);
    CHECK(second.connect == PSA_ERROR_CONNECTION_BUSY && second.call == PSA_ERROR_CONNECTION_BUSY);
    return true;
}

/* One of the calls of the client extension, as a scheduler makes it: in a handler. */
static struct {
    uint32_t (*function)(uint32_t first, uint32_t second);
    uint32_t first;
    uint32_t second;
    uint32_t answer;
} order;

static void carry_out(void)
{
    order.answer = order.function(order.first, order.second);
}

static uint32_t in_handler(void *function, uint32_t one, uint32_t two)
{
    order.function = (uint32_t(*)(uint32_t, uint32_t))(uintptr_t)function;
    order.first = one;
    order.second = two;
    ns_on_svc = carry_out;
    __asm__ volatile("svc #0" ::: "memory");
    return order.answer;
}

static uint32_t acquire(uint32_t group, uint32_t thread)
{
    return in_handler((void *)(uintptr_t)tfm_nsce_acquire_ctx, group, thread);
}

static uint32_t load(uint32_t token, int32_t id)
{
    return in_handler((void *)(uintptr_t)tfm_nsce_load_ctx, token, (uint32_t)id);
}

static uint32_t save(uint32_t token)
{
    return in_handler((void *)(uintptr_t)tfm_nsce_save_ctx, token, 0);
}

static uint32_t release(uint32_t token)
{
    return in_handler((void *)(uintptr_t)tfm_nsce_release_ctx, token, 0);
}

static int32_t client_seen(psa_handle_t handle)
{
    psa_msg_t message;

    return describe(handle, &message) == PSA_SUCCESS ? message.client_id : 0;
}

static bool client_ids_are_those_of_the_loaded_thread(void)
{
    CHECK(in_handler((void *)(uintptr_t)tfm_nsce_init, 0, 0) == 1U && in_handler((void *)(uintptr_t)tfm_nsce_init, 5, 0) == 1U);

    uint32_t one = acquire(3, 1);
    uint32_t two = acquire(3, 2);

    CHECK(one != TFM_NSCE_INVALID_TOKEN && two != TFM_NSCE_INVALID_TOKEN && one != two);
    CHECK(load(one, -20) == TFM_NSCE_SUCCESS && client_seen(TEST_STATELESS_HANDLE) == -20);

    psa_handle_t handle = tfm_psa_connect_veneer(TEST_CONNECTED_SID, 3);

    CHECK(handle > 0 && client_seen(handle) == -20);
    CHECK(save(one) == TFM_NSCE_SUCCESS && client_seen(handle) == 0);
    CHECK(load(two, -21) == TFM_NSCE_SUCCESS && client_seen(TEST_STATELESS_HANDLE) == -21 && client_seen(handle) == 0);
    CHECK(save(two) == TFM_NSCE_SUCCESS && load(one, -20) == TFM_NSCE_SUCCESS && client_seen(handle) == -20);
    tfm_psa_close_veneer(handle);
    CHECK(release(two) == TFM_NSCE_SUCCESS && client_seen(TEST_STATELESS_HANDLE) == -20);
    CHECK(release(one) == TFM_NSCE_SUCCESS && client_seen(TEST_STATELESS_HANDLE) != -20);
    return true;
}

static bool wrong_tokens_and_ids_change_nothing(void)
{
    uint32_t token = acquire(7, 9);

    CHECK(load(token, -30) == TFM_NSCE_SUCCESS);
    CHECK(acquire(8, 9) == TFM_NSCE_INVALID_TOKEN);
    CHECK(load(token, 0) == TFM_NSCE_ID && load(token, 5) == TFM_NSCE_ID && load(token, INT32_MIN) == TFM_NSCE_ID);
    for (uint32_t bit = 8; bit < 32U; bit++) { /* group, context, reserved */
        uint32_t wrong = token ^ 1U << bit;

        CHECK(load(wrong, -31) == TFM_NSCE_TOKEN && save(wrong) == TFM_NSCE_TOKEN && release(wrong) == TFM_NSCE_TOKEN);
    }
    CHECK(save(token ^ 1U) == TFM_NSCE_TOKEN);
    CHECK(tfm_nsce_init(0) == 0U && tfm_nsce_acquire_ctx(7, 9) == TFM_NSCE_INVALID_TOKEN);
    CHECK(tfm_nsce_load_ctx(token, -31) == TFM_NSCE_ACCESS && tfm_nsce_save_ctx(token) == TFM_NSCE_ACCESS);
    CHECK(tfm_nsce_release_ctx(token) == TFM_NSCE_ACCESS);
    CHECK(client_seen(TEST_STATELESS_HANDLE) == -30);
    CHECK(release(token) == TFM_NSCE_SUCCESS);
    CHECK(load(token, -31) == TFM_NSCE_TOKEN && save(token) == TFM_NSCE_TOKEN && release(token) == TFM_NSCE_TOKEN);
    for (uint32_t i = 0; i < 255U; i++) {
        CHECK(acquire(1, i) != TFM_NSCE_INVALID_TOKEN);
    }
    CHECK(acquire(1, 255) == TFM_NSCE_INVALID_TOKEN);
    return true;
}

uint32_t ns_main(void)
{
    static bool (*const tests[])(void) = {
        versions,
        calls_with_each_number_of_vectors,
        the_service_sees_what_was_asked,
        errors_are_refused,
        nothing_is_left_in_registers,
        a_second_thread_is_turned_away,
        client_ids_are_those_of_the_loaded_thread,
        wrong_tokens_and_ids_change_nothing,
    };
    uint32_t failed = 0;

    for (uint32_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (!tests[i]()) {
            failed++;
            ns_print_unsigned("FAIL: the check in line ", failed_line);
            ns_print("\n");
        }
    }
    ns_print_unsigned("tfm_abi " BENCH_FIRMWARE ": passed ", sizeof(tests) / sizeof(tests[0]) - failed);
    ns_print_unsigned(", failed ", failed);
    ns_print("\n");
    return failed == 0U ? 0U : 1U;
}
