/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets that the assembly files use; offsets_check.c holds them against the C structures. */
#ifndef OFFSETS_H
#define OFFSETS_H

#define KERNEL_ACTIVE        0
#define KERNEL_SWITCH_WANTED 4
#define KERNEL_READY         8
#define KERNEL_CURRENT       12
#define KERNEL_STACK_LIMIT   16
#define KERNEL_STACK_TOP     20
#define KERNEL_BY_RANK       24

#define PARTITION_PSP        32
#define PARTITION_REGIONS    48
#define PARTITION_FLOATING_POINT 52
#define PARTITION_RESULT     116
#define PARTITION_DEFERRED   120

#define FRAME_R0             0
#define FRAME_R12            16
#define FRAME_LR             20
#define FRAME_PC             24
#define FRAME_XPSR           28
#define FRAME_BYTES          32
#define EXTRA_STATE_BYTES    40

/* Regions of the MPU that change with the partition. */
#define MPU_FIFTH_REGION     3
#define MPU_FIRST_OF_FOUR    4

#define EXC_RETURN_THREAD    0x08
#define EXC_RETURN_FTYPE     0x10
#define EXC_RETURN_DCRS      0x20
#define EXC_RETURN_SECURE    0x40

#define HFSR_FORCED          0x40000000
#define ICSR_PENDSVSET       0x10000000
#define ICSR_PENDSVCLR       0x08000000
#define ICSR_PENDSTSET       0x04000000
#define SVC_OPCODE           0xDF

#endif
