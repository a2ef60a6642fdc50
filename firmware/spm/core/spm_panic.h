/* SPDX-License-Identifier: BSD-3-Clause */
/* The last words of a boot, kept in memory that a reset leaves alone. */
#ifndef SPM_PANIC_H
#define SPM_PANIC_H

#include <stdint.h>

struct spm_panic_record {
    uint32_t cause; /* enum spm_cause */
    int32_t partition;
    uint32_t pc;                /* 0: not known */
    uint32_t fault_status;      /* CFSR of a fault, of the world that made it */
    uint32_t hard_fault_status; /* HFSR */
    uint32_t secure_fault_status;
    uint32_t fault_address;
};

/* Keeps the record over the reset that it causes. From anywhere, fault handlers too. */
_Noreturn void spm_panic_with(const struct spm_panic_record *record);

/* What the last boot ended with, SPM_CAUSE_NONE where it did not panic; the next call says "none". Once, early at boot. */
struct spm_panic_record spm_panic_take(void);

/* A sentence; "unknown" for a number that is no cause, as a record from another build may hold. */
const char *spm_cause_text(uint32_t cause);

#endif
