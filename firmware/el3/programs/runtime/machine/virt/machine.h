/* SPDX-License-Identifier: BSD-3-Clause */
/* QEMU's `virt`: where its devices are. Read by C and assembly. */
#ifndef PAYLOAD_MACHINE_H
#define PAYLOAD_MACHINE_H

#define MACHINE_UART 0x09000000
#define MACHINE_GICD 0x08000000
#define MACHINE_GICC 0x08010000
#define MACHINE_GICR 0x080a0000
#define MACHINE_RTC 0x09010000
#define MACHINE_SECURE_RAM 0x0e000000 /* the first of 16 MiB that the firmware has */
#define MACHINE_MEMORY 0x60000000 /* where programs begin */
#define MACHINE_PARAMS 0x5fff0000
#define MACHINE_AFF1_SHIFT 4 /* 2^4 cores share an Aff1 */

/* The gibibytes of the address space: devices, then memory; how many bits an address has, and what TCR calls that. */
#define MACHINE_DEVICE_GIB 0
#define MACHINE_MEMORY_GIB 1
#define MACHINE_ADDRESS_BITS 32
#define MACHINE_ADDRESS_SIZE 0

/* What the deepest suspend is there. */
#define MACHINE_DEEPEST_STATE 0x02010222

#endif
