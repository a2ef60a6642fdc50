/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>

#include "bench_params.h"
#include "core.h"
#include "gic.h"
#include "payload.h"
#include "psci.h"
#include "timer.h"
#include "uart.h"

/* From assembly, on the boot core. */
_Noreturn void payload_start(void);

_Noreturn void payload_start(void)
{
    struct bench_params params = bench_params_read();

    uart_init();
    gic_init();
    core_discover();
    gic_core_init();
    timer_stop();
    payload_main(&params);
    uart_drain();
    psci_system_off();
}
