/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine that is nothing but registers: what the sources of arch/aarch64 read and write in their unit tests. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>

/* Forgets all registers and what was written. */
void machine_clear(void);

/* A system register, or a device's, holds this from now on. Reading one that nobody has set or written fails the test. */
void machine_set(const char *name, uint64_t value);
void machine_set_device(uintptr_t address, uint32_t value);
uint64_t machine_get(const char *name);

/* Each write and barrier since the last look, one to a line: "name=hex", "[address]=hex", or what machine_note() was given. */
const char *machine_written(void);

/* What ought to be written, in pieces, and all of it since the last look. */
void machine_want(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *machine_expected(void);

/* A test may define them: what a device's or a system register says, from what was last set or written. */
uint32_t machine_device_says(uintptr_t address, uint32_t value);
uint64_t machine_register_says(const char *name, uint64_t value);

#endif
