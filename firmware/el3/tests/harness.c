/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_FAILURES 5U

static struct harness_test *first;
static struct harness_test **last = &first;
static unsigned failures;
static uint64_t random_state;

void harness_add(struct harness_test *test)
{
    *last = test;
    last = &test->next;
}

static bool fail(const char *file, int line)
{
    failures++;
    if (failures > SHOWN_FAILURES) {
        return false;
    }
    printf("  %s:%d: ", file, line);
    return true;
}

void harness_expect(bool holds, const char *what, const char *file, int line)
{
    if (!holds && fail(file, line)) {
        printf("not true: %s\n", what);
    }
}

void harness_expect_equal(uint64_t seen, uint64_t wanted, const char *what, const char *file, int line)
{
    if (seen != wanted && fail(file, line)) {
        printf("%s is %lld (0x%llx), not %lld (0x%llx)\n", what, (long long)seen, (unsigned long long)seen, (long long)wanted,
               (unsigned long long)wanted);
    }
}

void harness_seed(uint64_t seed)
{
    random_state = seed;
}

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
uint64_t harness_random(void)
{
    random_state += 0x9E3779B97F4A7C15ULL;

    uint64_t z = random_state;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
}

static void print_sentence(const char *name)
{
    for (; *name != '\0'; name++) {
        putchar(*name == '_' ? ' ' : *name);
    }
    putchar('\n');
}

int main(void)
{
    unsigned failed_tests = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (const struct harness_test *test = first; test != NULL; test = test->next) {
        failures = 0;
        harness_seed(1);
        test->run();
        printf(failures == 0 ? "ok: " : "FAILED: ");
        print_sentence(test->name);
        failed_tests += failures != 0;
    }
    return failed_tests == 0 ? 0 : 1;
}
