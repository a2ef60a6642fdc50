/* SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include "floating.h"
#include "ns.h"
#include "ns_interface.h"
#include "ns_threads.h"
#include "psa/service.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define FIRST_CLIENT_ID (-10)
#define LAST_CLIENT_ID  (-11)
#define BYTES           45U
#define STEP_TICKS      20U    /* less than an instruction */
#define SWEEP_TICKS     60000U /* longer than a call */
#define BASEPRI_STEP    0x20U

enum { NONE, WRONG_STATUS, WRONG_DATA, WRONG_LENGTH, WRONG_REGISTERS, WRONG_FLOATS, WRONG_CLIENT, LOST, OPENED };
static const char *const what_went_wrong[] = { "nothing", "status", "data", "length", "registers", "floating-point registers", "client id",
                                               "a call that was made did not reach its service", "a critical section was opened" };

struct caller {
    uint8_t in[BYTES];
    uint8_t out[BYTES];
    uint32_t due_ticks;
    uint32_t calls;
    uint32_t waited;
    uint32_t critical;
    uint32_t turned_away;
    uint32_t wrong;
    uint32_t first_wrong_call;
    psa_handle_t connection;
    bool done;
};

/* Memory that no start clears: whoever loads the program may write a number of calls here. */
static __attribute__((section(".retained"), used)) volatile uint32_t wanted_calls;

static struct caller callers[WORK_CALLERS];
static const struct work_scheduler *scheduler;
static volatile uint32_t computed;
static volatile uint32_t compute_wrong;

static uint32_t calls_of_each(void)
{
    return (wanted_calls != 0U ? wanted_calls : WORK_CALLS) / WORK_CALLERS;
}

bool work_prepare(const struct work_scheduler *given)
{
    scheduler = given;
    return nsc_client_register(LAST_CLIENT_ID, FIRST_CLIENT_ID) == PSA_SUCCESS;
}

int32_t work_client_id(uint32_t caller)
{
    return FIRST_CLIENT_ID - (int32_t)caller;
}

/* One call with junk in all registers: the result, and what it left behind of them. */
static uint32_t call_with_junk(psa_handle_t handle, int32_t type, const psa_invec *in, psa_outvec *out, psa_status_t wanted)
{
    struct ns_registers after;

    ns_call_with_junk(&after, (void *)(uintptr_t)psa_call_packed, (uint32_t)handle, psa_control(type, 1, 1), (uint32_t)in, (uint32_t)out);
    for (uint32_t i = 0; i < 8U; i++) {
        if (after.r4_to_r11[i] != 0xA5A5A5A5U) {
            return WRONG_REGISTERS;
        }
    }
    return (psa_status_t)after.r0_to_r3[0] == wanted ? NONE : WRONG_STATUS;
}

static uint32_t echo(struct caller *caller, psa_handle_t handle)
{
    uint32_t bytes = caller->calls % BYTES;
    psa_invec in = { caller->in, bytes };
    psa_outvec out = { caller->out, BYTES };
    uint32_t wrong;

    for (uint32_t i = 0; i < BYTES; i++) {
        caller->in[i] = (uint8_t)(caller->calls * 31U + i * 7U);
        caller->out[i] = 0x5A;
    }
    wrong = call_with_junk(handle, SERVER_ECHO, &in, &out, PSA_SUCCESS);
    if (wrong != NONE) {
        return wrong;
    }
    if (out.len != bytes) {
        return WRONG_LENGTH;
    }
    for (uint32_t i = 0; i < BYTES; i++) {
        if (caller->out[i] != (i < bytes ? caller->in[i] : 0x5AU)) {
            return WRONG_DATA;
        }
    }
    return NONE;
}

/* The service waits for a timer of its own; where it comes, nobody knows whose turn it is. */
static uint32_t wait_for_interrupt(struct caller *caller)
{
    uint32_t ticks = 200U + caller->calls * 37U % 20000U;
    uint32_t answer = 0;
    psa_invec in = { &ticks, sizeof(ticks) };
    psa_outvec out = { &answer, sizeof(answer) };
    uint32_t wrong = call_with_junk(TEST_DRIVER_HANDLE, DRIVER_WAIT_FOR, &in, &out, PSA_SUCCESS);

    caller->waited++;
    return wrong != NONE ? wrong : answer == ticks ? NONE : WRONG_DATA;
}

/* The service counts on the connection how often it was asked: a call that is lost or served twice shows. */
static uint32_t count_on_connection(struct caller *caller, uint32_t *counted)
{
    uint32_t nothing = 0;
    uint32_t answer = 0xFFFFFFFFU;
    psa_invec in = { &nothing, sizeof(nothing) };
    psa_outvec out = { &answer, sizeof(answer) };
    uint32_t wrong = call_with_junk(caller->connection, SERVER_RHANDLE, &in, &out, PSA_SUCCESS);

    return wrong != NONE ? wrong : answer == (*counted)++ ? NONE : LOST;
}

static uint32_t who_am_i(uint32_t index)
{
    psa_msg_t message = { .client_id = 0 };
    uint32_t nothing = 0;
    psa_invec in = { &nothing, sizeof(nothing) };
    psa_outvec out = { &message, sizeof(message) };
    uint32_t wrong = call_with_junk(TEST_STATELESS_HANDLE, SERVER_DESCRIBE, &in, &out, PSA_SUCCESS);

    return wrong != NONE ? wrong : message.client_id == work_client_id(index) ? NONE : WRONG_CLIENT;
}

/* As a scheduler's critical section masks: by PRIMASK or by BASEPRI, which its tick is below. */
static void mask(uint32_t primask, uint32_t basepri)
{
    __asm__ volatile("msr primask, %0\n\tmsr basepri, %1\n\tisb" : : "r"(primask), "r"(basepri) : "memory");
}

static bool is_masked(uint32_t primask, uint32_t basepri)
{
    uint32_t now[2];

    __asm__ volatile("mrs %0, primask\n\tmrs %1, basepri" : "=r"(now[0]), "=r"(now[1]));
    return now[0] == primask && now[1] == basepri;
}

/* Nobody else runs before its end. While another thread is in a call it is turned away, and tries again later. */
static uint32_t in_a_critical_section(struct caller *caller)
{
    uint32_t primask = caller->calls % 2U;
    uint32_t basepri = primask != 0U ? 0U : BASEPRI_STEP << caller->calls % 3U;
    uint32_t ticks = 200U + caller->calls * 37U % 20000U;
    uint32_t answer = 0;
    psa_invec in = { &ticks, sizeof(ticks) };
    psa_outvec out = { &answer, sizeof(answer) };
    bool waits = caller->critical % 2U != 0U;
    psa_status_t status;
    bool opened;

    do {
        mask(primask, basepri);

        uint32_t others = computed + work_calls();

        status = psa_call(waits ? TEST_DRIVER_HANDLE : TEST_STATELESS_HANDLE, waits ? (int32_t)DRIVER_WAIT_FOR : (int32_t)SERVER_ECHO,
                          &in, 1, &out, 1);
        opened = computed + work_calls() != others || !is_masked(primask, basepri);
        mask(0, 0);
        caller->turned_away += status == PSA_ERROR_CONNECTION_BUSY ? 1U : 0U;
    } while (status == PSA_ERROR_CONNECTION_BUSY && !opened);
    caller->critical++;
    return opened ? OPENED : status != PSA_SUCCESS ? WRONG_STATUS : answer == ticks ? NONE : WRONG_DATA;
}

static uint32_t one_call(struct caller *caller, uint32_t index, uint32_t *counted)
{
    switch (caller->calls % 5U) {
    case 0:
        return wait_for_interrupt(caller);
    case 1:
        return count_on_connection(caller, counted);
    case 2:
        return echo(caller, caller->connection);
    case 3:
        return caller->calls % 10U == 3U ? in_a_critical_section(caller) : who_am_i(index);
    default:
        return echo(caller, TEST_STATELESS_HANDLE);
    }
}

static void remember(struct caller *caller, uint32_t wrong)
{
    if (wrong != NONE && caller->wrong == NONE) {
        caller->wrong = wrong;
        caller->first_wrong_call = caller->calls;
    }
    caller->calls++;
}

static void next_tick(struct caller *caller)
{
    if (scheduler->tick_in == NULL) {
        return;
    }
    caller->due_ticks = caller->due_ticks >= SWEEP_TICKS ? STEP_TICKS : caller->due_ticks + STEP_TICKS;
    scheduler->tick_in(caller->due_ticks);
}

_Noreturn void work_call(uint32_t index)
{
    struct caller *caller = &callers[index];
    uint32_t pattern = 0x3F000000U + (index << 16);
    uint32_t counted = 0;

    caller->due_ticks = index * SWEEP_TICKS / WORK_CALLERS;
    caller->connection = psa_connect(TEST_CONNECTED_SID, 3);
    while (caller->calls < calls_of_each() && caller->wrong == NONE) {
        floats_fill(pattern + caller->calls);
        next_tick(caller);

        uint32_t wrong = one_call(caller, index, &counted);

        /* A call may change s0 to s15, as any function may. */
        if (wrong == NONE && !floats_preserved_are(pattern + caller->calls)) {
            wrong = WRONG_FLOATS;
        }
        remember(caller, wrong);
        if (caller->calls % 1000U == 0U) {
            psa_close(caller->connection);
            caller->connection = psa_connect(TEST_CONNECTED_SID, 3);
            counted = 0;
        }
    }
    psa_close(caller->connection);
    caller->done = true;
    scheduler->finish();
    for (;;) {
    }
}

_Noreturn void work_compute(void)
{
    for (uint32_t round = 0;; round++) {
        if (!registers_stay(round)) {
            compute_wrong = WRONG_REGISTERS;
        }
        if (!floats_stay(round)) {
            compute_wrong = WRONG_FLOATS;
        }
        computed++;
    }
}

bool work_is_done(void)
{
    for (uint32_t i = 0; i < WORK_CALLERS; i++) {
        if (!callers[i].done) {
            return false;
        }
    }
    return true;
}

uint32_t work_calls(void)
{
    return callers[0].calls + callers[1].calls;
}

bool work_report(void)
{
    bool pass = compute_wrong == NONE && computed > 100U;

    ns_print_unsigned("calls ", work_calls());
    ns_print_unsigned(", waited for a secure interrupt ", callers[0].waited + callers[1].waited);
    ns_print_unsigned(", in critical sections ", callers[0].critical + callers[1].critical);
    ns_print_unsigned(", turned away there ", callers[0].turned_away + callers[1].turned_away);
    ns_print_unsigned(", floating point ", floats_exist() ? 1U : 0U);
    ns_print_unsigned(", rounds of the third thread ", computed);
    for (uint32_t i = 0; i < WORK_CALLERS; i++) {
        if (callers[i].wrong != NONE) {
            ns_print_unsigned("\nwrong in call ", callers[i].first_wrong_call);
            ns_print_unsigned(" of caller ", i);
            ns_print(": ");
            ns_print(what_went_wrong[callers[i].wrong]);
            pass = false;
        }
    }
    if (compute_wrong != NONE) {
        ns_print("\nwrong in the thread that only computes: ");
        ns_print(what_went_wrong[compute_wrong]);
    }
    return pass;
}
