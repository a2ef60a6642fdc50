/* SPDX-License-Identifier: BSD-3-Clause */
/* Raspberry Pi 4, as QEMU's `raspi4b` has it: GIC-400, no GICR. Read by C and assembly. */
#ifndef PAYLOAD_MACHINE_H
#define PAYLOAD_MACHINE_H

#define MACHINE_UART 0xfe201000
#define MACHINE_GICD 0xff841000
#define MACHINE_GICC 0xff842000
#define MACHINE_GICR 0
#define MACHINE_PARAMS 0x1fff0000
#define MACHINE_AFF1_SHIFT 4 /* 2^4 cores share an Aff1 */

/* The gibibytes of the address space: memory first, devices in the last; how many bits an address has, and what TCR calls that. */
#define MACHINE_DEVICE_GIB 3
#define MACHINE_MEMORY_GIB 0
#define MACHINE_ADDRESS_BITS 32
#define MACHINE_ADDRESS_SIZE 0

/* What the deepest suspend is there: no domain above the core goes down. */
#define MACHINE_DEEPEST_STATE 0x00010002

#endif
