/* Faults and the panics that assembly code asks for. */
#include "offsets.h"
#include "spm.h"
#include "spm_panic.h"

/* The stack may be what failed, so start again at its top; the frame's address goes along. */
void fault_handler(void);
__attribute__((naked)) void fault_handler(void)
{
    __asm__ volatile("movs r1, #0\n\t"
                     "msr msplim, r1\n\t"
                     "tst lr, #4\n\t"
                     "ite eq\n\t"
                     "mrseq r0, msp\n\t"
                     "mrsne r0, psp\n\t"
                     "mov r1, lr\n\t"
                     "ldr r2, =spm_main_stack_top\n\t"
                     "mov sp, r2\n\t"
                     "b fault_report\n\t"
                     ".ltorg");
}

#define CFSR_STACKING_FAILED 0x00103010U /* stack overflow, stacking errors of BusFault and MemManage: there is no frame */

static uint32_t pc_of(const uint32_t *frame, uint32_t exc_return)
{
    if ((exc_return & EXC_RETURN_SECURE) == 0U || (SCB_CFSR & CFSR_STACKING_FAILED) != 0U) {
        return 0;
    }
    return frame[(FRAME_PC + ((exc_return & EXC_RETURN_DCRS) == 0U ? EXTRA_STATE_BYTES : 0)) / 4];
}

_Noreturn void fault_report(const uint32_t *frame, uint32_t exc_return);
_Noreturn void fault_report(const uint32_t *frame, uint32_t exc_return)
{
    uint32_t memory_fault = SCB_CFSR & 0x8080U; /* MMARVALID, BFARVALID */

    spm_panic_with(&(struct spm_panic_record){
        .cause = SPM_CAUSE_FAULT,
        .partition = spm_kernel.current != NULL ? spm_kernel.current->info->id : 0,
        .pc = pc_of(frame, exc_return),
        .fault_status = SCB_CFSR,
        .secure_fault_status = SAU_SFSR,
        .fault_address = memory_fault == 0x80U ? SCB_MMFAR : memory_fault != 0U ? SCB_BFAR : SAU_SFAR,
    });
}

_Noreturn void spm_handler_mode_panic(void);
_Noreturn void spm_handler_mode_panic(void)
{
    spm_panic(SPM_CAUSE_HANDLER_MODE);
}

_Noreturn void spm_re_entry_panic(void);
_Noreturn void spm_re_entry_panic(void)
{
    spm_panic(SPM_CAUSE_RE_ENTRY);
}

_Noreturn void spm_bad_number_panic(void);
_Noreturn void spm_bad_number_panic(void)
{
    spm_panic(SPM_CAUSE_NUMBER);
}

_Noreturn void spm_arch_reset(void)
{
    dsb_isb();
    SCB_AIRCR = AIRCR_KEY | (SCB_AIRCR & 0xFFFFU & ~0x8000U) | AIRCR_SYSRESETREQ;
    dsb_isb();
    for (;;) {
    }
}
