/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers shared by C and assembly. */
#ifndef PAYLOAD_LAYOUT_H
#define PAYLOAD_LAYOUT_H

#define MAX_CORES 16
#define STACK_SIZE 0x4000

/* Offsets in struct core_context (core.h asserts them). */
#define CONTEXT_STRIDE 128
#define CONTEXT_FRAME 0
#define CONTEXT_SP 8
#define CONTEXT_X19 16

/* Offsets in struct smc_frame (smc.h asserts them). */
#define FRAME_SP_IN 248
#define FRAME_SP_OUT 256
#define FRAME_DAIF_IN 264
#define FRAME_DAIF_OUT 272

#endif
