/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cases have to know of the machine and of what the firmware can do there. */
#ifndef PSCI_CONFORMANCE_BOARD_H
#define PSCI_CONFORMANCE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_STATES 8
#define MOST_ADDRESSES 8

struct named_state {
    const char *name; /* NULL behind the last one */
    uint32_t power_state;
};

struct named_address {
    const char *name; /* NULL behind the last one */
    uint64_t address;
};

struct board {
    uint32_t levels; /* of power: 1 where nothing above a core goes down */
    bool has_mem_protect;
    bool has_trng;
    uint64_t normal_memory; /* some pages of it */
    uint64_t secure_memory;
    struct named_state standby[MOST_STATES];
    struct named_state powerdown[MOST_STATES];
    struct named_state refused[MOST_STATES]; /* states of this firmware elsewhere; beside those that no board has */
    struct named_address bad_entry[MOST_ADDRESSES]; /* entry points that no firmware for this machine may accept; in secure memory first */
};

extern const struct board board;

/* False: a 32-bit call has no room for an address of this program. */
static inline bool board_fits_32_bits(void)
{
    return board.normal_memory <= UINT32_MAX;
}

/* A word that a reset leaves alone, with protected memory too where the board has it. */
uint32_t board_kept(void);
void board_keep(uint32_t word);

#endif
