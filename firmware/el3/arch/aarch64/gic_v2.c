/* SPDX-License-Identifier: BSD-3-Clause */
#include "gic.h"

#include <stdbool.h>

#include "sysregs.h"

#define GICD_CTLR_ENABLE_GRP0 1U
#define GICD_SGIR 0xF00U
#define GICD_CPENDSGIR 0xF10U
#define GICD_TYPER_SECURITY_EXTENSIONS (1U << 10)
#define GICC_CTLR 0x00U
#define GICC_PMR 0x04U
#define GICC_APR 0xD0U
#define GICC_NSAPR 0xE0U
#define ACTIVE_PRIORITY_WORDS 4U
#define GICC_CTLR_ENABLE_GRP0 1U
#define PRIORITY_MASK_ALL 0xFFU
#define PRIORITY_MASK_WAKE 0x10U /* lets nothing pass but the wake SGI's, also where the normal world has all priorities */
#define PRIVATE_PRIORITY_WORDS 8U
/* The lowest one: below every priority mask, so that nothing that has it is ever signalled. An SGI cannot be disabled everywhere. */
#define PRIORITY_NEVER 0xFFU
#define ALL_SENDERS 0xFFU

/* Without them everybody sees every group: all stays in group 0, the only one that the normal world then turns on. Set at boot. */
static bool has_security_extensions;

static void init_distributor(void)
{
    uint32_t typer = mmio_read32(platform_gicd + GICD_TYPER);
    uint32_t words = GIC_WORDS_OF_SPIS(typer);

    has_security_extensions = (typer & GICD_TYPER_SECURITY_EXTENSIONS) != 0;
    for (uint32_t word = 1; has_security_extensions && word < words; word++) {
        mmio_write32(platform_gicd + GICD_IGROUPR + 4U * word, UINT32_MAX);
    }
    for (uint32_t word = 8; word < 8U * words; word++) {
        mmio_write32(platform_gicd + GICD_IPRIORITYR + 4U * word, GIC_HIGHEST_NS_PRIORITIES);
    }
    mmio_write32(platform_gicd + GICD_CTLR, GICD_CTLR_ENABLE_GRP0);
}

static void set_wake_priority(uint8_t priority)
{
    mmio_write8(platform_gicd + GICD_IPRIORITYR + GIC_WAKE_SGI, priority);
}

/* The first words of the distributor are the calling core's own. */
static void core_up(void)
{
    if (has_security_extensions) {
        mmio_write32(platform_gicd + GICD_IGROUPR, ~(1U << GIC_WAKE_SGI));
    }
    mmio_write32(platform_gicd + GICD_ISENABLER, 1U << GIC_WAKE_SGI);
    /* The normal world may only move the mask within its own half; it starts there. */
    if (mmio_read32(platform_gicc + GICC_PMR) < 0x80U) {
        mmio_write32(platform_gicc + GICC_PMR, PRIORITY_MASK_ALL);
    }
}

/* Without the first, an interrupt that the normal world has given no priority would have the wake SGI's. */
static void init_core(unsigned core)
{
    (void)core;
    for (uint32_t word = 0; word < PRIVATE_PRIORITY_WORDS; word++) {
        mmio_write32(platform_gicd + GICD_IPRIORITYR + 4U * word, GIC_HIGHEST_NS_PRIORITIES);
    }
    set_wake_priority(PRIORITY_NEVER);
    core_up();
}

/* A core may go off in the middle of an interrupt that it never ends: what runs then would mask those that come. */
static void forget_running_priorities(void)
{
    for (uint32_t word = 0; word < ACTIVE_PRIORITY_WORDS; word++) {
        mmio_write32(platform_gicc + GICC_APR + 4U * word, 0);
        mmio_write32(platform_gicc + GICC_NSAPR + 4U * word, 0);
    }
}

static void prepare_off(unsigned core)
{
    (void)core;
    if (!has_security_extensions) {
        mmio_write32(platform_gicd + GICD_ICENABLER, ~(1U << GIC_WAKE_SGI));
    }
    mmio_write32(platform_gicc + GICC_CTLR, GICC_CTLR_ENABLE_GRP0);
    forget_running_priorities();
    mmio_write32(platform_gicc + GICC_PMR, PRIORITY_MASK_WAKE);
    mmio_write8(platform_gicd + GICD_CPENDSGIR + GIC_WAKE_SGI, ALL_SENDERS);
    set_wake_priority(GIC_WAKE_PRIORITY);
}

/* From here on a wake SGI goes before no other interrupt. */
static void end_off(unsigned core)
{
    (void)core;
    set_wake_priority(PRIORITY_NEVER);
    mmio_write32(platform_gicc + GICC_CTLR, 0);
}

/* One bit for each core that may have sent it. */
static void forget_wakes(unsigned core)
{
    (void)core;
    mmio_write8(platform_gicd + GICD_CPENDSGIR + GIC_WAKE_SGI, ALL_SENDERS);
    dsb_sy(); /* devices are mapped without early acknowledgement: it has got there */
}

static void send_wake(unsigned core)
{
    mmio_write32(platform_gicd + GICD_SGIR, 1U << (16U + core) | GIC_WAKE_SGI);
}

const struct gic gic_v2 = { init_distributor, init_core, core_up, prepare_off, end_off, send_wake, forget_wakes };
