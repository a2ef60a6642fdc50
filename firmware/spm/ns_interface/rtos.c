/* SPDX-License-Identifier: BSD-3-Clause */
/* psa_*() for a program with threads: one call at a time, with the id of the thread that makes it. */
#include "ns_interface.h"

static const struct ns_interface_hooks *hooks;

void ns_interface_init(const struct ns_interface_hooks *given)
{
    hooks = given;
}

static void enter(void)
{
    hooks->lock();
    if (hooks->client_id != NULL) {
        nsc_client_select(hooks->client_id());
    }
}

static void leave(void)
{
    hooks->unlock();
}

uint32_t psa_framework_version(void)
{
    return PSA_FRAMEWORK_VERSION;
}

uint32_t psa_version(uint32_t sid)
{
    enter();

    uint32_t version = nsc_psa_version(sid);

    leave();
    return version;
}

psa_handle_t psa_connect(uint32_t sid, uint32_t version)
{
    enter();

    psa_handle_t handle = nsc_psa_connect(sid, version);

    leave();
    return handle;
}

psa_status_t psa_call_packed(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec)
{
    enter();

    psa_status_t status = nsc_psa_call(handle, control, in_vec, out_vec);

    leave();
    return status;
}

void psa_close(psa_handle_t handle)
{
    enter();
    nsc_psa_close(handle);
    leave();
}
