/* SPDX-License-Identifier: BSD-3-Clause */
/* PSCI latencies: six tests, every core, N iterations in one boot. */
#include <stdbool.h>

#include "console.h"
#include "core.h"
#include "dump.h"
#include "machine.h"
#include "payload.h"
#include "procedures.h"
#include "psci.h"
#include "timer.h"

/* Long enough that every core is down before the first one is woken, also where one cluster after the other flushes its caches. */
#define WAKE_DEEP_US 20000UL
#define WAKE_LEVEL_0_US 5000UL

static const struct bench_test tests[] = {
    { "test_rt_instr_susp_deep_parallel", procedure_parallel, MACHINE_DEEPEST_STATE, WAKE_DEEP_US },
    { "test_rt_instr_susp_deep_serial", procedure_serial, MACHINE_DEEPEST_STATE, WAKE_DEEP_US },
    { "test_rt_instr_cpu_susp_parallel", procedure_parallel, POWER_STATE_DOWN_0, WAKE_LEVEL_0_US },
    { "test_rt_instr_cpu_susp_serial", procedure_serial, POWER_STATE_DOWN_0, WAKE_LEVEL_0_US },
    { "test_rt_instr_cpu_off_serial", procedure_off_serial, MACHINE_DEEPEST_STATE, WAKE_DEEP_US },
    { "test_rt_instr_psci_version_parallel", procedure_parallel, 0, 0 },
};
#define TEST_COUNT (sizeof(tests) / sizeof(tests[0]))

static bool is_sound(const struct bench_test *test, const struct measurement *m)
{
    if (m->status != PSCI_SUCCESS || !m->stamps_valid) {
        return false;
    }
    if (test->power_state == 0) {
        return stamps_are_in_order_call(&m->stamps, m->start_ticks, m->end_ticks);
    }
    return stamps_are_in_order_power(&m->stamps, m->start_ticks, m->end_ticks);
}

static void report_fault(const struct bench_test *test, uint64_t iteration, const struct core *core, const struct measurement *m)
{
    const uint64_t *t = m->stamps.ticks;

    console_line("FAULT %s iteration %lu core %u.%u: call returned %ld, stamps %s: start=%lu ENTER_PSCI=%lu ENTER_CFLUSH=%lu "
                 "EXIT_CFLUSH=%lu "
                 "ENTER_HW_LOW_PWR=%lu EXIT_HW_LOW_PWR=%lu EXIT_PSCI=%lu end=%lu",
                 test->name, iteration, core->cluster, core->core, m->status,
                 m->stamps_valid ? "read" : "refused by the firmware", m->start_ticks, t[STAMP_ENTER_PSCI], t[STAMP_ENTER_CFLUSH],
                 t[STAMP_EXIT_CFLUSH], t[STAMP_ENTER_HW_LOW_PWR], t[STAMP_EXIT_HW_LOW_PWR], t[STAMP_EXIT_PSCI], m->end_ticks);
}

static void print_figures(const struct bench_test *test, const struct core *core, const struct measurement *m)
{
    uint64_t clock_hz = timer_frequency_hz();
    struct power_figures f;

    if (test->power_state == 0) {
        console_line("<RT_INSTR:%s\t%u\t%u\t%lu/>", test->name, core->cluster, core->core, stamps_call_ns(&m->stamps, clock_hz));
        return;
    }
    f = stamps_power_figures(&m->stamps, clock_hz);
    console_line("<RT_INSTR:%s\t%u\t%u\t%lu\t%lu\t%lu/>", test->name, core->cluster, core->core, f.powerdown_ns, f.wakeup_ns,
                 f.cache_flush_ns);
}

static bool report_core(const struct bench_test *test, uint64_t iteration, uint32_t index)
{
    const struct measurement *m = &measurements[index];
    bool sound = is_sound(test, m);

    if (sound) {
        print_figures(test, &cores[index], m);
    } else {
        report_fault(test, iteration, &cores[index], m);
    }
    return dump_ring(test->name, iteration, index, m) && sound;
}

static bool run_iteration(const struct bench_test *test, uint64_t iteration)
{
    bool pass = true;

    test->procedure(test);
    dump_test(test->name, iteration);
    for (uint32_t i = 0; i < core_count; i++) {
        pass = report_core(test, iteration, i) && pass;
    }
    dump_done(test->name, iteration);
    return pass;
}

void payload_main(const struct bench_params *params)
{
    bool pass = true;

    dump_boot(params->iterations);
    /* An emulator hands over between cores by the time of its machine: how long the boot took is to make no difference. */
    timer_sleep_to_multiple(timer_frequency_hz());
    for (uint32_t i = 0; i < TEST_COUNT; i++) {
        for (uint64_t iteration = 0; iteration < params->iterations; iteration++) {
            pass = run_iteration(&tests[i], iteration) && pass;
        }
    }
    dump_end(TEST_COUNT, params->iterations, pass);
}
