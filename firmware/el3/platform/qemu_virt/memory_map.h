/* SPDX-License-Identifier: BSD-3-Clause */
/* QEMU's `virt` machine with secure=on. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

/* For C and the assembler. What may differ from machine to machine is in the device tree: tree.h. */
#define SECURE_RAM_BASE 0x0E000000
#define SECURE_RAM_END 0x0F000000
#define DRAM_BASE 0x40000000

#define DEVICES_BASE 0x08000000
#define DEVICES_END 0x0A000000
#define GICD_BASE 0x08000000
#define GICR_BASE 0x080A0000
#define NS_UART_BASE 0x09000000
#define FW_CFG_BASE 0x09020000
#define SECURE_UART_BASE 0x09040000
#define SECURE_GPIO_BASE 0x090B0000
#define UP_REGISTER 0x090B040C /* the secure GPIO's interrupt events: of no use here but to keep a byte until the machine is reset */

/* Where the normal world starts: on a machine whose memory ends before the first, at the second. */
#define PAYLOAD_ENTRY 0x60000000
#define PAYLOAD_ENTRY_LOW 0x40200000

#define MAX_CORES 16

#endif
