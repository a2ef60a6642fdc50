/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader of a ring throws out of its caches: every line of the record, and no other. */
#include "trace_hooks.h"

#include "harness.h"
#include "registers.h"

void harness_before_each(void)
{
    machine_clear();
}

static void check_lines(uintptr_t address, size_t bytes, uintptr_t first, unsigned lines)
{
    for (unsigned line = 0; line < lines; line++) {
        machine_want("dc civac=%llx\n", (unsigned long long)(first + line * ARCH_CACHE_LINE));
    }
    machine_want("dsb sy\n");
    TRACE_READER_SYNC(address, bytes);
    CHECK_TEXT(machine_expected(), machine_written());
}

TEST(every_line_that_holds_a_byte_of_it_leaves_the_caches)
{
    check_lines(0x1000, 1, 0x1000, 1);
    check_lines(0x1000, 64, 0x1000, 1);
    check_lines(0x1000, 65, 0x1000, 2);
    check_lines(0x103F, 1, 0x1000, 1);
    check_lines(0x103F, 2, 0x1000, 2);
    check_lines(0x1070, 0x20, 0x1040, 2);
    check_lines(0x10F0, 0x50, 0x10C0, 2);
    check_lines(0x10F0, 0x51, 0x10C0, 3);
}
