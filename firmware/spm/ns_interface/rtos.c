/* SPDX-License-Identifier: BSD-3-Clause */
/* psa_*() for a program with threads: one call at a time, with the id of the thread that makes it. */
#include "ns_interface.h"

#include <stdbool.h>

static const struct ns_interface_hooks *hooks;

void ns_interface_init(const struct ns_interface_hooks *given)
{
    hooks = given;
}

/*
 * Where a partition may be at work for an interrupt, the secure side may refuse at the door, on a stack that is not the
 * caller's: no other thread may run meanwhile. The SPM takes the mask away when it lets a call in.
 */
static void shut_out_others(void)
{
    if (hooks->pause != NULL) {
        __asm__ volatile("cpsid i" ::: "memory");
    }
}

static void let_others_in(void)
{
    if (hooks->pause != NULL) {
        __asm__ volatile("cpsie i" ::: "memory");
    }
}

static psa_status_t select_client(void)
{
    psa_status_t status;

    shut_out_others();
    status = nsc_client_select(hooks->client_id());
    let_others_in();
    return status;
}

static void enter(void)
{
    hooks->lock();
    if (hooks->client_id == NULL) {
        return;
    }
    while (select_client() == PSA_ERROR_CONNECTION_BUSY && hooks->pause != NULL) {
        hooks->unlock();
        hooks->pause();
        hooks->lock();
    }
}

static void leave(void)
{
    hooks->unlock();
}

/*
 * With the lock held nobody else calls: what refuses is a partition at work for its interrupt. The thread that it
 * interrupted has to run for it to end, and may be waiting for the lock.
 */
static bool has_to_wait(nsc_answer answer)
{
    let_others_in();
    if (answer >> 32 == 0U || hooks->pause == NULL) {
        return false;
    }
    leave();
    hooks->pause();
    enter();
    return true;
}

uint32_t psa_framework_version(void)
{
    return PSA_FRAMEWORK_VERSION;
}

uint32_t psa_version(uint32_t sid)
{
    nsc_answer answer;

    enter();
    do {
        shut_out_others();
        answer = nsc_psa_version(sid);
    } while (has_to_wait(answer));
    leave();
    return (uint32_t)answer;
}

psa_handle_t psa_connect(uint32_t sid, uint32_t version)
{
    nsc_answer answer;

    enter();
    do {
        shut_out_others();
        answer = nsc_psa_connect(sid, version);
    } while (has_to_wait(answer));
    leave();
    return (psa_handle_t)(uint32_t)answer;
}

psa_status_t psa_call_packed(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec)
{
    nsc_answer answer;

    enter();
    do {
        shut_out_others();
        answer = nsc_psa_call(handle, control, in_vec, out_vec);
    } while (has_to_wait(answer));
    leave();
    return (psa_status_t)(uint32_t)answer;
}

void psa_close(psa_handle_t handle)
{
    enter();
    do {
        shut_out_others();
    } while (has_to_wait(nsc_psa_close_or_refuse(handle)));
    leave();
}
