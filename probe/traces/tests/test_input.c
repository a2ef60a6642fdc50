/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_needs.h"
#include "input.h"

static char path[] = "/tmp/latlab-input-XXXXXX";
static struct input input;

static int start(void **state)
{
    (void)state;
    strcpy(path + sizeof(path) - 7, "XXXXXX");
    return close(mkstemp(path)) != 0;
}

static int end(void **state)
{
    (void)state;
    input_close(&input);
    return unlink(path);
}

static void write_file(const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void write_compressed(const char *command)
{
    char line[256];

    snprintf(line, sizeof(line), "printf 'one\\ntwo\\n' | %s > %s", command, path);
    assert_int_equal(system(line), 0);
}

static void assert_line(const char *wanted)
{
    size_t bytes;
    const char *line = input_line(&input, &bytes);

    assert_non_null(line);
    assert_int_equal(bytes, strlen(wanted));
    assert_memory_equal(line, wanted, bytes);
}

static void assert_over(void)
{
    size_t bytes;

    assert_null(input_line(&input, &bytes));
}

static void lines_come_without_their_ends_and_the_last_may_be_cut(void **state)
{
    (void)state;
    write_file("one\r\n\nthree", 11);
    assert_true(input_open(&input, path, UINT64_MAX));
    assert_line("one");
    assert_line("");
    assert_false(input.is_last_cut);
    assert_line("three");
    assert_true(input.is_last_cut);
    assert_over();
    assert_int_equal(input.lines, 3);
    assert_int_equal(input.bytes, 11);
}

static void compressed_data_are_read_as_they_are(void **state)
{
    (void)state;
    write_compressed("gzip");
    assert_true(input_open(&input, path, UINT64_MAX));
    assert_line("one");
    assert_line("two");
    assert_over();
    assert_false(input.has_failed);
}

static void compressed_data_that_are_cut_keep_what_came(void **state)
{
    (void)state;
    write_compressed("gzip | head -c 26");
    assert_true(input_open(&input, path, UINT64_MAX));
    while (input_line(&input, &(size_t) { 0 }) != NULL) {
    }
    assert_true(input.has_failed);
    assert_non_null(strstr(input.error, "cut off or damaged"));
}

static void a_file_that_is_not_there_is_said(void **state)
{
    (void)state;
    assert_false(input_open(&input, "/nowhere/trace", UINT64_MAX));
    assert_non_null(strstr(input.error, "/nowhere/trace cannot be opened"));
}

static void a_line_without_an_end_comes_in_pieces(void **state)
{
    size_t size = 3 * INPUT_LINE_MAX + 5, count = 0, bytes;
    char *long_line = malloc(size);

    (void)state;
    memset(long_line, 'x', size);
    write_file(long_line, size);
    free(long_line);
    assert_true(input_open(&input, path, UINT64_MAX));
    while (input_line(&input, &bytes) != NULL) {
        assert_true(bytes <= INPUT_LINE_MAX * 16);
        count += bytes;
    }
    assert_int_equal(count, size);
}

static void what_never_ends_a_line_is_no_trace(void **state)
{
    size_t bytes;

    (void)state;
    assert_true(input_open(&input, "/dev/zero", UINT64_MAX));
    while (input_line(&input, &bytes) != NULL) {
        assert_true(input.bytes <= INPUT_UNBROKEN_MAX);
    }
    assert_true(input.has_failed);
    assert_non_null(strstr(input.error, "/dev/zero has more than 64 MiB without the end of a line"));
    assert_over();
}

static void a_limit_ends_the_lines(void **state)
{
    (void)state;
    write_file("one\ntwo\nthree\n", 14);
    assert_true(input_open(&input, path, 5));
    assert_line("one");
    assert_line("two");
    assert_over();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_come_without_their_ends_and_the_last_may_be_cut, start, end),
        cmocka_unit_test_setup_teardown(compressed_data_are_read_as_they_are, start, end),
        cmocka_unit_test_setup_teardown(compressed_data_that_are_cut_keep_what_came, start, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_there_is_said, start, end),
        cmocka_unit_test_setup_teardown(a_line_without_an_end_comes_in_pieces, start, end),
        cmocka_unit_test_setup_teardown(what_never_ends_a_line_is_no_trace, start, end),
        cmocka_unit_test_setup_teardown(a_limit_ends_the_lines, start, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
