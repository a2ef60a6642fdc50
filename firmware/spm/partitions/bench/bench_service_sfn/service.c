/* SPDX-License-Identifier: BSD-3-Clause */
/* The dummy service that the bench calls: it takes what it is given and gives as much back as is asked for. */
#include "psa_manifest/bench_service.h"

#include "bench_echo.h"

psa_status_t bench_connected_sfn(psa_msg_t *msg)
{
    return bench_echo(msg);
}

psa_status_t bench_stateless_sfn(psa_msg_t *msg)
{
    return bench_echo(msg);
}
