/* SPDX-License-Identifier: BSD-3-Clause */
/* Attacks on any secure side, step by step, as the parameters say. After a reset it goes on behind the attack that caused it. */
#include "attacks.h"

#include <stdbool.h>

#include "console.h"

#define REG32(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define SCB_ICSR   REG32(0xE000ED04U)
#define SCB_VTOR   REG32(0xE000ED08U)
#define SCB_CPACR  REG32(0xE000ED88U)
#define FPU_MVFR0  REG32(0xE000EF40U)
#define SYST_CSR   REG32(0xE000E010U)
#define SYST_RVR   REG32(0xE000E014U)
#define SYST_CVR   REG32(0xE000E018U)

#define SYSTICK_ON     7U
#define CLEAR_PENDING  (1U << 25)
#define FLOATS_ALLOWED (0xFU << 20)
#define FIRST_FAULT    2U
#define SVCALL         11U
#define SYSTICK        15U
#define SECURE_STACK   (1U << 6) /* of EXC_RETURN */
#define LONGEST_WAIT   50000000U
#define MOST_ANSWERS   24U
#define MOST_RESETS    6U
#define SHOWN_WORDS    8U
#define FNV_BASIS      2166136261U
#define FNV_PRIME      16777619U
#define PATTERN        0xA5A50004U /* of r4; one more for each register behind it */
#define FLOAT_PATTERN  0x5F500000U
/* QEMU's instruction clock at shift 10: 2048 ticks of 20 MHz are 100 instructions. */
#define TICKS          2048U
#define INSTRUCTIONS   100U

_Noreturn void calls_main(const struct params *params);
uint32_t address_of_on_fault(void);
uint32_t address_of_on_systick(void);
uint32_t address_of_on_svc(void);
void on_fault(void);
void handle_systick(const uint32_t *registers, uint32_t exc_return);
void handle_svc(void);

static struct memory *memory_here(void)
{
    return (struct memory *)SCB_VTOR;
}

static void say(const struct memory *memory, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct memory *memory, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    console_say(memory->params->console, format, arguments);
    va_end(arguments);
}

static const uint32_t *words_at(const struct memory *memory, uint32_t offset)
{
    return (const uint32_t *)(const void *)((const uint8_t *)memory->params + offset);
}

static const struct step *step_at(const struct memory *memory, uint32_t number)
{
    return (const struct step *)(const void *)words_at(memory, memory->params->step_offset) + number;
}

/* A fault that the secure side leaves to this one. The next attack needs a fresh machine. */
void on_fault(void)
{
    const struct memory *memory = memory_here();

    say(memory, "FAULT a=%lu s=%lu", (unsigned long)memory->attack, (unsigned long)memory->mark[1]);
    leave(2);
}

static void call(struct memory *memory, struct registers *registers, const struct step *step)
{
    if ((step->flags & WITH_FLOATS) == 0U || FPU_MVFR0 == 0U) {
        call_with_patterns(registers);
        return;
    }
    SCB_CPACR |= FLOATS_ALLOWED;
    __asm__ volatile("dsb\n\tisb");
    for (uint32_t i = 0; i < 32U; i++) {
        memory->floats[i] = FLOAT_PATTERN + i;
    }
    call_with_floats(registers, memory->floats);
    for (uint32_t i = 0; i < 32U; i++) {
        if (memory->floats[i] != FLOAT_PATTERN + i) {
            say(memory, "FLOAT a=%lu s=%lu n=%lu v=%lx", (unsigned long)memory->attack, (unsigned long)memory->mark[1], (unsigned long)i,
                (unsigned long)memory->floats[i]);
        }
    }
}

void handle_svc(void)
{
    struct memory *memory = memory_here();

    call_with_patterns(&memory->armed);
}

static void set_timer(struct memory *memory)
{
    memory->fired = 0;
    SYST_CSR = 0;
    SYST_RVR = (memory->due * TICKS - TICKS / 2U) / INSTRUCTIONS;
    SYST_CVR = 0;
}

static bool has_fired(const struct memory *memory)
{
    for (uint32_t i = 0; i < LONGEST_WAIT && memory->fired == 0U; i++) {
    }
    return memory->fired != 0U;
}

static uint32_t digest_of(const struct attack *attack)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)attack->shown;
    uint32_t digest = FNV_BASIS;

    for (uint32_t i = 0; i < attack->shown_bytes; i++) {
        digest = (digest ^ bytes[i]) * FNV_PRIME;
    }
    return digest;
}

static bool is_as_first(const struct memory *memory, const struct registers *registers, uint32_t digest)
{
    const uint32_t *one = (const uint32_t *)(const void *)registers;
    const uint32_t *other = (const uint32_t *)(const void *)&memory->first;
    uint32_t different = digest ^ memory->first_digest;

    for (uint32_t i = 0; i < sizeof(*registers) / sizeof(*one); i++) {
        different |= one[i] ^ other[i];
    }
    return different == 0U;
}

/* What a call left, and the memory that is to be shown. Of equal answers of a sweep only the first is told. */
static void tell(struct memory *memory, const struct registers *registers, uint32_t number)
{
    const struct attack *attack = &memory->params->attacks[memory->attack];
    uint32_t digest = digest_of(attack);
    uint32_t changed = 0;
    uint32_t value = 0;

    if (memory->answers != 0U && attack->shots > 1U && is_as_first(memory, registers, digest)) {
        return;
    }
    if (memory->answers++ >= MOST_ANSWERS) {
        return;
    }
    memory->first = memory->answers == 1U ? *registers : memory->first;
    memory->first_digest = memory->answers == 1U ? digest : memory->first_digest;
    for (uint32_t i = 0; i < 8U; i++) {
        if (registers->high[i] != PATTERN + i) {
            changed |= 1U << i;
            value = registers->high[i];
        }
    }
    say(memory, "CALL a=%lu s=%lu i=%lu r0=%lx r1=%lx r2=%lx r3=%lx r12=%lx f=%lx h=%lx v=%lx", (unsigned long)memory->attack,
        (unsigned long)memory->mark[1], (unsigned long)number, (unsigned long)registers->low[0], (unsigned long)registers->low[1],
        (unsigned long)registers->low[2], (unsigned long)registers->low[3], (unsigned long)registers->r12, (unsigned long)registers->apsr,
        (unsigned long)changed, (unsigned long)value);
    for (uint32_t at = 0; at < attack->shown_bytes && at < 4U * SHOWN_WORDS; at += 4U) {
        say(memory, "SHOW a=%lu s=%lu n=%lu v=%08lx", (unsigned long)memory->attack, (unsigned long)memory->mark[1], (unsigned long)at,
            (unsigned long)REG32(attack->shown + at));
    }
}

static void take_call(struct memory *memory, const struct step *step, uint32_t number)
{
    struct registers registers = { .low = { step->r[0], step->r[1], step->r[2], step->r[3] }, .r12 = step->target };

    if ((step->flags & WITH_KEPT) != 0U) {
        registers.low[0] ^= memory->kept;
    }
    if ((step->flags & WITH_TIMER) != 0U) {
        set_timer(memory);
        registers.apsr = SYSTICK_ON;
    }
    if ((step->flags & IN_HANDLER) != 0U) {
        memory->armed = registers;
        __asm__ volatile("svc #0" ::: "memory");
        registers = memory->armed;
    } else {
        call(memory, &registers, step);
    }
    if ((step->flags & WITH_TIMER) != 0U && !has_fired(memory)) {
        say(memory, "SILENT a=%lu", (unsigned long)memory->attack);
        leave(1);
    }
    if ((step->flags & KEEP) != 0U) {
        memory->kept = registers.low[0];
    }
    if ((step->flags & QUIET) == 0U) {
        tell(memory, &registers, number);
    }
}

static void guess(struct memory *memory, const struct step *step)
{
    const uint32_t *words = words_at(memory, step->r[0]);
    uint32_t accepted = 0;

    for (uint32_t i = 0; i < step->r[1]; i++) {
        uint32_t handle = words[i] ^ ((step->flags & WITH_KEPT) != 0U ? memory->kept : 0U);
        struct registers registers = { .low = { handle, step->r[2] }, .r12 = step->target };

        call_with_patterns(&registers);
        if ((int32_t)registers.low[0] >= 0) {
            say(memory, "TAKEN a=%lu h=%lx r0=%lx", (unsigned long)memory->attack, (unsigned long)handle, (unsigned long)registers.low[0]);
            accepted++;
        }
    }
    say(memory, "GUESSED a=%lu n=%lu taken=%lu", (unsigned long)memory->attack, (unsigned long)step->r[1], (unsigned long)accepted);
}

static void load(struct memory *memory, const struct step *step)
{
    uint32_t word = REG32(step->target);

    if ((step->flags & KEEP) != 0U) {
        memory->kept = word;
    }
    if ((step->flags & QUIET) == 0U) {
        say(memory, "LOAD a=%lu at=%lx v=%08lx", (unsigned long)memory->attack, (unsigned long)step->target, (unsigned long)word);
    }
}

static void take(struct memory *memory, const struct step *step, uint32_t number)
{
    switch ((enum operation)step->operation) {
    case STEP_CALL:
        take_call(memory, step, number);
        break;
    case STEP_LOAD:
        load(memory, step);
        break;
    case STEP_STORE:
        REG32(step->target) = step->r[0];
        __asm__ volatile("dsb");
        say(memory, "STORED a=%lu at=%lx", (unsigned long)memory->attack, (unsigned long)step->target);
        break;
    case STEP_FILL:
        for (uint32_t at = 0; at < step->r[1]; at += 4U) {
            REG32(step->target + at) = words_at(memory, step->r[0])[at / 4U];
        }
        break;
    case STEP_POKES:
        memory->handler_offset = step->r[0];
        memory->handler_pairs = step->r[1];
        memory->handler_step = step->r[2];
        break;
    default:
        guess(memory, step);
        break;
    }
}

void handle_systick(const uint32_t *registers, uint32_t exc_return)
{
    struct memory *memory = memory_here();
    const uint32_t *pairs = words_at(memory, memory->handler_offset);

    SYST_CSR = 0;
    SCB_ICSR = CLEAR_PENDING;
    memory->fired = 1;
    if ((exc_return & SECURE_STACK) != 0U) {
        for (uint32_t i = 0; i < 13U; i++) {
            memory->handler_saw |= registers[i];
        }
    }
    for (uint32_t i = 0; i < memory->handler_pairs; i++) {
        REG32(pairs[2U * i]) = pairs[2U * i + 1U];
    }
    if (memory->handler_step != 0U) {
        take(memory, step_at(memory, memory->handler_step - 1U), memory->handler_step - 1U);
    }
}

static void run(struct memory *memory, uint32_t number, uint32_t first_shot)
{
    const struct attack *attack = &memory->params->attacks[number];

    memory->attack = number;
    memory->answers = 0;
    memory->handler_saw = 0;
    memory->mark[0] = number + 1U;
    for (uint32_t shot = first_shot; shot < attack->shots; shot++) {
        memory->mark[1] = shot;
        memory->kept = 0;
        memory->handler_pairs = 0;
        memory->handler_step = 0;
        memory->due = attack->first_shot + shot * attack->shot_step;
        for (uint32_t i = 0; i < attack->step_count; i++) {
            take(memory, step_at(memory, attack->first_step + i), i);
        }
    }
    say(memory, "DONE a=%lu saw=%lx answers=%lu", (unsigned long)number, (unsigned long)memory->handler_saw, (unsigned long)memory->answers);
}

static struct memory *prepare(const struct params *params)
{
    struct memory *memory = (struct memory *)((uintptr_t)params - MEMORY_BYTES);

    for (uint32_t i = FIRST_FAULT; i < VECTORS; i++) {
        memory->vectors[i] = address_of_on_fault();
    }
    memory->vectors[SVCALL] = address_of_on_svc();
    memory->vectors[SYSTICK] = address_of_on_systick();
    memory->params = params;
    SCB_VTOR = (uint32_t)(uintptr_t)memory;
    console_open(params->console);
    return memory;
}

/* Where a machine that was reset goes on: a sweep at its next shot, as long as this does not happen too often. */
static uint32_t resume(struct memory *memory, uint32_t *shot)
{
    const struct attack *attack = &memory->params->attacks[memory->attack];

    say(memory, "AGAIN a=%lu s=%lu", (unsigned long)memory->attack, (unsigned long)memory->mark[1]);
    *shot = memory->mark[1] + 1U;
    if (*shot < attack->shots && ++memory->resets < MOST_RESETS) {
        return memory->attack;
    }
    *shot = 0;
    memory->resets = 0;
    return memory->attack + 1U;
}

_Noreturn void calls_main(const struct params *params)
{
    struct memory *memory;
    uint32_t shot = params->first_shot;
    uint32_t number = params->first_attack;

    if (params->magic != PARAMS_MAGIC) {
        leave(1); /* no console is known */
    }
    memory = prepare(params);
    if (memory->state == STATE_MAGIC) {
        number = resume(memory, &shot);
    } else {
        memory->state = STATE_MAGIC;
        memory->resets = 0;
        say(memory, "ATTACKS n=%lu first=%lu fpu=%lx", (unsigned long)params->attack_count, (unsigned long)number, (unsigned long)FPU_MVFR0);
    }
    for (; number < params->attack_count; number++) {
        run(memory, number, shot);
        shot = 0;
        memory->resets = 0;
    }
    say(memory, "END n=%lu", (unsigned long)params->attack_count);
    leave(0);
}
