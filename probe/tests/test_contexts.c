/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cmocka_needs.h"
#include "context.h"
#include "contexts.h"
#include "known.h"
#include "opcodes.h"
#include "registers.h"

#define ASKED_MAX 8

static struct fragment code = { .address = 0x1000, .instructions = 3 }, other = { .address = 0x2000, .instructions = 2 };
static struct fragment found[ASKED_MAX];
static uint32_t asked_count, sctlr_context;
static struct path path;
static struct profile profile;
static struct core core;

const struct fragment *known_in(struct fragment *fragment, uint32_t context)
{
    assert_true(asked_count < ASKED_MAX);
    found[asked_count] = *fragment;
    found[asked_count].context = context;
    found[asked_count].number = context;
    return &found[asked_count++];
}

uint32_t registers_context(uint32_t level)
{
    (void)level;
    return sctlr_context;
}

static int start(void **state)
{
    (void)state;
    path_forget(&path);
    profile_forget(&profile);
    asked_count = 0;
    sctlr_context = context_of_sctlr(0x1005);
    core = (struct core) { .path = &path, .profile = &profile, .context = context_of_sctlr(0) };
    return 0;
}

static void a_fragment_is_told_when_it_is_over_with_the_device_that_it_accessed(void **state)
{
    (void)state;
    core.has_started = true;
    contexts_ran(&core, &code);
    assert_int_equal(asked_count, 0);
    contexts_device(&core);
    contexts_ran(&core, &other);
    assert_int_equal(asked_count, 1);
    assert_int_equal(found[0].address, 0x1000);
    assert_int_equal(found[0].context, CONTEXT_TOLD | CONTEXT_SWITCHES | CONTEXT_DEVICE);
    contexts_settle(&core);
    contexts_settle(&core);
    assert_int_equal(asked_count, 2);
    assert_int_equal(found[1].context, CONTEXT_TOLD | CONTEXT_SWITCHES);
    assert_int_equal(path_finish(&path), 2);
    contexts_device(&core);
    assert_null(core.running);
}

static void switches_are_read_again_behind_an_instruction_that_may_change_them(void **state)
{
    (void)state;
    core.has_started = true;
    contexts_ran(&core, &code);
    core.is_context_old = true;
    contexts_ran(&core, &other);
    assert_false(core.is_context_old);
    assert_int_equal(core.running_context, sctlr_context);
    assert_int_equal(found[0].context, CONTEXT_TOLD | CONTEXT_SWITCHES);
}

static void they_are_read_again_where_the_core_began(void **state)
{
    (void)state;
    contexts_ran(&core, &code);
    core.context = context_of_sctlr(0);
    contexts_ran(&core, &other);
    assert_int_equal(core.context, context_of_sctlr(0));
    contexts_ran(&core, &code);
    assert_int_equal(core.context, sctlr_context);
}

static void code_of_aarch32_says_that_it_is(void **state)
{
    struct fragment narrow = { .address = 0x3000, .instructions = 1, .is_aarch32 = true };

    (void)state;
    contexts_ran(&core, &narrow);
    assert_int_equal(core.running_context, CONTEXT_TOLD | CONTEXT_AARCH32);
}

static void writes_of_sctlr_are_known_at_each_level(void **state)
{
    static const uint32_t writes[] = { 0xd5181000, 0xd51c1009, 0xd51d1000, 0xd51e101f };
    static const uint32_t others[] = { 0xd53e1000, 0xd51e1100, 0xd51e1020, 0xd51e2000, 0xd5101000 };

    (void)state;
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        assert_true(opcode_may_switch(ARCH_AARCH64, false, (struct opcode) { writes[i], 4 }));
        assert_false(opcode_may_switch(ARCH_AARCH64, true, (struct opcode) { writes[i], 4 }));
        assert_false(opcode_may_switch(ARCH_RISCV, false, (struct opcode) { writes[i], 4 }));
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(opcode_may_switch(ARCH_AARCH64, false, (struct opcode) { others[i], 4 }));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_fragment_is_told_when_it_is_over_with_the_device_that_it_accessed, start),
        cmocka_unit_test_setup(switches_are_read_again_behind_an_instruction_that_may_change_them, start),
        cmocka_unit_test_setup(they_are_read_again_where_the_core_began, start),
        cmocka_unit_test_setup(code_of_aarch32_says_that_it_is, start),
        cmocka_unit_test_setup(writes_of_sctlr_are_known_at_each_level, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
