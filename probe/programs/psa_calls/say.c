/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of the program, on the console that its parameters name. */
#include "psa_calls.h"

void say(const struct memory *memory, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    console_say(memory->params->console, format, arguments);
    va_end(arguments);
}
