/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_TESTS 100U

static struct CMUnitTest tests[MOST_TESTS];
static size_t count;
static uint64_t random_state;

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

__attribute__((weak)) void harness_before_each(void)
{
}

static int before_each(void **state)
{
    (void)state;
    harness_seed(1);
    harness_before_each();
    return 0;
}

void harness_add(const char *sentence, CMUnitTestFunction run)
{
    if (count == MOST_TESTS) {
        fprintf(stderr, "%s: test number %u; make MOST_TESTS larger\n", sentence, MOST_TESTS + 1U);
        exit(1);
    }
    tests[count++] = (struct CMUnitTest){ .name = sentence, .test_func = run, .setup_func = before_each };
}

int main(void)
{
    if (count == 0) {
        fprintf(stderr, "no test is linked into this program\n");
        return 1;
    }
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
