/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep.h"

#include "cases.h"
#include "dump.h"
#include "ns.h"
#include "profiler.h"

/* TIMER0 runs freely and downwards; TIMER1 fires once. */
/* Less than an instruction, so that no instruction is left out. */
#define STEP_TICKS       20U
#define IDLE_WAIT_TICKS  2000U
#define MARGIN_TICKS     400U
#define MAX_RECORDS      1024U
#define TIMER1_IRQ_BIT   (1U << 4)
#define NVIC_ISER0       NS_REG32(0xE000E100U)
#define NVIC_IPR_TIMER1  (*(volatile uint8_t *)0xE000E404U)

/*
 * The timer's non-secure priority, and in the second byte what BASEPRI is while a call is made: who starts the machine may put
 * others here.
 */
static __attribute__((section(".retained"), used)) volatile uint32_t sweep_priorities;

static volatile uint32_t fired_at;
static volatile uint32_t interrupted_pc;
static volatile bool fired;

static struct trace_record records[MAX_RECORDS];

static const enum bench_topic sweep_topics[SWEEP_TESTS] = {
    BENCH_NOTHING, BENCH_CONNECT, BENCH_CALL_0, BENCH_CLOSE, BENCH_STATELESS_0, BENCH_STATELESS_16, BENCH_STATELESS_256, BENCH_STATELESS_4096,
};

uint32_t nsc_interrupted_pc(uint32_t exc_return);
void sweep_timer1(uint32_t exc_return, const uint32_t *frame, uint32_t timer0);

/* The first thing it does is to read the clock. */
__attribute__((naked)) void ns_timer1_handler(void)
{
    __asm__ volatile("ldr r0, =" TIMER0_ADDRESS "\n\t"
                     "ldr r2, [r0]\n\t"
                     "mov r0, lr\n\t"
                     "mov r1, sp\n\t"
                     "b sweep_timer1\n\t"
                     ".ltorg");
}

#define EXC_RETURN_SECURE_STACK 0x40U
#define FRAME_PC_WORD           6U

void sweep_timer1(uint32_t exc_return, const uint32_t *frame, uint32_t timer0)
{
    timer1_stop();
    fired_at = TIMER0_OF(timer0);
    interrupted_pc = (exc_return & EXC_RETURN_SECURE_STACK) != 0U ? nsc_interrupted_pc(exc_return) : frame[FRAME_PC_WORD];
    fired = true;
}

static uint32_t wrong_answers;

static void set_basepri(uint32_t basepri)
{
    __asm__ volatile("msr basepri, %0" : : "r"(basepri) : "memory");
}

/*
 * Fires the timer `due_ticks` into the act. Returns how long after that the handler ran, and how long the act took. An
 * act that comes back with anything but its result and its data is counted.
 */
static uint32_t shoot(enum bench_topic topic, uint32_t due_ticks, uint32_t *act_ticks)
{
    psa_status_t status;

    bench_data_fill(topic, due_ticks);
    fired = false;

    uint32_t late = timer1_fire(due_ticks);
    uint32_t start = TIMER0_VALUE;

    set_basepri(sweep_priorities >> 8 & 0xFFU);
    status = bench_act(topic);
    set_basepri(0);
    *act_ticks = start - TIMER0_VALUE;
    while (!fired) {
    }
    if (status != PSA_SUCCESS || !bench_data_is_back(topic, due_ticks)) {
        wrong_answers++;
    }
    return start - fired_at - due_ticks - late;
}

/* The least that an interrupt takes when nothing is in its way. */
static uint32_t idle_latency(void)
{
    uint32_t least = 0xFFFFFFFFU;
    uint32_t act_ticks;

    for (uint32_t due = IDLE_WAIT_TICKS; due < IDLE_WAIT_TICKS + MARGIN_TICKS; due++) {
        uint32_t latency = shoot(BENCH_NOTHING, due, &act_ticks);

        least = latency < least ? latency : least;
    }
    return least;
}

struct shot {
    uint32_t due_ticks;
    uint32_t latency_ticks;
    uint32_t pc;
};

struct track {
    enum bench_topic topic;
    uint32_t iteration;
    uint32_t count;
    struct shot last;
    bool last_kept;
    uint32_t low_pc; /* the stretch of code that has been interrupted without a jump out of it */
    uint32_t high_pc;
};

#define LONGEST_INSTRUCTION 4U

/* Where another function runs than at the shot before, so that the shots that are kept say what runs when. */
static bool is_elsewhere(struct track *track, uint32_t pc)
{
    if (pc >= track->low_pc && pc <= track->high_pc + LONGEST_INSTRUCTION) {
        track->high_pc = pc > track->high_pc ? pc : track->high_pc;
        return false;
    }
    track->low_pc = pc;
    track->high_pc = pc;
    return true;
}

static void flush(struct track *track)
{
    dump_iteration("sweep_", bench_names[track->topic], track->iteration, records, track->count, track->iteration * MAX_RECORDS, 0);
    track->iteration++;
    track->count = 0;
}

static void keep(struct track *track, const struct shot *shot)
{
    uint64_t latency = shot->latency_ticks > 0xFFFFU ? 0xFFFFU : shot->latency_ticks;

    records[track->count].time_ticks = shot->due_ticks;
    records[track->count].event_arg = latency << 48 | (uint64_t)shot->pc << 16 | TRACE_NS_INTERRUPT;
    track->count++;
    if (track->count == MAX_RECORDS) {
        flush(track);
    }
}

/*
 * Inside a blocked window the latency falls by a step at each step, and outside it is none: the first and the last shot
 * of each stretch say all the others do. Of code that no shot is late in, the first shot is kept too.
 */
static void follow(struct track *track, const struct shot *shot)
{
    bool was_blocked = track->last.latency_ticks != 0U;
    bool is_blocked = shot->latency_ticks != 0U;
    bool new_stretch = is_blocked != was_blocked || (is_blocked && shot->latency_ticks > track->last.latency_ticks);

    if (new_stretch && !track->last_kept) {
        keep(track, &track->last);
    }
    bool other_code = !is_blocked && is_elsewhere(track, shot->pc);

    track->last_kept = new_stretch || other_code || track->last.due_ticks == 0U;
    if (track->last_kept) {
        keep(track, shot);
    }
    track->last = *shot;
}

/*
 * The rest of the instruction under way, and what the timers round, is no wait, nor is the tick by
 * which rounding may bring an interrupt before the least that was seen at idle.
 */
static uint32_t whole_instructions_ticks(int32_t ticks)
{
    uint32_t instructions = ticks <= (int32_t)ROUNDING_TICKS ? 0U : ((uint32_t)ticks - ROUNDING_TICKS) * WHOLE_INSTRUCTIONS / WHOLE_TICKS;

    return (instructions * WHOLE_TICKS + WHOLE_INSTRUCTIONS / 2U) / WHOLE_INSTRUCTIONS;
}

static bool sweep(enum bench_topic topic, uint32_t idle_ticks)
{
    struct track track = { .topic = topic, .last_kept = true };
    uint32_t act_ticks = IDLE_WAIT_TICKS;

    for (uint32_t due = STEP_TICKS; due < act_ticks; due += STEP_TICKS) {
        if (bench_prepare(topic) != PSA_SUCCESS) {
            return false;
        }
        uint32_t latency = whole_instructions_ticks((int32_t)(shoot(topic, due, &act_ticks) - idle_ticks));

        if (bench_finish(topic) != PSA_SUCCESS || wrong_answers != 0U) {
            ns_print_unsigned("bench: a call that was interrupted went wrong, due at tick ", due);
            return false;
        }
        follow(&track, &(struct shot){ .due_ticks = due, .latency_ticks = latency, .pc = interrupted_pc });
    }
    if (!track.last_kept) {
        keep(&track, &track.last);
    }
    flush(&track);
    return true;
}

bool sweep_all(void)
{
    NVIC_IPR_TIMER1 = (uint8_t)sweep_priorities;
    NVIC_ISER0 = TIMER1_IRQ_BIT;

    uint32_t idle_ticks = idle_latency();

    for (uint32_t i = 0; i < SWEEP_TESTS; i++) {
        if (!sweep(sweep_topics[i], idle_ticks)) {
            return false;
        }
    }
    return true;
}
