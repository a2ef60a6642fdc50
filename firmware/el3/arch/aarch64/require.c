/* SPDX-License-Identifier: BSD-3-Clause */
/* A requirement of the cores that does not hold ends the machine. */
#include "require.h"
#include "arch.h"
#include "arch_el3.h"

#ifdef LATLAB_CHECKED
void require_failed(const char *condition)
{
    platform_panic(condition, arch_core_index(), 0, 0);
}
#else
typedef int require_makes_no_code;
#endif
