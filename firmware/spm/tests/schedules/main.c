/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the SPM's core and IPC backend on the development machine with interrupts and switches between any two of their accesses. A seed
 * draws what is called and where an interrupt comes: some places of the code nearly always, all others now and then.
 *   spm_schedules [FIRST_SEED [RUNS]]
 * A failing run says its seed, what went wrong, and where the last interrupts came; the same seed is the same run.
 */
#include <inttypes.h>
#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate.h"
#include "processor.h"
#include "spm.h"
#include "work.h"

#define CALLS      60U
#define HOT_KINDS  16U
#define LAST       12U
#define LATEST     600U /* accesses of a call before its first interrupt */
#define MOST_ACCESSES 2000000U

/* One line each, then what is more. */
enum event { EVENT_ALL_LINES = LINES, EVENT_NON_SECURE, EVENTS };

static const char *const event_names[EVENTS] = {
    [LINE_FIRST_LEVEL] = "the driver's first-level interrupt",
    [LINE_DRIVER] = "the driver's interrupt",
    [LINE_SERVER] = "the server's interrupt",
    [LINE_RELAY] = "the relay's interrupt",
    [EVENT_ALL_LINES] = "all interrupts",
    [EVENT_NON_SECURE] = "another non-secure thread, and an interrupt into it",
};

static struct {
    uint64_t seed;
    uint64_t state;
    uint32_t one_in;
    uint32_t allowed;
    uint64_t not_before;
    uint64_t accesses;
    uint64_t events;
    struct {
        uintptr_t place;
        enum event event;
    } last[LAST];
} run;

/* The finalizer of SplitMix64. */
static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9U;
    value = (value ^ value >> 27) * 0x94D049BB133111EBU;
    return value ^ value >> 31;
}

static uint32_t draw(uint32_t below)
{
    run.state += 0x9E3779B97F4A7C15U;
    return (uint32_t)(mixed(run.state) % below);
}

static void say_place(uintptr_t place)
{
    char command[128];

    fflush(stdout);
    snprintf(command, sizeof(command), "addr2line -fpse /proc/%ld/exe %#" PRIxPTR, (long)getpid(), place - 1U);
    if (system(command) != 0) {
        printf("%#" PRIxPTR "\n", place);
    }
}

static _Noreturn void wrong(const char *what)
{
    printf("seed %" PRIu64 ": %s, after %" PRIu64 " accesses; the last interrupts, the oldest first, before\n", run.seed, what, run.accesses);
    for (uint64_t i = run.events < LAST ? 0 : run.events - LAST; i < run.events; i++) {
        printf("  %s: ", event_names[run.last[i % LAST].event]);
        say_place(run.last[i % LAST].place);
    }
    exit(1);
}

static void ask_as_other_thread(void)
{
    processor_raise(draw(LINES));
}

static void let_come(enum event event)
{
    if (event == EVENT_NON_SECURE) {
        processor_visit_non_secure(ask_as_other_thread);
        return;
    }
    for (uint32_t line = 0; line < LINES; line++) {
        if (event == EVENT_ALL_LINES || event == (enum event)line) {
            processor_raise(line);
        }
    }
}

static void on_access(uintptr_t place)
{
    bool is_hot = mixed(run.seed ^ place) % HOT_KINDS == 0U;

    run.accesses++;
    if (run.accesses > MOST_ACCESSES) {
        wrong("the calls do not come to an end");
    }
    if (run.allowed == 0U || run.accesses < run.not_before || draw(is_hot ? 2U : run.one_in) != 0U) {
        return;
    }

    enum event event = (enum event)draw(processor_is_in_thread() ? EVENTS : EVENT_NON_SECURE);

    run.last[run.events % LAST].place = place;
    run.last[run.events % LAST].event = event;
    run.events++;
    run.allowed--;
    let_come(event);
}

static void allow(uint32_t interrupts)
{
    run.allowed = interrupts;
    run.not_before = run.accesses + draw(LATEST);
}

static void only_take_interrupts(void)
{
}

/* What ends the sleep may come while the non-secure side runs another thread: no switch is made then. */
static bool asleep(void)
{
    bool comes = work_device_due();

    if (draw(2) == 0U) {
        processor_visit_non_secure(only_take_interrupts);
    }
    return comes;
}

static const struct work_outside outside = { draw, allow, wrong };
static const struct processor_world world = { gate_switch_handler, work_non_secure, on_access, asleep, wrong };

static void run_once(uint64_t seed)
{
    static const uint32_t rarities[] = { 8, 32, 128, 1024 };

    run.seed = seed;
    run.state = seed * 0x9E3779B97F4A7C15U;
    run.accesses = run.events = 0;
    run.allowed = 0;
    run.one_in = rarities[draw(sizeof(rarities) / sizeof(rarities[0]))];
    work_prepare(&outside, CALLS);
    processor_start(&world);
    spm_init();
    processor_run();
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1U;
    uint64_t runs = argc > 2 ? strtoull(argv[2], NULL, 0) : 1U;
    uint64_t accesses = 0;
    uint64_t events = 0;

    for (uint64_t seed = first; seed < first + runs; seed++) {
        run_once(seed);
        accesses += run.accesses;
        events += run.events;
    }
    printf("runs=%" PRIu64 " accesses=%" PRIu64 " interrupts=%" PRIu64 " status=pass\n", runs, accesses, events);
    return 0;
}
