/* SPDX-License-Identifier: BSD-3-Clause */
/* QEMU's `sbsa-ref`. For C and the assembler. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#define SECURE_RAM_BASE 0x20000000
#define SECURE_RAM_END 0x21000000
#define DRAM_BASE 0x10000000000

#define DEVICES_BASE 0x40000000
#define DEVICES_END 0x60200000
#define FW_CFG_BASE 0 /* it has none */
#define SECURE_EC_BASE 0x50000000
#define NS_UART_BASE 0x60000000
#define SECURE_UART_BASE 0x60030000
#define UP_REGISTER 0x60040020 /* a divisor of the second secure UART: of no use here but to keep a byte until the machine is reset */

#define PAYLOAD_ENTRY 0x10020000000
#define PAYLOAD_ENTRY_LOW 0x10000200000

#define MAX_CORES 16

#endif
