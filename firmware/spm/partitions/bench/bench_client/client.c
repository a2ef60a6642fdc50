/* SPDX-License-Identifier: BSD-3-Clause */
/* The secure side of the bench: runs the cases as a secure client and hands out what its profiler recorded. */
#include "psa_manifest/bench_client.h"

#include "bench_secure.h"
#include "cases.h"
#include "profiler.h"

static bool ready;

static psa_status_t start(psa_msg_t *msg)
{
    int64_t cost_ticks;

    if (!ready && !profiler_init()) {
        return PSA_ERROR_NOT_SUPPORTED;
    }
    ready = true;
    bench_calibrate();
    cost_ticks = profiler_mean_ticks(profiler_calibration(0));
    if (msg->out_size[0] < sizeof(cost_ticks)) {
        return PSA_ERROR_BUFFER_TOO_SMALL;
    }
    psa_write(msg->handle, 0, &cost_ticks, sizeof(cost_ticks));
    return PSA_SUCCESS;
}

static psa_status_t fetch(psa_msg_t *msg)
{
    struct bench_fetch_request request;
    struct profiler_record records[BENCH_FETCH_RECORDS];
    struct profiler_fetched fetched;

    if (psa_read(msg->handle, 0, &request, sizeof(request)) != sizeof(request) || msg->out_size[0] < sizeof(records) ||
        msg->out_size[1] < sizeof(fetched)) {
        return PSA_ERROR_INVALID_ARGUMENT;
    }
    fetched = profiler_fetch(request.topic, request.from, records, BENCH_FETCH_RECORDS);
    psa_write(msg->handle, 0, records, fetched.count * sizeof(records[0]));
    psa_write(msg->handle, 1, &fetched, sizeof(fetched));
    return PSA_SUCCESS;
}

psa_status_t bench_secure_sfn(psa_msg_t *msg)
{
    if (msg->type == BENCH_SECURE_START) {
        return start(msg);
    }
    if (msg->type == BENCH_SECURE_FETCH) {
        return fetch(msg);
    }
    return msg->type >= 0 && msg->type < (int32_t)BENCH_TOPICS ? bench_case((enum bench_topic)msg->type) : PSA_ERROR_NOT_SUPPORTED;
}
