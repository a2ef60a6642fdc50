/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitions: doorbell, interrupts, and every error that ends in a panic. */
#include "conformance.h"
#include "ns.h"
#include "psa/service.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

static bool doorbell(const struct test *test)
{
    uint32_t before = 0;
    uint32_t after = 0;
    uint32_t out;

    (void)test;
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_DOORBELLS, 0, &before) == PSA_SUCCESS);
    CHECK(request(TEST_CLIENT_HANDLE, CLIENT_NOTIFY, 0, &out) == PSA_SUCCESS);
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_DOORBELLS, 0, &after) == PSA_SUCCESS);
    CHECK(after == before + 1U);
    return true;
}

static bool driver(const struct test *test)
{
    uint32_t out = 99;

    CHECK(request(TEST_DRIVER_HANDLE, test->type, 0, &out) == PSA_SUCCESS);
    CHECK(test->type != DRIVER_FIRST_LEVEL_QUIET || out == 1U);
    CHECK(test->type != DRIVER_DISABLE || out == 2U);
    return true;
}

static bool poll(const struct test *test)
{
    uint32_t signals = 99;

    (void)test;
    CHECK(request(TEST_STATELESS_HANDLE, SERVER_POLL, 0, &signals) == PSA_SUCCESS && signals == 0U);
    return true;
}

static bool bad_connect_answer(const struct test *test)
{
    uint32_t out;

    (void)test;
    request(TEST_STATELESS_HANDLE, SERVER_ANSWER_CONNECT, (uint32_t)PSA_ERROR_GENERIC_ERROR, &out);
    psa_connect(TEST_CONNECTED_SID, 3);
    return true;
}

#define SERVER(name, cause, needs, type) { name, request_alone, SPM_CAUSE_##cause, needs, TEST_STATELESS_HANDLE, SERVER_##type }
#define CLIENT(name, cause, needs, type) { name, request_alone, SPM_CAUSE_##cause, needs, TEST_CLIENT_HANDLE, CLIENT_##type }
#define DRIVER(name, cause, needs, type) { name, request_alone, SPM_CAUSE_##cause, needs, TEST_DRIVER_HANDLE, DRIVER_##type }

const struct test partition_tests[] = {
    { "the doorbell rings once for one notification", doorbell, SPM_CAUSE_NONE, NEEDS_IPC, 0, 0 },
    { "a poll returns at once with nothing", poll, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a first-level handler asserts its signal", driver, SPM_CAUSE_NONE, ANY_BUILD, 0, DRIVER_FIRST_LEVEL },
    { "a first-level handler may keep quiet", driver, SPM_CAUSE_NONE, ANY_BUILD, 0, DRIVER_FIRST_LEVEL_QUIET },
    { "a second-level interrupt waits for its end", driver, SPM_CAUSE_NONE, ANY_BUILD, 0, DRIVER_SECOND_LEVEL },
    { "disabling an interrupt tells what it was", driver, SPM_CAUSE_NONE, ANY_BUILD, 0, DRIVER_DISABLE },
    { "a connection cannot be answered with any status", bad_connect_answer, SPM_CAUSE_REPLY, ANY_BUILD, 0, 0 },
    SERVER("a made-up message handle panics", MESSAGE, ANY_BUILD, BAD_MESSAGE_HANDLE),
    SERVER("an answered message handle panics", MESSAGE, ANY_BUILD, OLD_MESSAGE_HANDLE),
    SERVER("a vector index out of range panics", VECTOR, ANY_BUILD, BAD_INDEX),
    SERVER("reading into code panics", POINTER, ANY_BUILD, BAD_BUFFER),
    SERVER("writing from a range that wraps panics", POINTER, ANY_BUILD, BAD_SOURCE),
    SERVER("writing more than was asked for panics", OVERFLOW, ANY_BUILD, WRITE_TOO_MUCH),
    SERVER("writing to a vector that is not there panics", OVERFLOW, ANY_BUILD, WRITE_NO_VECTOR),
    SERVER("an rhandle for a stateless call panics", MESSAGE, ANY_BUILD, SET_RHANDLE),
    SERVER("getting a signal that is not asserted panics", SIGNAL, ANY_BUILD, GET_NOTHING),
    SERVER("getting two signals panics", SIGNAL, ANY_BUILD, GET_TWO_SIGNALS),
    SERVER("waiting for no signal of one's own panics", SIGNAL, ANY_BUILD, WAIT_FOR_NOTHING),
    SERVER("a second reply panics", MESSAGE, ANY_BUILD, REPLY_IN_FUNCTION),
    SERVER("clearing a silent doorbell panics", DOORBELL, ANY_BUILD, CLEAR_NO_BELL),
    SERVER("ending an interrupt of nobody panics", SIGNAL, ANY_BUILD, EOI_NO_SIGNAL),
    SERVER("enabling an interrupt that is not one's own panics", SIGNAL, ANY_BUILD, IRQ_ENABLE_NOT_OWN),
    SERVER("psa_panic panics", PARTITION, ANY_BUILD, PANIC),
    SERVER("a stack overflow panics", FAULT, NEEDS_IPC, OVERFLOW_STACK),
    SERVER("an undefined instruction panics", FAULT, ANY_BUILD, UNDEFINED),
    CLIENT("a secure client that asks for an unknown service panics", REFUSED, ANY_BUILD, UNKNOWN_SID),
    CLIENT("a secure client without the dependency panics", REFUSED, ANY_BUILD, NO_DEPENDENCY),
    CLIENT("a stateless call without the dependency panics", HANDLE, ANY_BUILD, NO_DEPENDENCY_STATELESS),
    CLIENT("a secure client of the wrong version panics", REFUSED, ANY_BUILD, BAD_VERSION),
    CLIENT("a secure client that connects to a stateless service panics", REFUSED, ANY_BUILD, CONNECT_STATELESS),
    CLIENT("a secure call with the null handle panics", HANDLE, ANY_BUILD, NULL_HANDLE),
    CLIENT("a secure call with a closed handle panics", HANDLE, ANY_BUILD, CLOSED_HANDLE),
    CLIENT("a secure call with a stateless handle of another version panics", HANDLE, ANY_BUILD, BAD_STATELESS_HANDLE),
    CLIENT("a secure call of a negative type panics", CONTROL, ANY_BUILD, BAD_TYPE),
    CLIENT("a secure call with five vectors panics", CONTROL, ANY_BUILD, TOO_MANY_VECTORS),
    CLIENT("a secure call with an input that wraps panics", POINTER, ANY_BUILD, BAD_IN),
    CLIENT("a secure call with an output in code panics", POINTER, ANY_BUILD, BAD_OUT),
    CLIENT("a secure call with unaligned vectors panics", POINTER, ANY_BUILD, BAD_VECTOR_ARRAY),
    CLIENT("a secure call with an endless input panics", POINTER, ANY_BUILD, WRAPPING),
    CLIENT("closing twice panics a secure client", HANDLE, ANY_BUILD, CLOSE_TWICE),
    CLIENT("closing a stateless handle panics a secure client", HANDLE, ANY_BUILD, CLOSE_STATELESS),
    CLIENT("a service that drops a secure client panics", DROPPED, ANY_BUILD, DROPPED),
    CLIENT("notifying nobody panics", NOTIFY, ANY_BUILD, NOTIFY_NOBODY),
    CLIENT("notifying an SFN partition panics", NOTIFY, NEEDS_SFN, NOTIFY),
    DRIVER("a PSA call in a first-level handler panics", HANDLER_MODE, ANY_BUILD, CALL_IN_HANDLER),
    DRIVER("resetting a second-level signal panics", SIGNAL, ANY_BUILD, RESET_SLIH),
    DRIVER("ending a first-level interrupt panics", SIGNAL, ANY_BUILD, EOI_FLIH),
    DRIVER("resetting a signal that is not asserted panics", SIGNAL, ANY_BUILD, RESET_NOT_ASSERTED),
};
const uint32_t partition_test_count = sizeof(partition_tests) / sizeof(partition_tests[0]);
