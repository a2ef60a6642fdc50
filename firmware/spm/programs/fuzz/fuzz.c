/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random PSA calls from the non-secure side, each checked against what the specification says of it. A timer interrupt
 * rewrites the vectors of the call that is under way, so that they change under the SPM's feet.
 */
#include "model.h"
#include "ns.h"
#include "ns_threads.h"
#include "psa/service.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#ifndef FUZZ_CALLS
#define FUZZ_CALLS 100000U
#endif

#define NVIC_ISER0 NS_REG32(0xE000E100U)

static struct call call;
static struct call hostile;
static volatile bool swapped;
static uint32_t refused;
static uint32_t served;
static uint32_t swaps;

static void swap_vectors(void)
{
    for (uint32_t i = 0; i < PSA_MAX_IOVEC; i++) {
        psa_invec in = call.in[i];
        psa_outvec out = call.out[i];

        call.in[i] = hostile.in[i];
        call.out[i] = hostile.out[i];
        hostile.in[i] = in;
        hostile.out[i] = out;
    }
}

static void vectors_change(void)
{
    swap_vectors();
    swapped = true;
}

static void arm_timer(void)
{
    swapped = false;
    timer1_fire(100U + random_below(30000U));
}

/* The SPM saw the old vectors, the new ones or some of each: it refused them, or the service answered. */
static bool may_be_mixed(psa_status_t status)
{
    if (status == PSA_ERROR_PROGRAMMER_ERROR) {
        return true;
    }
    return call.type == SERVER_ECHO ? status == PSA_SUCCESS || status == PSA_ERROR_BUFFER_TOO_SMALL : status == PSA_ERROR_NOT_SUPPORTED;
}

static psa_status_t last_status;
static const char *what_is_wrong = "status";

/* The call itself, and what it leaves in the registers: nothing of the secure side's, all of the caller's own. */
static psa_status_t make_call(void)
{
    struct ns_registers after;

    ns_call_with_junk(&after, (void *)(uintptr_t)psa_call_packed, (uint32_t)call.handle,
                      psa_control(call.type, call.in_count, call.out_count), (uint32_t)call.in, (uint32_t)call.out);
    if (!ns_is_scrubbed(&after)) {
        what_is_wrong = "registers";
    }
    return (psa_status_t)after.r0_to_r3[0];
}

static bool registers_are_right(void)
{
    return what_is_wrong[0] != 'r';
}

static bool one_call(void)
{
    bool under_feet = random_below(8) == 0U;
    psa_status_t expected;
    psa_status_t status;

    random_call(&call);
    expected = expected_of(&call);
    model_foresee(&call, expected);
    if (under_feet) {
        random_vectors(&hostile);
        arm_timer();
    }
    status = make_call();
    timer1_stop();
    if (under_feet && swapped) {
        swap_vectors();
        swaps++;
    }
    last_status = status;
    served += status != PSA_ERROR_PROGRAMMER_ERROR ? 1U : 0U;
    refused += status == PSA_ERROR_PROGRAMMER_ERROR ? 1U : 0U;
    if (!registers_are_right()) {
        return false;
    }
    if (under_feet && swapped) {
        return status == expected || may_be_mixed(status);
    }
    if (status == expected && !model_came_true(&call)) {
        what_is_wrong = "data or length";
        return false;
    }
    return status == expected;
}

static bool step(void)
{
    switch (random_below(16)) {
    case 0:
    case 1:
        return random_connect();
    case 2:
        return random_close();
    case 3:
        return random_version();
    default:
        return one_call();
    }
}

uint32_t ns_main(void)
{
    ns_on_timer1 = vectors_change;
    NVIC_ISER0 = 1U << 4;
    model_start();
    for (uint32_t i = 0; i < FUZZ_CALLS; i++) {
        if (!step()) {
            ns_print("fuzz: not as specified: ");
            ns_print(what_is_wrong);
            ns_print_unsigned(" in step ", i);
            ns_print_signed(", handle ", call.handle);
            ns_print_signed(", type ", call.type);
            ns_print_signed(", status ", last_status);
            ns_print("\n");
            return 1;
        }
    }
    if (!pool_is_whole()) {
        ns_print("fuzz: a connection is lost\n");
        return 1;
    }
    ns_print_unsigned("fuzz " BENCH_FIRMWARE ": calls ", FUZZ_CALLS);
    ns_print_unsigned(", served ", served);
    ns_print_unsigned(", refused ", refused);
    ns_print_unsigned(", vectors changed during the call ", swaps);
    ns_print("\n");
    return 0;
}
