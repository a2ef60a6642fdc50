/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stop.h"

#define BUFFER_BYTES (1U << 20)
#define MAGIC_BYTES 6
#define NOT_FOUND 127

extern char **environ;

struct compression {
    const char *program;
    const char *magic;
    size_t magic_bytes;
};

static const struct compression compressions[] = {
    { "gzip", "\x1f\x8b", 2 },
    { "zstd", "\x28\xb5\x2f\xfd", 4 },
    { "xz", "\xfd" "7zXZ", 5 },
};

#define COMPRESSIONS (sizeof(compressions) / sizeof(compressions[0]))

static const char *program_for(const char *bytes, size_t count)
{
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        if (count >= compressions[i].magic_bytes && memcmp(bytes, compressions[i].magic, compressions[i].magic_bytes) == 0) {
            return compressions[i].program;
        }
    }
    return NULL;
}

static bool fail(struct input *input, const char *what, const char *next)
{
    input->has_failed = true;
    snprintf(input->error, sizeof(input->error), "%.120s %s%s%s", input->name, what, next[0] != '\0' ? "; " : "", next);
    return false;
}

/* Puts the program between the file and the reader. */
static bool decompress(struct input *input, const char *program)
{
    char *const arguments[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)"-dc", NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], failure;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return fail(input, "cannot be read: no pipe can be made", "");
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input->file, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    failure = posix_spawnp(&input->child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    close(input->file);
    input->file = ends[0];
    input->program = program;
    if (failure != 0) {
        char next[64];

        input->child = 0;
        snprintf(next, sizeof(next), "install %s, or decompress it first", program);
        return fail(input, "is compressed and its program is not there", next);
    }
    return true;
}

static bool open_file(struct input *input)
{
    char magic[MAGIC_BYTES];
    const char *program;
    ssize_t count;

    input->file = open(input->name, O_RDONLY | O_CLOEXEC);
    if (input->file < 0) {
        return fail(input, "cannot be opened", strerror(errno));
    }
    count = pread(input->file, magic, sizeof(magic), 0);
    if (count < 0) {
        return errno == ESPIPE || fail(input, "cannot be read", strerror(errno));
    }
    program = program_for(magic, (size_t)count);
    return program == NULL || decompress(input, program);
}

bool input_open(struct input *input, const char *name, uint64_t limit_bytes)
{
    *input = (struct input) { .name = name, .file = STDIN_FILENO, .limit_bytes = limit_bytes };
    input->buffer = malloc(BUFFER_BYTES + 1);
    if (input->buffer == NULL) {
        return fail(input, "cannot be read: no memory", "");
    }
    return strcmp(name, "-") == 0 || open_file(input);
}

/* Whether the program that decompresses has failed: its data were cut or damaged. */
static void end_child(struct input *input)
{
    int status = 0;

    if (input->child == 0) {
        return;
    }
    while (waitpid(input->child, &status, 0) < 0 && errno == EINTR) {
    }
    input->child = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        fail(input, "is compressed and its program is not there; install", input->program);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail(input, "is cut off or damaged inside its compressed data", "what came before is kept");
    }
}

/* Reads more behind what is there. False where nothing more comes. */
static bool fill(struct input *input)
{
    ssize_t count;

    if (input->start > 0) {
        memmove(input->buffer, input->buffer + input->start, input->end - input->start);
        input->end -= input->start;
        input->start = 0;
    }
    do {
        count = read(input->file, input->buffer + input->end, BUFFER_BYTES - input->end);
    } while (count < 0 && errno == EINTR && !stop_is_asked());
    if (count > 0) {
        input->end += (size_t)count;
        return true;
    }
    input->is_over = true;
    if (stop_is_asked()) {
        return false;
    }
    if (count < 0) {
        fail(input, "cannot be read further", strerror(errno));
    }
    end_child(input);
    return false;
}

static char *give(struct input *input, size_t bytes)
{
    char *line = input->buffer + input->start;

    input->start += bytes;
    input->bytes += bytes;
    input->lines++;
    return line;
}

/* A piece of a line that is longer than the buffer's. NULL where it is longer than any trace's. */
static const char *give_piece(struct input *input, size_t *bytes)
{
    input->unbroken_bytes += INPUT_LINE_MAX;
    if (input->unbroken_bytes > INPUT_UNBROKEN_MAX) {
        input->is_over = true;
        input->start = input->end;
        fail(input, "has more than 64 MiB without the end of a line", "this is no trace");
        return NULL;
    }
    *bytes = INPUT_LINE_MAX;
    return give(input, INPUT_LINE_MAX);
}

static const char *end_early(struct input *input)
{
    fail(input, "was not read to its end", "");
    return NULL;
}

const char *input_line(struct input *input, size_t *bytes)
{
    size_t looked = 0;

    if (stop_is_asked()) {
        return end_early(input);
    }
    if (input->bytes >= input->limit_bytes) {
        return NULL;
    }
    for (;;) {
        char *line = input->buffer + input->start, *end = memchr(line + looked, '\n', input->end - input->start - looked);

        if (end != NULL) {
            *bytes = (size_t)(end - line);
            if (*bytes > 0 && line[*bytes - 1] == '\r') {
                --*bytes;
            }
            input->unbroken_bytes = 0;
            return give(input, (size_t)(end - line) + 1);
        }
        looked = input->end - input->start;
        if (looked >= INPUT_LINE_MAX) {
            return give_piece(input, bytes);
        }
        if (!input->is_over && fill(input)) {
            continue;
        }
        if (stop_is_asked()) {
            return end_early(input);
        }
        if (input->end == input->start) {
            return NULL;
        }
        input->is_last_cut = true;
        *bytes = input->end - input->start;
        return give(input, *bytes);
    }
}

void input_close(struct input *input)
{
    if (input->file > STDERR_FILENO) {
        close(input->file);
    }
    if (input->child != 0) {
        while (waitpid(input->child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(input->buffer);
    input->buffer = NULL;
}
