/* SPDX-License-Identifier: BSD-3-Clause */
/* The states that have been seen: a set of 64-bit hashes, eight bytes each and no more than a third as many free. */
#ifndef SEEN_H
#define SEEN_H

#include <stdbool.h>
#include <stdint.h>

/* False where it has been seen before. */
bool seen_add(uint64_t hash);

#endif
