/* SPDX-License-Identifier: BSD-3-Clause */
#include "floating.h"

#include "ns.h"

#define SCB_CPACR NS_REG32(0xE000ED88U)
#define MVFR0     NS_REG32(0xE000EF40U)
#define MVFR1     NS_REG32(0xE000EF44U)
#define MVFR1_MVE (0xFU << 8)
#define CPACR_FPU (0xFU << 20)
#define TURNS     200U

static bool exist;
static bool predicates_exist; /* MVE: VPR, which the hardware stacks beside s0 to s15 */

void floats_enable(void)
{
    SCB_CPACR |= CPACR_FPU;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    exist = (SCB_CPACR & CPACR_FPU) == CPACR_FPU && MVFR0 != 0U;
    predicates_exist = exist && (MVFR1 & MVFR1_MVE) != 0U;
}

bool floats_exist(void)
{
    return exist;
}

static __attribute__((naked, noinline)) void fill(uint32_t pattern __attribute__((unused)))
{
    __asm__ volatile(".fpu fpv5-sp-d16\n\t"
                     ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
                     "vmov s\\n, r0\n\t"
                     "adds r0, #1\n\t"
                     ".endr\n\t"
                     "bx lr");
}

static __attribute__((naked, noinline)) void store(uint32_t *to __attribute__((unused)))
{
    __asm__ volatile(".fpu fpv5-sp-d16\n\t"
                     "vstmia r0, {s0-s31}\n\t"
                     "bx lr");
}

/* VMSR and VMRS of P0, the part of VPR that unprivileged code has too. */
static void fill_predicates(uint32_t pattern)
{
    if (predicates_exist) {
        __asm__ volatile("mov r0, %0\n\t.inst.w 0xEEED0A10" : : "r"(pattern) : "r0");
    }
}

static bool predicates_are(uint32_t pattern)
{
    uint32_t found = pattern;

    if (predicates_exist) {
        __asm__ volatile(".inst.w 0xEEFD0A10\n\tmov %0, r0" : "=r"(found) : : "r0");
    }
    return (found & 0xFFFFU) == (pattern & 0xFFFFU);
}

static bool are(uint32_t pattern, uint32_t first)
{
    uint32_t found[32];

    store(found);
    for (uint32_t i = first; i < 32U; i++) {
        if (found[i] != pattern + i) {
            return false;
        }
    }
    return true;
}

void floats_fill(uint32_t pattern)
{
    if (exist) {
        fill(pattern);
        fill_predicates(pattern);
    }
}

bool floats_preserved_are(uint32_t pattern)
{
    return !exist || are(pattern, 16);
}

static void wait(void)
{
    for (volatile uint32_t i = 0; i < TURNS; i++) {
    }
}

bool floats_stay(uint32_t pattern)
{
    if (!exist) {
        return true;
    }
    fill(pattern);
    fill_predicates(~pattern);
    wait();
    return are(pattern, 0) && predicates_are(~pattern);
}

/* Returns r4 to r11, each less what was put into it, ORed: zero. */
static __attribute__((naked, noinline)) uint32_t difference_of_registers(uint32_t pattern __attribute__((unused)),
                                                                         uint32_t turns __attribute__((unused)))
{
    __asm__ volatile("push {r4-r11, lr}\n\t"
                     "add r4, r0, #4\n\tadd r5, r0, #5\n\tadd r6, r0, #6\n\tadd r7, r0, #7\n\t"
                     "add r8, r0, #8\n\tadd r9, r0, #9\n\tadd r10, r0, #10\n\tadd r11, r0, #11\n"
                     "1:\tsubs r1, #1\n\t"
                     "bne 1b\n\t"
                     "sub r4, #4\n\tsub r5, #5\n\tsub r6, #6\n\tsub r7, #7\n\t"
                     "sub r8, #8\n\tsub r9, #9\n\tsub r10, #10\n\tsub r11, #11\n\t"
                     "eor r4, r0\n\teor r5, r0\n\teor r6, r0\n\teor r7, r0\n\t"
                     "eor r8, r0\n\teor r9, r0\n\teor r10, r0\n\teor r11, r0\n\t"
                     "orr r0, r4, r5\n\torr r0, r6\n\torr r0, r7\n\torr r0, r8\n\t"
                     "orr r0, r9\n\torr r0, r10\n\torr r0, r11\n\t"
                     "pop {r4-r11, pc}");
}

bool registers_stay(uint32_t pattern)
{
    return difference_of_registers(pattern, TURNS) == 0U;
}
