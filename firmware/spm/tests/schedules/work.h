/* SPDX-License-Identifier: BSD-3-Clause */
/* What the SPM is asked for while interrupts and switches come: threads that call each other and wait, and what they notice. */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_FIRST_LEVEL 0U
#define LINE_DRIVER      1U
#define LINE_SERVER      2U
#define LINE_RELAY       3U
#define LINES            4U

struct work_outside {
    uint32_t (*draw)(uint32_t below);
    void (*allow)(uint32_t interrupts); /* so many that nobody asked for may come until the next time */
    void (*wrong)(const char *what) __attribute__((noreturn));
};

/* Before the SPM begins. The non-secure thread makes so many calls. */
void work_prepare(const struct work_outside *outside, uint32_t calls);
_Noreturn void work_non_secure(void);

/* Is a device going to ask, as somebody waits for it? Then it does now. */
bool work_device_due(void);

#endif
