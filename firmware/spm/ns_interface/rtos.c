/* SPDX-License-Identifier: BSD-3-Clause */
/* psa_*() for a program with threads: one call at a time, with the id of the thread that makes it. */
#include "ns_interface.h"

#include <stdbool.h>

#include "ns_core.h"

static const struct ns_interface_hooks *hooks;
static volatile bool inside; /* a thread has the lock, and may have selected its id */

/* How a thread came to the door. */
struct visit {
    bool masked; /* in a critical section of its own: there is no waiting for a lock there */
    bool locked;
};

void ns_interface_init(const struct ns_interface_hooks *given)
{
    hooks = given;
}

/*
 * Where a partition may be at work for an interrupt, the secure side may refuse at the door, on a stack that is not the
 * caller's: no other thread may run meanwhile. A veneer that unmasks takes the mask away when it lets the call in.
 */
static bool knocks(const struct visit *visit)
{
    return !visit->masked && hooks->pause != NULL && nsc_psa_call_unmask != NULL;
}

static bool shut_out_others(const struct visit *visit)
{
    if (!knocks(visit)) {
        return false;
    }
    ns_core_mask();
    return true;
}

static void let_others_in(const struct visit *visit)
{
    if (knocks(visit)) {
        ns_core_unmask();
    }
}

static psa_status_t select_client(const struct visit *visit)
{
    psa_status_t status = PSA_SUCCESS;

    if (hooks->pause != NULL && ns_core_is_unprivileged()) {
        return PSA_ERROR_NOT_PERMITTED; /* it could not shut anybody out */
    }
    if (hooks->client_id != NULL) {
        shut_out_others(visit);
        status = nsc_client_select(hooks->client_id());
        let_others_in(visit);
    }
    return status;
}

static void leave(struct visit *visit)
{
    if (visit->locked) {
        visit->locked = false;
        inside = false;
        hooks->unlock();
    }
}

static void lock(struct visit *visit)
{
    hooks->lock();
    inside = true;
    visit->locked = true;
}

/* PSA_SUCCESS: the call may be made. Else it must not, and the lock has been given back. */
static psa_status_t enter(struct visit *visit)
{
    psa_status_t status;

    *visit = (struct visit){ .masked = ns_core_interrupts_are_masked() };
    if (visit->masked) {
        return inside ? PSA_ERROR_CONNECTION_BUSY : select_client(visit);
    }
    lock(visit);
    while ((status = select_client(visit)) == PSA_ERROR_CONNECTION_BUSY && hooks->pause != NULL) {
        leave(visit);
        hooks->pause();
        lock(visit);
    }
    if (status != PSA_SUCCESS) {
        leave(visit);
    }
    return status;
}

static bool was_refused(nsc_answer answer)
{
    return answer >> 32 != 0U;
}

/*
 * With the lock held nobody else calls: what refuses is a partition at work for its interrupt. The thread that it
 * interrupted has to run for it to end, and may be waiting for the lock.
 */
static bool has_to_wait(struct visit *visit, nsc_answer answer)
{
    let_others_in(visit);
    if (!was_refused(answer) || visit->masked || hooks->pause == NULL) {
        return false;
    }
    leave(visit);
    hooks->pause();
    return enter(visit) == PSA_SUCCESS;
}

uint32_t psa_framework_version(void)
{
    return PSA_FRAMEWORK_VERSION;
}

uint32_t psa_version(uint32_t sid)
{
    struct visit visit;
    nsc_answer answer;

    if (enter(&visit) != PSA_SUCCESS) {
        return PSA_VERSION_NONE;
    }
    do {
        answer = shut_out_others(&visit) ? nsc_psa_version_unmask(sid) : nsc_psa_version(sid);
    } while (has_to_wait(&visit, answer));
    leave(&visit);
    return (uint32_t)answer;
}

psa_handle_t psa_connect(uint32_t sid, uint32_t version)
{
    struct visit visit;
    psa_status_t status = enter(&visit);
    nsc_answer answer;

    if (status != PSA_SUCCESS) {
        return (psa_handle_t)status;
    }
    do {
        answer = shut_out_others(&visit) ? nsc_psa_connect_unmask(sid, version) : nsc_psa_connect(sid, version);
    } while (has_to_wait(&visit, answer));
    leave(&visit);
    return (psa_handle_t)(uint32_t)answer;
}

psa_status_t psa_call_packed(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec)
{
    struct visit visit;
    psa_status_t status = enter(&visit);
    nsc_answer answer;

    if (status != PSA_SUCCESS) {
        return status;
    }
    do {
        answer = shut_out_others(&visit) ? nsc_psa_call_unmask(handle, control, in_vec, out_vec)
                                         : nsc_psa_call(handle, control, in_vec, out_vec);
    } while (has_to_wait(&visit, answer));
    leave(&visit);
    return (psa_status_t)(uint32_t)answer;
}

/* Nobody may lose a connection in silence: where it cannot be closed, because another call is under way, it is a fault. */
void psa_close(psa_handle_t handle)
{
    struct visit visit;
    psa_status_t status = enter(&visit);
    nsc_answer answer;

    if (status == PSA_ERROR_CONNECTION_BUSY) {
        ns_core_stop();
    }
    if (status != PSA_SUCCESS) {
        return;
    }
    do {
        answer = shut_out_others(&visit) ? nsc_psa_close_unmask(handle) : nsc_psa_close_or_refuse(handle);
    } while (has_to_wait(&visit, answer));
    if (was_refused(answer)) {
        ns_core_stop();
    }
    leave(&visit);
}
