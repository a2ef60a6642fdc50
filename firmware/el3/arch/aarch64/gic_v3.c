/* SPDX-License-Identifier: BSD-3-Clause */
#include "arch_el3.h"
#include "gic.h"
#include "sysregs.h"

#define GICD_CTLR_ENABLE_GRP0 (1U << 0)
#define GICD_CTLR_ARE (3U << 4) /* of both security states */
#define GICD_CTLR_WRITE_PENDING (1U << 31)
#define GICR_STRIDE 0x20000U
#define GICR_WAKER 0x14U
#define GICR_WAKER_PROCESSOR_SLEEP (1U << 1)
#define GICR_WAKER_CHILDREN_ASLEEP (1U << 2)
#define GICR_SGI_FRAME 0x10000U
#define PRIVATE_PRIORITY_WORDS 8U

#define ICC_SRE_EL3 "s3_6_c12_c12_5"
#define ICC_SRE_EL2 "s3_4_c12_c9_5"
#define ICC_SRE_EL1 "s3_0_c12_c12_5"
#define ICC_PMR_EL1 "s3_0_c4_c6_0"
#define ICC_IGRPEN0_EL1 "s3_0_c12_c12_6"
#define ICC_IGRPEN1_EL3 "s3_6_c12_c12_7"
#define ICC_IAR0_EL1 "s3_0_c12_c8_0"
#define ICC_EOIR0_EL1 "s3_0_c12_c8_1"
#define ICC_SGI0R_EL1 "s3_0_c12_c11_7"

#define SRE_ALL 0xFU /* system registers, no bypass, lower levels may ask for the same */
#define IGRPEN1_EL3_NS 1U
#define PRIORITY_MASK_ALL 0xFFU
#define SPURIOUS_IDS 1020U
#define CORES_PER_AFF1 16U

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

/* The redistributor outlives its core: it is set up once, at cold boot. */
static void init_redistributor(unsigned core)
{
    uintptr_t redistributor = platform_gicr + (uintptr_t)GICR_STRIDE * core;
    uintptr_t sgi_frame = redistributor + GICR_SGI_FRAME;
    uint32_t waker = mmio_read32(redistributor + GICR_WAKER);

    if ((waker & GICR_WAKER_CHILDREN_ASLEEP) == 0) {
        return;
    }
    mmio_write32(redistributor + GICR_WAKER, waker & ~GICR_WAKER_PROCESSOR_SLEEP);
    while ((mmio_read32(redistributor + GICR_WAKER) & GICR_WAKER_CHILDREN_ASLEEP) != 0) {
    }
    mmio_write32(sgi_frame + GICD_IGROUPR, ~(1U << GIC_WAKE_SGI));
    for (uint32_t word = 0; word < PRIVATE_PRIORITY_WORDS; word++) {
        mmio_write32(sgi_frame + GICD_IPRIORITYR + 4U * word, GIC_HIGHEST_NS_PRIORITIES);
    }
    mmio_write32(sgi_frame + GICD_ISENABLER, 1U << GIC_WAKE_SGI);
}

static void acknowledge_wake(void)
{
    uint64_t acknowledged = SYSREG_READ(ICC_IAR0_EL1);

    if (acknowledged < SPURIOUS_IDS) {
        SYSREG_WRITE(ICC_EOIR0_EL1, acknowledged);
    }
}

/* What a core's interface loses with its power. */
static void core_up(void)
{
    SYSREG_WRITE(ICC_SRE_EL3, SRE_ALL);
    isb(); /* the other registers answer only then */
    SYSREG_WRITE(ICC_SRE_EL1, SRE_ALL);
    if (arch_has_el2()) {
        SYSREG_WRITE(ICC_SRE_EL2, SRE_ALL);
    }
}

static void init_core(unsigned core)
{
    init_redistributor(core);
    core_up();
}

static void prepare_off(void)
{
    SYSREG_WRITE(ICC_IGRPEN1_EL3, SYSREG_READ(ICC_IGRPEN1_EL3) & ~(uint64_t)IGRPEN1_EL3_NS);
    SYSREG_WRITE(ICC_PMR_EL1, PRIORITY_MASK_ALL);
    SYSREG_WRITE(ICC_IGRPEN0_EL1, 1);
    isb(); /* the interface is open ... */
    acknowledge_wake(); /* ... for an SGI that came after the core it woke had seen the wish */
}

static void end_off(void)
{
    acknowledge_wake();
    SYSREG_WRITE(ICC_IGRPEN0_EL1, 0);
}

static void send_wake(unsigned core)
{
    uint64_t target = 1ULL << (core % CORES_PER_AFF1) | (uint64_t)(core / CORES_PER_AFF1) << 16;

    SYSREG_WRITE(ICC_SGI0R_EL1, target | (uint64_t)GIC_WAKE_SGI << 24);
    isb();
}

const struct gic gic_v3 = { init_distributor, init_core, core_up, prepare_off, end_off, send_wake };
