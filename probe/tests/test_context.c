/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "context.h"

static void switches_are_those_of_sctlr(void **state)
{
    (void)state;
    assert_int_equal(context_of_sctlr(0), CONTEXT_TOLD | CONTEXT_SWITCHES);
    assert_int_equal(context_of_sctlr(0x1000), CONTEXT_TOLD | CONTEXT_SWITCHES | CONTEXT_I_CACHE);
    assert_int_equal(context_of_sctlr(0x4), CONTEXT_TOLD | CONTEXT_SWITCHES | CONTEXT_D_CACHE);
    assert_int_equal(context_of_sctlr(0x1), CONTEXT_TOLD | CONTEXT_SWITCHES | CONTEXT_TRANSLATION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_are_those_of_sctlr),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
