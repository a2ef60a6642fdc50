/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For measurements alone: a service of TF-A by which the normal world starts the calling core's secure timer, so that an interrupt of the
 * secure world is due when the caller wants it. Where OP-TEE takes it, it finds nothing to do and stops the timer.
 *
 * 0xC70000F1: x1 = ns until it is due, 0: never; x3 = 0: it is the secure world's (group 1), 1: EL3's (group 0), taken there at once
 * whatever world it interrupts. x0 = 0. The number and x1 are those of the experiment that our own firmware has.
 */
#include <arch_helpers.h>
#include <bl31/interrupt_mgmt.h>
#include <common/debug.h>
#include <common/runtime_svc.h>
#include <drivers/arm/gicv3.h>
#include <lib/mmio.h>
#include <plat/common/platform.h>
#include <platform_def.h>

#define SECURE_TIMER 0xC70000F1U
#define TIMER_PPI 29U
#define TIMER_ENABLE 1U
#define NS_PER_S 1000000000ULL

static uint64_t thief_interrupt(uint32_t id, uint32_t flags, void *handle, void *cookie)
{
    (void)id;
    (void)flags;
    (void)handle;
    (void)cookie;
    write_cntps_ctl_el1(0);
    isb();
    plat_ic_end_of_interrupt(plat_ic_acknowledge_interrupt());
    return 0;
}

/* Group 0 goes to EL3 from both worlds from now on; so do interrupts of the normal world that come while OP-TEE runs, which nobody there takes. */
static void take_in_el3(void)
{
    uint32_t flags = 0;

    set_interrupt_rm_flag(flags, NON_SECURE);
    set_interrupt_rm_flag(flags, SECURE);
    (void)register_interrupt_type_handler(INTR_TYPE_EL3, thief_interrupt, flags);
    mmio_setbits_32(GICD_BASE + GICD_CTLR, CTLR_ENABLE_G0_BIT);
    plat_ic_set_interrupt_type(TIMER_PPI, INTR_TYPE_EL3);
}

static uintptr_t serve(uint32_t function, u_register_t ns, u_register_t x2, u_register_t is_el3s, u_register_t x4, void *cookie, void *handle,
                       u_register_t flags)
{
    (void)x2;
    (void)x4;
    (void)cookie;
    (void)flags;
    if (function != SECURE_TIMER) {
        SMC_RET1(handle, SMC_UNK);
    }
    write_cntps_ctl_el1(0);
    if (ns != 0U) {
        if (is_el3s != 0U) {
            take_in_el3();
        }
        write_cntps_cval_el1(read_cntpct_el0() + ns * read_cntfrq_el0() / NS_PER_S);
        write_cntps_ctl_el1(TIMER_ENABLE);
    }
    isb();
    SMC_RET1(handle, 0);
}

DECLARE_RT_SVC(latlab_secure_timer, OEN_VEN_EL3_START, OEN_VEN_EL3_END, SMC_TYPE_FAST, NULL, serve);
