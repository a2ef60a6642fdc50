/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

#include "profiler.h"
#include "psa/client.h"
#include "psa_manifest/sid.h"

#define MOST_BYTES 4096U

static uint8_t in_bytes[MOST_BYTES] __attribute__((aligned(4)));
static uint8_t out_bytes[MOST_BYTES] __attribute__((aligned(4)));
static psa_handle_t connection;

const char *const bench_names[BENCH_TOPICS] = {
#define X(topic, name, bytes) name,
    BENCH_CASES(X)
#undef X
};

const uint32_t bench_bytes[BENCH_TOPICS] = {
#define X(topic, name, bytes) bytes,
    BENCH_CASES(X)
#undef X
};

static bool is_stateless(enum bench_topic topic)
{
    return topic >= BENCH_STATELESS_0 && topic <= BENCH_STATELESS_4096;
}

static bool needs_connection(enum bench_topic topic)
{
    return topic == BENCH_CLOSE || (topic >= BENCH_CALL_0 && topic <= BENCH_CALL_4096);
}

static psa_status_t connected(void)
{
    connection = psa_connect(BENCH_CONNECTED_SID, BENCH_CONNECTED_VERSION);
    return connection > 0 ? PSA_SUCCESS : PSA_HANDLE_TO_ERROR(connection);
}

psa_status_t bench_prepare(enum bench_topic topic)
{
    return needs_connection(topic) ? connected() : PSA_SUCCESS;
}

psa_status_t bench_finish(enum bench_topic topic)
{
    if (topic == BENCH_CONNECT || (needs_connection(topic) && topic != BENCH_CLOSE)) {
        psa_close(connection);
    }
    return PSA_SUCCESS;
}

static psa_status_t act_connect(enum bench_topic topic)
{
    (void)topic;
    return connected();
}

static psa_status_t act_close(enum bench_topic topic)
{
    (void)topic;
    psa_close(connection);
    return PSA_SUCCESS;
}

static psa_status_t act_empty_call(enum bench_topic topic)
{
    (void)topic;
    return psa_call(connection, PSA_IPC_CALL, NULL, 0, NULL, 0);
}

static psa_status_t act_empty_stateless(enum bench_topic topic)
{
    (void)topic;
    return psa_call(BENCH_STATELESS_HANDLE, PSA_IPC_CALL, NULL, 0, NULL, 0);
}

static psa_status_t act_with_bytes(enum bench_topic topic)
{
    psa_handle_t handle = is_stateless(topic) ? BENCH_STATELESS_HANDLE : connection;
    psa_invec in = { in_bytes, bench_bytes[topic] };
    psa_outvec out = { out_bytes, bench_bytes[topic] };
    psa_status_t status = psa_call(handle, PSA_IPC_CALL, &in, 1, &out, 1);

    return status == PSA_SUCCESS && out.len != in.len ? PSA_ERROR_GENERIC_ERROR : status;
}

static psa_status_t act_version(enum bench_topic topic)
{
    (void)topic;
    return psa_version(BENCH_CONNECTED_SID) == BENCH_CONNECTED_VERSION ? PSA_SUCCESS : PSA_ERROR_GENERIC_ERROR;
}

static psa_status_t act_nothing(enum bench_topic topic)
{
    (void)topic;
    return PSA_SUCCESS;
}

static psa_status_t (*const acts[BENCH_TOPICS])(enum bench_topic) = {
    [BENCH_CONNECT] = act_connect,
    [BENCH_CLOSE] = act_close,
    [BENCH_CALL_0] = act_empty_call,
    [BENCH_CALL_16 ... BENCH_CALL_4096] = act_with_bytes,
    [BENCH_STATELESS_0] = act_empty_stateless,
    [BENCH_STATELESS_16 ... BENCH_STATELESS_4096] = act_with_bytes,
    [BENCH_VERSION] = act_version,
    [BENCH_NOTHING] = act_nothing,
};

psa_status_t bench_act(enum bench_topic topic)
{
    return acts[topic](topic);
}

void bench_data_fill(enum bench_topic topic, uint32_t pattern)
{
    for (uint32_t i = 0; i < bench_bytes[topic]; i++) {
        in_bytes[i] = (uint8_t)(pattern + i * 7U);
        out_bytes[i] = 0xFF;
    }
}

bool bench_data_is_back(enum bench_topic topic, uint32_t pattern)
{
    for (uint32_t i = 0; i < bench_bytes[topic]; i++) {
        if (in_bytes[i] != (uint8_t)(pattern + i * 7U) || out_bytes[i] != in_bytes[i]) {
            return false;
        }
    }
    return true;
}

/* Not inlined: the calibration and every case go through the same instructions. */
static __attribute__((noinline)) psa_status_t measured(enum bench_topic topic, uint32_t tag_topic)
{
    psa_status_t (*act)(enum bench_topic) = acts[topic];

    profiler_checkpoint(PROFILER_TAG(0, tag_topic, 0, PROFILER_BEGIN));
    psa_status_t status = act(topic);
    profiler_checkpoint(PROFILER_TAG(1, tag_topic, 0, PROFILER_END));
    return status;
}

static void calibration_pair(void)
{
    measured(BENCH_NOTHING, PROFILER_CALIBRATION_TOPIC);
}

void bench_calibrate(void)
{
    profiler_calibrate(0, BENCH_CALIBRATION_ROUNDS, calibration_pair);
}

psa_status_t bench_case(enum bench_topic topic)
{
    psa_status_t status = bench_prepare(topic);

    if (status == PSA_SUCCESS) {
        status = measured(topic, topic);
    }
    if (status == PSA_SUCCESS) {
        status = bench_finish(topic);
    }
    profiler_settle();
    return status;
}
