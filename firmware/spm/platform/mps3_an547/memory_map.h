/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses that code and linker scripts share; a linker script is put through the preprocessor. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#ifdef LINKER_SCRIPT
#define ADDRESS(value) value
#else
#define ADDRESS(value) value##U
#endif

#define CODE_ALIAS_START ADDRESS(0x00000000) /* the ITCM's second address; the processor starts there */
#define CODE_ALIAS_END ADDRESS(0x00080000)

#define S_CODE_START   ADDRESS(0x10000000)
#define S_CODE_BYTES   ADDRESS(0x0007e000)
#define GATEWAY_START  ADDRESS(0x1007e000) /* behind the veneers; no other code lies above */
#define NSC_START      ADDRESS(0x1007f000)
#define NSC_END        ADDRESS(0x10080000)
#define S_LOAD_START   ADDRESS(0x11000000) /* what the boot copies into RAM */
#define S_LOAD_BYTES   ADDRESS(0x00100000)
#define S_RAM_START    ADDRESS(0x31000000)
#define S_RAM_BYTES    ADDRESS(0x000ff000)
#define RETAINED_START ADDRESS(0x310ff000)
#define RETAINED_END   ADDRESS(0x31100000)

#define NS_CODE_START  ADDRESS(0x01100000)
#define NS_CODE_END    ADDRESS(0x01200000)
#define NS_RAM_START   ADDRESS(0x21200000)
#define NS_RAM_END     ADDRESS(0x21400000)

#define UART0_BASE     ADDRESS(0x49303000) /* the console of both sides */

#endif
