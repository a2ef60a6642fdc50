/* SPDX-License-Identifier: BSD-3-Clause */
/* ns_interface/rtos.c between a scheduler and a secure side that write down what happens to them, a letter for each step. */
#include <string.h>

#include "harness.h"
#include "ns_core.h"
#include "ns_interface.h"

#define HANDLE  ((psa_handle_t)7)
#define SERVED  41U
#define REFUSED ((nsc_answer)1 << 32 | (uint32_t)PSA_ERROR_CONNECTION_BUSY)
#define CLIENT  (-5)

static char steps[64];
static bool masked_by_caller;
static bool masked_at_the_door;
static bool unprivileged;
static uint32_t refusals;     /* how often the secure side still refuses at the door */
static uint32_t busy_selects; /* how often it still refuses to select */
static psa_status_t select_status;
static jmp_buf stopped;

static void step(char what)
{
    size_t used = strlen(steps);

    CHECK(used + 1U < sizeof(steps));
    steps[used] = what;
}

bool ns_core_interrupts_are_masked(void)
{
    return masked_by_caller;
}

bool ns_core_is_unprivileged(void)
{
    return unprivileged;
}

void ns_core_mask(void)
{
    CHECK(!masked_at_the_door);
    masked_at_the_door = true;
}

void ns_core_unmask(void)
{
    CHECK(!masked_by_caller);
    masked_at_the_door = false;
}

_Noreturn void ns_core_stop(void)
{
    step('!');
    longjmp(stopped, 1);
}

static void lock(void)
{
    step('L');
}

static void unlock(void)
{
    CHECK(!masked_at_the_door);
    step('U');
}

static void pause_for_a_tick(void)
{
    CHECK(!masked_at_the_door);
    step('p');
}

static int32_t client_id(void)
{
    return CLIENT;
}

psa_status_t nsc_client_select(int32_t id)
{
    CHECK_EQUAL(id, CLIENT);
    step('s');
    if (busy_selects != 0U) {
        busy_selects--;
        return PSA_ERROR_CONNECTION_BUSY;
    }
    return select_status;
}

static nsc_answer door(char what)
{
    step(what);
    if (refusals != 0U) {
        refusals--;
        return REFUSED;
    }
    return SERVED;
}

nsc_answer nsc_psa_version(uint32_t sid)
{
    (void)sid;
    return door('v');
}

nsc_answer nsc_psa_connect(uint32_t sid, uint32_t version)
{
    (void)sid;
    (void)version;
    return door('o');
}

nsc_answer nsc_psa_call(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec)
{
    (void)handle;
    (void)control;
    (void)in_vec;
    (void)out_vec;
    return door('c');
}

nsc_answer nsc_psa_close_or_refuse(psa_handle_t handle)
{
    CHECK_EQUAL(handle, HANDLE);
    return door('x');
}

#if SPM_SCHEDULE_AT_ONCE
/* By the veneer that unmasks, only with the mask set; a call that was made comes back with it clear. */
static nsc_answer door_that_unmasks(char what)
{
    nsc_answer answer = door(what);

    CHECK(masked_at_the_door);
    masked_at_the_door = answer == REFUSED;
    return answer;
}

nsc_answer nsc_psa_version_unmask(uint32_t sid)
{
    (void)sid;
    return door_that_unmasks('V');
}

nsc_answer nsc_psa_connect_unmask(uint32_t sid, uint32_t version)
{
    (void)sid;
    (void)version;
    return door_that_unmasks('O');
}

nsc_answer nsc_psa_call_unmask(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec)
{
    (void)handle;
    (void)control;
    (void)in_vec;
    (void)out_vec;
    return door_that_unmasks('C');
}

nsc_answer nsc_psa_close_unmask(psa_handle_t handle)
{
    CHECK_EQUAL(handle, HANDLE);
    return door_that_unmasks('X');
}
#endif

static struct ns_interface_hooks hooks;

void harness_before_each(void)
{
    memset(steps, 0, sizeof(steps));
    masked_by_caller = masked_at_the_door = unprivileged = false;
    refusals = busy_selects = 0;
    select_status = PSA_SUCCESS;
    hooks = (struct ns_interface_hooks){ lock, unlock, client_id, SPM_SCHEDULE_AT_ONCE ? pause_for_a_tick : NULL };
    ns_interface_init(&hooks);
}

static void expect_steps(const char *at_once, const char *otherwise)
{
    assert_string_equal(steps, SPM_SCHEDULE_AT_ONCE ? at_once : otherwise);
    CHECK(!masked_at_the_door);
}

static psa_status_t call(void)
{
    return psa_call_packed(HANDLE, 0, NULL, NULL);
}

static void expect_a_fault(const char *at_once, const char *otherwise)
{
    if (setjmp(stopped) == 0) {
        psa_close(HANDLE);
        fail_msg("psa_close() came back");
    }
    expect_steps(at_once, otherwise);
}

TEST(every_call_is_made_in_the_lock_as_the_thread_s_client)
{
    CHECK_EQUAL(call(), SERVED);
    CHECK_EQUAL(psa_version(1), SERVED);
    CHECK_EQUAL(psa_connect(1, 1), SERVED);
    psa_close(HANDLE);
    expect_steps("LsCULsVULsOULsXU", "LscULsvULsoULsxU");
}

TEST(without_client_id_nobody_selects)
{
    hooks.client_id = NULL;
    CHECK_EQUAL(call(), SERVED);
    expect_steps("LCU", "LcU");
}

TEST(an_id_that_is_refused_ends_the_call_before_the_door)
{
    select_status = PSA_ERROR_INVALID_ARGUMENT;
    CHECK_EQUAL(call(), PSA_ERROR_INVALID_ARGUMENT);
    CHECK_EQUAL(psa_version(1), PSA_VERSION_NONE);
    CHECK_EQUAL(psa_connect(1, 1), PSA_ERROR_INVALID_ARGUMENT);
    psa_close(HANDLE);
    expect_steps("LsULsULsULsU", "LsULsULsULsU");
}

TEST(a_thread_that_may_not_select_makes_no_call)
{
    unprivileged = true;
    select_status = PSA_ERROR_NOT_PERMITTED;
    CHECK_EQUAL(call(), PSA_ERROR_NOT_PERMITTED);
    CHECK_EQUAL(psa_version(1), PSA_VERSION_NONE);
    expect_steps("LULU", "LsULsU");
}

TEST(a_critical_section_waits_for_no_lock)
{
    masked_by_caller = true;
    CHECK_EQUAL(call(), SERVED);
    psa_close(HANDLE);
    expect_steps("scsx", "scsx");
}

#if SPM_SCHEDULE_AT_ONCE
TEST(at_a_door_that_refuses_a_thread_gives_the_lock_back_and_tries_again)
{
    refusals = 2;
    CHECK_EQUAL(call(), SERVED);
    busy_selects = 1;
    psa_close(HANDLE);
    expect_steps("LsCUpLsCUpLsCULsUpLsXU", "");
}
#else
/* There the id is asked for with the other threads shut out. */
static void make_a_call_in_a_critical_section(void)
{
    masked_by_caller = true;
    CHECK_EQUAL(call(), PSA_ERROR_CONNECTION_BUSY);
    CHECK_EQUAL(psa_version(1), PSA_VERSION_NONE);
    CHECK_EQUAL(psa_connect(1, 1), PSA_ERROR_CONNECTION_BUSY);
    masked_by_caller = false;
}

static void lock_and_be_interrupted(void)
{
    lock();
}

static int32_t client_id_of_an_interrupted_thread(void)
{
    hooks.client_id = client_id;
    make_a_call_in_a_critical_section();
    return CLIENT;
}

TEST(a_critical_section_during_another_thread_s_call_is_turned_away)
{
    hooks.lock = lock_and_be_interrupted;
    hooks.client_id = client_id_of_an_interrupted_thread;
    CHECK_EQUAL(call(), SERVED);
    expect_steps("", "LscU");
}
#endif

TEST(a_critical_section_at_a_door_that_refuses_is_told_so)
{
    masked_by_caller = true;
    refusals = 3;
    CHECK_EQUAL(call(), PSA_ERROR_CONNECTION_BUSY);
    CHECK_EQUAL((psa_status_t)psa_connect(1, 1), PSA_ERROR_CONNECTION_BUSY);
    (void)psa_version(1);
    expect_steps("scsosv", "scsosv");
}

TEST(no_connection_is_lost_in_silence_at_a_door_that_refuses)
{
    masked_by_caller = true;
    refusals = 1;
    expect_a_fault("sx!", "sx!");
}

TEST(no_connection_is_lost_in_silence_when_the_id_is_gone)
{
    masked_by_caller = true;
    busy_selects = 1;
    expect_a_fault("s!", "s!");
}
