/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the architecture's: registers that a test sets and looks at. registers.h is the test's side. */
#ifndef SYSREGS_H
#define SYSREGS_H

#include <stdint.h>

uint64_t machine_read(const char *name);
uint64_t machine_register_says(const char *name, uint64_t value);
void machine_write(const char *name, uint64_t value);
void machine_note(const char *what);

#define SYSREG_READ(name) machine_register_says(name, machine_read(name))
#define SYSREG_READ_FIXED(name) machine_read(name)
#define SYSREG_WRITE(name, value) machine_write(name, (uint64_t)(value))

static inline void isb(void)
{
    machine_note("isb");
}

static inline void dsb_sy(void)
{
    machine_note("dsb sy");
}

static inline void dc_civac(uintptr_t address)
{
    machine_write("dc civac", address);
}

static inline void tlb_forget(void)
{
    machine_note("tlb forgotten");
}

static inline void sctlr_el3_write_both(uint64_t first, uint64_t second)
{
    machine_write("sctlr_el3", first);
    machine_write("sctlr_el3", second);
}

#endif
