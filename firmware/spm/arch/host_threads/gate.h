/* SPDX-License-Identifier: BSD-3-Clause */
/* The gate and the switch as far as they concern the SPM's state; processor.h has what becomes of the threads. */
#ifndef GATE_H
#define GATE_H

#include <stdbool.h>
#include <stdint.h>

/* By the thread of a partition: GATE_CALL(spm_wait(mask, timeout)). */
#define GATE_CALL(call) (gate_enter(), gate_leave(call))
void gate_enter(void);
uintptr_t gate_leave(uintptr_t result);

/* The handler of the switch, which the processor is given at its start. */
void gate_switch_handler(bool non_secure);

#endif
