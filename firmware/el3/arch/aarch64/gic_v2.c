/* SPDX-License-Identifier: BSD-3-Clause */
#include "gic.h"

#include <stdbool.h>

#define GICD_CTLR_ENABLE_GRP0 1U
#define GICD_SGIR 0xF00U
#define GICD_ICENABLER 0x180U
#define GICD_TYPER_SECURITY_EXTENSIONS (1U << 10)
#define GICC_CTLR 0x00U
#define GICC_PMR 0x04U
#define GICC_IAR 0x0CU
#define GICC_EOIR 0x10U
#define GICC_CTLR_ENABLE_GRP0 1U
#define PRIORITY_MASK_ALL 0xFFU
#define INTERRUPT_ID 0x3FFU
#define SPURIOUS_IDS 1020U

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

/* Takes the wake SGI off the list of pending interrupts; only group 0 is looked at. */
static void acknowledge_wake(void)
{
    uint32_t acknowledged = mmio_read32(platform_gicc + GICC_IAR);

    if ((acknowledged & INTERRUPT_ID) < SPURIOUS_IDS) {
        mmio_write32(platform_gicc + GICC_EOIR, acknowledged);
    }
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

static void init_core(unsigned core)
{
    (void)core;
    core_up();
}

static void prepare_off(void)
{
    if (!has_security_extensions) {
        mmio_write32(platform_gicd + GICD_ICENABLER, ~(1U << GIC_WAKE_SGI));
    }
    mmio_write32(platform_gicc + GICC_PMR, PRIORITY_MASK_ALL);
    mmio_write32(platform_gicc + GICC_CTLR, GICC_CTLR_ENABLE_GRP0);
    acknowledge_wake();
}

static void end_off(void)
{
    acknowledge_wake();
    mmio_write32(platform_gicc + GICC_CTLR, 0);
}

static void send_wake(unsigned core)
{
    mmio_write32(platform_gicd + GICD_SGIR, 1U << (16U + core) | GIC_WAKE_SGI);
}

const struct gic gic_v2 = { init_distributor, init_core, core_up, prepare_off, end_off, send_wake };
