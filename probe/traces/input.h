/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a file of any size, plain or compressed, in memory that does not grow with it. */
#ifndef PROBE_TRACES_INPUT_H
#define PROBE_TRACES_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define INPUT_LINE_MAX (1U << 16) /* a longer line is given in pieces */
#define INPUT_UNBROKEN_MAX (64U << 20) /* more without the end of a line is no trace: a device may go on for ever */
#define INPUT_ERROR_BYTES 256

struct input {
    const char *name; /* the caller's */
    int file;
    pid_t child; /* that decompresses; 0: none */
    const char *program; /* that it runs */
    char *buffer;
    size_t start, end; /* what is read and not given yet */
    bool is_over, has_failed; /* nothing more comes; what came is not all */
    bool is_last_cut; /* the last line had no end */
    uint64_t lines, bytes; /* given so far */
    uint64_t limit_bytes;
    uint64_t unbroken_bytes; /* given since the last end of a line */
    char error[INPUT_ERROR_BYTES]; /* one sentence, where it has failed */
};

/* Opens a file, or the standard input for "-". Data of gzip, zstd and xz go through the program of that name. False and a sentence in
 * `error` where that cannot be done. `limit_bytes` is how much of the lines is read; UINT64_MAX: all. */
bool input_open(struct input *input, const char *name, uint64_t limit_bytes);

/* The next line, whose end is not in `bytes`; valid until the next call. NULL behind the last. */
const char *input_line(struct input *input, size_t *bytes);

void input_close(struct input *input);

#endif
