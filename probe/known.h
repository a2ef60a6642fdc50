/* SPDX-License-Identifier: BSD-3-Clause */
/* The fragments that the probe knows, and those of them that the stream names by a number. */
#ifndef PROBE_KNOWN_H
#define PROBE_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "fragment.h"

/* Before the others are called. */
void known_start(void);

/* The one fragment that is this code, as fragment_of() has it; with a number in the stream where it `is_measured`. */
struct fragment *known_fragment(struct fragment wanted, bool is_measured);

/* The same fragment with a number of its own for this context. */
const struct fragment *known_in(struct fragment *fragment, uint32_t context);

/* The number in the stream of a stretch of measured code. */
uint32_t known_number_of(struct fragment stretch);

/* Gives the fragment its number, unless it has one. */
void known_give_number(struct fragment *fragment);

/* Names the fragment a second time where it was measured, with a number of its own: the first may have been left out of the stream. It may
 * be one that is not known here. The lock of records.h is held. */
void known_tell_again(struct fragment *fragment);

#endif
