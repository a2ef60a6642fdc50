/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <stdio.h>

#include "machine.h"
#include "psci.h"

#define ENTRY 0x80000000ULL
#define HIGHEST_LEVEL (3U << 24) /* of a power_state */
#define SETTLE_NS 2000000U /* nothing of what went before is still under way */
#define WAKE_NS 20000000U
#define WAKE_EACH_NS 1000000U /* more for each core: every one is down before the first is woken */

const struct bench_test bench_tests[BENCH_TESTS] = {
    { "test_rt_instr_susp_deep_parallel", BENCH_PARALLEL, 0x02010222 },
    { "test_rt_instr_susp_deep_serial", BENCH_SERIAL, 0x02010222 },
    { "test_rt_instr_cpu_susp_parallel", BENCH_PARALLEL, 0x00010002 },
    { "test_rt_instr_cpu_susp_serial", BENCH_SERIAL, 0x00010002 },
    { "test_rt_instr_cpu_off_serial", BENCH_OFF_SERIAL, 0x02010222 },
    { "test_rt_instr_psci_version_parallel", BENCH_PARALLEL, 0 },
};

/* What a core that is switched on is to do: the context id. */
enum role { ROLE_PARALLEL, ROLE_SERIAL, ROLE_OFF, ROLE_AFTER_OFF };

static const struct board *board;
static uint64_t iterations;
static unsigned only_test;
static enum bench_output output;

static const struct bench_test *test;
static uint64_t begun_sequence[HOST_MAX_CORES]; /* apart from the records: a run that prints nothing touches no more */
static struct bench_measurement measurements[HOST_MAX_CORES];
static uint64_t start_ns[HOST_MAX_CORES];

static int64_t call(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3)
{
    struct smc_frame frame = { .x = { id, x1, x2, x3 } };

    machine_smc(&frame);
    return (int64_t)frame.x[0];
}

static void begin(void)
{
    begun_sequence[host_self()] = trace_status(host_ring()).next;
}

static void end(void)
{
    if (output == BENCH_NOTHING) {
        return;
    }
    struct bench_measurement *measurement = &measurements[host_self()];
    struct trace_status status = trace_status(host_ring());
    uint64_t begun = begun_sequence[host_self()];

    measurement->lost = status.oldest > begun ? status.oldest - begun : 0;
    measurement->first_sequence = begun + measurement->lost;
    measurement->count = (unsigned)(status.next - measurement->first_sequence);
    trace_read(host_ring(), measurement->first_sequence, measurement->records, measurement->count);
}

static void make_call(void)
{
    unsigned core = host_self();

    if (test->power_state == 0) {
        begin();
        call(PSCI_VERSION, 0, 0, 0);
        end();
        return;
    }
    machine_set_timer_ns(machine_now_ns() + WAKE_NS + (test->kind == BENCH_PARALLEL ? (uint64_t)board->cores * WAKE_EACH_NS : 0));
    begin();
    int64_t result = call(PSCI_ID_64(PSCI_CPU_SUSPEND), test->power_state, ENTRY, core);

    end();
    if (result != (int64_t)core) {
        host_fail("CPU_SUSPEND returned %lld", (long long)result);
    }
}

static void start(unsigned core, enum role role)
{
    int64_t result = call(PSCI_ID_64(PSCI_CPU_ON), machine_mpidr(core), ENTRY, (uint64_t)role);

    if (result != PSCI_SUCCESS) {
        host_fail("CPU_ON of core %u returned %lld", core, (long long)result);
    }
}

/* Asks the firmware once, when the core has stopped: each question leaves records in the lead's ring. */
static void wait_off(unsigned core)
{
    machine_wait_off(core);
    if (call(PSCI_ID_64(PSCI_AFFINITY_INFO), machine_mpidr(core), 0, 0) != 1) {
        host_fail("AFFINITY_INFO does not say OFF of core %u, which has stopped", core);
    }
}

static void settle(void)
{
    machine_sleep_until_ns(machine_now_ns() + SETTLE_NS);
}

/* How long a core takes to where it first meets others. */
static uint64_t lead_in_ns(unsigned core)
{
    unsigned cluster = machine_cluster(core);
    const struct board_class *class = board_class_of_cluster(board, cluster);
    bool in_crowd = board->cluster_cores[cluster] > 1;

    if ((test->power_state & HIGHEST_LEVEL) != 0) {
        return class->call_ns + class->entry_ns + class->entry_deep_ns + class->flush_core_ns;
    }
    return class->call_ns + class->entry_ns + class->flush_core_ns + (in_crowd ? class->flush_crowd_ns : 0);
}

/* The order is that in which the cores meet, so a slower core starts earlier. */
static void start_at(unsigned core, uint64_t at_ns, unsigned rank)
{
    start_ns[core] = at_ns + (uint64_t)rank * board->stagger_ns - lead_in_ns(core);
}

static void plan_starts(uint64_t at_ns)
{
    for (unsigned core = 0; core < board->cores; core++) {
        start_at(core, at_ns, core);
    }
    unsigned number = (unsigned)(test - bench_tests);

    for (unsigned rank = 0; rank < board->ordered[number]; rank++) {
        start_at(board->order[number][rank], at_ns, rank);
    }
    if (board->lock != BOARD_LOCK_SWAP && test->power_state != 0) {
        machine_set_turns(board->order[number], board->ordered[number]);
    }
}

static void parallel(void)
{
    plan_starts(machine_now_ns() + (uint64_t)board->cores * SETTLE_NS);
    for (unsigned core = 0; core < board->cores; core++) {
        if (core != board->lead) {
            start(core, ROLE_PARALLEL);
        }
    }
    machine_sleep_until_ns(start_ns[board->lead]);
    make_call();
    for (unsigned core = 0; core < board->cores; core++) {
        if (core != board->lead) {
            wait_off(core);
        }
    }
}

static void serial(void)
{
    for (unsigned core = 0; core < board->cores; core++) {
        if (core != board->lead) {
            start(core, ROLE_SERIAL);
            wait_off(core);
        }
    }
    make_call();
}

static void off_serial(void)
{
    for (unsigned core = 0; core < board->cores; core++) {
        if (core != board->lead) {
            start(core, ROLE_OFF);
            wait_off(core);
        }
    }
    settle();
    make_call();
    for (unsigned core = 0; core < board->cores; core++) {
        if (core != board->lead) {
            start(core, ROLE_AFTER_OFF);
            wait_off(core);
        }
    }
}

static void run_iteration(uint64_t iteration)
{
    static void (*const procedures[])(void) = { parallel, serial, off_serial };

    settle();
    procedures[test->kind]();
    if (output == BENCH_DUMP) {
        dump_iteration(board, test, iteration, measurements);
    } else if (output == BENCH_SPANS) {
        spans_iteration(board, test, iteration, measurements);
    }
}

static void lead(void)
{
    unsigned tests = 0;

    if (output == BENCH_DUMP) {
        dump_boot(board, iterations);
    }
    for (unsigned number = 0; number < BENCH_TESTS; number++) {
        if (only_test != BENCH_TESTS && only_test != number) {
            continue;
        }
        test = &bench_tests[number];
        for (uint64_t iteration = 0; iteration < iterations; iteration++) {
            run_iteration(iteration);
        }
        tests++;
    }
    if (output == BENCH_DUMP) {
        dump_end(tests, iterations);
    }
}

static void other(enum role role)
{
    switch (role) {
    case ROLE_PARALLEL:
        machine_sleep_until_ns(start_ns[host_self()]);
        make_call();
        break;
    case ROLE_SERIAL:
        settle();
        make_call();
        break;
    case ROLE_OFF:
        settle();
        begin();
        break;
    case ROLE_AFTER_OFF:
        end();
        settle();
        break;
    }
    call(PSCI_CPU_OFF, 0, 0, 0);
}

static void normal_world(unsigned core, uint64_t context_id)
{
    if (core == board->lead) {
        lead();
    } else {
        other((enum role)context_id);
    }
}

bool bench_run(const struct board *described, uint64_t times, unsigned only, enum bench_output how)
{
    board = described;
    iterations = times;
    only_test = only;
    output = how;
    machine_init(board, normal_world);
    if (!host_run()) {
        fprintf(stderr, "%s\n", host_violation());
        return false;
    }
    if (host_cores[board->lead].wait != HOST_FINISHED) {
        fprintf(stderr, "every core waits for ever: a deadlock\n");
        return false;
    }
    return true;
}
