/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of the conformance tests: a first-level interrupt of the dual timer, a second-level one of UART1. */
#include <stdbool.h>

#include "psa_manifest/test_driver.h"

#include "test_requests.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define TIMER_LOAD      REGISTER(0x50002000U)
#define TIMER_CONTROL   REGISTER(0x50002008U)
#define TIMER_INTCLEAR  REGISTER(0x5000200CU)
#define TIMER_ONE_SHOT  0xA3U /* enabled, interrupt, 32 bits, once */

#define UART_DATA       REGISTER(0x50201000U)
#define UART_CTRL       REGISTER(0x50201008U)
#define UART_INTCLEAR   REGISTER(0x5020100CU)
#define UART_BAUDDIV    REGISTER(0x50201010U)
#define UART_TX_INT     1U

static volatile uint32_t handler_runs;
static volatile psa_flih_result_t handler_answer;
static volatile bool handler_calls_api;
static volatile uint32_t handler_touches;

psa_flih_result_t test_timer_flih(void)
{
    TIMER_INTCLEAR = 1;
    handler_runs++;
    if (handler_calls_api) {
        psa_framework_version();
    }
    if (handler_touches != 0U) {
        *(volatile uint32_t *)handler_touches = 0;
    }
    return handler_answer;
}

static void fire_timer(void)
{
    TIMER_CONTROL = 0;
    TIMER_LOAD = 500;
    TIMER_CONTROL = TIMER_ONE_SHOT;
}

static psa_status_t give_word(const psa_msg_t *msg, uint32_t value)
{
    if (msg->out_size[0] < sizeof(value)) {
        return PSA_ERROR_BUFFER_TOO_SMALL;
    }
    psa_write(msg->handle, 0, &value, sizeof(value));
    return PSA_SUCCESS;
}

static psa_status_t first_level(psa_flih_result_t answer)
{
    handler_answer = answer;
    psa_irq_enable(TEST_TIMER_SIGNAL);
    fire_timer();
    return PSA_SUCCESS;
}

static psa_status_t first_level_signal(void)
{
    uint32_t before = handler_runs;

    first_level(PSA_FLIH_SIGNAL);
    if (psa_wait(TEST_TIMER_SIGNAL, PSA_BLOCK) != TEST_TIMER_SIGNAL || handler_runs != before + 1U) {
        return PSA_ERROR_GENERIC_ERROR;
    }
    psa_reset_signal(TEST_TIMER_SIGNAL);
    return psa_wait(TEST_TIMER_SIGNAL, PSA_POLL) == 0U ? PSA_SUCCESS : PSA_ERROR_BAD_STATE;
}

static psa_status_t first_level_quiet(const psa_msg_t *msg)
{
    uint32_t before = handler_runs;

    first_level(PSA_FLIH_NO_SIGNAL);
    while (handler_runs == before) {
    }
    return psa_wait(TEST_TIMER_SIGNAL, PSA_POLL) == 0U ? give_word(msg, handler_runs - before) : PSA_ERROR_BAD_STATE;
}

static psa_status_t second_level(void)
{
    UART_BAUDDIV = 16;
    UART_CTRL = 1U | 4U; /* transmit, with its interrupt */
    psa_irq_enable(TEST_UART_SIGNAL);
    for (uint32_t i = 0; i < 2U; i++) {
        UART_DATA = 'x';
        if (psa_wait(TEST_UART_SIGNAL, PSA_BLOCK) != TEST_UART_SIGNAL) {
            return PSA_ERROR_GENERIC_ERROR;
        }
        if (psa_irq_disable(TEST_UART_SIGNAL) != 0U) {
            return PSA_ERROR_BAD_STATE;
        }
        UART_INTCLEAR = UART_TX_INT;
        psa_eoi(TEST_UART_SIGNAL);
        if (psa_wait(TEST_UART_SIGNAL, PSA_POLL) != 0U) {
            return PSA_ERROR_BAD_STATE;
        }
    }
    psa_irq_disable(TEST_UART_SIGNAL);
    return PSA_SUCCESS;
}

static psa_status_t disable_twice(const psa_msg_t *msg)
{
    uint32_t answers;

    psa_irq_enable(TEST_TIMER_SIGNAL);
    answers = psa_irq_disable(TEST_TIMER_SIGNAL);
    return give_word(msg, answers << 1 | psa_irq_disable(TEST_TIMER_SIGNAL));
}

static psa_status_t misuse_second_level(void)
{
    UART_BAUDDIV = 16;
    UART_CTRL = 1U | 4U;
    psa_irq_enable(TEST_UART_SIGNAL);
    UART_DATA = 'x';
    psa_wait(TEST_UART_SIGNAL, PSA_BLOCK);
    psa_reset_signal(TEST_UART_SIGNAL);
    return PSA_SUCCESS;
}

static psa_status_t misuse_first_level(void)
{
    first_level(PSA_FLIH_SIGNAL);
    psa_wait(TEST_TIMER_SIGNAL, PSA_BLOCK);
    psa_eoi(TEST_TIMER_SIGNAL);
    return PSA_SUCCESS;
}

psa_status_t test_driver_sfn(psa_msg_t *msg)
{
    uint32_t word = 0;
    psa_status_t status;

    switch (msg->type) {
    case DRIVER_FIRST_LEVEL:
        return first_level_signal();
    case DRIVER_FIRST_LEVEL_QUIET:
        return first_level_quiet(msg);
    case DRIVER_SECOND_LEVEL:
        return second_level();
    case DRIVER_DISABLE:
        return disable_twice(msg);
    case DRIVER_CALL_IN_HANDLER:
        handler_calls_api = true;
        return first_level_signal();
    case DRIVER_RESET_SLIH:
        return misuse_second_level();
    case DRIVER_EOI_FLIH:
        return misuse_first_level();
    case DRIVER_RESET_NOT_ASSERTED:
        psa_reset_signal(TEST_TIMER_SIGNAL);
        return PSA_SUCCESS;
    case DRIVER_TOUCH_IN_HANDLER:
        psa_read(msg->handle, 0, &word, sizeof(word));
        handler_touches = word;
        status = first_level_signal();
        handler_touches = 0;
        return status;
    default:
        return PSA_ERROR_NOT_SUPPORTED;
    }
}
