/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the architecture's: a GICv3's CPU interface that is a model, and barriers that empty a store buffer. */
#ifndef SYSREGS_H
#define SYSREGS_H

#include <stdint.h>

uint64_t interface_read(const char *name);
void interface_write(const char *name, uint64_t value);
void stores_publish(void);

#define SYSREG_READ(name) interface_read(name)
#define SYSREG_READ_FIXED(name) interface_read(name)
#define SYSREG_WRITE(name, value) interface_write(name, (uint64_t)(value))

static inline void isb(void)
{
}

static inline void dsb_sy(void)
{
    stores_publish();
}

#endif
