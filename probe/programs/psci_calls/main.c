/* SPDX-License-Identifier: BSD-3-Clause */
/* The PSCI calls of the benchmark for any firmware: nothing is measured here, the calls stand between marks that a probe sees. */
#include <stdarg.h>

#include "console.h"
#include "core.h"
#include "crc32.h"
#include "format.h"
#include "gic.h"
#include "payload.h"
#include "power_states.h"
#include "psci.h"
#include "smc.h"
#include "tests.h"
#include "timer.h"

/* Long enough that every core is down before the first one is woken, also where one cluster after the other flushes its caches. */
#define WAKE_DEEP_US 20000UL
#define WAKE_LEVEL_0_US 5000UL

#define LINE_SIZE 200

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
    char body[LINE_SIZE];
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    length = format_text_v(body, sizeof(body), format, arguments);
    va_end(arguments);
    if (length >= sizeof(body)) {
        length = sizeof(body) - 1;
    }
    console_line("<LLC1:%s *%08x>", body, crc32_append(0, body, length));
}

static void repeat(void (*test)(const struct call *call), struct call call, uint64_t iterations)
{
    for (call.iteration = 0; call.iteration < iterations; call.iteration++) {
        test(&call);
    }
}

static void say_cores(uint64_t iterations)
{
    say("CALLS psci=%08lx iterations=%lu cores=%u lead=%u el=%u gic=%u", smc(PSCI_VERSION, 0, 0, 0).x[0], iterations, core_count,
                 lead_index, current_el(), gic_version());
    for (uint32_t i = 0; i < core_count; i++) {
        say("CORE mpidr=%lx core=%u.%u", cores[i].mpidr, cores[i].cluster, cores[i].core);
    }
}

static void say_skipped(const char *test, const char *why, uint32_t state)
{
    say("SKIP test=%s why=%s state=%08x", test, why, state);
}

static void say_suspends_skipped(const char *why, uint32_t state)
{
    say_skipped("susp_deep_parallel", why, state);
    say_skipped("susp_deep_serial", why, state);
    say_skipped("cpu_susp_parallel", why, state);
    say_skipped("cpu_susp_serial", why, state);
}

static void run_suspends(uint64_t iterations, const struct power_states *states)
{
    const struct call deep = { .power_state = states->deep, .wake_us = WAKE_DEEP_US };
    const struct call level_0 = { .power_state = states->level_0, .wake_us = WAKE_LEVEL_0_US };
    struct call call = deep;

    call.test = TEST_SUSP_DEEP_PARALLEL;
    repeat(test_parallel, call, iterations);
    call.test = TEST_SUSP_DEEP_SERIAL;
    repeat(test_serial, call, iterations);
    call.test = TEST_CPU_OFF_SERIAL;
    repeat(test_lead_alone, call, iterations);
    call = level_0;
    call.test = TEST_CPU_SUSP_PARALLEL;
    repeat(test_parallel, call, iterations);
    call.test = TEST_CPU_SUSP_SERIAL;
    repeat(test_serial, call, iterations);
}

static void run_power_tests(uint64_t iterations)
{
    struct power_states states;

    repeat(test_off_serial, (struct call) { .test = TEST_CPU_OFF_SERIAL }, iterations);
    states = power_states_find();
    if (states.support != SUSPEND_WORKS) {
        say_suspends_skipped(suspend_support_text(states.support), states.lost_state);
        return;
    }
    say("STATES level_0=%08x deep=%08x", states.level_0, states.deep);
    run_suspends(iterations, &states);
}

void payload_main(const struct bench_params *params)
{
    bool stay_on = (params->flags & BENCH_CORES_STAY_ON) != 0;
    struct call version = { .test = TEST_PSCI_VERSION_PARALLEL, .iterations = params->iterations, .stay_on = stay_on };

    if (params->count != 0 && params->count < core_count) {
        core_count = (uint32_t)params->count;
    }
    say_cores(params->iterations);
    test_version(&version);
    if (stay_on) {
        say_skipped("cpu_off_serial", "cores-stay-on", 0);
        say_suspends_skipped("cores-stay-on", 0);
    } else {
        run_power_tests(params->iterations);
    }
    say("END tests=6 iterations=%lu status=pass", params->iterations);
}
