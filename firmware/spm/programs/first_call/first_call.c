/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that a product's non-secure side is: a connection, a call on it, a stateless call, through the PSA API alone. */
#include <stdbool.h>

#include "ns.h"
#include "psa/client.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

static bool echoes(psa_handle_t handle)
{
    static const char text[] = "first call";
    char back[sizeof(text)] = "";
    psa_invec in = { text, sizeof(text) };
    psa_outvec out = { back, sizeof(back) };

    if (psa_call(handle, SERVER_ECHO, &in, 1, &out, 1) != PSA_SUCCESS || out.len != sizeof(text)) {
        return false;
    }
    for (uint32_t i = 0; i < sizeof(text); i++) {
        if (back[i] != text[i]) {
            return false;
        }
    }
    return true;
}

uint32_t ns_main(void)
{
    psa_handle_t handle = psa_connect(TEST_CONNECTED_SID, 3);
    bool pass = handle > 0 && echoes(handle) && echoes(TEST_STATELESS_HANDLE);

    psa_close(handle);
    ns_print("first_call " BENCH_FIRMWARE);
    ns_print(pass ? ": served\n" : ": wrong\n");
    return pass ? 0U : 1U;
}
