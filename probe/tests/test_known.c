/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "cmocka_needs.h"
#include "known.h"
#include "records.h"

#define STREAM_BYTES_MAX 4096
#define LIMIT_BYTES 100000

/* A record of the kind RECORD_FRAGMENT as it lies in the stream, without the code. */
struct told {
    uint64_t head, address;
    uint32_t number, instructions, world, code_bytes;
};

static const uint8_t code[] = { 0x20, 0x00, 0x02, 0x8b, 0x20, 0x00, 0x40, 0xf9 };
static struct fragment wanted = { .instructions = 2, .level = 3, .code_bytes = sizeof(code), .code = code };
static uint32_t next; /* number */
static uint64_t header;
static FILE *file;

static int know_nothing(void **state)
{
    (void)state;
    known_start();
    return 0;
}

/* Code of its own for each test: what is known stays known. */
static int start(void **state)
{
    (void)state;
    file = tmpfile();
    wanted.address += 0x1000;
    records_open(file, "the stream", LIMIT_BYTES, &header, sizeof(header));
    return file == NULL;
}

static int end(void **state)
{
    (void)state;
    records_close(true);
    return 0;
}

/* How many fragments the stream names by now. */
static size_t read_told(struct told told[], size_t most)
{
    static uint8_t bytes[STREAM_BYTES_MAX];
    size_t size, each = sizeof(*told) + sizeof(code);

    records_keep(true);
    fflush(file);
    rewind(file);
    size = fread(bytes, 1, sizeof(bytes), file) - sizeof(header);
    assert_int_equal(size % each, 0);
    assert_true(size / each <= most);
    for (size_t i = 0; i < size / each; i++) {
        memcpy(&told[i], bytes + sizeof(header) + i * each, sizeof(*told));
        assert_memory_equal(bytes + sizeof(header) + i * each + sizeof(*told), code, sizeof(code));
    }
    return size / each;
}

static void code_is_told_where_it_is_measured_and_once(void **state)
{
    struct fragment *fragment = known_fragment(wanted, false);
    struct told told[2];

    (void)state;
    assert_int_equal(fragment->number, FRAGMENT_UNNUMBERED);
    assert_ptr_equal(known_fragment(wanted, true), fragment);
    assert_int_equal(fragment->number, next);
    known_give_number(fragment);
    assert_int_equal(known_number_of(wanted), next);
    assert_int_equal(read_told(told, 2), 1);
    assert_int_equal(told[0].address, wanted.address);
    assert_int_equal(told[0].number, next);
    assert_int_equal(told[0].instructions, 2);
    assert_int_equal(told[0].world, 3);
    assert_int_equal(told[0].code_bytes, sizeof(code));
    next += 1;
}

static void the_same_code_has_a_number_in_each_context(void **state)
{
    struct fragment *fragment = known_fragment(wanted, true);
    const struct fragment *here = known_in(fragment, 5), *there = known_in(fragment, 9);
    struct told told[4];

    (void)state;
    assert_ptr_equal(known_in(fragment, 0), fragment);
    assert_ptr_equal(known_in(fragment, 5), here);
    assert_ptr_equal(known_in(fragment, 9), there);
    assert_int_equal(here->number, next + 1);
    assert_int_equal(there->number, next + 2);
    assert_int_equal(read_told(told, 4), 3);
    assert_int_equal(told[1].world, 3 | 5 << 16);
    assert_int_equal(told[2].world, 3 | 9 << 16);
    next += 3;
}

static void what_is_told_again_has_another_number(void **state)
{
    struct fragment *fragment = known_fragment(wanted, true);
    struct told told[2];

    (void)state;
    known_tell_again(fragment);
    assert_int_equal(fragment->number, next + 1);
    assert_int_equal(read_told(told, 2), 2);
    assert_int_equal(told[1].address, told[0].address);
    assert_int_equal(told[1].number, next + 1);
    next += 2;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(code_is_told_where_it_is_measured_and_once, start, end),
        cmocka_unit_test_setup_teardown(the_same_code_has_a_number_in_each_context, start, end),
        cmocka_unit_test_setup_teardown(what_is_told_again_has_another_number, start, end),
    };

    return cmocka_run_group_tests(tests, know_nothing, NULL);
}
