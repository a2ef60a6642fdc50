/* SPDX-License-Identifier: BSD-3-Clause */
/* The digits of a number. */
#ifndef WIRE_NUMBER_H
#define WIRE_NUMBER_H

#include <stdint.h>

#define NUMBER_MOST_DIGITS 20U /* of any 64-bit number, in decimal */

/*
 * Both write digits alone, without a NUL, and return the place behind the last one, so that text can go on there.
 * `number_hex` writes exactly `digits` of them, at most 16, in lower case: what lies above is cut.
 * `number_decimal` writes as many as the number has and needs room for NUMBER_MOST_DIGITS.
 */
char *number_hex(char *out, uint64_t value, unsigned digits);
char *number_decimal(char *out, uint64_t value);

#endif
