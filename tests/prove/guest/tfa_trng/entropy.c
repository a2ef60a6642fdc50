/* SPDX-License-Identifier: BSD-3-Clause */
/* What TF-A's TRNG service wants of its platform, for a machine that has no source of entropy: numbers that are not random at all. */
#include <stdbool.h>
#include <stdint.h>

#include <plat/common/plat_trng.h>

#define STEP 0x9E3779B97F4A7C15ULL

uuid_t plat_trng_uuid = { .node = { 0x6c, 0x61, 0x74, 0x6c, 0x61, 0x62 } };

void plat_entropy_setup(void)
{
}

bool plat_get_entropy(uint64_t *out)
{
	static uint64_t last;

	last += STEP;
	*out = last ^ (last >> 31);
	return true;
}
