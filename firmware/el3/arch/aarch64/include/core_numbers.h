/* SPDX-License-Identifier: BSD-3-Clause */
/* For C and the assembler: cores are numbered by Aff0, 2^AFF1_SHIFT of them to an Aff1; a platform's build may say another. */
#ifndef CORE_NUMBERS_H
#define CORE_NUMBERS_H

#ifndef AFF1_SHIFT
#define AFF1_SHIFT 4
#endif

#endif
