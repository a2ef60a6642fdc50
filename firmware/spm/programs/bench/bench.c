/* SPDX-License-Identifier: BSD-3-Clause */
/* The PSA bench: what each call costs from either side, then how long it keeps a non-secure interrupt waiting. */
#include "bench_secure.h"
#include "cases.h"
#include "dump.h"
#include "ns.h"
#include "profiler.h"
#include "psa/client.h"
#include "psa_manifest/sid.h"
#include "sweep.h"

static uint64_t secure_next;

static psa_status_t start_secure(int64_t *cost_ticks)
{
    psa_outvec out = { cost_ticks, sizeof(*cost_ticks) };

    return psa_call(BENCH_SECURE_HANDLE, BENCH_SECURE_START, NULL, 0, &out, 1);
}

static psa_status_t fetch_secure(enum bench_topic topic, struct profiler_record *records, struct profiler_fetched *fetched)
{
    struct bench_fetch_request request = { .topic = topic, .from = secure_next };
    psa_invec in = { &request, sizeof(request) };
    psa_outvec out[2] = { { records, BENCH_FETCH_RECORDS * sizeof(*records) }, { fetched, sizeof(*fetched) } };

    return psa_call(BENCH_SECURE_HANDLE, BENCH_SECURE_FETCH, &in, 1, out, 2);
}

/* The pair of one iteration, less what the checkpoints cost, as trace records. */
static bool dump_pair(const char *world, enum bench_topic topic, uint32_t iteration, const struct profiler_record *records,
                      const struct profiler_fetched *fetched, int64_t cost_ticks)
{
    struct trace_record pair[2];

    if (fetched->count != 2U || fetched->lost != 0U) {
        return false;
    }
    for (uint32_t i = 0; i < 2U; i++) {
        pair[i].time_ticks = records[i].time_ticks - (i == 1U ? (uint64_t)cost_ticks : 0U);
        pair[i].event_arg = records[i].tag << 16 | TRACE_CHECKPOINT;
    }
    dump_iteration(world, bench_names[topic], iteration, pair, 2, (uint32_t)records[0].sequence, 0);
    return true;
}

/* One iteration of each case goes before those that count: it initialises the service and loads what a switch loads. */
static bool run_non_secure(enum bench_topic topic, int64_t cost_ticks)
{
    struct profiler_record records[BENCH_FETCH_RECORDS];
    psa_status_t warm = bench_case(topic);
    uint64_t next = trace_status(&profiler_ring).next;

    if (warm != PSA_SUCCESS) {
        return false;
    }
    for (uint32_t i = 0; i < BENCH_ITERATIONS; i++) {
        if (bench_case(topic) != PSA_SUCCESS) {
            return false;
        }
        struct profiler_fetched fetched = profiler_fetch(topic, next, records, BENCH_FETCH_RECORDS);

        next = fetched.next;
        if (!dump_pair("ns_", topic, i, records, &fetched, cost_ticks)) {
            return false;
        }
    }
    return true;
}

static bool run_secure(enum bench_topic topic, int64_t cost_ticks)
{
    struct profiler_record records[BENCH_FETCH_RECORDS];
    struct profiler_fetched fetched;

    for (uint32_t i = 0; i < BENCH_ITERATIONS; i++) {
        if (psa_call(BENCH_SECURE_HANDLE, (int32_t)topic, NULL, 0, NULL, 0) != PSA_SUCCESS ||
            fetch_secure(topic, records, &fetched) != PSA_SUCCESS) {
            return false;
        }
        secure_next = fetched.next;
        if (!dump_pair("s_", topic, i, records, &fetched, cost_ticks)) {
            return false;
        }
    }
    return true;
}

static bool run_costs(int64_t non_secure_ticks, int64_t secure_ticks)
{
    for (uint32_t topic = 0; topic < BENCH_NOTHING; topic++) {
        if (!run_non_secure((enum bench_topic)topic, non_secure_ticks)) {
            ns_print_unsigned("bench: the non-secure case failed: ", topic);
            return false;
        }
        if (!run_secure((enum bench_topic)topic, secure_ticks)) {
            ns_print_unsigned("bench: the secure case failed: ", topic);
            return false;
        }
    }
    return true;
}

uint32_t ns_main(void)
{
    int64_t secure_ticks = 0;

    if (!profiler_init() || start_secure(&secure_ticks) != PSA_SUCCESS) {
        ns_print_signed("bench: the secure side did not start: ", start_secure(&secure_ticks));
        ns_print("\n");
        return 1;
    }
    bench_calibrate();

    int64_t non_secure_ticks = profiler_mean_ticks(profiler_calibration(0));

    dump_boot(BENCH_ITERATIONS, (uint32_t)non_secure_ticks * 1000U);

    bool pass = run_costs(non_secure_ticks, secure_ticks) && sweep_all();

    dump_end(2U * BENCH_NOTHING + SWEEP_TESTS, BENCH_ITERATIONS, pass);
    dump_flush();
    return pass ? 0U : 1U;
}
