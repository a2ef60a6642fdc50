/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a board as a snapshot has it: parts of files at addresses. */
#ifndef PROBE_TRACES_CORESIGHT_MEMORY_H
#define PROBE_TRACES_CORESIGHT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Whose memory a region is, a bit each; the numbers are OpenCSD's. EL0 has that of EL1. */
#define SPACE_EL1_SECURE 0x1U
#define SPACE_EL1 0x2U
#define SPACE_EL2 0x4U
#define SPACE_EL3 0x8U
#define SPACE_EL2_SECURE 0x10U
#define SPACE_EL1_REALM 0x20U
#define SPACE_EL2_REALM 0x40U
#define SPACE_ROOT 0x80U
#define SPACE_SECURE (SPACE_EL1_SECURE | SPACE_EL2_SECURE | SPACE_EL3)
#define SPACE_NON_SECURE (SPACE_EL1 | SPACE_EL2)
#define SPACE_REALM (SPACE_EL1_REALM | SPACE_EL2_REALM)
#define SPACE_ANY 0xffU

/* `offset` is where the region begins in the file. A length of 0: all that follows. False with a reason where it cannot be used. A region
 * that is there already is no second one. */
bool memory_add(const char *path, uint64_t address, uint64_t offset, uint64_t length, uint32_t space, const char **reason);

/* The bytes at the address, and how many there are; NULL where it is in no region. */
const uint8_t *memory_at(uint64_t address, uint32_t space, uint64_t *available);

/* The space of a world of world.h, which may be one without an exception level. */
uint32_t memory_space(uint32_t world);

void memory_release(void);

#endif
