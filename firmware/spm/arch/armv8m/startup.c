/* SPDX-License-Identifier: BSD-3-Clause */
/* Secure reset: memory, protection, SPM; the boot stack is left behind when the NS agent starts. */
#include "memory_sections.h"
#include "platform.h"
#include "spm.h"
#include "spm_panic.h"

extern uint32_t spm_data_load[], spm_data_start[], spm_bss_start[], spm_bss_end[];
extern uint32_t spm_main_stack_top[], spm_main_stack_limit[];
extern uint32_t spm_stack_limit[], spm_stack_top[];
extern uint32_t ns_agent_stack_limit[], ns_agent_stack_top[];
extern void (*const vectors[])(void);

static void fill(const struct memory_section *section)
{
    const uint32_t *from = section->load;
    uint32_t *to = section->start;

    while (to < section->bss) {
        *to++ = *from++;
    }
    while (to < section->end) {
        *to++ = 0;
    }
}

static void memory_init(void)
{
    fill(&(struct memory_section){ spm_data_load, spm_data_start, spm_bss_start, spm_bss_end });
    for (uint32_t i = 0; i < partition_memory_count; i++) {
        fill(&partition_memory[i]);
    }
}

/* The rest of the boot runs as the thread of the NS agent: every partition initialises before it gets its turn. */
static _Noreturn void ns_agent_main(void)
{
#if SPM_BACKEND_IPC
    SCB_ICSR = ICSR_PENDSVSET;
    dsb_isb();
#endif
    platform_enter_non_secure();
}

static _Noreturn void start_ns_agent(void)
{
    ns_agent_stack_top[0] = STACK_SEAL;
    ns_agent_stack_top[1] = STACK_SEAL;
    spm_stack_top[0] = STACK_SEAL;
    spm_stack_top[1] = STACK_SEAL;
    spm_kernel.current = &spm_ns_agent;
    spm_kernel.stack_limit = (uintptr_t)spm_stack_limit;
    spm_kernel.stack_top = (uintptr_t)spm_stack_top;
    __asm__ volatile("msr psp, %0\n\t"
                     "msr psplim, %1\n\t"
                     "msr control, %2\n\t"
                     "isb\n\t"
                     "msr msp, %3\n\t"
                     "bx %4"
                     :
                     : "r"(ns_agent_stack_top), "r"(ns_agent_stack_limit), "r"(2U), "r"(spm_main_stack_top), "r"(ns_agent_main)
                     : "memory");
    __builtin_unreachable();
}

static void print_last_panic(void)
{
    struct spm_panic_record record = spm_panic_take();

    platform_last_panic = record;
    if (record.cause == SPM_CAUSE_NONE) {
        return;
    }
    platform_print("SPM: the last boot ended in a panic: ");
    platform_print(spm_cause_text(record.cause));
    platform_print_hex("; partition ", (uint32_t)record.partition);
    platform_print_hex(", pc ", record.pc);
    if (record.cause == SPM_CAUSE_FAULT || record.cause == SPM_CAUSE_NON_SECURE_FAULT) {
        platform_print_hex(", CFSR ", record.fault_status);
        platform_print_hex(", HFSR ", record.hard_fault_status);
        platform_print_hex(", SFSR ", record.secure_fault_status);
        platform_print_hex(", address ", record.fault_address);
    }
    platform_print("\n");
}

void Reset_Handler(void);
void Reset_Handler(void)
{
    __asm__ volatile("msr msplim, %0" : : "r"(spm_main_stack_limit));
    memory_init();
    spm_main_stack_top[0] = STACK_SEAL;
    spm_main_stack_top[1] = STACK_SEAL;
    SCB_VTOR = (uint32_t)vectors;
    SCB_SHCSR |= SHCSR_FAULTS;
    priorities_init();
    floating_point_init();
    platform_init();
    print_last_panic();
    spm_init();
    mpu_init();
    start_ns_agent();
}
