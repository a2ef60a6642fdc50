/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What EL3 does with the interrupt controller: gives every interrupt to the normal world (group 1), but keeps one
 * secure SGI (group 0) to wake a core that has been switched off. Drivers for GICv2 and GICv3. docs/explanation/wake-signals.md
 * (The wake SGI) argues them.
 */
#ifndef GIC_H
#define GIC_H

#include <stdint.h>

#include "mmio.h"

#define GIC_WAKE_SGI 15U

/*
 * Called by the platform's power controller, caches on, no lock held. Each core does its own part; only init_distributor is
 * done once, first.
 */
struct gic {
    void (*init_distributor)(void);
    void (*init_core)(unsigned core);  /* once, at cold boot */
    void (*core_up)(void);             /* after a power-down: nothing that the normal world has set is touched */
    void (*prepare_off)(unsigned core); /* from here on the wake SGI is all that reaches the calling core */
    void (*end_off)(unsigned core);    /* the calling core is back: no wake SGI reaches it, however late or often it comes */
    void (*send_wake)(unsigned core);  /* to any core; the caller has made what that core is to see visible first */
    /*
     * After prepare_off(): every wake SGI that has come to the calling core so far is no longer pending when
     * this returns. What the core reads afterwards was written before any of them was sent.
     */
    void (*forget_wakes)(unsigned core);
};

extern const struct gic gic_v2;
extern const struct gic gic_v3;

/* Given by the platform. */
extern uintptr_t platform_gicd;
extern uintptr_t platform_gicc; /* GICv2 */
extern uintptr_t platform_gicr; /* GICv3, core 0's; the others follow in order */

/* Offsets shared by both distributors, and by a redistributor's SGI frame for its first word. */
#define GICD_CTLR 0x000U
#define GICD_TYPER 0x004U
#define GICD_IGROUPR 0x080U
#define GICD_ISENABLER 0x100U
#define GICD_ICENABLER 0x180U
#define GICD_ICPENDR 0x280U
#define GICD_ICACTIVER 0x380U
#define GICD_IPRIORITYR 0x400U

/* The normal world's are 0x80 to 0xFF: this one goes before whatever it may have made pending, or have been in. */
#define GIC_WAKE_PRIORITY 0x00U

#define GIC_HIGHEST_NS_PRIORITIES 0x80808080U
#define GIC_WORDS_OF_SPIS(typer) (((typer)&0x1FU) + 1U)

#endif
