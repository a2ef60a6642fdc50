/* SPDX-License-Identifier: BSD-3-Clause */
#include "coroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* Saves what the calling convention keeps, takes the other stack, restores. */
void coroutine_swap(void **save_stack_pointer, void *stack_pointer);

#if defined(__x86_64__)
#define RETURN_WORD 6U
__asm__(".text\n"
        ".globl coroutine_swap\n"
        "coroutine_swap:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".globl coroutine_clear_unused\n"
        "coroutine_clear_unused:\n"
        "    mov %rdi, %rcx\n"
        "    neg %rdi\n"
        "    add %rsp, %rdi\n"
        "    shr $3, %rcx\n"
        "    xor %eax, %eax\n"
        "    rep stosq\n"
        "    ret\n");
#define FRAME_WORDS 8U /* the saved words, the return address, and one that leaves the stack as after a call */
#elif defined(__aarch64__)
#define RETURN_WORD 1U
#define FRAME_WORDS 20U
__asm__(".text\n"
        ".globl coroutine_swap\n"
        "coroutine_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x29, x30, [sp]\n"
        "    stp x19, x20, [sp, #16]\n"
        "    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n"
        "    stp x25, x26, [sp, #64]\n"
        "    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x29, x30, [sp]\n"
        "    ldp x19, x20, [sp, #16]\n"
        "    ldp x21, x22, [sp, #32]\n"
        "    ldp x23, x24, [sp, #48]\n"
        "    ldp x25, x26, [sp, #64]\n"
        "    ldp x27, x28, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".globl coroutine_clear_unused\n"
        "coroutine_clear_unused:\n"
        "    mov x1, sp\n"
        "    sub x0, x1, x0\n"
        "1:  str xzr, [x0], #8\n"
        "    cmp x0, x1\n"
        "    b.lo 1b\n"
        "    ret\n");
#else
#error "coroutine_swap is written for x86-64 and AArch64; add this architecture"
#endif

static struct coroutine *running;
static struct coroutine *previous;

static void arrive(void)
{
#ifdef __SANITIZE_ADDRESS__
    const void *stack;
    size_t stack_bytes;

    __sanitizer_finish_switch_fiber(running->fake_stack, &stack, &stack_bytes);
    if (previous->stack == NULL) {
        previous->stack = stack;
        previous->stack_bytes = stack_bytes;
    }
#endif
}

static void start(void)
{
    arrive();
    running->entry();
    abort();
}

void coroutine_prepare(struct coroutine *coroutine, void *stack, size_t stack_bytes, void (*entry)(void))
{
    uintptr_t top = ((uintptr_t)stack + stack_bytes) & ~(uintptr_t)15;
    void **frame = (void **)top - FRAME_WORDS;

#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack, stack_bytes);
#endif
    memset(frame, 0, FRAME_WORDS * sizeof(*frame));
    frame[RETURN_WORD] = (void *)(uintptr_t)start;
    *coroutine = (struct coroutine){ .stack_pointer = frame, .entry = entry, .stack = stack, .stack_bytes = stack_bytes };
}

void coroutine_switch(struct coroutine *from, struct coroutine *to)
{
    previous = from;
    running = to;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
    coroutine_swap(&from->stack_pointer, to->stack_pointer);
    arrive();
}
