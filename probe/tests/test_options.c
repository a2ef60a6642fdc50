/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cmocka_needs.h"
#include "options.h"

static char error[OPTION_ERROR_BYTES];

static void the_file_is_all_that_is_needed(void **state)
{
    char *const words[] = { "out=/tmp/x" };
    struct options options;

    (void)state;
    assert_true(options_parse(1, words, &options, error));
    assert_string_equal(options.out, "/tmp/x");
    assert_false(options.functions);
    assert_false(options.apart);
    assert_true(options.limit_bytes >= 1 << 20);
}

static void every_option_is_read(void **state)
{
    char *const words[] = { "functions=on", "limit=4096", "out=a=b", "apart=on" };
    struct options options;

    (void)state;
    assert_true(options_parse(4, words, &options, error));
    assert_string_equal(options.out, "a=b");
    assert_true(options.functions);
    assert_true(options.apart);
    assert_int_equal(options.limit_bytes, 4096);
}

static void masked_time_is_wanted_where_it_is_asked_for(void **state)
{
    char *const words[] = { "out=x", "masked=on" };
    struct options options;
    char error[OPTION_ERROR_BYTES];

    (void)state;
    assert_true(options_parse(1, words, &options, error));
    assert_false(options.masked);
    assert_true(options_parse(2, words, &options, error));
    assert_true(options.masked);
}

static void contexts_are_those_of_functions(void **state)
{
    char *const words[] = { "out=x", "contexts=on" };
    struct options options;

    (void)state;
    assert_true(options_parse(1, words, &options, error));
    assert_false(options.contexts);
    assert_true(options_parse(2, words, &options, error));
    assert_true(options.contexts);
    assert_true(options.functions);
}

static void each_instruction_apart_is_apart(void **state)
{
    char *const words[] = { "out=x", "each=on" };
    struct options options;

    (void)state;
    assert_true(options_parse(2, words, &options, error));
    assert_true(options.each);
    assert_true(options.apart);
}

static void what_means_nothing_is_refused_by_name(void **state)
{
    static char *const wrong[] = {
        "outs=x", "functions=maybe", "apart=1", "limit=", "limit=-1", "limit=4095", "limit=10k", "limit", "out=", "limit=99999999999999999999999",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char *const words[] = { "out=x", wrong[i] };
        struct options options;

        assert_false(options_parse(2, words, &options, error));
        assert_non_null(strstr(error, wrong[i]));
    }
}

static void a_probe_without_a_file_is_refused(void **state)
{
    struct options options;

    (void)state;
    assert_false(options_parse(0, NULL, &options, error));
    assert_non_null(strstr(error, "out=FILE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_all_that_is_needed),
        cmocka_unit_test(every_option_is_read),
        cmocka_unit_test(masked_time_is_wanted_where_it_is_asked_for),
        cmocka_unit_test(contexts_are_those_of_functions),
        cmocka_unit_test(each_instruction_apart_is_apart),
        cmocka_unit_test(what_means_nothing_is_refused_by_name),
        cmocka_unit_test(a_probe_without_a_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
