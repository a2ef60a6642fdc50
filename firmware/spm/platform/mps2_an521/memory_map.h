/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses that code and linker scripts share; a linker script is put through the preprocessor. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#ifdef LINKER_SCRIPT
#define ADDRESS(value) value
#else
#define ADDRESS(value) value##U
#endif

#define CODE_ALIAS_START ADDRESS(0x00000000) /* the second address of what is secure of that memory */
#define CODE_ALIAS_END ADDRESS(0x00200000)

#define S_CODE_START   ADDRESS(0x10000000)
#define S_CODE_BYTES   ADDRESS(0x000fe000)
#define GATEWAY_START  ADDRESS(0x100fe000) /* behind the veneers; no other code lies above */
#define NSC_START      ADDRESS(0x100ff000)
#define NSC_END        ADDRESS(0x10100000)
#define S_LOAD_START   ADDRESS(0x10100000) /* what the boot copies into RAM */
#define S_LOAD_BYTES   ADDRESS(0x00100000)
#define S_RAM_START    ADDRESS(0x38000000)
#define S_RAM_BYTES    ADDRESS(0x000ff000)
#define RETAINED_START ADDRESS(0x380ff000)
#define RETAINED_END   ADDRESS(0x38100000)

#define NS_CODE_START  ADDRESS(0x00200000)
#define NS_CODE_END    ADDRESS(0x00400000)
#define NS_RAM_START   ADDRESS(0x28200000)
#define NS_RAM_END     ADDRESS(0x28400000)

#define UART0_BASE     ADDRESS(0x40200000) /* the console of both sides */

#endif
