/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests in plain C: a test is a function whose name is a sentence, a check says what it saw. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stdint.h>

struct harness_test {
    const char *name;
    void (*run)(void);
    struct harness_test *next;
};

void harness_add(struct harness_test *test);
void harness_expect(bool holds, const char *what, const char *file, int line);
void harness_expect_equal(uint64_t seen, uint64_t wanted, const char *what, const char *file, int line);

#define TEST(sentence)                                                               \
    static void sentence(void);                                                      \
    static void __attribute__((constructor)) add_##sentence(void)                    \
    {                                                                                \
        static struct harness_test test = { .name = #sentence, .run = sentence };    \
        harness_add(&test);                                                          \
    }                                                                                \
    static void sentence(void)

#define CHECK(condition) harness_expect((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(seen, wanted) harness_expect_equal((uint64_t)(seen), (uint64_t)(wanted), #seen, __FILE__, __LINE__)

/* The same numbers in every run. */
uint64_t harness_random(void);
void harness_seed(uint64_t seed);

#endif
