/* SPDX-License-Identifier: BSD-3-Clause */
/* QEMU's `sbsa-ref`: GICv3, memory above a tebibyte. Read by C and assembly. */
#ifndef PAYLOAD_MACHINE_H
#define PAYLOAD_MACHINE_H

#define MACHINE_UART 0x60000000
#define MACHINE_GICD 0x40060000
#define MACHINE_GICC 0x40070000 /* nothing is there: its cores have the interface in system registers */
#define MACHINE_GICR 0x40080000
#define MACHINE_RTC 0x60010000
#define MACHINE_SECURE_RAM 0x20000000 /* the first of 16 MiB that the firmware has */
#define MACHINE_MEMORY 0x10020000000 /* where programs begin */
#define MACHINE_PARAMS 0x1001fff0000
#define MACHINE_AFF1_SHIFT 3 /* 2^3 cores share an Aff1 */

/* The gibibytes of the address space that are mapped, and how many bits an address has. */
#define MACHINE_DEVICE_GIB 1
#define MACHINE_MEMORY_GIB 1024
#define MACHINE_ADDRESS_BITS 41
#define MACHINE_ADDRESS_SIZE 3 /* of TCR: the least that holds so many, 42 bits */

#endif
