/* SPDX-License-Identifier: BSD-3-Clause */
/* Which world a core is in, as one number, out of the registers that say so.
 *
 * Bits 1:0 are the exception level (AArch64), the privilege (RISC-V, where 2 is HS) or 1 in handler mode (M-profile), bits 3:2 the security
 * state, on RISC-V bit 2 what runs in a guest. EL3 is secure by definition here. docs/reference/probe-format.md promises these
 * numbers to the reader. */
#ifndef PROBE_WORLD_H
#define PROBE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

enum arch { ARCH_AARCH64 = 1, ARCH_ARMV8M = 2, ARCH_RISCV = 3 };

#define WORLD_LEVEL_MASK 0x3U
#define WORLD_SECURE 0x4U
#define WORLD_GUEST 0x4U /* of RISC-V: V = 1 */
#define WORLD_REALM 0x8U
#define WORLD_NO_LEVEL 0x10U /* the security state is known, the exception level is not; bits 1:0 are 0 */
#define WORLD_NONE 0xffU /* before a core's first instruction */

/* The exception level in a CPSR of AArch64 state. */
uint32_t world_level_of_cpsr(uint64_t cpsr);

/* The exception level of AArch32 code that `from`, in AArch64 state, returned to with `spsr` in its SPSR. Of modes that the code below EL2
 * and EL3 takes by itself nothing is seen: its user mode counts as EL1, and a guest of its Hyp mode as EL2. */
uint32_t world_level_of_aarch32(uint32_t from, uint64_t spsr);

/* The world of an AArch64 core at `level`; `scr_el3` is SCR_EL3, or SCR_NS on a machine without EL3. */
uint32_t world_of_aarch64(uint32_t level, uint64_t scr_el3);

/* The world of an M-profile core with TrustZone: this family of machines has the secure alias of every address at bit 28. Of one without,
 * the address is given as 0. */
uint32_t world_of_armv8m(uint64_t xpsr, uint64_t address);

/* RISC-V: 0 U, 1 S, 2 HS, 3 M, 4 VU, 5 VS. `priv` has V above the privilege; `misa` says whether S is HS. */
uint32_t world_of_riscv(uint64_t priv, uint64_t misa);

/* Whether this change carries arguments or results: every one but those between a system and its own processes. */
bool world_change_has_registers(enum arch arch, uint32_t from, uint32_t to);

/* Whether code of this world is what is measured: EL3, a secure or a realm world, M-mode. */
bool world_is_measured(enum arch arch, uint32_t world);

#define SCR_NS 0x1U

#endif
