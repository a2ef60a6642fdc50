/* SPDX-License-Identifier: BSD-3-Clause */
/* The core and the IPC backend, moved by hand, under ASan and UBSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spm_panic.h"
#include "system.h"

static psa_handle_t the_handle;

void harness_before_each(void)
{
    system_start();
}

TEST(a_closed_handle_is_never_valid_again)
{
    psa_handle_t handle = connected(&spm_ns_agent);

    for (unsigned i = 0; i < 100; i++) {
        psa_handle_t old = handle;

        spm_close((spm_word)handle);
        spm_reply((spm_word)take(SERVER_SIGNAL_CONNECTED).handle, 0);
        woken(&spm_ns_agent);
        handle = connected(&spm_ns_agent);
        CHECK(handle > 0 && handle != old);
        CHECK((psa_status_t)spm_call((spm_word)old, 0, 0, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    }
}

static void call_the_handle(void)
{
    spm_call((spm_word)the_handle, 0, 0, 0);
}

TEST(a_handle_belongs_to_its_client)
{
    the_handle = connected(&spm_ns_agent);
    run_as(&client);
    CHECK(panic_of(call_the_handle) == SPM_CAUSE_HANDLE);
}

static bool agent_may_call(psa_handle_t handle, int32_t id)
{
    run_as(&spm_ns_agent);
    CHECK(spm_ns_client_select(id) == PSA_SUCCESS);
    return (psa_status_t)spm_call((spm_word)handle, 7, 0, 0) != PSA_ERROR_PROGRAMMER_ERROR;
}

/* The id that opened it stays its owner, whoever of the non-secure side comes in between. */
TEST(a_handle_belongs_to_the_client_id_that_opened_it)
{
    static const int32_t others[] = { -1, -3, -4, -5 };
    psa_handle_t handle;

    CHECK(spm_ns_client_register(-5, -1) == PSA_SUCCESS);
    CHECK(spm_ns_client_select(-2) == PSA_SUCCESS);
    handle = connected(&spm_ns_agent);
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        CHECK(!agent_may_call(handle, others[i]));
        spm_close((spm_word)handle);
        CHECK(atomic_load(&server.asserted) == 0U);
    }
    CHECK(agent_may_call(handle, -2));
    CHECK(take(SERVER_SIGNAL_CONNECTED).client_id == -2);
    CHECK(spm_ns_client_select(-1) == PSA_SUCCESS);
}

TEST(a_range_of_client_ids_is_negative_and_begins_at_its_first)
{
    static const int32_t wrong[][2] = { { -2, -5 }, { -1, -2 }, { -1, INT32_MIN }, { -1, 0 }, { 0, 0 }, { 1, 2 }, { -5, INT32_MAX } };

    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK(spm_ns_client_register(wrong[i][0], wrong[i][1]) == PSA_ERROR_INVALID_ARGUMENT);
    }
    CHECK(spm_ns_client_select(-6) == PSA_ERROR_INVALID_ARGUMENT && spm_ns_agent.id == -1);
    CHECK(spm_ns_client_register(-6, -6) == PSA_SUCCESS && spm_ns_client_select(-6) == PSA_SUCCESS);
    spm_ns_agent.id = -1;
}

/* Twice the size, so that the memory is granted wherever in it the array begins. */
TEST(an_array_of_vectors_is_aligned)
{
    psa_invec in[2] = { { NULL, 0 }, { NULL, 0 } };
    psa_outvec out[2] = { { NULL, 0 }, { NULL, 0 } };

    grant(&spm_ns_agent, in, sizeof(in), true);
    grant(&spm_ns_agent, out, sizeof(out), true);
    run_as(&spm_ns_agent);
    for (unsigned byte = 1; byte < sizeof(psa_outvec); byte++) {
        bool is_aligned = byte % _Alignof(psa_outvec) == 0U;
        spm_word in_at = (spm_word)in + byte, out_at = (spm_word)out + byte;

        if (is_aligned) {
            continue;
        }
        CHECK((psa_status_t)spm_call((spm_word)STATELESS_HANDLE, 1U << PSA_CONTROL_IN_SHIFT, in_at, 0) == PSA_ERROR_PROGRAMMER_ERROR);
        CHECK((psa_status_t)spm_call((spm_word)STATELESS_HANDLE, 1U << PSA_CONTROL_OUT_SHIFT, 0, out_at) == PSA_ERROR_PROGRAMMER_ERROR);
        CHECK((psa_status_t)spm_call((spm_word)STATELESS_HANDLE, 1U << PSA_CONTROL_IN_SHIFT | 1U << PSA_CONTROL_OUT_SHIFT, (spm_word)in,
                                     out_at) == PSA_ERROR_PROGRAMMER_ERROR);
        CHECK(atomic_load(&server.asserted) == 0U);
    }
}

static psa_handle_t a_call_taken_by_the_server(void)
{
    run_as(&spm_ns_agent);
    spm_call((spm_word)the_handle, 7, 0, 0);
    return take(SERVER_SIGNAL_CONNECTED).handle;
}

/* The door lets one call in at a time; this holds whatever a backend or a door does. */
TEST(a_connection_in_a_call_takes_no_second_one_and_is_not_closed)
{
    psa_handle_t message;

    the_handle = connected(&spm_ns_agent);
    message = a_call_taken_by_the_server();
    run_as(&spm_ns_agent);
    CHECK((psa_status_t)spm_call((spm_word)the_handle, 8, 0, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    spm_close((spm_word)the_handle);
    CHECK(atomic_load(&server.asserted) == 0U);
    run_as(&server);
    spm_reply((spm_word)message, 5);
    CHECK(woken(&spm_ns_agent) == 5U);
}

TEST(a_handle_with_any_other_bit_is_no_handle)
{
    /* Some generations old, so that a handle may be too small as well as too large. */
    for (unsigned i = 0; i < 20; i++) {
        the_handle = connected(&spm_ns_agent);
        spm_close((spm_word)the_handle);
        spm_reply((spm_word)take(SERVER_SIGNAL_CONNECTED).handle, 0);
        woken(&spm_ns_agent);
    }
    the_handle = connected(&spm_ns_agent);
    run_as(&spm_ns_agent);
    for (unsigned bit = 0; bit < 32; bit++) {
        CHECK((psa_status_t)spm_call((spm_word)((uint32_t)the_handle ^ 1U << bit), 0, 0, 0) == PSA_ERROR_PROGRAMMER_ERROR);
    }
}

TEST(a_call_without_vectors_has_none_of_the_call_before)
{
    psa_invec in = { "hello", 5 };
    psa_msg_t taken;

    the_handle = connected(&spm_ns_agent);
    grant(&spm_ns_agent, &in, sizeof(in), true);
    grant(&spm_ns_agent, in.base, 5, false);
    run_as(&spm_ns_agent);
    spm_call((spm_word)the_handle, 1U << PSA_CONTROL_IN_SHIFT, (spm_word)&in, 0);
    taken = take(SERVER_SIGNAL_CONNECTED);
    CHECK(taken.in_size[0] == 5U);
    spm_reply((spm_word)taken.handle, 0);
    woken(&spm_ns_agent);
    run_as(&spm_ns_agent);
    spm_call((spm_word)the_handle, 0, 0, 0);
    taken = take(SERVER_SIGNAL_CONNECTED);
    CHECK(taken.in_size[0] == 0U && taken.out_size[0] == 0U);
    spm_reply((spm_word)taken.handle, 0);
    woken(&spm_ns_agent);
    run_as(&spm_ns_agent);
    spm_close((spm_word)the_handle);
    CHECK(take(SERVER_SIGNAL_CONNECTED).in_size[0] == 0U);
}

static void clear_no_bell(void)
{
    run_as(&server);
    spm_clear();
}

static psa_handle_t message;
static spm_word vector_index;

static void read_from_the_vector(void)
{
    spm_read((spm_word)message, vector_index, 0, 0);
}

static void skip_in_the_vector(void)
{
    spm_skip((spm_word)message, vector_index, 1);
}

TEST(a_vector_has_an_index_below_four)
{
    static const spm_word wrong[] = { 4, 5, 7, 8, 255, UINTPTR_MAX };

    the_handle = connected(&spm_ns_agent);
    message = a_call_taken_by_the_server();
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        vector_index = wrong[i];
        CHECK(panic_of(read_from_the_vector) == SPM_CAUSE_VECTOR);
        CHECK(panic_of(skip_in_the_vector) == SPM_CAUSE_VECTOR);
    }
    for (vector_index = 0; vector_index < 4U; vector_index++) {
        CHECK(spm_read((spm_word)message, vector_index, 0, 0) == 0U && spm_skip((spm_word)message, vector_index, 1) == 0U);
    }
}

TEST(a_message_with_any_other_bit_is_no_message)
{
    psa_handle_t good;

    the_handle = connected(&spm_ns_agent);
    for (unsigned i = 0; i < 20; i++) {
        good = a_call_taken_by_the_server();
        spm_reply((spm_word)good, 0);
        woken(&spm_ns_agent);
    }
    good = a_call_taken_by_the_server();
    vector_index = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        message = (psa_handle_t)((uint32_t)good ^ 1U << bit);
        CHECK(panic_of(read_from_the_vector) == SPM_CAUSE_MESSAGE);
    }
}

TEST(messages_are_served_in_the_order_they_came)
{
    psa_handle_t one = connected(&spm_ns_agent);
    psa_handle_t two = connected(&client);

    run_as(&spm_ns_agent);
    spm_call((spm_word)one, 11, 0, 0);
    run_as(&client);
    spm_call((spm_word)two, 22, 0, 0);
    CHECK((server.asserted & SERVER_SIGNAL_CONNECTED) != 0U);

    psa_msg_t first = take(SERVER_SIGNAL_CONNECTED);

    CHECK(first.type == 11 && (server.asserted & SERVER_SIGNAL_CONNECTED) != 0U);

    psa_msg_t second = take(SERVER_SIGNAL_CONNECTED);

    CHECK(second.type == 22 && (server.asserted & SERVER_SIGNAL_CONNECTED) == 0U);
    spm_reply((spm_word)second.handle, 2);
    spm_reply((spm_word)first.handle, 1);
    CHECK(woken(&client) == 2U && woken(&spm_ns_agent) == 1U);
}

static void call_as_agent(spm_word handle, int32_t type)
{
    run_as(&spm_ns_agent);
    spm_call(handle, (spm_word)type, 0, 0);
}

TEST(a_message_behind_two_others_is_not_lost)
{
    spm_word handles[3];

    for (unsigned i = 0; i < 3; i++) {
        handles[i] = (spm_word)connected(&spm_ns_agent);
    }
    for (unsigned i = 0; i < 3; i++) {
        call_as_agent(handles[i], (int32_t)i + 1);
    }
    for (int32_t i = 0; i < 3; i++) {
        CHECK((server.asserted & SERVER_SIGNAL_CONNECTED) != 0U && take(SERVER_SIGNAL_CONNECTED).type == i + 1);
    }
    CHECK((server.asserted & SERVER_SIGNAL_CONNECTED) == 0U);
}

TEST(a_signal_stays_while_a_message_of_it_stands_behind_another)
{
    spm_word one = (spm_word)connected(&spm_ns_agent);
    spm_word two = (spm_word)connected(&spm_ns_agent);

    call_as_agent(one, 1);
    call_as_agent((spm_word)STATELESS_HANDLE, 2);
    call_as_agent(two, 3);
    CHECK(take(SERVER_SIGNAL_CONNECTED).type == 1 && (server.asserted & SERVER_SIGNAL_CONNECTED) != 0U);
    CHECK(take(SERVER_SIGNAL_STATELESS).type == 2 && (server.asserted & SERVER_SIGNAL_STATELESS) == 0U);
    CHECK(take(SERVER_SIGNAL_CONNECTED).type == 3);
}

TEST(a_vector_of_the_call_before_is_none_of_this_one)
{
    uint8_t data[3] = { 0 };
    psa_invec in[3] = { { &data[0], 1 }, { &data[1], 1 }, { &data[2], 1 } };
    psa_handle_t taken;

    grant(&spm_ns_agent, in, sizeof(in), true);
    grant(&spm_ns_agent, data, sizeof(data), true);
    spm_call((spm_word)STATELESS_HANDLE, 3U << PSA_CONTROL_IN_SHIFT, (spm_word)in, 0);
    spm_reply((spm_word)take(SERVER_SIGNAL_STATELESS).handle, 0);
    woken(&spm_ns_agent);
    run_as(&spm_ns_agent);
    spm_call((spm_word)STATELESS_HANDLE, 1U << PSA_CONTROL_IN_SHIFT, (spm_word)in, 0);
    taken = take(SERVER_SIGNAL_STATELESS).handle;
    for (spm_word index = 1; index < 4U; index++) {
        CHECK(spm_skip((spm_word)taken, index, 1) == 0U);
    }
    CHECK(spm_skip((spm_word)taken, 0, 1) == 1U);
}

TEST(a_function_without_a_result_leaves_nothing_in_its_register)
{
    uint8_t byte = 1;
    psa_outvec out = { &byte, 1 };
    spm_word message;

    the_handle = connected(&spm_ns_agent);
    grant(&spm_ns_agent, &out, sizeof(out), true);
    grant(&spm_ns_agent, &byte, 1, true);
    grant(&server, &byte, 1, true);
    run_as(&spm_ns_agent);
    spm_call((spm_word)the_handle, 1U << PSA_CONTROL_OUT_SHIFT, 0, (spm_word)&out);
    message = (spm_word)take(SERVER_SIGNAL_CONNECTED).handle;
    CHECK(spm_write(message, 0, (spm_word)&byte, 0) == 0U && spm_write(message, 0, (spm_word)&byte, 1) == 0U);
    CHECK(spm_set_rhandle(message, 7) == 0U && spm_reply(message, 0) == 0U);
    CHECK(spm_notify(256) == 0U && spm_clear() == 0U);
}

/* Both begin with generation 1. */
TEST(a_message_and_its_connection_have_different_handles)
{
    psa_msg_t message;

    run_as(&spm_ns_agent);
    spm_connect(SID_CONNECTED, 3);
    message = take(SERVER_SIGNAL_CONNECTED);
    spm_reply((spm_word)message.handle, PSA_SUCCESS);
    CHECK((psa_handle_t)woken(&spm_ns_agent) != message.handle);
}

/* The gate looks on its way out; an exception of its own would only be written down again. */
TEST(in_a_call_a_switch_is_written_down_and_not_requested)
{
    run_as(&server);
    spm_wait(PSA_WAIT_ANY, PSA_BLOCK);
    spm_kernel.switch_wanted = 0;
    spm_host_switch_requests = 0;
    spm_backend_wake(&client, 5);
    CHECK(spm_kernel.switch_wanted == 1U && spm_host_switch_requests == 0U);
}

TEST(a_panic_is_told_once)
{
    CHECK(spm_panic_take().cause == SPM_CAUSE_NONE);
    CHECK(panic_of(clear_no_bell) == SPM_CAUSE_DOORBELL);
    CHECK(spm_panic_take().cause == SPM_CAUSE_NONE);
}

/* As spm_panic_take() would find it after a loss of power: one bit in the other state. */
TEST(a_record_of_a_panic_with_a_damaged_bit_is_not_told)
{
    for (size_t bit = 0; bit < 8U * (size_t)(__stop_spm_retained - __start_spm_retained); bit++) {
        if (setjmp(spm_host_reset) == 0) {
            clear_no_bell();
        }
        __start_spm_retained[bit / 8U] ^= (uint8_t)(1U << bit % 8U);
        CHECK(spm_panic_take().cause == SPM_CAUSE_NONE);
    }
    CHECK(panic_of(clear_no_bell) == SPM_CAUSE_DOORBELL);
}

TEST(a_signal_that_comes_while_waiting_wakes_the_partition)
{
    run_as(&server);
    CHECK(spm_wait(PSA_WAIT_ANY, PSA_POLL) == 0U);
    spm_wait(PSA_WAIT_ANY, PSA_BLOCK);
    CHECK((spm_kernel.ready & server.rank_bit) == 0U);
    spm_kernel.active = 0;
    spm_kernel.current = &spm_ns_agent;
    spm_irq(LINE_FLIH);
    CHECK(woken(&server) == SERVER_SIGNAL_FLIH && spm_host_switch_requests != 0U);
    run_as(&server);
    spm_reset_signal(SERVER_SIGNAL_FLIH);
    CHECK(server.asserted == 0U);
}

/* The outer handler has looked at `waiting` when the inner one comes, and goes on as spm_signal_assert() does. */
TEST(of_two_nested_handlers_that_both_wake_a_partition_no_signal_is_lost)
{
    run_as(&server);
    spm_wait(PSA_WAIT_ANY, PSA_BLOCK);
    spm_kernel.active = 0;
    spm_kernel.current = &spm_ns_agent;
    atomic_fetch_or(&server.asserted, SERVER_SIGNAL_FLIH);
    spm_signal_assert(&server, PSA_DOORBELL);
    CHECK(server.result == (SERVER_SIGNAL_FLIH | PSA_DOORBELL));
    atomic_store(&server.waiting, 0U);
    spm_backend_wake(&server, SERVER_SIGNAL_FLIH);
    CHECK(woken(&server) == SERVER_SIGNAL_FLIH);
    run_as(&server);
    spm_reset_signal(SERVER_SIGNAL_FLIH);
    CHECK(spm_wait(PSA_WAIT_ANY, PSA_BLOCK) == PSA_DOORBELL && server.waiting == 0U);
}

TEST(a_signal_that_came_before_waiting_is_not_lost)
{
    run_as(&server);
    spm_notify(256);
    CHECK(spm_wait(PSA_DOORBELL, PSA_BLOCK) == PSA_DOORBELL);
    spm_clear();
    CHECK(server.asserted == 0U && server.waiting == 0U);
}

TEST(a_switch_is_not_lost_when_an_interrupt_comes_during_one)
{
    /* The server has blocked and the switch away from it is under way: the client must still be noticed. */
    run_as(&server);
    spm_wait(PSA_WAIT_ANY, PSA_BLOCK);
    spm_kernel.active = 0;
    spm_host_switch_requests = 0;
    atomic_fetch_and(&spm_kernel.ready, ~client.rank_bit);
    spm_backend_wake(&client, 5);
    CHECK(spm_host_switch_requests == 1U);
}

TEST(a_second_level_interrupt_stays_off_until_its_end)
{
    run_as(&server);
    spm_irq_enable(SERVER_SIGNAL_SLIH);
    spm_irq(LINE_SLIH);
    CHECK((spm_host_lines & 1U << LINE_SLIH) == 0U && server.asserted == SERVER_SIGNAL_SLIH);
    spm_eoi(SERVER_SIGNAL_SLIH);
    CHECK((spm_host_lines & 1U << LINE_SLIH) != 0U && server.asserted == 0U);
    CHECK(spm_irq_disable(SERVER_SIGNAL_SLIH) == 1U && spm_irq_disable(SERVER_SIGNAL_SLIH) == 0U);
}

/* The device's line was up until its handler quieted it: what that left pending is no interrupt of its own. */
TEST(the_end_of_a_second_level_interrupt_leaves_no_stale_one_behind)
{
    run_as(&server);
    spm_irq_enable(SERVER_SIGNAL_SLIH);
    spm_irq(LINE_SLIH);
    spm_host_pending = 1U << LINE_SLIH | 1U << LINE_FLIH;
    spm_host_fired = 0;
    spm_eoi(SERVER_SIGNAL_SLIH);
    CHECK(spm_host_fired == 0U && spm_host_pending == 1U << LINE_FLIH);
    spm_host_pending = 0;
}

static void unknown_interrupt(void)
{
    spm_irq(9);
}

TEST(an_interrupt_of_nobody_panics)
{
    CHECK(panic_of(unknown_interrupt) == SPM_CAUSE_INTERRUPT);
}

TEST(the_pool_is_bounded_and_comes_back)
{
    psa_handle_t handles[SPM_CONNECTIONS];

    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < SPM_CONNECTIONS; i++) {
            handles[i] = connected(&spm_ns_agent);
        }
        CHECK((psa_status_t)spm_connect(SID_CONNECTED, 3) == PSA_ERROR_CONNECTION_BUSY);
        CHECK((psa_status_t)spm_call((spm_word)STATELESS_HANDLE, 0, 0, 0) == PSA_ERROR_CONNECTION_BUSY);
        for (unsigned i = 0; i < SPM_CONNECTIONS; i++) {
            run_as(&spm_ns_agent);
            spm_close((spm_word)handles[i]);
            spm_reply((spm_word)take(SERVER_SIGNAL_CONNECTED).handle, 0);
            woken(&spm_ns_agent);
        }
        run_as(&spm_ns_agent);
    }
}

static psa_invec *scribbled;

static void scribble(const void *from, size_t bytes)
{
    if (from == scribbled) {
        memset(scribbled, 0xFF, bytes);
    }
}

TEST(vectors_are_read_once)
{
    psa_invec *in = malloc(sizeof(*in));
    char *data = malloc(5);
    char back[8];

    memcpy(data, "hello", 5);
    *in = (psa_invec){ data, 5 };
    grant(&spm_ns_agent, in, sizeof(*in), true);
    grant(&spm_ns_agent, data, 5, true);
    scribbled = in;
    spm_host_after_copy = scribble;
    spm_call((spm_word)STATELESS_HANDLE, 1U << PSA_CONTROL_IN_SHIFT, (spm_word)in, 0);

    psa_msg_t message = take(SERVER_SIGNAL_STATELESS);

    grant(&server, back, sizeof(back), true);
    CHECK(message.in_size[0] == 5U && spm_read((spm_word)message.handle, 0, (spm_word)back, 8) == 5U && memcmp(back, "hello", 5) == 0);
    spm_reply((spm_word)message.handle, 0);
    free(in);
    free(data);
}
