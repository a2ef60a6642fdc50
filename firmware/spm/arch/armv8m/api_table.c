/* SPDX-License-Identifier: BSD-3-Clause */
#include "api_numbers.h"
#include "spm.h"

#define X(name) [API_##name] = (void (*)(void))spm_##name,
void (*const spm_api_table[])(void) = { SPM_API_FUNCTIONS(X) };
#undef X

_Static_assert(sizeof(spm_api_table) / sizeof(spm_api_table[0]) == API_COUNT, "every API function has a number");
