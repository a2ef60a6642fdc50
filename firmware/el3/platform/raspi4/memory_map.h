/* SPDX-License-Identifier: BSD-3-Clause */
/* Raspberry Pi 4 (BCM2711) as its firmware leaves it: devices in the last GiB below 4 GiB. For C and the assembler. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

/* The board's firmware loads the armstub here and the kernel behind it. Nothing but the word of the tree keeps others out. */
#define FIRMWARE_BASE 0x00000000
#define FIRMWARE_END 0x00080000

#define DEVICES_BASE 0xFE000000
#define DEVICES_END 0x100000000

#define SYSTEM_TIMER_BASE 0xFE003000
#define WATCHDOG_BASE 0xFE100000
#define GPIO_BASE 0xFE200000
#define PL011_BASE 0xFE201000
#define AUX_BASE 0xFE215000
#define LOCAL_BASE 0xFF800000
#define GICD_BASE 0xFF841000
#define GICC_BASE 0xFF842000

/* What the words of the armstub's header say where no firmware of the board has written others. */
#define DEFAULT_KERNEL 0x80000
#define DEFAULT_TREE 0x08000000

/* Without a tree: below what the GPU has on the smallest board, with the largest share that config.txt gives it there. */
#define MEMORY_WITHOUT_TREE_END 0x20000000

#define CRYSTAL_HZ 54000000

#define MAX_CORES 4

#endif
