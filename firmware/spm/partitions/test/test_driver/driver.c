/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of the conformance tests: a first-level interrupt of the secure timer, a second-level one of UART1. */
#include <stdbool.h>

#include "psa_manifest/test_driver.h"

#include "devices.h"
#include "test_requests.h"

#define SOON_TICKS      (TIMER_HZ / 40000U)
#define LATER_TICKS     (TIMER_HZ / 2500U) /* behind the answer and the next call's beginning */

#define UART_DATA       DEVICE_WORD(UART1_BASE)
#define UART_CTRL       DEVICE_WORD(UART1_BASE + 0x8U)
#define UART_INTCLEAR   DEVICE_WORD(UART1_BASE + 0xCU)
#define UART_BAUDDIV    DEVICE_WORD(UART1_BASE + 0x10U)
#define UART_LAST_ID    DEVICE_WORD(UART1_BASE + 0xFFCU) /* the last word of its region */
#define UART_LAST_ID_IS 0xB1U
#define UART_TX_INT     1U

static volatile uint32_t handler_runs;
static volatile psa_flih_result_t handler_answer;
static volatile bool handler_calls_api;
static volatile uint32_t handler_touches;
static volatile uint32_t handler_time;
static volatile uint32_t handler_registers;

/* What the interrupted thread had in its registers is none of the handler's business where it runs with its own rights. */
static __attribute__((naked, used)) uint32_t all_registers(void)
{
    __asm__ volatile("orr r0, r1\n\t"
                     "orr r0, r2\n\t"
                     "orr r0, r3\n\t"
                     "orr r0, r12\n\t"
                     "orr r0, r4\n\t"
                     "orr r0, r5\n\t"
                     "orr r0, r6\n\t"
                     "orr r0, r7\n\t"
                     "orr r0, r8\n\t"
                     "orr r0, r9\n\t"
                     "orr r0, r10\n\t"
                     "orr r0, r11\n\t"
                     "bx lr");
}

static __attribute__((used)) psa_flih_result_t handle_timer(uint32_t registers)
{
    handler_time = TIMER0_VALUE;
    handler_registers = registers;
    secure_timer_clear();
    handler_runs++;
    if (handler_calls_api) {
        psa_framework_version();
    }
    if (handler_touches != 0U) {
        *(volatile uint32_t *)handler_touches = 0;
    }
    return handler_answer;
}

__attribute__((naked)) psa_flih_result_t test_timer_flih(void)
{
    __asm__ volatile("push {r4, lr}\n\t"
                     "bl all_registers\n\t"
                     "pop {r4, lr}\n\t"
                     "b handle_timer");
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
    secure_timer_fire(SOON_TICKS);
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

static psa_status_t arm(const psa_msg_t *msg)
{
    uint32_t ticks = 0;

    psa_read(msg->handle, 0, &ticks, sizeof(ticks));
    handler_answer = PSA_FLIH_NO_SIGNAL;
    psa_irq_enable(TEST_TIMER_SIGNAL);
    secure_timer_fire(ticks != 0U ? ticks : LATER_TICKS);
    return PSA_SUCCESS;
}

static psa_status_t wait_for(const psa_msg_t *msg)
{
    uint32_t before = handler_runs;
    uint32_t ticks = 0;

    psa_read(msg->handle, 0, &ticks, sizeof(ticks));
    handler_answer = PSA_FLIH_SIGNAL;
    psa_irq_enable(TEST_TIMER_SIGNAL);
    secure_timer_fire(ticks);
    if (psa_wait(TEST_TIMER_SIGNAL, PSA_BLOCK) != TEST_TIMER_SIGNAL || handler_runs != before + 1U) {
        return PSA_ERROR_GENERIC_ERROR;
    }
    psa_reset_signal(TEST_TIMER_SIGNAL);
    return give_word(msg, ticks);
}

/* Waits for the handler with something to be seen in each register. */
static psa_status_t show_registers(const psa_msg_t *msg)
{
    uint32_t before = handler_runs;

    first_level(PSA_FLIH_NO_SIGNAL);
    __asm__ volatile("mov r4, #0xFF\n\tmov r5, r4\n\tmov r6, r4\n\tmov r8, r4\n\tmov r9, r4\n\tmov r10, r4\n\tmov r11, r4\n"
                     "1:\tldr r0, [%0]\n\t"
                     "cmp r0, %1\n\t"
                     "beq 1b"
                     :
                     : "r"(&handler_runs), "r"(before)
                     : "r0", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "cc", "memory");
    return give_word(msg, handler_registers);
}

static psa_status_t device_as_buffer(const psa_msg_t *msg)
{
    if (psa_read(msg->handle, 0, (void *)(uintptr_t)&SECURE_TIMER_WORD, 4) != 4U) {
        return PSA_ERROR_GENERIC_ERROR;
    }
    psa_write(msg->handle, 0, (const void *)(uintptr_t)&SECURE_TIMER_WORD, 4);
    return UART_LAST_ID == UART_LAST_ID_IS ? PSA_SUCCESS : PSA_ERROR_GENERIC_ERROR;
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
    case DRIVER_WAIT_FOR:
        return wait_for(msg);
    case DRIVER_ARM:
        return arm(msg);
    case DRIVER_HANDLER_TIME:
        return give_word(msg, handler_time);
    case DRIVER_HANDLER_REGISTERS:
        return show_registers(msg);
    case DRIVER_DEVICE_AS_BUFFER:
        return device_as_buffer(msg);
    case DRIVER_LOOK_READ_ONLY:
        return give_word(msg, TIMER0_VALUE);
    case DRIVER_TOUCH_READ_ONLY:
        TIMER0_WORD = 0;
        return PSA_SUCCESS;
    case DRIVER_READ_INTO_READ_ONLY:
        psa_read(msg->handle, 0, (void *)(uintptr_t)&TIMER0_WORD, 4);
        return PSA_SUCCESS;
    case DRIVER_FLOATING_POINT:
        __asm__ volatile(".fpu fpv5-sp-d16\n\tvmov s0, r0" ::: "memory");
        return PSA_SUCCESS;
    default:
        return PSA_ERROR_NOT_SUPPORTED;
    }
}
