/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "record_file.h"

static struct record_file file;
static struct tally tallies[2];
static struct record_slot slot;
static struct record_header header;
static struct tally read_back[2];
static char path[] = "/tmp/latlab-test-XXXXXX";

static void the_crc_is_that_of_zlib(void)
{
    CHECK(record_crc(0, "123456789", 9) == 0xCBF43926U);
    CHECK(record_crc(record_crc(0, "1234", 4), "56789", 5) == 0xCBF43926U);
}

static void checkpoints_go_to_the_two_slots_in_turn(void)
{
    file.header.cpus = 2;
    CHECK(record_create(&file, path) == 0);
    for (uint64_t i = 1; i <= 3; i++) {
        tallies[1].got = i;
        CHECK(record_checkpoint(&file, (struct record_slot){ .now_ns = i }, tallies) == 0);
    }
    int fd = open(path, O_RDONLY);

    CHECK(pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header));
    CHECK(record_crc(0, &header, offsetof(struct record_header, crc)) == header.crc);
    for (unsigned index = 0; index < 2; index++) {
        off_t place = (off_t)(header.header_bytes + index * header.slot_bytes);

        CHECK(pread(fd, &slot, sizeof(slot), place) == (ssize_t)sizeof(slot));
        CHECK(pread(fd, read_back, sizeof(read_back), place + (off_t)sizeof(slot)) == (ssize_t)sizeof(read_back));
        CHECK(slot.sequence == (index == 1 ? 3U : 2U) && read_back[1].got == slot.sequence);
        CHECK(record_crc(record_crc(0, &slot, offsetof(struct record_slot, crc)), read_back, sizeof(read_back)) == slot.crc);
    }
    close(fd);
}

static void outliers_are_added_behind_the_slots(void)
{
    struct outlier outlier = { .late_ns = 77 };
    uint64_t end = file.end;

    CHECK(end == header.header_bytes + 2ULL * header.slot_bytes);
    CHECK(record_outliers(&file, &outlier, 1) == 0);
    CHECK(file.end == end + sizeof(struct record_batch) + sizeof(outlier) && file.outliers_written == 1);
}

static void six_hours_on_eight_cpus_stay_below_10_megabytes(void)
{
    uint64_t slots = 2ULL * (sizeof(struct record_slot) + 8U * sizeof(struct tally));
    uint64_t batches = 6ULL * 3600U * 8U * sizeof(struct record_batch);

    CHECK(sizeof(struct record_header) + slots + batches + RECORD_OUTLIERS_MAX * sizeof(struct outlier) < 10000000U);
}

static void a_file_that_cannot_be_made_is_an_errno(void)
{
    struct record_file other = { .header = { .cpus = 1 } };

    CHECK(record_create(&other, "/nonexistent/folder/file") != 0);
}

int main(void)
{
    close(mkstemp(path));
    the_crc_is_that_of_zlib();
    checkpoints_go_to_the_two_slots_in_turn();
    outliers_are_added_behind_the_slots();
    six_hours_on_eight_cpus_stay_below_10_megabytes();
    a_file_that_cannot_be_made_is_an_errno();
    unlink(path);
    return failures != 0;
}
