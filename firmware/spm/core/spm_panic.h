/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPM_PANIC_H
#define SPM_PANIC_H

#include <stdint.h>

struct spm_panic_record {
    uint32_t cause; /* enum spm_cause */
    int32_t partition;
    uint32_t pc;
    uint32_t fault_status; /* CFSR of a fault */
    uint32_t secure_fault_status;
    uint32_t fault_address;
};

/* Keeps the record over the reset that it causes. */
_Noreturn void spm_panic_with(const struct spm_panic_record *record);

/* What the last boot ended with; the next call says "none". */
struct spm_panic_record spm_panic_take(void);

const char *spm_cause_text(uint32_t cause);

#endif
