/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How all unit tests in C are written: CMocka runs them and checks, this adds that a test is listed where it stands. A test is a function whose name
 * is a sentence; it ends at the first check that fails. CMocka's own assertions may be used as well.
 */
#ifndef HARNESS_H
#define HARNESS_H

/* CMocka wants these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void harness_add(const char *sentence, CMUnitTestFunction run);

#define TEST(sentence)                                              \
    static void sentence(void);                                     \
    static void run_##sentence(void **state)                        \
    {                                                               \
        (void)state;                                                \
        sentence();                                                 \
    }                                                               \
    static void __attribute__((constructor)) add_##sentence(void)   \
    {                                                               \
        harness_add(#sentence, run_##sentence);                     \
    }                                                               \
    static void sentence(void)

#define CHECK(condition) assert_true(condition)
#define CHECK_EQUAL(seen, wanted) assert_int_equal((uint64_t)(seen), (uint64_t)(wanted))
#define CHECK_TEXT(wanted, seen) assert_string_equal(seen, wanted)

/* Before each test of a program that defines it. */
void harness_before_each(void);

/* The same numbers in every test of every run. */
uint64_t harness_random(void);
void harness_seed(uint64_t seed);

#endif
