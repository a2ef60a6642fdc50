/* SPDX-License-Identifier: BSD-3-Clause */
/* The server of the conformance tests, the same in both models. */
#include "test_server.h"

#include "psa_manifest/test_server.h"
#include "test_requests.h"

#define PIECE_BYTES 5U

uint32_t test_server_doorbells;
bool test_server_misplaces_message;
psa_msg_t *test_server_next_message;

extern uint8_t test_server_end[];

static psa_status_t connect_answer = PSA_SUCCESS;
static psa_handle_t old_message;
static volatile uint32_t variable = 0x5EC12E7U;
static uint8_t buffer[64];

static psa_status_t give(const psa_msg_t *msg, const void *value, size_t bytes)
{
    if (msg->out_size[0] < bytes) {
        return PSA_ERROR_BUFFER_TOO_SMALL;
    }
    psa_write(msg->handle, 0, value, bytes);
    return PSA_SUCCESS;
}

static psa_status_t give_word(const psa_msg_t *msg, uint32_t value)
{
    return give(msg, &value, sizeof(value));
}

static uint32_t take_word(const psa_msg_t *msg)
{
    uint32_t word = 0;

    psa_read(msg->handle, 0, &word, sizeof(word));
    return word;
}

static psa_status_t echo(const psa_msg_t *msg)
{
    for (uint32_t i = 0; i < PSA_MAX_IOVEC; i++) {
        size_t room = msg->out_size[i];
        size_t bytes;

        while ((bytes = psa_read(msg->handle, i, buffer, PIECE_BYTES)) != 0U) {
            if (bytes > room) {
                return PSA_ERROR_BUFFER_TOO_SMALL;
            }
            psa_write(msg->handle, i, buffer, bytes);
            room -= bytes;
        }
    }
    return PSA_SUCCESS;
}

static psa_status_t skip(const psa_msg_t *msg)
{
    size_t bytes;

    if (psa_skip(msg->handle, 0, 3) != 3U) {
        return PSA_ERROR_GENERIC_ERROR;
    }
    bytes = psa_read(msg->handle, 0, buffer, sizeof(buffer));
    if (psa_skip(msg->handle, 0, 1) != 0U || psa_read(msg->handle, 0, buffer, 1) != 0U) {
        return PSA_ERROR_GENERIC_ERROR;
    }
    return give(msg, buffer, bytes);
}

static psa_status_t swap_rhandle(const psa_msg_t *msg)
{
    uint32_t value = (uint32_t)msg->rhandle;

    psa_set_rhandle(msg->handle, (void *)(value + 1U));
    return give_word(msg, value);
}

static __attribute__((noinline)) uint32_t overflow(volatile uint32_t *from)
{
    volatile uint32_t much[1024];

    for (uint32_t i = 0; i < 1024U; i++) {
        much[i] = *from;
    }
    return much[5];
}

static psa_status_t read_into(const psa_msg_t *msg)
{
    return psa_read(msg->handle, 1, (void *)take_word(msg), 4) == 4U ? PSA_SUCCESS : PSA_ERROR_GENERIC_ERROR;
}

static psa_status_t write_from(const psa_msg_t *msg)
{
    psa_write(msg->handle, 0, (const void *)take_word(msg), 4);
    return PSA_SUCCESS;
}

static psa_status_t use_message(const psa_msg_t *msg)
{
    psa_read((psa_handle_t)take_word(msg), 0, buffer, 1);
    return PSA_SUCCESS;
}

#if SPM_LEVEL == 1 && SPM_BACKEND_IPC
#define SEAL 0xFEF5EDA5U

extern uint32_t test_server_stack[], ns_agent_stack_top[], spm_stack_top[], spm_main_stack_top[];

static psa_status_t look_for_seals(const psa_msg_t *msg)
{
    const uint32_t *const seals[] = {
        [STACK_OF_SERVER] = &test_server_stack[0x800 / sizeof(uint32_t) - 2U],
        [STACK_OF_AGENT] = ns_agent_stack_top,
        [STACK_OF_SPM] = spm_stack_top,
        [STACK_OF_HANDLERS] = spm_main_stack_top,
    };
    uint32_t broken = 0;

    for (uint32_t i = 0; i < sizeof(seals) / sizeof(seals[0]); i++) {
        broken |= seals[i][0] == SEAL && seals[i][1] == SEAL ? 0U : 1U << i;
    }
    return give_word(msg, broken);
}
#else
static psa_status_t look_for_seals(const psa_msg_t *msg)
{
    (void)msg;
    return PSA_ERROR_NOT_SUPPORTED;
}
#endif

static psa_status_t spin(void)
{
    static volatile uint32_t turns;

    for (turns = 0; turns < 1000U; turns++) {
    }
    return turns == 1000U ? PSA_SUCCESS : PSA_ERROR_GENERIC_ERROR;
}

static psa_status_t err(const psa_msg_t *msg)
{
    uint32_t word = 0;

    switch (msg->type) {
    case SERVER_BAD_MESSAGE_HANDLE:
        psa_read(msg->handle + 32, 0, buffer, 1);
        break;
    case SERVER_OLD_MESSAGE_HANDLE:
        psa_read(old_message, 0, buffer, 1);
        break;
    case SERVER_BAD_INDEX:
        psa_read(msg->handle, PSA_MAX_IOVEC, buffer, 1);
        break;
    case SERVER_BAD_BUFFER:
        psa_read(msg->handle, 0, (void *)(uintptr_t)&test_server_answer, 4);
        break;
    case SERVER_BAD_SOURCE:
        psa_write(msg->handle, 0, (const void *)(UINTPTR_MAX - 1U), 4);
        break;
    case SERVER_WRITE_TOO_MUCH:
        psa_write(msg->handle, 0, buffer, msg->out_size[0] + 1U);
        break;
    case SERVER_WRITE_NO_VECTOR:
        psa_write(msg->handle, 3, buffer, 1);
        break;
    case SERVER_SET_RHANDLE:
        psa_set_rhandle(msg->handle, buffer);
        break;
    case SERVER_GET_NOTHING:
        psa_get(TEST_UNUSED_SIGNAL, (psa_msg_t *)(void *)buffer);
        break;
    case SERVER_GET_TWO_SIGNALS:
        psa_get(TEST_UNUSED_SIGNAL | TEST_STRICT_SIGNAL, (psa_msg_t *)(void *)buffer);
        break;
    case SERVER_WAIT_FOR_NOTHING:
        psa_wait(1U << 31, PSA_POLL);
        break;
    case SERVER_REPLY_IN_FUNCTION:
        psa_reply(msg->handle, PSA_SUCCESS);
        psa_reply(msg->handle, PSA_SUCCESS);
        break;
    case SERVER_CLEAR_NO_BELL:
        psa_clear();
        break;
    case SERVER_EOI_NO_SIGNAL:
        psa_eoi(1U << 30);
        break;
    case SERVER_IRQ_ENABLE_NOT_OWN:
        psa_irq_enable(1U << 4);
        break;
    case SERVER_PANIC:
        psa_panic();
    case SERVER_OVERFLOW_STACK:
        for (uint32_t i = 0; i < 2U; i++) {
            word += overflow(&variable);
        }
        return give_word(msg, word);
    case SERVER_UNDEFINED:
        __asm__ volatile("udf #0");
        break;
    default:
        break;
    }
    return PSA_ERROR_NOT_SUPPORTED;
}

static psa_status_t call(const psa_msg_t *msg)
{
    switch (msg->type) {
    case SERVER_ECHO:
        return echo(msg);
    case SERVER_SKIP:
        return skip(msg);
    case SERVER_STATUS:
        return (psa_status_t)take_word(msg);
    case SERVER_DESCRIBE:
        return give(msg, msg, sizeof(*msg));
    case SERVER_RHANDLE:
        return swap_rhandle(msg);
    case SERVER_DOORBELLS:
        return give_word(msg, test_server_doorbells);
    case SERVER_ANSWER_CONNECT:
        connect_answer = (psa_status_t)take_word(msg);
        return PSA_SUCCESS;
    case SERVER_LIFECYCLE:
        return give_word(msg, psa_rot_lifecycle_state());
    case SERVER_POLL:
        return give_word(msg, psa_wait(PSA_WAIT_ANY, PSA_POLL));
    case SERVER_TOUCH:
        *(volatile uint32_t *)take_word(msg) = 0;
        return PSA_SUCCESS;
    case SERVER_LOOK:
        return give_word(msg, *(volatile uint32_t *)take_word(msg));
    case SERVER_ADDRESS:
        return give_word(msg, (uint32_t)&variable);
    case SERVER_END:
        return give_word(msg, (uint32_t)test_server_end);
    case SERVER_READ_INTO:
        return read_into(msg);
    case SERVER_WRITE_FROM:
        return write_from(msg);
    case SERVER_GET_INTO:
        test_server_next_message = (psa_msg_t *)take_word(msg);
        test_server_misplaces_message = true;
        return PSA_SUCCESS;
    case SERVER_USE_MESSAGE:
        return use_message(msg);
    case SERVER_SEALS:
        return look_for_seals(msg);
    case SERVER_SPIN:
        return spin();
    default:
        return err(msg);
    }
}

psa_status_t test_server_answer(const psa_msg_t *msg, psa_signal_t signal)
{
    psa_status_t status = PSA_SUCCESS;

    if (msg->type == PSA_IPC_CONNECT) {
        status = signal == TEST_CONNECTED_SIGNAL ? connect_answer : PSA_SUCCESS;
        connect_answer = PSA_SUCCESS;
    } else if (msg->type >= 0) {
        status = call(msg);
    }
    old_message = msg->handle;
    return status;
}
