/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc32.h"
#include "harness.h"
#include "record_file.h"

static struct record_file file;
static struct tally tallies[2];
static struct record_slot slot;
static struct record_header header;
static struct tally read_back[2];
static char path[sizeof("/tmp/latlab-test-XXXXXX")];

static void create_file(void)
{
    char path_of_new_file[] = "/tmp/latlab-test-XXXXXX";
    int fd = mkstemp(path_of_new_file);

    CHECK(fd >= 0);
    close(fd);
    memcpy(path, path_of_new_file, sizeof(path));
    file = (struct record_file){ .header = { .cpus = 2 } };
    CHECK(record_create(&file, path) == 0);
}

static void remove_file(void)
{
    close(file.fd);
    unlink(path);
}

TEST(checkpoints_go_to_the_two_slots_in_turn)
{
    create_file();
    for (uint64_t i = 1; i <= 3; i++) {
        tallies[1].got = i;
        CHECK(record_checkpoint(&file, (struct record_slot){ .now_ns = i }, tallies) == 0);
    }
    int fd = open(path, O_RDONLY);

    CHECK(pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header));
    CHECK(crc32_append(0, &header, offsetof(struct record_header, crc)) == header.crc);
    for (unsigned index = 0; index < 2; index++) {
        off_t place = (off_t)header.header_bytes + (off_t)index * (off_t)header.slot_bytes;

        CHECK(pread(fd, &slot, sizeof(slot), place) == (ssize_t)sizeof(slot));
        CHECK(pread(fd, read_back, sizeof(read_back), place + (off_t)sizeof(slot)) == (ssize_t)sizeof(read_back));
        CHECK(slot.sequence == (index == 1 ? 3U : 2U) && read_back[1].got == slot.sequence);
        CHECK(crc32_append(crc32_append(0, &slot, offsetof(struct record_slot, crc)), read_back, sizeof(read_back)) == slot.crc);
    }
    close(fd);
    remove_file();
}

TEST(the_shared_memory_holds_what_the_file_holds_as_far_as_it_fits)
{
    static unsigned char memory[RECORD_SHARED_PAGE + 352U + 2U * (64U + 2U * sizeof(struct tally)) + 100U];
    static unsigned char written[sizeof(memory)];
    const struct record_shared *head = (const void *)memory;
    const struct outlier outliers[3] = { { .wake_ns = 7 } };
    const uint64_t slots_end = 352U + 2U * (64U + 2U * sizeof(struct tally));

    create_file();
    remove_file();
    file = (struct record_file){ .header = { .cpus = 2 } };
    record_share(&file, memory, sizeof(memory));
    CHECK(record_create(&file, path) == 0 && head->bytes == 352U);
    CHECK(record_checkpoint(&file, (struct record_slot){ .now_ns = 1 }, tallies) == 0);
    CHECK(record_checkpoint(&file, (struct record_slot){ .now_ns = 2 }, tallies) == 0 && head->bytes == slots_end);
    CHECK(record_outliers(&file, outliers, 1) == 0 && head->bytes == slots_end + 40U);
    CHECK(record_outliers(&file, outliers, 3) == 0 && head->bytes == slots_end + 48U);
    CHECK(memcmp(head->magic, RECORD_SHARED_MAGIC, sizeof(head->magic)) == 0);
    int fd = open(path, O_RDONLY);

    CHECK(pread(fd, written, slots_end + 48U, 0) == (ssize_t)(slots_end + 48U));
    CHECK(memcmp(written, memory + RECORD_SHARED_PAGE, slots_end + 48U) == 0);
    close(fd);
    remove_file();
}

TEST(memory_that_is_too_small_is_not_used)
{
    static unsigned char memory[RECORD_SHARED_PAGE];

    create_file();
    record_share(&file, memory, sizeof(memory));
    CHECK(file.shared == NULL);
    remove_file();
}

TEST(the_slots_have_their_blocks_before_the_first_checkpoint)
{
    struct stat made;

    create_file();
    CHECK(stat(path, &made) == 0);
    CHECK((uint64_t)made.st_size == file.end && (uint64_t)made.st_blocks * 512U >= file.end);
    int fd = open(path, O_RDONLY);

    CHECK(pread(fd, &slot, sizeof(slot), (off_t)file.header.header_bytes) == (ssize_t)sizeof(slot) && slot.sequence == 0);
    close(fd);
    remove_file();
}

TEST(outliers_are_added_behind_the_slots)
{
    struct outlier outlier = { .late_ns = 77 };

    create_file();

    uint64_t end = file.end;

    CHECK(end == file.header.header_bytes + 2ULL * file.header.slot_bytes);
    CHECK(record_outliers(&file, &outlier, 1) == 0);
    CHECK(file.end == end + sizeof(struct record_batch) + sizeof(outlier) && file.outliers_written == 1);
    remove_file();
}

TEST(six_hours_on_eight_cpus_stay_below_10_megabytes)
{
    uint64_t slots = 2ULL * (sizeof(struct record_slot) + 8U * sizeof(struct tally));
    uint64_t batches = 6ULL * 3600U * 8U * sizeof(struct record_batch);

    CHECK(sizeof(struct record_header) + slots + batches + RECORD_OUTLIERS_MAX * sizeof(struct outlier) < 10000000U);
}

TEST(a_file_that_cannot_be_made_is_an_errno)
{
    struct record_file other = { .header = { .cpus = 1 } };

    CHECK(record_create(&other, "/nonexistent/folder/file") != 0);
}
