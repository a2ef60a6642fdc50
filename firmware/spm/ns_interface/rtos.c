/* SPDX-License-Identifier: BSD-3-Clause */
/* psa_*() for a program with threads: one call at a time, with the id of the thread that makes it. */
#include "ns_interface.h"

#include <stdbool.h>

static const struct ns_interface_hooks *hooks;

void ns_interface_init(const struct ns_interface_hooks *given)
{
    hooks = given;
}

static void enter(void)
{
    hooks->lock();
    if (hooks->client_id == NULL) {
        return;
    }
    while (nsc_client_select(hooks->client_id()) == PSA_ERROR_CONNECTION_BUSY && hooks->pause != NULL) {
        hooks->pause();
    }
}

static void leave(void)
{
    hooks->unlock();
}

/* With the lock held nobody else calls: what refuses is a partition at work for its interrupt. */
static bool has_to_wait(nsc_answer answer)
{
    if (answer >> 32 == 0U || hooks->pause == NULL) {
        return false;
    }
    hooks->pause();
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
        answer = nsc_psa_call(handle, control, in_vec, out_vec);
    } while (has_to_wait(answer));
    leave();
    return (psa_status_t)(uint32_t)answer;
}

void psa_close(psa_handle_t handle)
{
    enter();
    while (has_to_wait(nsc_psa_close_or_refuse(handle))) {
    }
    leave();
}
