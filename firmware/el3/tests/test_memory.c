/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the compiler and libfdt call at EL3, beside those of the host's library. */
#include <string.h>

#include "harness.h"

#define memset el3_memset
#define memcpy el3_memcpy
#define memmove el3_memmove
#define memcmp el3_memcmp
#define memchr el3_memchr
#define strlen el3_strlen
#define strnlen el3_strnlen
#define strrchr el3_strrchr
void *memset(void *destination, int value, size_t bytes);
void *memcpy(void *restrict destination, const void *restrict source, size_t bytes);
void *memmove(void *destination, const void *source, size_t bytes);
int memcmp(const void *one, const void *other, size_t bytes);
void *memchr(const void *bytes, int value, size_t count);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
char *strrchr(const char *text, int character);
#include "memory.c"
#undef memset
#undef memcpy
#undef memmove
#undef memcmp
#undef memchr
#undef strlen
#undef strnlen
#undef strrchr

#define BYTES 64U

static void fill(unsigned char *bytes)
{
    for (unsigned i = 0; i < BYTES; i++) {
        bytes[i] = (unsigned char)(i * 7U + 1U);
    }
}

static void check_move(unsigned to, unsigned from, unsigned bytes)
{
    _Alignas(8) unsigned char ours[BYTES];
    _Alignas(8) unsigned char theirs[BYTES];

    fill(ours);
    fill(theirs);
    CHECK(el3_memmove(ours + to, ours + from, bytes) == ours + to);
    memmove(theirs + to, theirs + from, bytes);
    CHECK(memcmp(ours, theirs, BYTES) == 0);
}

TEST(memmove_moves_any_number_of_bytes_between_any_places_of_a_buffer)
{
    for (unsigned to = 0; to < 24; to++) {
        for (unsigned from = 0; from < 24; from++) {
            for (unsigned bytes = 0; bytes <= 40; bytes++) {
                check_move(to, from, bytes);
            }
        }
    }
}

TEST(memset_and_memcpy_write_all_of_their_bytes_and_no_other)
{
    _Alignas(8) unsigned char source[BYTES];
    _Alignas(8) unsigned char ours[BYTES];
    _Alignas(8) unsigned char theirs[BYTES];

    fill(source);
    for (unsigned at = 0; at < 9; at++) {
        for (unsigned bytes = 0; bytes <= 40; bytes++) {
            fill(ours);
            fill(theirs);
            CHECK(el3_memset(ours + at, 0x1A5, bytes) == ours + at);
            memset(theirs + at, 0x1A5, bytes);
            CHECK(memcmp(ours, theirs, BYTES) == 0);
            CHECK(el3_memcpy(ours + at, source + 3, bytes) == ours + at);
            memcpy(theirs + at, source + 3, bytes);
            CHECK(memcmp(ours, theirs, BYTES) == 0);
            CHECK(el3_memcpy(ours, source, bytes & ~3U) == ours);
            CHECK(memcmp(ours, source, bytes & ~3U) == 0);
        }
    }
}

TEST(memcmp_tells_the_order_of_the_first_bytes_that_differ)
{
    const unsigned char low[] = { 1, 2, 3, 4 };
    const unsigned char high[] = { 1, 2, 0xF3, 0 };

    CHECK(el3_memcmp(low, high, 2) == 0);
    CHECK(el3_memcmp(low, high, 3) < 0);
    CHECK(el3_memcmp(high, low, 4) > 0);
    CHECK(el3_memcmp(low, high, 0) == 0);
}

TEST(searches_find_the_first_or_the_last_and_stop_at_the_end)
{
    const char *text = "abcabc";

    CHECK(el3_memchr(text, 'c', 6) == text + 2);
    CHECK(el3_memchr(text, 'c', 2) == NULL);
    CHECK(el3_memchr(text, 0x100 + 'a', 6) == text);
    CHECK(el3_strrchr(text, 'b') == text + 4);
    CHECK(el3_strrchr(text, 'x') == NULL);
    CHECK(el3_strrchr(text, '\0') == text + 6);
    CHECK_EQUAL(el3_strlen(text), 6);
    CHECK_EQUAL(el3_strlen(""), 0);
    CHECK_EQUAL(el3_strnlen(text, 4), 4);
    CHECK_EQUAL(el3_strnlen(text, 100), 6);
}
