/* SPDX-License-Identifier: BSD-3-Clause */
#include "panic.h"

#include <stdarg.h>
#include <stdint.h>

#include "core_table.h"
#include "format.h"
#include "psci.h"
#include "uart.h"

static _Noreturn void end_with(const char *line)
{
    /* Not through the console: its lock may be the caller's. */
    uart_write("\r\nPANIC ");
    uart_write(line);
    uart_write("\r\nstatus=fail\r\n");
    uart_drain();
    psci_system_off();
}

_Noreturn void panic(const char *format, ...)
{
    char line[300];
    va_list arguments;
    const struct core *self = &cores[core_self()];
    size_t length = format_text(line, sizeof(line), "core %u.%u: ", self->cluster, self->core);

    va_start(arguments, format);
    format_text_v(line + length, sizeof(line) - length, format, arguments);
    va_end(arguments);
    end_with(line);
}

/* From assembly. */
_Noreturn void exception_report(uint64_t vector, uint64_t syndrome, uint64_t address, uint64_t fault, uint64_t link, uint64_t sp);

_Noreturn void exception_report(uint64_t vector, uint64_t syndrome, uint64_t address, uint64_t fault, uint64_t link, uint64_t sp)
{
    panic("exception %lu at %lx, syndrome %lx, fault address %lx, link %lx, stack %lx", vector, address, syndrome, fault, link,
          sp);
}
