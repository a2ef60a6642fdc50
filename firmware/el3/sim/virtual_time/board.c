/* SPDX-License-Identifier: BSD-3-Clause */
#include "board.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 8192U
#define SEPARATORS " \t\r\n"

struct field {
    const char *key;
    size_t offset;
};

#define CLASS_FIELD(name) { #name, offsetof(struct board_class, name) }
#define BOARD_FIELD(name) { #name, offsetof(struct board, name) }

static const struct field class_fields[] = {
    CLASS_FIELD(call_ns), CLASS_FIELD(entry_ns), CLASS_FIELD(entry_deep_ns), CLASS_FIELD(exit_ns), CLASS_FIELD(exit_deep_ns),
    CLASS_FIELD(exit_on_ns), CLASS_FIELD(flush_core_ns), CLASS_FIELD(flush_cluster_ns), CLASS_FIELD(flush_crowd_ns),
    CLASS_FIELD(cluster_up_ns), CLASS_FIELD(system_up_ns),
};
static const struct field board_fields[] = {
    BOARD_FIELD(lock_acquire_ns), BOARD_FIELD(lock_acquire_core_ns), BOARD_FIELD(lock_handover_ns), BOARD_FIELD(lock_handover_core_ns),
    BOARD_FIELD(shared_ns), BOARD_FIELD(capture_ns), BOARD_FIELD(message_ns), BOARD_FIELD(busy_core_ns), BOARD_FIELD(busy_cluster_ns),
    BOARD_FIELD(busy_off_ns), BOARD_FIELD(wake_ns), BOARD_FIELD(wake_each_ns), BOARD_FIELD(stagger_ns), BOARD_FIELD(noise_ns),
    BOARD_FIELD(seed),
};
static const char *const lock_names[] = { "ticket", "bakery", "compare-and-swap" };
static const char *const scope_names[] = { "coordination", "transition" };
static const char *const channel_names[] = { "shared", "per-core" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool next_number(uint64_t *value)
{
    const char *word = strtok(NULL, SEPARATORS);
    char *end;

    if (word == NULL) {
        return false;
    }
    *value = strtoull(word, &end, 10);
    return *end == '\0' && *word != '-';
}

static bool next_name(const char *const *names, unsigned count, unsigned *choice)
{
    const char *word = strtok(NULL, SEPARATORS);

    for (*choice = 0; word != NULL && *choice < count; (*choice)++) {
        if (strcmp(word, names[*choice]) == 0) {
            return true;
        }
    }
    return false;
}

static bool set_field(const struct field *fields, size_t count, void *object, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].key, key) == 0) {
            return next_number((uint64_t *)((char *)object + fields[i].offset));
        }
    }
    return false;
}

static bool read_class(struct board *board)
{
    uint64_t number;
    const char *key;

    if (!next_number(&number) || number >= BOARD_CLASSES) {
        return false;
    }
    key = strtok(NULL, SEPARATORS);
    return key != NULL && set_field(class_fields, COUNT(class_fields), &board->classes[number], key);
}

static bool read_cluster(struct board *board)
{
    uint64_t cores;
    uint64_t number;

    if (!next_number(&cores) || !next_number(&number) || cores == 0 || cores > HOST_MAX_CORES - board->cores || number >= BOARD_CLASSES) {
        return false;
    }
    board->cluster_cores[board->clusters] = (uint16_t)cores;
    board->cluster_class[board->clusters++] = (uint8_t)number;
    board->cores += (unsigned)cores;
    return true;
}

static bool read_order(struct board *board)
{
    uint64_t core;
    uint64_t test;

    if (!next_number(&test) || test >= BOARD_TESTS) {
        return false;
    }
    while (board->ordered[test] < board->cores && next_number(&core)) {
        if (core >= board->cores) {
            return false;
        }
        board->order[test][board->ordered[test]++] = (unsigned)core;
    }
    return board->ordered[test] == board->cores;
}

static bool read_line(struct board *board, const char *key)
{
    unsigned choice;
    uint64_t number;

    if (strcmp(key, "class") == 0) {
        return read_class(board);
    }
    if (strcmp(key, "cluster") == 0) {
        return read_cluster(board);
    }
    if (strcmp(key, "order") == 0) {
        return read_order(board);
    }
    if (strcmp(key, "lead") == 0 && next_number(&number) && number < board->cores) {
        board->lead = (unsigned)number;
        return true;
    }
    if (strcmp(key, "lock") == 0 && next_name(lock_names, COUNT(lock_names), &choice)) {
        board->lock = (enum board_lock)choice;
        return true;
    }
    if (strcmp(key, "scope") == 0 && next_name(scope_names, COUNT(scope_names), &choice)) {
        board->scope = (enum board_scope)choice;
        return true;
    }
    if (strcmp(key, "channel") == 0 && next_name(channel_names, COUNT(channel_names), &choice)) {
        board->channel = (enum board_channel)choice;
        return true;
    }
    if (strcmp(key, "flush_always_cluster") == 0 && next_number(&number)) {
        board->flush_always_cluster = number != 0;
        return true;
    }
    return set_field(board_fields, COUNT(board_fields), board, key);
}

bool board_read(struct board *board, const char *path)
{
    static char line[LINE_BYTES];
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    unsigned number = 0;
    bool sound = true;

    memset(board, 0, sizeof(*board));
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read; name a board description\n", path);
        return false;
    }
    while (sound && fgets(line, sizeof(line), file) != NULL) {
        const char *key = strtok(line, SEPARATORS);

        number++;
        if (key != NULL && !read_line(board, key)) {
            fprintf(stderr, "%s:%u: no key `%s` with such a value; see board.h\n", path, number, key);
            sound = false;
        }
    }
    if (file != stdin) {
        fclose(file);
    }
    if (sound && board->cores == 0) {
        fprintf(stderr, "%s: no `cluster CORES CLASS` line; a board has at least one core\n", path);
        return false;
    }
    return sound;
}
