/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of the road: keeps why over the reset, so that the next boot can say it.
 *
 *   spm_require(), fault handlers -> spm_panic() -> spm_panic_with() -> reset ... next boot -> spm_panic_take()
 *
 * From any state, also within a handler: it uses no lock, no partition and no stack of another.
 */
#include "spm.h"
#include "spm_panic.h"

#define RETAINED_MAGIC 0x4C4C5041U

static SPM_RETAINED struct {
    uint32_t magic;
    struct spm_panic_record record;
    uint32_t check;
} retained;

static uint32_t check_of(const struct spm_panic_record *record)
{
    const uint32_t *words = (const uint32_t *)(const void *)record;
    uint32_t sum = RETAINED_MAGIC;

    for (size_t i = 0; i < sizeof(*record) / sizeof(*words); i++) {
        sum = (sum << 5 | sum >> 27) ^ words[i];
    }
    return sum;
}

_Noreturn void spm_panic_with(const struct spm_panic_record *record)
{
    retained.record = *record;
    retained.check = check_of(record);
    retained.magic = RETAINED_MAGIC;
    spm_arch_reset();
}

_Noreturn void spm_panic(enum spm_cause cause)
{
    const struct spm_partition *current = spm_kernel.current;

    spm_panic_with(&(struct spm_panic_record){
        .cause = (uint32_t)cause,
        .partition = current != NULL ? current->id : 0,
        .pc = (uint32_t)(uintptr_t)__builtin_return_address(0),
    });
}

struct spm_panic_record spm_panic_take(void)
{
    struct spm_panic_record record = { .cause = SPM_CAUSE_NONE };

    if (retained.magic == RETAINED_MAGIC && retained.check == check_of(&retained.record)) {
        record = retained.record;
    }
    retained.magic = 0;
    return record;
}

const char *spm_cause_text(uint32_t cause)
{
    switch (cause) {
#define X(name, number, text) \
    case number:              \
        return text;
        SPM_CAUSES(X)
#undef X
    default:
        return "unknown";
    }
}
