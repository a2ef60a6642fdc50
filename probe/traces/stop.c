/* SPDX-License-Identifier: BSD-3-Clause */
#include "stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t is_asked;

static void note(int number)
{
    (void)number;
    is_asked = 1;
}

void stop_on_signals(void)
{
    struct sigaction action = { .sa_handler = note };

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool stop_is_asked(void)
{
    return is_asked != 0;
}
