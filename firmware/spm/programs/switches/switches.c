/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The non-secure side switches threads at every instruction of a call. The second thread calls too, and is refused; it
 * runs long enough for a secure interrupt that the call waits for to come while it runs. Then the first thread goes on:
 * result, data, and registers have to be those of a call that nothing came in between. At last that interrupt comes at every
 * instruction of the second thread's refused calls, which it makes with live floating-point registers, where there are any.
 */
#include "floating.h"
#include "ns.h"
#include "ns_threads.h"
#include "psa/client.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define NVIC_ISER0   NS_REG32(0xE000E100U)
#define NVIC_IPR_T1  (*(volatile uint8_t *)0xE000E404U)
#define SYST_CSR     NS_REG32(0xE000E010U)
#define SYST_RVR     NS_REG32(0xE000E014U)
#define SYST_CVR     NS_REG32(0xE000E018U)
#define STEP_TICKS   20U     /* less than an instruction */
#define WAIT_TICKS   3000U   /* the secure timer of the waiting call */
#define SECOND_TICKS 6000U   /* how long the second thread runs */
#define SECOND_DUE   40000U  /* of TIMER1: the waiting call waits by then, in the slowest build */
#define FPCCR        NS_REG32(0xE000EF34U)
#define FPCCR_ASPEN  (1U << 31)
#define BYTES        67U

static uint8_t in_bytes[BYTES + 1U] __attribute__((aligned(4)));
static uint8_t out_bytes[BYTES + 1U] __attribute__((aligned(4)));
static uint32_t wait_ticks = WAIT_TICKS;
static uint32_t wait_answer;
static psa_handle_t connection;
static uint32_t wrong_answers_to_second;
static uint32_t refusals;
static volatile bool second_ran;
static const char *now;
static uint32_t now_due;

static void second_thread(void)
{
    uint32_t began = TIMER0_VALUE;

    floats_fill(began);

    uint32_t version = psa_version(TEST_CONNECTED_SID);
    psa_handle_t handle = psa_connect(TEST_CONNECTED_SID, 3);

    if (version == PSA_VERSION_NONE && handle == PSA_ERROR_CONNECTION_BUSY) {
        refusals++;
    } else if (version == 3U && handle > 0) {
        psa_close(handle);
    } else {
        wrong_answers_to_second++;
    }
    while (began - TIMER0_VALUE < SECOND_TICKS) {
    }
    second_ran = true;
    ns_leave_second_thread();
}

static void start_second_thread(void)
{
    ns_run_second_thread(second_thread);
}

struct act {
    const char *name;
    bool (*prepare)(void);
    void (*call)(struct ns_registers *after);
    bool (*check)(const struct ns_registers *after);
};

static bool connect(void)
{
    connection = psa_connect(TEST_CONNECTED_SID, 3);
    return connection > 0;
}

static bool nothing(void)
{
    return true;
}

static void call_version(struct ns_registers *after)
{
    ns_call_with_junk(after, (void *)(uintptr_t)psa_version, TEST_STRICT_SID, 0, 0, 0);
}

static bool is_version(const struct ns_registers *after)
{
    return after->r0_to_r3[0] == 3U;
}

static void call_connect(struct ns_registers *after)
{
    ns_call_with_junk(after, (void *)(uintptr_t)psa_connect, TEST_CONNECTED_SID, 3, 0, 0);
}

static bool is_connected(const struct ns_registers *after)
{
    psa_handle_t handle = (psa_handle_t)after->r0_to_r3[0];
    psa_status_t status = psa_call(handle, SERVER_ECHO, NULL, 0, NULL, 0);

    psa_close(handle);
    return handle > 0 && status == PSA_SUCCESS;
}

/* Unaligned and of an odd length: the pieces that the service reads and writes lie anyhow. */
static void call_echo(struct ns_registers *after)
{
    static psa_invec in = { &in_bytes[1], BYTES };
    static psa_outvec out;

    for (uint32_t i = 0; i <= BYTES; i++) {
        in_bytes[i] = (uint8_t)(now_due + i * 7U);
        out_bytes[i] = 0;
    }
    out = (psa_outvec){ &out_bytes[1], BYTES };
    ns_call_with_junk(after, (void *)(uintptr_t)psa_call_packed, (uint32_t)connection, psa_control(SERVER_ECHO, 1, 1), (uint32_t)&in,
                      (uint32_t)&out);
    out_bytes[0] = (uint8_t)out.len;
}

static bool is_echo(const struct ns_registers *after)
{
    bool same = out_bytes[0] == BYTES;

    for (uint32_t i = 1; i <= BYTES; i++) {
        same = same && out_bytes[i] == in_bytes[i];
    }
    psa_close(connection);
    return same && after->r0_to_r3[0] == (uint32_t)PSA_SUCCESS;
}

static void call_close(struct ns_registers *after)
{
    ns_call_with_junk(after, (void *)(uintptr_t)psa_close, (uint32_t)connection, 0, 0, 0);
}

static bool is_closed(const struct ns_registers *after)
{
    (void)after;
    return psa_call(connection, SERVER_ECHO, NULL, 0, NULL, 0) == PSA_ERROR_PROGRAMMER_ERROR;
}

static void call_wait(struct ns_registers *after)
{
    static psa_invec in = { &wait_ticks, sizeof(wait_ticks) };
    static psa_outvec out;

    wait_answer = 0;
    out = (psa_outvec){ &wait_answer, sizeof(wait_answer) };
    ns_call_with_junk(after, (void *)(uintptr_t)psa_call_packed, (uint32_t)TEST_DRIVER_HANDLE, psa_control(DRIVER_WAIT_FOR, 1, 1),
                      (uint32_t)&in, (uint32_t)&out);
}

static bool has_waited(const struct ns_registers *after)
{
    return after->r0_to_r3[0] == (uint32_t)PSA_SUCCESS && wait_answer == wait_ticks;
}

static const struct act acts[] = {
    { "version", nothing, call_version, is_version },  { "connect", nothing, call_connect, is_connected },
    { "echo", connect, call_echo, is_echo },           { "close", connect, call_close, is_closed },
    { "wait for a secure interrupt", nothing, call_wait, has_waited },
};
#define ACTS     (sizeof(acts) / sizeof(acts[0]))
#define THE_WAIT (&acts[ACTS - 1U])

static void say(const char *what, const struct act *act, uint32_t priority)
{
    ns_print(what);
    ns_print(act->name);
    ns_print_hex(", priority ", priority);
    ns_print_unsigned(", due at tick ", now_due);
    ns_print("\n");
}

/* Nothing has moved for a second of the board's time. */
void ns_systick_handler(void)
{
    ns_print("switches: a call never came back: ");
    ns_print(now);
    ns_print_unsigned(", due at tick ", now_due);
    ns_print("\n");
    ns_stop(2);
}

static bool shoot(const struct act *act, uint32_t priority, uint32_t due, uint32_t *took)
{
    struct ns_registers after;

    now_due = due;
    if (!act->prepare()) {
        say("switches: cannot prepare ", act, priority);
        return false;
    }
    second_ran = false;
    SYST_CVR = 0;
    ns_fire_timer1(due);

    uint32_t start = TIMER0_VALUE;

    act->call(&after);
    *took = start - TIMER0_VALUE;
    while (!second_ran) {
    }
    if (!act->check(&after) || !ns_is_scrubbed(&after)) {
        say("switches: a wrong answer or register: ", act, priority);
        return false;
    }
    return true;
}

static bool sweep(const struct act *act, uint32_t priority, uint32_t *shots)
{
    uint32_t took = 2U * STEP_TICKS;

    now = act->name;
    NVIC_IPR_T1 = (uint8_t)priority;
    for (uint32_t due = STEP_TICKS; due < took; due += STEP_TICKS, ++*shots) {
        if (!shoot(act, priority, due, &took)) {
            return false;
        }
        if (took > SECOND_TICKS && due < took - SECOND_TICKS) {
            took -= SECOND_TICKS; /* the second thread's time is not the call's */
        }
    }
    return true;
}

/* From an interrupt before the second thread begins to one after its refused calls. */
static bool sweep_the_secure_interrupt(uint32_t priority, uint32_t *shots)
{
    uint32_t took;

    now = THE_WAIT->name;
    NVIC_IPR_T1 = (uint8_t)priority;
    for (wait_ticks = STEP_TICKS; wait_ticks < SECOND_DUE + SECOND_TICKS; wait_ticks += STEP_TICKS, ++*shots) {
        if (!shoot(THE_WAIT, priority, SECOND_DUE, &took)) {
            ns_print_unsigned("switches: the secure interrupt came after ticks ", wait_ticks);
            ns_print("\n");
            return false;
        }
    }
    wait_ticks = WAIT_TICKS;
    return true;
}

uint32_t ns_main(void)
{
    static const uint8_t priorities[] = { 0x00, 0xC0 };
    uint32_t shots = 0;

    if (nsc_panic_word(0) != 0U) {
        ns_print("switches: the secure side panicked\n");
        return 3;
    }
    timer0_start();
    NVIC_ISER0 = 1U << 4;
    SYST_RVR = 0x00FFFFFFU;
    SYST_CVR = 0;
    SYST_CSR = 7;
    ns_threads_only = true;
    ns_on_timer1 = start_second_thread;
    ns_on_svc = ns_end_second_thread;
    floats_enable();
    FPCCR = FPCCR_ASPEN; /* not lazily: the second thread leaves its last frame where it lies */
    for (uint32_t p = 0; p < sizeof(priorities); p++) {
        for (uint32_t i = 0; i < ACTS; i++) {
            if (!sweep(&acts[i], priorities[p], &shots)) {
                return 1;
            }
        }
        if (!sweep_the_secure_interrupt(priorities[p], &shots)) {
            return 1;
        }
    }
    if (wrong_answers_to_second != 0U || refusals == 0U) {
        ns_print_unsigned("switches: wrong answers to the second thread: ", wrong_answers_to_second);
        ns_print("\n");
        return 1;
    }
    ns_print_unsigned("switches " BENCH_FIRMWARE ": shots ", shots);
    ns_print_unsigned(", of these in a call ", refusals);
    ns_print("\n");
    return 0;
}
