/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "kernel_stretch.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_STEPS 96U
#define ROUNDS 4000 /* the verifier follows no more than 8192 jumps */
#define READS_A_ROUND 6U
#define TIMER_PERIOD_NS 1000000U
#define WANTED offsetof(struct stretch_map, wanted_ns)
#define TIMES offsetof(struct stretch_map, times)
#define CPU offsetof(struct stretch_map, cpu)
#define THREAD offsetof(struct stretch_map, thread)
#define COUNT offsetof(struct stretch_map, count)
#define LAST (-8) /* on the program's stack */
#define LOST (-16)
#define SHIFT_OF_A_STRETCH 5
#define DONE offsetof(struct stretch_map, done)

_Static_assert(sizeof(struct stretch) == 1U << SHIFT_OF_A_STRETCH, "a stretch is as long as the program takes it for");

struct program {
    struct bpf_insn steps[MOST_STEPS];
    int32_t count;
};

static void step(struct program *self, int code, unsigned to, unsigned from, int jump, int value)
{
    self->steps[self->count++] =
        (struct bpf_insn){ .code = (uint8_t)code, .dst_reg = to & 0xFU, .src_reg = from & 0xFU, .off = (int16_t)jump, .imm = value };
}

static void move(struct program *self, unsigned to, unsigned from)
{
    step(self, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static void load(struct program *self, unsigned to, unsigned from, size_t offset)
{
    step(self, BPF_LDX | BPF_MEM | BPF_DW, to, from, (int)offset, 0);
}

static void store(struct program *self, unsigned to, size_t offset, unsigned from)
{
    step(self, BPF_STX | BPF_MEM | BPF_DW, to, from, (int)offset, 0);
}

static void add(struct program *self, unsigned to, int value)
{
    step(self, BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, value);
}

static void call(struct program *self, int function)
{
    step(self, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

/* A jump to where `land` is called. */
static int32_t jump(struct program *self, int condition, unsigned left, unsigned right)
{
    step(self, BPF_JMP | condition | BPF_X, left, right, 0, 0);
    return self->count - 1;
}

static void land(struct program *self, int32_t from)
{
    self->steps[from].off = (int16_t)(self->count - from - 1);
}

/* Registers 6 to 9: the map, the wanted time, the begin, the rounds left. The last reading of each round, in register 0, is compared. */
static void loop_until_wanted(struct program *self)
{
    load(self, 7, 6, WANTED);
    call(self, BPF_FUNC_ktime_get_ns);
    move(self, 8, 0);
    step(self, BPF_STX | BPF_MEM | BPF_DW, 10, 0, LAST, 0);
    step(self, BPF_ST | BPF_MEM | BPF_DW, 10, 0, LOST, 0);
    step(self, BPF_ALU64 | BPF_MOV | BPF_K, 9, 0, 0, ROUNDS);
    int32_t first = self->count;

    for (unsigned i = 0; i < READS_A_ROUND; i++) {
        call(self, BPF_FUNC_ktime_get_ns);
    }
    step(self, BPF_LDX | BPF_MEM | BPF_DW, 2, 10, LAST, 0);
    step(self, BPF_STX | BPF_MEM | BPF_DW, 10, 0, LAST, 0);
    move(self, 1, 0);
    step(self, BPF_ALU64 | BPF_SUB | BPF_X, 1, 2, 0, 0);
    step(self, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, STRETCH_GAP_NS);
    int32_t without_gap = jump(self, BPF_JLE, 1, 2);

    step(self, BPF_LDX | BPF_MEM | BPF_DW, 2, 10, LOST, 0);
    step(self, BPF_ALU64 | BPF_ADD | BPF_X, 2, 1, 0, 0);
    step(self, BPF_STX | BPF_MEM | BPF_DW, 10, 2, LOST, 0);
    land(self, without_gap);
    move(self, 1, 0);
    step(self, BPF_ALU64 | BPF_SUB | BPF_X, 1, 8, 0, 0);
    int32_t end = jump(self, BPF_JGE, 1, 7);

    add(self, 9, -1);
    step(self, BPF_JMP | BPF_JNE | BPF_K, 9, 0, first - self->count - 1, 0);
    land(self, end);
}

/* The end is in register 0. */
static void keep_stamps(struct program *self)
{
    load(self, 1, 6, COUNT);
    move(self, 2, 1);
    add(self, 2, 1);
    store(self, 6, COUNT, 2);
    step(self, BPF_ALU64 | BPF_AND | BPF_K, 1, 0, 0, STRETCHES - 1U);
    step(self, BPF_ALU64 | BPF_LSH | BPF_K, 1, 0, 0, SHIFT_OF_A_STRETCH);
    step(self, BPF_ALU64 | BPF_ADD | BPF_X, 1, 6, 0, 0);
    step(self, BPF_LDX | BPF_MEM | BPF_DW, 2, 10, LOST, 0);
    store(self, 1, DONE + offsetof(struct stretch, begin_ns), 8);
    store(self, 1, DONE + offsetof(struct stretch, end_ns), 0);
    store(self, 1, DONE + offsetof(struct stretch, lost_ns), 2);
}

static void assemble(struct program *self, int map, bool has_thread)
{
    int32_t skips[3];
    int skipping = 0;

    step(self, BPF_LD | BPF_IMM | BPF_DW, 6, BPF_PSEUDO_MAP_VALUE, 0, map);
    step(self, 0, 0, 0, 0, 0);
    step(self, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 0);
    load(self, 1, 6, TIMES);
    skips[skipping++] = jump(self, BPF_JEQ, 1, 2);
    call(self, BPF_FUNC_get_smp_processor_id);
    load(self, 1, 6, CPU);
    skips[skipping++] = jump(self, BPF_JNE, 0, 1);
    if (has_thread) {
        call(self, BPF_FUNC_get_current_pid_tgid);
        step(self, BPF_ALU | BPF_MOV | BPF_X, 0, 0, 0, 0);
        load(self, 1, 6, THREAD);
        skips[skipping++] = jump(self, BPF_JNE, 0, 1);
    }
    load(self, 1, 6, TIMES);
    add(self, 1, -1);
    store(self, 6, TIMES, 1);
    loop_until_wanted(self);
    keep_stamps(self);
    while (skipping > 0) {
        land(self, skips[--skipping]);
    }
    step(self, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0);
    step(self, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int bpf(int command, union bpf_attr *attributes)
{
    return (int)syscall(SYS_bpf, command, attributes, sizeof(*attributes));
}

static int make_map(void)
{
    union bpf_attr attributes = {
        .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = sizeof(struct stretch_map), .max_entries = 1, .map_flags = BPF_F_MMAPABLE
    };

    return bpf(BPF_MAP_CREATE, &attributes);
}

static int load_program(const struct program *program, enum bpf_prog_type type)
{
    union bpf_attr attributes = {
        .prog_type = type,
        .insns = (uint64_t)(uintptr_t)program->steps,
        .insn_cnt = (uint32_t)program->count,
        .license = (uint64_t)(uintptr_t) "Dual BSD/GPL",
    };

    return bpf(BPF_PROG_LOAD, &attributes);
}

static bool attach_to_timer(int program, unsigned cpu)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes), .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = TIMER_PERIOD_NS
    };
    int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

    return fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0;
}

static bool attach(int program, enum stretch_place place, const char *tracepoint, int socket, unsigned cpu)
{
    union bpf_attr attributes = { .raw_tracepoint = { .name = (uint64_t)(uintptr_t)tracepoint, .prog_fd = (uint32_t)program } };

    switch (place) {
    case STRETCH_RAW_TRACEPOINT:
        return bpf(BPF_RAW_TRACEPOINT_OPEN, &attributes) >= 0;
    case STRETCH_TIMER_INTERRUPT:
        return attach_to_timer(program, cpu);
    default:
        return setsockopt(socket, SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)) == 0;
    }
}

struct stretch_map *kernel_stretch(enum stretch_place place, const char *tracepoint, int socket, unsigned cpu, int thread)
{
    static const enum bpf_prog_type types[] = {
        [STRETCH_RAW_TRACEPOINT] = BPF_PROG_TYPE_RAW_TRACEPOINT,
        [STRETCH_TIMER_INTERRUPT] = BPF_PROG_TYPE_PERF_EVENT,
        [STRETCH_PACKET] = BPF_PROG_TYPE_SOCKET_FILTER,
    };
    struct program program = { .count = 0 };
    int map = make_map();
    struct stretch_map *shared = map < 0 ? MAP_FAILED : mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

    if (shared == MAP_FAILED) {
        fprintf(stderr, "planter: no map of BPF: %s\n", strerror(errno));
        return NULL;
    }
    shared->cpu = cpu;
    shared->thread = (uint64_t)thread;
    assemble(&program, map, thread != 0);
    int fd = load_program(&program, types[place]);

    if (fd < 0 || !attach(fd, place, tracepoint, socket, cpu)) {
        fprintf(stderr, "planter: the kernel refuses a program of BPF in %s: %s\n", tracepoint, strerror(errno));
        return NULL;
    }
    return shared;
}

void stretch_arm(struct stretch_map *map, uint64_t wanted_ns, uint64_t times)
{
    map->wanted_ns = wanted_ns;
    __atomic_store_n(&map->times, times, __ATOMIC_RELEASE);
}

bool stretch_is_done(const struct stretch_map *map)
{
    return __atomic_load_n(&map->times, __ATOMIC_ACQUIRE) == 0;
}
