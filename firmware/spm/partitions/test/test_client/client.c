/* SPDX-License-Identifier: BSD-3-Clause */
/* The secure client of the conformance tests. */
#include "api_numbers.h"
#include "psa_manifest/pid.h"
#include "psa_manifest/sid.h"
#include "psa_manifest/test_client.h"
#include "test_requests.h"

extern uint8_t test_client_end[];

static psa_handle_t kept;
static volatile uint32_t variable = 0xC11E7U;

static psa_status_t give_word(const psa_msg_t *msg, uint32_t value)
{
    if (msg->out_size[0] < sizeof(value)) {
        return PSA_ERROR_BUFFER_TOO_SMALL;
    }
    psa_write(msg->handle, 0, &value, sizeof(value));
    return PSA_SUCCESS;
}

static uint32_t take_word(const psa_msg_t *msg)
{
    uint32_t word = 0;

    psa_read(msg->handle, 0, &word, sizeof(word));
    return word;
}

static psa_handle_t connection(void)
{
    return psa_connect(TEST_CONNECTED_SID, 3);
}

static psa_status_t describe(psa_handle_t handle, psa_msg_t *description)
{
    psa_outvec out = { description, sizeof(*description) };

    return psa_call(handle, SERVER_DESCRIBE, NULL, 0, &out, 1);
}

/* Each step returns its own number when it fails. */
static psa_status_t normal(void)
{
    static const char text[] = "from a secure client";
    char back[sizeof(text)];
    psa_invec in = { text, sizeof(text) };
    psa_outvec out = { back, sizeof(back) };
    psa_msg_t description;
    psa_handle_t handle;
    psa_handle_t secure_only;

    if (psa_framework_version() != PSA_FRAMEWORK_VERSION || psa_version(TEST_SECURE_ONLY_SID) != 1U) {
        return -1;
    }
    if (psa_version(TEST_UNUSED_SID) != PSA_VERSION_NONE || psa_version(0x12345678U) != PSA_VERSION_NONE) {
        return -2;
    }
    handle = connection();
    secure_only = psa_connect(TEST_SECURE_ONLY_SID, 1);
    if (handle <= 0 || secure_only <= 0 || psa_call(handle, SERVER_ECHO, &in, 1, &out, 1) != PSA_SUCCESS || out.len != sizeof(text)) {
        return -3;
    }
    for (uint32_t i = 0; i < sizeof(text); i++) {
        if (back[i] != text[i]) {
            return -4;
        }
    }
    if (describe(secure_only, &description) != PSA_SUCCESS || description.client_id != TEST_CLIENT_PID) {
        return -5;
    }
    if (describe(TEST_SECURE_STATELESS_HANDLE, &description) != PSA_SUCCESS || description.client_id <= 0) {
        return -6;
    }
    psa_close(handle);
    psa_close(secure_only);
    psa_close(PSA_NULL_HANDLE);
    return PSA_SUCCESS;
}

static psa_status_t call_with(psa_handle_t handle, const void *in_base, size_t in_len, void *out_base, size_t out_len)
{
    psa_invec in = { in_base, in_len };
    psa_outvec out = { out_base, out_len };

    return psa_call(handle, SERVER_ECHO, &in, 1, &out, 1);
}

static psa_status_t echo_at(int32_t type, uint32_t address)
{
    uint32_t word = 0;

    switch (type) {
    case CLIENT_IN_AT:
        return call_with(connection(), (const void *)address, 4, &word, 4);
    case CLIENT_OUT_AT:
        return call_with(connection(), &word, 4, (void *)address, 4);
    case CLIENT_VECTORS_AT:
        return psa_call(connection(), SERVER_ECHO, (const psa_invec *)address, 1, NULL, 0);
    default:
        return psa_call(connection(), SERVER_ECHO, NULL, 0, (psa_outvec *)address, 1);
    }
}

static psa_status_t lend(psa_handle_t handle)
{
    psa_invec in = { &handle, sizeof(handle) };

    return psa_call(TEST_STATELESS_HANDLE, SERVER_USE_MESSAGE, &in, 1, NULL, 0);
}

static psa_status_t err(int32_t type)
{
    psa_handle_t handle;
    psa_invec in[5] = { { 0 } };
    uint32_t word = (uint32_t)PSA_ERROR_PROGRAMMER_ERROR;

    switch (type) {
    case CLIENT_UNKNOWN_SID:
        return psa_connect(0x12345678U, 1);
    case CLIENT_NO_DEPENDENCY:
        return psa_connect(TEST_UNUSED_SID, 1);
    case CLIENT_NO_DEPENDENCY_STATELESS:
        return psa_call(TEST_DRIVER_HANDLE, 0, NULL, 0, NULL, 0);
    case CLIENT_BAD_VERSION:
        return psa_connect(TEST_STRICT_SID, 2);
    case CLIENT_CONNECT_STATELESS:
        return psa_connect(TEST_STATELESS_SID, 2);
    case CLIENT_NULL_HANDLE:
        return psa_call(PSA_NULL_HANDLE, 0, NULL, 0, NULL, 0);
    case CLIENT_CLOSED_HANDLE:
        handle = connection();
        psa_close(handle);
        return psa_call(handle, 0, NULL, 0, NULL, 0);
    case CLIENT_BAD_STATELESS_HANDLE:
        return psa_call(TEST_SECURE_STATELESS_HANDLE + 0x100, 0, NULL, 0, NULL, 0);
    case CLIENT_BAD_TYPE:
        return psa_call(connection(), -1, NULL, 0, NULL, 0);
    case CLIENT_TOO_MANY_VECTORS:
        return psa_call(connection(), 0, in, 3, (psa_outvec *)(void *)in, 2);
    case CLIENT_BAD_IN:
        return call_with(connection(), (const void *)(UINTPTR_MAX - 3U), 8, &word, 4);
    case CLIENT_BAD_OUT:
        return call_with(connection(), &word, 4, (void *)(uintptr_t)&test_client_sfn, 4);
    case CLIENT_BAD_VECTOR_ARRAY:
        return psa_call(connection(), 0, (const psa_invec *)(uintptr_t)0x10000002U, 1, NULL, 0);
    case CLIENT_WRAPPING:
        return call_with(connection(), &word, UINTPTR_MAX, &word, 4);
    case CLIENT_CLOSE_TWICE:
        handle = connection();
        psa_close(handle);
        psa_close(handle);
        break;
    case CLIENT_CLOSE_STATELESS:
        psa_close(TEST_STATELESS_HANDLE);
        break;
    case CLIENT_DROPPED:
        in[0] = (psa_invec){ &word, sizeof(word) };
        return psa_call(connection(), SERVER_STATUS, in, 1, NULL, 0);
    case CLIENT_NOTIFY_NOBODY:
        psa_notify(9999);
        break;
#if SPM_LEVEL > 1
    case CLIENT_SECOND_ENTRY:
        __asm__ volatile("mov r12, %0\n\tsvc #0" : : "i"(API_second_entry) : "r0", "r12", "memory");
        break;
#endif
    default:
        break;
    }
    return PSA_ERROR_NOT_SUPPORTED;
}

psa_status_t test_client_sfn(psa_msg_t *msg)
{
    switch (msg->type) {
    case CLIENT_NORMAL:
        return normal();
    case CLIENT_BORROW:
        kept = connection();
        return give_word(msg, (uint32_t)kept);
    case CLIENT_RETURN:
        psa_close(kept);
        return PSA_SUCCESS;
    case CLIENT_NOTIFY:
        psa_notify(TEST_SERVER_PID);
        return PSA_SUCCESS;
    case CLIENT_ADDRESS:
        return give_word(msg, (uint32_t)&variable);
    case CLIENT_TOUCH:
        *(volatile uint32_t *)take_word(msg) = 0;
        return PSA_SUCCESS;
    case CLIENT_LOOK:
        return give_word(msg, *(volatile uint32_t *)take_word(msg));
    case CLIENT_END:
        return give_word(msg, (uint32_t)test_client_end);
    case CLIENT_IN_AT:
    case CLIENT_OUT_AT:
    case CLIENT_VECTORS_AT:
    case CLIENT_OUT_VECTORS_AT:
        return echo_at(msg->type, take_word(msg));
    case CLIENT_LEND_MESSAGE:
        return lend(msg->handle);
    default:
        return err(msg->type);
    }
}
