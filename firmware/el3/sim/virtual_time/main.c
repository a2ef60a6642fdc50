/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * latlab_virtual: the psci campaign on a described board, in virtual time.
 *   latlab_virtual BOARD ITERATIONS [all | TEST NUMBER] [dump | spans | nothing]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "machine.h"

static int usage(void)
{
    fputs("usage: latlab_virtual BOARD ITERATIONS [all | TEST NUMBER] [dump | spans | nothing]\n", stderr);
    return 2;
}

static bool parse_output(const char *word, enum bench_output *output)
{
    static const char *const names[] = { "dump", "spans", "nothing" };

    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(word, names[i]) == 0) {
            *output = (enum bench_output)i;
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    static struct board board;
    enum bench_output output = BENCH_DUMP;
    unsigned only = BENCH_TESTS;

    if (argc < 3 || argc > 5 || (argc == 5 && !parse_output(argv[4], &output))) {
        return usage();
    }
    if (argc >= 4 && strcmp(argv[3], "all") != 0) {
        only = (unsigned)strtoul(argv[3], NULL, 10);
        if (only >= BENCH_TESTS) {
            return usage();
        }
    }
    if (!board_read(&board, argv[1])) {
        return 2;
    }
    if (!bench_run(&board, strtoull(argv[2], NULL, 10), only, output)) {
        return 1;
    }
    if (output == BENCH_NOTHING) {
        printf("%llu transitions\n", (unsigned long long)machine_transitions);
    }
    return 0;
}
