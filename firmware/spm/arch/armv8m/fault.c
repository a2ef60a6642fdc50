/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults and the panics that assembly code asks for. */
#include "memory_map.h"
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

#define CONTROL_SPSEL        2U
#define SVC_INSTRUCTION      0xDF00U
#define CFSR_STACKING_FAILED 0x00103010U /* stack overflow, stacking errors of BusFault and MemManage: there is no frame */
#define CFSR_BAD_RETURN      0x00040000U /* INVPC: an exception return that was refused leaves no frame of its own */
#define SFSR_BAD_RETURN      0x00000006U /* INVIS, INVER: the same of a return to this side that the other one forged */

struct fault {
    uint32_t exc_return;
    bool non_secure;
    uint32_t status;
    uint32_t pc;
};

/* The non-secure side's stack pointers are its own business: its frame is read only where it may read it itself. */
static uint32_t non_secure_pc(uint32_t exc_return)
{
    uintptr_t frame;
    uint32_t control;

    /* EXC_RETURN's SPSEL is that of the secure side. */
    __asm__ volatile("mrs %0, control_ns" : "=r"(control));
    if ((exc_return & EXC_RETURN_THREAD) != 0U && (control & CONTROL_SPSEL) != 0U) {
        __asm__ volatile("mrs %0, psp_ns" : "=r"(frame));
    } else {
        __asm__ volatile("mrs %0, msp_ns" : "=r"(frame));
    }
    if (frame % 4U != 0U || !non_secure_permits(TT_NON_SECURE, frame, frame + FRAME_BYTES - 1U, SPM_READ)) {
        return 0;
    }
    return *(const volatile uint32_t *)(frame + FRAME_PC);
}

static const uint32_t *past_extra_state(const uint32_t *frame, uint32_t exc_return)
{
    return (exc_return & EXC_RETURN_DCRS) == 0U ? frame + EXTRA_STATE_BYTES / 4 : frame;
}

static uint32_t pc_of(const struct fault *fault, const uint32_t *frame)
{
    if ((fault->status & (CFSR_STACKING_FAILED | CFSR_BAD_RETURN)) != 0U || (SAU_SFSR & SFSR_BAD_RETURN) != 0U) {
        return 0;
    }
    return fault->non_secure ? non_secure_pc(fault->exc_return) : past_extra_state(frame, fault->exc_return)[FRAME_PC / 4];
}

#if SPM_LEVEL > 1
extern uint32_t flih_active;

/* A first-level handler's API call cannot be taken: its interrupt is more urgent than SVC, so it comes as a HardFault. */
static bool is_call_in_handler(uint32_t pc)
{
    return flih_active != 0U && pc != 0U && *(const uint16_t *)(pc - 2U) == SVC_INSTRUCTION;
}

/* The frame lies on the caller's stack, whose first-level handler may change it: this only words a panic. */
bool spm_arch_is_in_gateway(void)
{
    const struct spm_arch_context *caller = &spm_kernel.current->context;
    uint32_t psp = caller->psp;
    uint32_t exc_return = caller->exc_return;

#if SPM_GATE_CLASSIC
    __asm__ volatile("mrs %0, psp" : "=r"(psp));
    exc_return = EXC_RETURN_DCRS;
#endif
    return past_extra_state((const uint32_t *)psp, exc_return)[FRAME_PC / 4] >= GATEWAY_START;
}
#else
static bool is_call_in_handler(uint32_t pc)
{
    (void)pc;
    return false;
}

bool spm_arch_is_in_gateway(void)
{
    return true;
}
#endif

static uint32_t address_of(const struct fault *fault)
{
    uint32_t valid = fault->status & 0x8080U; /* MMARVALID, BFARVALID */

    if (valid == 0U) {
        return SAU_SFAR;
    }
    if (fault->non_secure) {
        return valid == 0x80U ? SCB_MMFAR_NS : SCB_BFAR_NS;
    }
    return valid == 0x80U ? SCB_MMFAR : SCB_BFAR;
}

static enum spm_cause cause_of(const struct fault *fault)
{
    if (fault->non_secure) {
        return SPM_CAUSE_NON_SECURE_FAULT;
    }
    return fault->status == 0U && is_call_in_handler(fault->pc) ? SPM_CAUSE_HANDLER_MODE : SPM_CAUSE_FAULT;
}

_Noreturn void fault_report(const uint32_t *frame, uint32_t exc_return);
_Noreturn void fault_report(const uint32_t *frame, uint32_t exc_return)
{
    struct fault fault = { .exc_return = exc_return, .non_secure = (exc_return & EXC_RETURN_SECURE) == 0U || (SAU_SFSR & SFSR_BAD_RETURN) != 0U };

    fault.status = fault.non_secure ? SCB_CFSR_NS : SCB_CFSR;
    fault.pc = pc_of(&fault, frame);
    spm_panic_with(&(struct spm_panic_record){
        .cause = (uint32_t)cause_of(&fault),
        .partition = spm_kernel.current != NULL ? spm_kernel.current->id : 0,
        .pc = fault.pc,
        .fault_status = fault.status,
        .hard_fault_status = SCB_HFSR,
        .secure_fault_status = SAU_SFSR,
        .fault_address = address_of(&fault),
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
