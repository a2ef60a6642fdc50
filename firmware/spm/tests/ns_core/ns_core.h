/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor as a test sets it. */
#ifndef NS_CORE_H
#define NS_CORE_H

#include <stdbool.h>

bool ns_core_interrupts_are_masked(void);
bool ns_core_is_unprivileged(void);
void ns_core_mask(void);
void ns_core_unmask(void);
_Noreturn void ns_core_stop(void);

#endif
