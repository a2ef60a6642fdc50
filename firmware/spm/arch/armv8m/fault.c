/* SPDX-License-Identifier: BSD-3-Clause */
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

#define SVC_INSTRUCTION      0xDF00U
#define CFSR_STACKING_FAILED 0x00103010U /* stack overflow, stacking errors of BusFault and MemManage: there is no frame */

static uint32_t pc_of(const uint32_t *frame, uint32_t exc_return)
{
    if ((exc_return & EXC_RETURN_SECURE) == 0U || (SCB_CFSR & CFSR_STACKING_FAILED) != 0U) {
        return 0;
    }
    return frame[(FRAME_PC + ((exc_return & EXC_RETURN_DCRS) == 0U ? EXTRA_STATE_BYTES : 0)) / 4];
}

#if SPM_LEVEL > 1
extern uint32_t flih_active;

/* A first-level handler's API call cannot be taken: its interrupt is more urgent than SVC, so it comes as a HardFault. */
static bool is_call_in_handler(uint32_t pc)
{
    return flih_active != 0U && pc != 0U && *(const uint16_t *)(pc - 2U) == SVC_INSTRUCTION;
}
#else
static bool is_call_in_handler(uint32_t pc)
{
    (void)pc;
    return false;
}
#endif

_Noreturn void fault_report(const uint32_t *frame, uint32_t exc_return);
_Noreturn void fault_report(const uint32_t *frame, uint32_t exc_return)
{
    uint32_t memory_fault = SCB_CFSR & 0x8080U; /* MMARVALID, BFARVALID */
    uint32_t pc = pc_of(frame, exc_return);

    spm_panic_with(&(struct spm_panic_record){
        .cause = SCB_CFSR == 0U && is_call_in_handler(pc) ? SPM_CAUSE_HANDLER_MODE : SPM_CAUSE_FAULT,
        .partition = spm_kernel.current != NULL ? spm_kernel.current->id : 0,
        .pc = pc,
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
