/* SPDX-License-Identifier: BSD-3-Clause */
#include "ending.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction others[SIGNALS];
static volatile sig_atomic_t was_asked;

static void noted(int number, siginfo_t *info, void *context)
{
    was_asked = 1;
    for (size_t i = 0; i < SIGNALS; i++) {
        if (signals[i] == number) {
            others[i].sa_sigaction(number, info, context);
        }
    }
}

void ending_watch(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction ours;

        if (sigaction(signals[i], NULL, &others[i]) != 0 || !(others[i].sa_flags & SA_SIGINFO)) {
            continue;
        }
        ours = others[i];
        ours.sa_sigaction = noted;
        sigaction(signals[i], &ours, NULL);
    }
}

bool ending_was_asked(void)
{
    return was_asked != 0;
}
