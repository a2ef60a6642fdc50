/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a device tree from the standard input and says what the firmware makes of it; writes it to the standard error as it hands it over. */
#include <stdio.h>
#include <stdlib.h>

#include "tree.h"

#define MOST_BYTES (2U << 20)

static void say(const struct tree_machine *machine)
{
    printf("cores %u\ngic %u\nhz %u\n", machine->cores, machine->gic, machine->counter_hz);
    printf("gicd %llx\nsecond %llx\n", (unsigned long long)machine->gicd, (unsigned long long)machine->gicc_or_gicr);
    printf("secure %llx+%llx\n", (unsigned long long)machine->secure_ram.base, (unsigned long long)machine->secure_ram.bytes);
    for (unsigned i = 0; i < machine->clusters; i++) {
        printf("cluster %u\n", machine->cluster_cores[i]);
    }
    for (unsigned i = 0; i < machine->ranges; i++) {
        printf("memory %llx+%llx\n", (unsigned long long)machine->memory[i].base, (unsigned long long)machine->memory[i].bytes);
    }
}

int main(void)
{
    char *tree = calloc(1, MOST_BYTES);
    size_t bytes = fread(tree, 1, MOST_BYTES, stdin);
    struct tree_machine machine;
    const char *error = bytes != 0 ? tree_read(tree, &machine) : "there is nothing to read";

    if (error == NULL) {
        say(&machine);
        error = tree_add_firmware(tree, &machine);
    }
    if (error != NULL) {
        printf("refused: %s\n", error);
    } else {
        fwrite(tree, 1, MOST_BYTES, stderr);
    }
    free(tree);
    return error != NULL;
}
