/* SPDX-License-Identifier: BSD-3-Clause */
/* The application's own reset and vector table: the SPM goes to what stands in its first two words. */
#include <stdint.h>

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];
void application(void);

static void reset(void)
{
    const uint32_t *from = data_load;

    for (uint32_t *to = data_start; to < data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_start; to < bss_end; to++) {
        *to = 0;
    }
    application();
    for (;;) {
    }
}

static void unexpected(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 32])(void) = {
    [0] = (void (*)(void))(void *)stack_top,
    [1] = reset,
    [2 ... 47] = unexpected,
};
