/* SPDX-License-Identifier: BSD-3-Clause */
#include "arch_el3.h"
#include "core_numbers.h"
#include "gic.h"
#include "meet.h"
#include "sysregs.h"

#define GICD_CTLR_ENABLE_GRP0 (1U << 0)
#define GICD_CTLR_ARE (3U << 4) /* of both security states */
#define GICD_CTLR_WRITE_PENDING (1U << 31)
#define GICR_STRIDE 0x20000U
#define GICR_CTLR 0x00U
#define GICR_CTLR_WRITE_PENDING (1U << 3)
#define GICR_WAKER 0x14U
#define GICR_WAKER_PROCESSOR_SLEEP (1U << 1)
#define GICR_WAKER_CHILDREN_ASLEEP (1U << 2)
#define GICR_SGI_FRAME 0x10000U
#define GICR_IGRPMODR 0xD00U
#define PRIVATE_PRIORITY_WORDS 8U

#define ICC_SRE_EL3 "s3_6_c12_c12_5"
#define ICC_SRE_EL2 "s3_4_c12_c9_5"
#define ICC_SRE_EL1 "s3_0_c12_c12_5"
#define ICC_PMR_EL1 "s3_0_c4_c6_0"
#define ICC_IGRPEN0_EL1 "s3_0_c12_c12_6"
#define ICC_IGRPEN1_EL3 "s3_6_c12_c12_7"
#define ICC_CTLR_EL3 "s3_6_c12_c12_4"
#define ICC_EOIR1_EL1 "s3_0_c12_c12_1"
#define ICC_RPR_EL1 "s3_0_c12_c11_3"
#define ICC_AP0R0_EL1 "s3_0_c12_c8_4"
#define ICC_AP0R1_EL1 "s3_0_c12_c8_5"
#define ICC_AP0R2_EL1 "s3_0_c12_c8_6"
#define ICC_AP0R3_EL1 "s3_0_c12_c8_7"
#define ICC_AP1R0_EL1 "s3_0_c12_c9_0"
#define ICC_AP1R1_EL1 "s3_0_c12_c9_1"
#define ICC_AP1R2_EL1 "s3_0_c12_c9_2"
#define ICC_AP1R3_EL1 "s3_0_c12_c9_3"
#define ICC_SGI0R_EL1 "s3_0_c12_c11_7"

#define SRE_ALL 0xFU /* system registers, no bypass, lower levels may ask for the same */
#define PRIORITY_MASK_ALL 0xFFU
#define PRIORITY_IDLE 0xFFU
#define MOST_RUNNING 32U /* one to each of as many priorities */
#define CTLR_EL3_PRIORITY_BITS(ctlr) (((ctlr) >> 8 & 7U) + 1U)
#define CORES_PER_AFF1 (1U << AFF1_SHIFT)

/* The interface and the redistributors talk to each other at their own pace. */
#define icc_write(name, value)       \
    do {                             \
        ARCH_MEET();                 \
        SYSREG_WRITE(name, value);   \
    } while (0)

static void init_distributor(void)
{
    uint32_t words = GIC_WORDS_OF_SPIS(mmio_read32(platform_gicd + GICD_TYPER));

    mmio_write32(platform_gicd + GICD_CTLR, GICD_CTLR_ARE | GICD_CTLR_ENABLE_GRP0);
    while ((mmio_read32(platform_gicd + GICD_CTLR) & GICD_CTLR_WRITE_PENDING) != 0) {
    }
    for (uint32_t word = 1; word < words; word++) {
        mmio_write32(platform_gicd + GICD_IGROUPR + 4U * word, UINT32_MAX);
    }
    for (uint32_t word = 8; word < 8U * words; word++) {
        mmio_write32(platform_gicd + GICD_IPRIORITYR + 4U * word, GIC_HIGHEST_NS_PRIORITIES);
    }
}

static uintptr_t redistributor_of(unsigned core)
{
    return platform_gicr + (uintptr_t)GICR_STRIDE * core;
}

static uintptr_t sgi_frame_of(unsigned core)
{
    return redistributor_of(core) + GICR_SGI_FRAME;
}

/* Returns when no private interrupt of these is a candidate any more: the redistributor takes a disable at its own pace. */
static void disable_private(unsigned core, uint32_t interrupts)
{
    mmio_write32(sgi_frame_of(core) + GICD_ICENABLER, interrupts);
    while ((mmio_read32(redistributor_of(core) + GICR_CTLR) & GICR_CTLR_WRITE_PENDING) != 0) {
    }
}

static void wake_redistributor(uintptr_t redistributor)
{
    uint32_t waker = mmio_read32(redistributor + GICR_WAKER);

    if ((waker & GICR_WAKER_CHILDREN_ASLEEP) == 0) {
        return;
    }
    mmio_write32(redistributor + GICR_WAKER, waker & ~GICR_WAKER_PROCESSOR_SLEEP);
    while ((mmio_read32(redistributor + GICR_WAKER) & GICR_WAKER_CHILDREN_ASLEEP) != 0) {
    }
}

/*
 * The redistributor outlives its core: it is set up once, at cold boot. An earlier stage may have used it: no private interrupt stays
 * enabled or active, and none is of secure group 1. The wake SGI is enabled only while its core is off.
 */
static void init_redistributor(unsigned core)
{
    uintptr_t sgi_frame = sgi_frame_of(core);

    wake_redistributor(redistributor_of(core));
    disable_private(core, UINT32_MAX);
    mmio_write32(sgi_frame + GICD_ICACTIVER, UINT32_MAX);
    mmio_write32(sgi_frame + GICR_IGRPMODR, 0);
    mmio_write32(sgi_frame + GICD_IGROUPR, ~(1U << GIC_WAKE_SGI));
    for (uint32_t word = 0; word < PRIVATE_PRIORITY_WORDS; word++) {
        mmio_write32(sgi_frame + GICD_IPRIORITYR + 4U * word, GIC_HIGHEST_NS_PRIORITIES);
    }
    mmio_write8(sgi_frame + GICD_IPRIORITYR + GIC_WAKE_SGI, GIC_WAKE_PRIORITY);
}

/* What a core's interface loses with its power. */
static void core_up(void)
{
    icc_write(ICC_SRE_EL3, SRE_ALL);
    isb(); /* the other registers answer only then */
    icc_write(ICC_SRE_EL1, SRE_ALL);
    if (arch_has_el2()) {
        icc_write(ICC_SRE_EL2, SRE_ALL);
    }
}

static void init_core(unsigned core)
{
    init_redistributor(core);
    core_up();
}

/*
 * A core may go off in the middle of an interrupt that it never ends: what runs then would mask the wake SGI now, and the normal
 * world's interrupts when the core comes back. Of group 1 these are the registers of the security state that SCR_EL3 names.
 */
static void __attribute__((noinline)) forget_running_priorities(void)
{
    uint64_t bits = CTLR_EL3_PRIORITY_BITS(SYSREG_READ(ICC_CTLR_EL3));

    icc_write(ICC_AP0R0_EL1, 0);
    icc_write(ICC_AP1R0_EL1, 0);
    if (bits > 5U) {
        icc_write(ICC_AP0R1_EL1, 0);
        icc_write(ICC_AP1R1_EL1, 0);
    }
    if (bits > 6U) {
        icc_write(ICC_AP0R2_EL1, 0);
        icc_write(ICC_AP1R2_EL1, 0);
        icc_write(ICC_AP0R3_EL1, 0);
        icc_write(ICC_AP1R3_EL1, 0);
    }
    isb();
    /*
     * The running priority follows from these registers, so on an interface that has taken the writes nothing runs here. QEMU 10.0
     * ignores the one to ICC_AP1R0_EL1. Its number is not known here, and an end of interrupt with another is UNPREDICTABLE (IHI 0069,
     * ICC_EOIR1_EL1): QEMU's ends whatever runs. docs/explanation/wake-signals.md, The wake SGI.
     */
    for (unsigned i = 0; i < MOST_RUNNING && SYSREG_READ(ICC_RPR_EL1) != PRIORITY_IDLE; i++) {
        icc_write(ICC_EOIR1_EL1, GIC_WAKE_SGI);
    }
}

/* Of group 1 all is closed: of the two security states only the normal world's has any. */
static void prepare_off(unsigned core)
{
    icc_write(ICC_IGRPEN1_EL3, 0);
    icc_write(ICC_PMR_EL1, PRIORITY_MASK_ALL);
    icc_write(ICC_IGRPEN0_EL1, 1);
    isb();
    mmio_write32(sgi_frame_of(core) + GICD_ICPENDR, 1U << GIC_WAKE_SGI);
    mmio_write32(sgi_frame_of(core) + GICD_ISENABLER, 1U << GIC_WAKE_SGI);
    if (SYSREG_READ(ICC_RPR_EL1) != PRIORITY_IDLE) {
        forget_running_priorities();
    }
}

/* An SGI that is not enabled is no candidate for the interface: one that comes from here on hides nothing. */
static void end_off(unsigned core)
{
    disable_private(core, 1U << GIC_WAKE_SGI);
    icc_write(ICC_IGRPEN0_EL1, 0);
}

static void forget_wakes(unsigned core)
{
    mmio_write32(sgi_frame_of(core) + GICD_ICPENDR, 1U << GIC_WAKE_SGI);
    dsb_sy(); /* devices are mapped without early acknowledgement: it has got there */
}

static void send_wake(unsigned core)
{
    uint64_t target = 1ULL << (core % CORES_PER_AFF1) | (uint64_t)(core / CORES_PER_AFF1) << 16;

    icc_write(ICC_SGI0R_EL1, target | (uint64_t)GIC_WAKE_SGI << 24);
    isb();
}

const struct gic gic_v3 = { init_distributor, init_core, core_up, prepare_off, end_off, send_wake, forget_wakes };
