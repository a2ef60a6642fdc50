/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that is compiled with -fsanitize=thread calls these before each access of memory and in place of each atomic one. Here there is
 * no race detector behind them: an access is a place at which the processor may be interrupted.
 */
#include "processor.h"

#define PLACE ((uintptr_t)__builtin_return_address(0))

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

#define PLAIN(name)                   \
    void __tsan_##name(void *address); \
    void __tsan_##name(void *address)  \
    {                                 \
        (void)address;                \
        processor_access(PLACE);      \
    }
#define SIZES(kind) PLAIN(kind##1) PLAIN(kind##2) PLAIN(kind##4) PLAIN(kind##8) PLAIN(kind##16)

SIZES(read)
SIZES(write)
SIZES(unaligned_read)
SIZES(unaligned_write)

#define RANGE(name)                                         \
    void __tsan_##name(void *address, unsigned long bytes); \
    void __tsan_##name(void *address, unsigned long bytes)  \
    {                                                       \
        (void)address;                                      \
        (void)bytes;                                        \
        processor_access(PLACE);                            \
    }

RANGE(read_range)
RANGE(write_range)

uint32_t __tsan_atomic32_load(const volatile uint32_t *address, int order);
void __tsan_atomic32_store(volatile uint32_t *address, uint32_t value, int order);

uint32_t __tsan_atomic32_load(const volatile uint32_t *address, int order)
{
    (void)order;
    processor_access(PLACE);
    return *address;
}

void __tsan_atomic32_store(volatile uint32_t *address, uint32_t value, int order)
{
    (void)order;
    processor_access(PLACE);
    *address = value;
}

#define CHANGE(name, operation)                                                                         \
    uint32_t __tsan_atomic32_##name(volatile uint32_t *address, uint32_t value, int order);              \
    uint32_t __tsan_atomic32_##name(volatile uint32_t *address, uint32_t value, int order)               \
    {                                                                                                   \
        uint32_t before;                                                                                \
                                                                                                        \
        (void)order;                                                                                    \
        processor_access(PLACE);                                                                        \
        before = *address;                                                                              \
        *address = before operation value;                                                              \
        return before;                                                                                  \
    }

CHANGE(fetch_or, |)
CHANGE(fetch_and, &)
CHANGE(fetch_add, +)
