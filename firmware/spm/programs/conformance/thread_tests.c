/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads and registers of the non-secure side: what a second thread gets during a call, client ids, what a call leaves behind. */
#include "conformance.h"
#include "memory_map.h"
#include "ns.h"
#include "ns_interface.h"
#include "ns_threads.h"
#include "psa/service.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define NVIC_ISER0 NS_REG32(0xE000E100U)

static void become_privileged(void)
{
    __asm__ volatile("msr control, %0\n\tisb" : : "r"(0U) : "memory");
}

static struct {
    uint32_t framework_version;
    uint32_t version;
    psa_handle_t connect;
    psa_status_t call;
    psa_status_t select;
    bool ran;
} second;

static uint32_t refusals;

static void second_thread(void)
{
    second.framework_version = psa_framework_version();
    second.version = psa_version(TEST_CONNECTED_SID);
    second.connect = psa_connect(TEST_CONNECTED_SID, 3);
    second.call = psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, NULL, 0, NULL, 0);
    second.select = nsc_client_select(-1);
    second.ran = true;
    ns_leave_second_thread();
}

static void closing_thread(void)
{
    psa_close(1);
    ns_leave_second_thread();
}

static void start_second_thread(void)
{
    ns_run_second_thread(second_thread);
}

static void start_closing_thread(void)
{
    ns_run_second_thread(closing_thread);
}

/* The second thread comes at `due_ticks` into the first one's call, wherever the secure side is then. */
static bool enter_twice(uint32_t due_ticks)
{
    uint32_t out = 0;
    bool served = true;

    second.ran = false;
    timer1_fire(due_ticks);
    for (int32_t i = 1; i < 20; i++) {
        served = served && request(TEST_STATELESS_HANDLE, SERVER_STATUS, (uint32_t)i, &out) == i;
    }
    CHECK(served && second.ran);
    CHECK(second.framework_version == PSA_FRAMEWORK_VERSION && second.select != PSA_SUCCESS);
    if (second.version == 3U) { /* between two calls of the first thread */
        CHECK(second.connect > 0 && second.call == PSA_SUCCESS);
        psa_close(second.connect);
        return true;
    }
    CHECK(second.version == PSA_VERSION_NONE && second.connect == PSA_ERROR_CONNECTION_BUSY);
    CHECK(second.call == PSA_ERROR_CONNECTION_BUSY && second.select == PSA_ERROR_CONNECTION_BUSY);
    refusals++;
    return true;
}

static bool second_entry(const struct test *test)
{
    ns_on_svc = ns_end_second_thread;
    ns_on_timer1 = test->type == 0 ? start_second_thread : start_closing_thread;
    NVIC_ISER0 = 1U << 4;
    refusals = 0;
    ns_threads_only = true;
    for (uint32_t due = 40U * INSTRUCTION_TICKS; due < 1200U * INSTRUCTION_TICKS; due += 3U * INSTRUCTION_TICKS) {
        CHECK(enter_twice(due));
    }
    ns_threads_only = false;
    CHECK(refusals > 200U);
    return true;
}

static bool is_scrubbed(const struct ns_registers *after)
{
    CHECK(ns_is_scrubbed(after));
    return true;
}

static bool scrubbed(const struct test *test)
{
    struct ns_registers after;

    (void)test;
    ns_call_with_junk(&after, (void *)(uintptr_t)psa_framework_version, 0, 0, 0, 0);
    CHECK(is_scrubbed(&after) && after.r0_to_r3[0] == PSA_FRAMEWORK_VERSION);
    ns_call_with_junk(&after, (void *)(uintptr_t)psa_version, TEST_CONNECTED_SID, 0, 7, 7);
    CHECK(is_scrubbed(&after) && after.r0_to_r3[0] == 3U);
    ns_call_with_junk(&after, (void *)(uintptr_t)psa_connect, TEST_CONNECTED_SID, 3, 7, 7);
    CHECK(is_scrubbed(&after) && (int32_t)after.r0_to_r3[0] > 0);

    uint32_t handle = after.r0_to_r3[0];

    ns_call_with_junk(&after, (void *)(uintptr_t)psa_call_packed, handle, 1000, 7, 7);
    CHECK(is_scrubbed(&after) && (psa_status_t)after.r0_to_r3[0] == PSA_ERROR_NOT_SUPPORTED);
    ns_call_with_junk(&after, (void *)(uintptr_t)psa_close, handle, 0, 7, 7);
    CHECK(is_scrubbed(&after));
    ns_call_with_junk(&after, (void *)(uintptr_t)psa_call_packed, handle, 1000, 7, 7);
    CHECK(is_scrubbed(&after) && (psa_status_t)after.r0_to_r3[0] == PSA_ERROR_PROGRAMMER_ERROR);
    ns_call_with_junk(&after, (void *)(uintptr_t)nsc_client_select, 5, 0, 7, 7);
    CHECK(is_scrubbed(&after) && (psa_status_t)after.r0_to_r3[0] == PSA_ERROR_INVALID_ARGUMENT);
    return true;
}

static psa_status_t select_unprivileged(int32_t id)
{
    psa_status_t status;

    ns_on_svc = become_privileged;
    __asm__ volatile("msr control, %0\n\tisb" : : "r"(1U) : "memory");
    status = nsc_client_select(id);
    __asm__ volatile("svc #0" ::: "memory");
    return status;
}

static int32_t client_id_seen(psa_handle_t handle)
{
    psa_msg_t message;
    psa_outvec out = { &message, sizeof(message) };

    return psa_call(handle, SERVER_DESCRIBE, NULL, 0, &out, 1) == PSA_SUCCESS ? message.client_id : 0;
}

static bool client_ids(const struct test *test)
{
    psa_handle_t handle;
    uint32_t out;

    (void)test;
    CHECK(client_id_seen(TEST_STATELESS_HANDLE) == -1);
    CHECK(nsc_client_select(-20) == PSA_ERROR_INVALID_ARGUMENT);
    CHECK(nsc_client_register(-20, 1) == PSA_ERROR_INVALID_ARGUMENT && nsc_client_register(-3, -4) == PSA_ERROR_INVALID_ARGUMENT);
    CHECK(nsc_client_register(-5, 0) == PSA_ERROR_INVALID_ARGUMENT);
    CHECK(nsc_client_register(-20, -10) == PSA_SUCCESS && nsc_client_register(-40, -40) == PSA_SUCCESS);
    CHECK(nsc_client_select(-9) == PSA_ERROR_INVALID_ARGUMENT && nsc_client_select(-21) == PSA_ERROR_INVALID_ARGUMENT);
    CHECK(nsc_client_select(-40) == PSA_SUCCESS && client_id_seen(TEST_STATELESS_HANDLE) == -40);
    CHECK(nsc_client_select(-10) == PSA_SUCCESS);
    handle = psa_connect(TEST_CONNECTED_SID, 3);
    CHECK(handle > 0 && client_id_seen(handle) == -10);
    CHECK(nsc_client_select(-11) == PSA_SUCCESS);
    CHECK(request(handle, SERVER_STATUS, 3, &out) == PSA_ERROR_PROGRAMMER_ERROR);
    psa_close(handle);
    CHECK(nsc_client_select(-10) == PSA_SUCCESS && client_id_seen(handle) == -10);
    psa_close(handle);
    CHECK(client_id_seen(handle) == 0);
    CHECK(select_unprivileged(-20) == PSA_ERROR_NOT_PERMITTED && client_id_seen(TEST_STATELESS_HANDLE) == -10);
    CHECK(nsc_client_register(-50, -50) == PSA_SUCCESS && nsc_client_register(-51, -51) == PSA_SUCCESS);
    CHECK(nsc_client_register(-52, -52) == PSA_ERROR_INSUFFICIENT_MEMORY);
    return true;
}

static bool seals(const struct test *test)
{
    uint32_t broken = 99;

    (void)test;
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_SEALS, 0, &broken) == PSA_SUCCESS && broken == 0U);
    return true;
}

/* The most urgent that the non-secure side can be is less urgent than a partition's handler. */
static volatile uint32_t spin_began;
static volatile uint32_t spin_ended;

static void spin_in_handler(void)
{
    spin_began = TIMER0_VALUE;
    while (spin_began - TIMER0_VALUE < 20000U) {
    }
    spin_ended = TIMER0_VALUE;
}

static bool handler_is_above_the_non_secure_side(const struct test *test)
{
    uint32_t ran = 0;
    uint32_t out;

    (void)test;
    timer0_start();
    ns_on_timer1 = spin_in_handler;
    NVIC_ISER0 = 1U << 4;
    NS_REG32(0xE000E404U) = 0; /* the highest non-secure priority for TIMER1 */
    CHECK(request(TEST_DRIVER_HANDLE, DRIVER_ARM, 0, &out) == PSA_SUCCESS);
    timer1_fire(10U);
    while (spin_ended == 0U) {
    }
    CHECK(request(TEST_DRIVER_HANDLE, DRIVER_HANDLER_TIME, 0, &ran) == PSA_SUCCESS);
    CHECK(ran < spin_began && ran > spin_ended);
    return true;
}

/* The handler comes anywhere on the way to the server and while that works, and the server goes on with its own rights. */
static bool handler_gives_the_regions_back(const struct test *test)
{
    uint32_t out;

    (void)test;
    for (uint32_t ticks = 4000U; ticks < 60000U; ticks += 500U) {
        CHECK(request(TEST_DRIVER_HANDLE, DRIVER_ARM, ticks, &out) == PSA_SUCCESS);
        CHECK(request(TEST_STATELESS_HANDLE, SERVER_SPIN, 0, &out) == PSA_SUCCESS);
        CHECK(request(TEST_DRIVER_HANDLE, DRIVER_HANDLER_TIME, 0, &out) == PSA_SUCCESS && out != 0U);
    }
    return true;
}

static bool handler_sees_nothing(const struct test *test)
{
    uint32_t registers = 1;

    (void)test;
    CHECK(request(TEST_DRIVER_HANDLE, DRIVER_HANDLER_REGISTERS, 0, &registers) == PSA_SUCCESS && registers == 0U);
    return true;
}

static bool old_message(const struct test *test)
{
    uint32_t out;

    (void)test;
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_STATUS, 5, &out) == 5);
    return request(TEST_STATELESS_HANDLE, SERVER_OLD_MESSAGE_HANDLE, 0, &out) == PSA_SUCCESS;
}

static struct {
    uint32_t thread[2]; /* without a limit, with one */
    uint32_t handlers[2];
    bool sampled;
} limits;

static void sample_limits(void)
{
    limits.thread[nsc_stack_limit(0) != 0U]++;
    limits.handlers[nsc_stack_limit(1) != 0U]++;
    limits.sampled = true;
}

/* A gate lifts the limit while it moves the stack pointer, for some instructions; the SPM itself has one. */
static bool spm_keeps_to_its_stack(const struct test *test)
{
    uint32_t out;

    (void)test;
    ns_on_timer1 = sample_limits;
    NVIC_ISER0 = 1U << 4;
    for (uint32_t due = 20U; due < 12000U; due += 20U) {
        limits.sampled = false;
        ns_fire_timer1(due);
        CHECK(request(TEST_STATELESS_HANDLE, SERVER_STATUS, 7, &out) == 7);
        while (!limits.sampled) {
        }
    }
    CHECK(limits.thread[0] * 4U < limits.thread[1]);
    CHECK(limits.handlers[0] == 0U);
    return true;
}

#if SPM_IPC
#define SPM_CODE        S_CODE_START
#define GATEWAYS        GATEWAY_START
#define TURNS_OF_32_KHZ 100U
#define BEFORE_TICKS    (TIMER_HZ / 10000U * 28U) /* the tick comes some hundred instructions later */
#define AFTER_TICKS     (TIMER_HZ / 500U)
#define PROMPT_TICKS    (TIMER_HZ / 1000U)

static __attribute__((naked, noinline)) void spend(uint32_t instructions __attribute__((unused)))
{
    __asm__ volatile("lsrs r0, #1\n\t"
                     "bcc 1f\n\t"
                     "nop\n"
                     "1:\tsubs r0, #1\n\t"
                     "bne 1b\n\t"
                     "bx lr");
}

static void wait_ticks(uint32_t since, uint32_t ticks)
{
    while (since - TIMER0_VALUE < ticks) {
    }
}

/* The ticker's interrupt comes while a call is under way: the wish to switch is recorded and may not be forgotten. */
static bool tick_in_call(uint32_t instructions, struct ticker_report *report)
{
    uint32_t period = TURNS_OF_32_KHZ;
    psa_invec in = { &period, sizeof(period) };
    psa_outvec out = { report, sizeof(*report) };
    uint32_t began;

    CHECK(psa_call(TEST_TICKER_HANDLE, TICKER_START, &in, 1, NULL, 0) == PSA_SUCCESS);
    began = TIMER0_VALUE;
    wait_ticks(began, BEFORE_TICKS - INSTRUCTION_TICKS * 512U);
    spend(instructions + 4U);
    CHECK(psa_version(TEST_CONNECTED_SID) == 3U);
    wait_ticks(TIMER0_VALUE, AFTER_TICKS);
    CHECK(psa_call(TEST_TICKER_HANDLE, TICKER_STOP, NULL, 0, &out, 1) == PSA_SUCCESS);
    return true;
}

static bool woken_in_call(const struct test *test)
{
    struct ticker_report report;
    uint32_t in_the_spm = 0;

    (void)test;
    timer0_start();
    for (uint32_t instructions = 0; instructions < 1200U; instructions++) {
        CHECK(tick_in_call(instructions, &report));
        if (report.interrupts != 1U || report.interrupted_pc < SPM_CODE || report.interrupted_pc >= GATEWAYS) {
            continue;
        }
        in_the_spm++;
        CHECK(report.ticks == 1U && report.latest_ticks < PROMPT_TICKS);
    }
    CHECK(SPM_CLASSIC || in_the_spm > 40U); /* in a handler no thread is interrupted */
    return true;
}
#else
static bool woken_in_call(const struct test *test)
{
    (void)test;
    return false;
}
#endif

const struct test thread_tests[] = {
    { "a second entry during a call is refused and the call goes on", second_entry, SPM_CAUSE_NONE, SECOND_ON_MAIN_STACK, 0, 0 },
    { "a second entry that cannot be told panics", second_entry, SPM_CAUSE_RE_ENTRY, SECOND_ON_MAIN_STACK, 0, 1 },
    { "a call leaves nothing in registers and flags", scrubbed, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "client ids are registered, selected and told", client_ids, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "every stack is sealed", seals, SPM_CAUSE_NONE, NEEDS_IPC | ONLY_LEVEL_1, 0, 0 },
    { "a first-level handler comes before the most urgent non-secure one", handler_is_above_the_non_secure_side, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a first-level handler gives back the interrupted partition's regions", handler_gives_the_regions_back, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a first-level handler sees nothing of the interrupted thread", handler_sees_nothing, SPM_CAUSE_NONE, NEEDS_LEVEL_2, 0, 0 },
    { "a message of the call before panics", old_message, SPM_CAUSE_MESSAGE, ANY_BUILD, 0, 0 },
    { "a message of another partition panics", request_alone, SPM_CAUSE_MESSAGE, ANY_BUILD, TEST_CLIENT_HANDLE, CLIENT_LEND_MESSAGE },
    { "the SPM runs with a limit to its stack", spm_keeps_to_its_stack, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a partition that is woken in the middle of a call runs when the call leaves the SPM", woken_in_call, SPM_CAUSE_NONE, NEEDS_IPC | ONLY_LEVEL_1, 0, 0 },
    { "a partition cannot use the floating-point unit", request_alone, SPM_CAUSE_FAULT, NEEDS_LEVEL_2, TEST_DRIVER_HANDLE, DRIVER_FLOATING_POINT },
};
const uint32_t thread_test_count = sizeof(thread_tests) / sizeof(thread_tests[0]);
