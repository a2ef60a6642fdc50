/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the tests in order. What was reached lies in memory that a reset leaves alone. */
#include "conformance.h"
#include "ns.h"

#define MAGIC 0x434F4E46U

static __attribute__((section(".retained"))) struct {
    uint32_t magic;
    uint32_t next;
    uint32_t running;
    uint32_t passed;
    uint32_t failed;
    uint32_t skipped;
    uint32_t resets;
} progress;

uint32_t check_failed;

static const struct test *test_of(uint32_t index)
{
    static const struct {
        const struct test *tests;
        const uint32_t *count;
    } groups[] = {
        { client_tests, &client_test_count },   { partition_tests, &partition_test_count }, { isolation_tests, &isolation_test_count },
        { pointer_tests, &pointer_test_count }, { thread_tests, &thread_test_count },
        { mapping_tests, &mapping_test_count }, { mask_tests, &mask_test_count },
        { record_tests, &record_test_count },
    };

    for (uint32_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (index < *groups[i].count) {
            return &groups[i].tests[index];
        }
        index -= *groups[i].count;
    }
    return (const struct test *)0;
}

static void report(const struct test *test, bool pass, const char *why, uint32_t number)
{
    progress.next++;
    progress.running = 0;
    if (pass) {
        progress.passed++;
        return;
    }
    progress.failed++;
    ns_print("FAIL ");
    ns_print(test->name);
    ns_print_unsigned(why, number);
    ns_print("\n");
}

static bool is_for_this_build(enum needs needs)
{
    return ((needs & NEEDS_IPC) == 0U || SPM_IPC) && ((needs & NEEDS_SFN) == 0U || !SPM_IPC) &&
           ((needs & NEEDS_LEVEL_2) == 0U || SPM_LEVEL >= 2) && ((needs & NEEDS_LEVEL_3) == 0U || SPM_LEVEL >= 3) &&
           ((needs & ONLY_LEVEL_2) == 0U || SPM_LEVEL == 2) && ((needs & NOT_LEVEL_2) == 0U || SPM_LEVEL != 2) &&
           ((needs & ONLY_LEVEL_1) == 0U || SPM_LEVEL == 1) &&
           ((needs & SECOND_ON_MAIN_STACK) == 0U || SPM_LEVEL == 1 || !GATEWAY_READS_MAIN_STACK);
}

static void run(const struct test *test)
{
    if (!is_for_this_build(test->needs)) {
        progress.next++;
        progress.skipped++;
        return;
    }
    progress.running = 1;
    if (!test->run(test)) {
        report(test, false, ": the check failed in line ", check_failed);
        return;
    }
    report(test, test->expected == SPM_CAUSE_NONE, ": expected a panic of cause ", (uint32_t)test->expected);
}

static void resume(void)
{
    if (progress.magic != MAGIC) {
        progress.magic = MAGIC;
        progress.next = progress.running = progress.passed = progress.failed = progress.skipped = progress.resets = 0;
        return;
    }
    progress.resets++;
    if (progress.running != 0U) {
        const struct test *test = test_of(progress.next);
        uint32_t cause = nsc_panic_word(0);

        report(test, is_told(test), ": the system panicked with cause ", cause);
    }
}

uint32_t ns_main(void)
{
    const struct test *test;

    resume();
    while ((test = test_of(progress.next)) != 0) {
        run(test);
    }
    ns_print_unsigned("conformance " BENCH_FIRMWARE ": passed ", progress.passed);
    ns_print_unsigned(", failed ", progress.failed);
    ns_print_unsigned(", not for this build ", progress.skipped);
    ns_print_unsigned(", resets ", progress.resets);
    ns_print("\n");
    progress.magic = 0;
    return progress.failed == 0U && progress.passed != 0U ? 0U : 1U;
}
