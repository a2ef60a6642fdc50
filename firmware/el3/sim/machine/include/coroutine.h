/* SPDX-License-Identifier: BSD-3-Clause */
/* A function on a stack of its own, which runs when it is switched to. */
#ifndef COROUTINE_H
#define COROUTINE_H

#include <stddef.h>

struct coroutine {
    void *stack_pointer;
    void (*entry)(void);
    const void *stack; /* NULL: the thread's own, not known yet */
    size_t stack_bytes;
    void *fake_stack; /* AddressSanitizer's */
};

/* `entry` starts at the first switch, on a stack whose former contents no longer matter. It must not return. */
void coroutine_prepare(struct coroutine *coroutine, void *stack, size_t stack_bytes, void (*entry)(void));

void coroutine_switch(struct coroutine *from, struct coroutine *to);

/* Clears so much of the running stack as lies below what is in use; a multiple of 16, at least 16. */
void coroutine_clear_unused(size_t bytes);

#endif
