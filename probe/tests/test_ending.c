/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>

#include "cmocka_needs.h"
#include "ending.h"

static volatile sig_atomic_t handled;

static void handle(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    handled = number;
}

static void a_signal_is_noted_and_handled_as_before(void **state)
{
    struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };

    (void)state;
    sigaction(SIGTERM, &action, NULL);
    ending_watch();
    assert_false(ending_was_asked());
    raise(SIGTERM);
    assert_true(ending_was_asked());
    assert_int_equal(handled, SIGTERM);
}

static void a_signal_without_such_a_handler_is_left_alone(void **state)
{
    struct sigaction before, after;

    (void)state;
    sigaction(SIGHUP, NULL, &before);
    ending_watch();
    sigaction(SIGHUP, NULL, &after);
    assert_true(before.sa_handler == SIG_DFL && after.sa_handler == SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_without_such_a_handler_is_left_alone),
        cmocka_unit_test(a_signal_is_noted_and_handled_as_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
