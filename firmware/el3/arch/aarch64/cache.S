/* SPDX-License-Identifier: BSD-3-Clause */
/* Set/way maintenance for a core that goes down. No stack in here: it is what is being flushed. */

#define SCTLR_C (1 << 2)
#define CLIDR_LOUIS_SHIFT 21
#define CLIDR_LOC_SHIFT 24

/*
 * x0 = power level: 0 flushes up to the level of unification (the core's own), others up to the level of coherency. A core in a DSU
 * says that it has no level of unification: nothing is flushed here, and cleaning its caches on the way down is left to hardware.
 */
.global arch_cache_power_down
.section .text.cache, "ax"
arch_cache_power_down:
    mrs x1, sctlr_el3
    bic x1, x1, #SCTLR_C
    msr sctlr_el3, x1
    isb                             /* no line is allocated from here on */

    mrs x1, clidr_el1
    ubfx x2, x1, #CLIDR_LOC_SHIFT, #3
    ubfx x3, x1, #CLIDR_LOUIS_SHIFT, #3
    cmp x0, #0
    csel x2, x3, x2, eq             /* x2 = number of cache levels to flush */
    mrs x15, s3_0_c0_c7_2           /* ID_AA64MMFR2_EL1 */
    ubfx x15, x15, #20, #4          /* x15 = not 0: CCSIDR has its 64-bit format */
    mov x3, #0                      /* x3 = cache level */
    cbz x2, flushed

next_level:
    add x4, x3, x3, lsl #1
    lsr x4, x1, x4
    tst x4, #6                      /* type, in bits 2:0: below 2, no data cache here */
    b.eq level_done
    lsl x5, x3, #1                  /* x5 = level in its place for CSSELR and DC CISW */
    msr csselr_el1, x5
    isb                             /* CCSIDR follows CSSELR */
    mrs x6, ccsidr_el1
    ubfx x8, x6, #3, #10            /* x8 = ways - 1 */
    ubfx x9, x6, #13, #15           /* x9 = sets - 1 */
    cbz x15, 1f
    ubfx x8, x6, #3, #21
    ubfx x9, x6, #32, #24
1:
    and x7, x6, #7                  /* log2 of the line in units of 16 bytes */
    mov x11, #16
    lsl x11, x11, x7                /* x11 = one set */
    madd x12, x9, x11, x5           /* x12 = highest set, in its place, and level */
    clz w10, w8                     /* x10 = place of the way */
next_way:
    lsl x13, x8, x10
    orr x13, x13, x12               /* x13 = way, set, level */
    add x14, x9, #1                 /* two sets a turn; where they are odd in number, one before */
    tbz x14, #0, next_sets
    dc cisw, x13
    sub x13, x13, x11
    subs x14, x14, #1
    b.eq way_done
next_sets:
    dc cisw, x13
    sub x13, x13, x11
    dc cisw, x13
    sub x13, x13, x11
    subs x14, x14, #2
    b.hi next_sets
way_done:
    subs x8, x8, #1
    b.hs next_way
level_done:
    add x3, x3, #1
    cmp x3, x2
    b.lo next_level

flushed:
    msr csselr_el1, xzr
    dsb sy                          /* all of it is in memory */
    isb
    ret
