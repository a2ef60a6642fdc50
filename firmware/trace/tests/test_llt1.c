/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "llt1.h"

#define END_LINE "<LLT1:END tests=6 iterations=20 status=pass *65b825f5>"

static char line[LLT1_LINE_SIZE];
static char written[LLT1_LINE_SIZE];
static char refused[LLT1_LINE_SIZE];

static void keep(const char *text)
{
    snprintf(written, sizeof(written), "%s", text);
}

static void keep_refused(const char *text)
{
    snprintf(refused, sizeof(refused), "%s", text);
}

static const struct llt1_writer writer = { line, sizeof(line), keep, keep_refused };

void harness_before_each(void)
{
    written[0] = refused[0] = '\0';
}

/* The text of a line without its check sum, which other tests look at. */
static const char *body(void)
{
    char *sum = strstr(written, " *");

    CHECK(sum != NULL && strlen(sum) == sizeof(" *65b825f5>") - 1);
    *sum = '\0';
    return written;
}

TEST(a_line_stands_between_angle_brackets_with_the_crc_of_zlib)
{
    llt1_end(&writer, 6, 20, true);
    CHECK_TEXT(END_LINE, written);
}

TEST(a_check_sum_has_eight_digits_also_where_it_begins_with_a_zero)
{
    llt1_done(&writer, "a", 2);
    CHECK_TEXT("<LLT1:DONE test=a iteration=2 *060caade>", written);
}

TEST(a_line_that_just_fits_is_written)
{
    char exact[sizeof(END_LINE)];

    llt1_end(&(struct llt1_writer){ exact, sizeof(exact), keep, keep_refused }, 6, 20, true);
    CHECK_TEXT(END_LINE, written);
    CHECK_TEXT("", refused);
}

TEST(a_line_that_does_not_fit_is_refused_and_not_written)
{
    char small[sizeof(END_LINE) - 1];

    for (size_t size = 0; size <= sizeof(small); size++) {
        refused[0] = '\0';
        llt1_end(&(struct llt1_writer){ small, size, keep, keep_refused }, 6, 20, true);
        CHECK_TEXT("", written);
        CHECK(strncmp(refused, "END ", 4) == 0);
    }
}

TEST(every_kind_has_its_keys_in_the_order_of_the_format)
{
    const struct llt1_core core = { 1, 3 };

    llt1_test(&writer, "susp", 7, core);
    CHECK_TEXT("<LLT1:TEST name=susp iteration=7 lead=1.3", body());
    llt1_ring(&writer, &(struct llt1_ring){ "susp", 7, core, 26, 12, 4 });
    CHECK_TEXT("<LLT1:RING test=susp iteration=7 core=1.3 first=26 records=12 lost=4", body());
    llt1_done(&writer, "susp", 7);
    CHECK_TEXT("<LLT1:DONE test=susp iteration=7", body());
    llt1_end(&writer, 6, 20, false);
    CHECK_TEXT("<LLT1:END tests=6 iterations=20 status=fail", body());
}

TEST(the_first_line_says_what_the_firmware_is)
{
    llt1_boot(&writer, &(struct llt1_boot){
                           .events = 0xa1ecd35cf07b306,
                           .clock_hz = 62500000,
                           .capture_mticks = 7000,
                           .topology = "2,4",
                           .lead = { 0, 1 },
                           .iterations = 20,
                           .exception_level = 2,
                           .gic = 3,
                           .firmware = "some;build",
                       });
    CHECK_TEXT("<LLT1:BOOT events=0a1ecd35cf07b306 clock_hz=62500000 capture_mticks=7000 topology=2,4 lead=0.1 iterations=20 el=2 gic=3 "
               "firmware=some;build",
               body());
}

TEST(records_are_base64_and_no_more_than_a_line_takes)
{
    static const uint8_t records[4 * LLT1_RECORD_BYTES] = { 0xff, 0xff, 0xff };

    llt1_data(&writer, (struct llt1_core){ 0, 0 }, UINT64_MAX, records, 1);
    CHECK_TEXT("<LLT1:DATA core=0.0 first=18446744073709551615 data=////AAAAAAAAAAAAAAAAAA==", body());
    llt1_data(&writer, (struct llt1_core){ 0, 0 }, 1, records, LLT1_RECORDS_PER_LINE);
    CHECK(strlen(body()) == sizeof("<LLT1:DATA core=0.0 first=1 data=") - 1 + 64);
    written[0] = '\0';
    llt1_data(&writer, (struct llt1_core){ 0, 0 }, 1, records, 0);
    CHECK_TEXT("DATA", refused);
    refused[0] = '\0';
    llt1_data(&writer, (struct llt1_core){ 0, 0 }, 1, records, LLT1_RECORDS_PER_LINE + 1);
    CHECK_TEXT("DATA", refused);
    CHECK_TEXT("", written);
}
