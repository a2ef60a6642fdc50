/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cmocka_needs.h"
#include "tarmac_line.h"

#define S_EL1 5U
#define EL3 7U
#define R_EL2 10U

static struct tarmac_before before;
static struct tarmac_line line;

static void read_line(const char *text)
{
    tarmac_read(text, strlen(text), &before, &line);
}

static void assert_instruction(const char *text, uint64_t address, uint32_t opcode, uint8_t bytes, uint8_t isa, uint8_t world)
{
    read_line(text);
    assert_int_equal(line.kind, TARMAC_INSTRUCTION);
    assert_int_equal(line.instruction.address, address);
    assert_int_equal(line.instruction.opcode, opcode);
    assert_int_equal(line.instruction.bytes, bytes);
    assert_int_equal(line.instruction.isa, isa);
    assert_int_equal(line.instruction.world, world);
}

static void instructions_of_fast_models_are_read(void **state)
{
    (void)state;
    assert_instruction("110 clk IT (135) 00008004 f9420100 O EL3h_s : LDR x0,[x8,#0x400]", 0x8004, 0xf9420100, 4, TRACE_A64, EL3);
    assert_true(line.has_serial && line.serial == 135 && line.has_time && line.time == 110);
    assert_int_equal(line.arch, ARCH_AARCH64);
    assert_instruction("5 clk IS (5) 0000802c 1afb T svc_s : SUBNE r3,r7,r3", 0x802c, 0x1afb, 2, TRACE_T32, S_EL1);
    assert_instruction("2000 ps IT (2) 815c:0000815c_NS,0000815e_NS f7ffef76 T hyp_n : BLX 0x804c", 0x815c, 0xf7ffef76, 4, TRACE_T32, 2);
    assert_instruction("3 clk cluster0.cpu1 IT (9) ffff000008080000 d503201f O EL1t_ns : NOP", 0xffff000008080000, 0xd503201f, 4, TRACE_A64, 1);
    assert_int_equal(line.component.bytes, strlen("cluster0.cpu1"));
    assert_instruction("1 clk IT (1) 10001848 f64f6000 T thread_s : MOV r0,#1", 0x10001848, 0xf64f6000, 4, TRACE_T32, 4);
    assert_int_equal(line.arch, ARCH_ARMV8M);
    assert_instruction("1 clk IT (1) 00000100 bf00 T handler : NOP", 0x100, 0xbf00, 2, TRACE_T32, 1);
    assert_instruction("1 clk IT (1) 00000100 d503201f O EL2h_rl : NOP", 0x100, 0xd503201f, 4, TRACE_A64, R_EL2);
    assert_instruction("1 clk IT (1) 00000100 d503201f O EL3t_rt : NOP", 0x100, 0xd503201f, 4, TRACE_A64, EL3);
    assert_false(line.is_as_gem5);
}

static void instructions_of_gem5_are_read(void **state)
{
    (void)state;
    assert_instruction("250 clk cpu0 IT (2) 002105d8 9100001f O EL3h_s :   ADD   SP, X0, #0", 0x2105d8, 0x9100001f, 4, TRACE_A64, EL3);
    assert_true(line.is_as_gem5);
    assert_int_equal(line.component.bytes, 4);
}

static void instructions_of_hardware_models_are_read(void **state)
{
    (void)state;
    assert_instruction("      0 tic ES  (00000000002105d4:d2a00200) O el3h_s:    MOV x0,#0x100000", 0x2105d4, 0xd2a00200, 4, TRACE_A64, EL3);
    assert_false(line.has_serial);
    assert_instruction("800 ns ES (000001a4:03a06a01) A svc:     CCFAIL MOVEQ r6,#0x1000", 0x1a4, 0x03a06a01, 4, TRACE_A32, 1);
    assert_instruction("39 tic ES (000000d8:c878) T thrd_s: LDM r0!,{r3-r6}", 0xd8, 0xc878, 2, TRACE_T32, 4);
    assert_instruction("3041 cyc IT (00022a7c:00000006) 00022a7c 48f6 T16 LDR r0,[pc,#984]", 0x22a7c, 0x48f6, 2, TRACE_T32, WORLD_NONE);
    assert_true(line.has_serial && line.serial == 6);
    assert_instruction("948756 ns IT (00000000:0000001f) 00000000 ea000006 A :   B pc+0x18", 0, 0xea000006, 4, TRACE_A32, WORLD_NONE);
    assert_instruction("60 cs IT (00000000004d6eb8) 54fffea1 O  ---_- : b.ne 0x4d6e8c", 0x4d6eb8, 0x54fffea1, 4, TRACE_A64, WORLD_NONE);
    assert_false(line.has_serial);
    read_line("307754 tic ES  (0000aaaaabaf59f0:--------) O el0t_ns:");
    assert_true(line.kind == TARMAC_INSTRUCTION && line.is_not_fetched);
}

static void times_have_their_unit_and_fractions_are_millionths(void **state)
{
    (void)state;
    read_line("271ns R r0 20001fff");
    assert_true(line.has_time && line.time == 271 && line.unit.bytes == 2);
    read_line("   10.356us E CoreEvent_Reset");
    assert_true(line.is_fraction && line.time == 10356000);
    read_line("R X0 0000000000000001");
    assert_false(line.has_time);
}

static void assert_register(const char *text, enum tarmac_register what, uint32_t number, bool has_value, uint64_t value)
{
    read_line(text);
    assert_int_equal(line.kind, TARMAC_REGISTER);
    assert_int_equal(line.what, what);
    assert_int_equal(line.number, number);
    assert_int_equal(line.has_value, has_value);
    assert_int_equal(line.value, value);
}

static void registers_of_a_switch_are_read(void **state)
{
    (void)state;
    assert_register("9 clk R r0 0000ab34", TARMAC_GENERAL, 0, true, 0xab34);
    assert_register("9 clk cpu0 R X7 00000000c4000003", TARMAC_GENERAL, 7, true, 0xc4000003);
    assert_register("      R R1 (USR) 00000800", TARMAC_GENERAL, 1, true, 0x800);
    assert_register("R X0 01234567 89abcdef", TARMAC_GENERAL, 0, true, 0x0123456789abcdef);
    assert_register("R X1 -------- --------", TARMAC_GENERAL, 1, false, 0);
    assert_register("R W1 00000000", TARMAC_GENERAL, 1, true, 0);
    assert_register("R X30 0000000000008004", TARMAC_GENERAL, 30, true, 0x8004);
    assert_register("R X9 00000001", TARMAC_GENERAL, 9, false, 0);
    assert_register("R LR 00000010", TARMAC_LINK, 0, true, 0x10);
    assert_register("2 ps R ESR_EL3 000000005e000000", TARMAC_SYNDROME, 3, true, 0x5e000000);
    assert_register("2 ps R ELR_EL1 0000000000210124", TARMAC_RETURN_ADDRESS, 1, true, 0x210124);
    assert_register("2 clk cpu0 R elr_el3 ffff8000800104", TARMAC_RETURN_ADDRESS, 3, true, 0xffff8000800104);
}

static void what_does_not_matter_is_nothing(void **state)
{
    static const char *const lines[] = {
        "", "   ", "2 clk MR4 00008034 000029b4", "28491 clk MR4 dfdfdfcf (ABORTED)", "4541 clk CADI E simulation_stopped",
        "3 clk MW8 0000cbf0:00000000cbf0 00000000_0000cbd0", "9 ns MNW4____ (00000050:000000a8) 05011000 00000003", "Tarmac Text Rev 3t",
        "       BR 00000080", "5 cs R08 0000007f99d14af4 4305000042ea0000", "9 clk R cpsr 000003cd", "9 clk R X31 0000000000000001",
        "9 clk R Q0 00000000 00000000 00000000 00000001", "4 ps SIGNAL: SIGNAL=VFIQ STATE=N", "4 ps INFO_EXCEPTION_REASON: PHASE=RAISE",
        "4 ps CACHE MAINTENANCE Instruction cache Invalidate 0", "0 clk cpu0 E DebugEvent_HaltingDebugState 00000000",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        read_line(lines[i]);
        assert_int_equal(line.kind, TARMAC_NOTHING);
    }
}

static void a_memory_line_goes_on_in_the_next_though_its_address_looks_like_a_time(void **state)
{
    (void)state;
    read_line("                    LD 00004020  ........ 626d654d 2043424d 4545203e   S:0000000000004020  NM NSH");
    read_line("                       00004010  3e000a73 ........ ........ ........   S:0000000000004010  NM NSH");
    assert_int_equal(line.kind, TARMAC_NOTHING);
    read_line("                       00003ff0  3e000a73 ........ ........ ........   S:0000000000003ff0  NM NSH");
    assert_int_equal(line.kind, TARMAC_NOTHING);
    read_line("  00004010  3e000a73");
    assert_int_equal(line.kind, TARMAC_STRANGE);
}

static void exceptions_and_resets_are_told_apart(void **state)
{
    (void)state;
    read_line("0 ps E 00000000 00000000 CoreEvent_Reset");
    assert_true(line.kind == TARMAC_EXCEPTION && line.is_reset);
    read_line("12 ns  ES  EXC [0x00] Reset");
    assert_true(line.kind == TARMAC_EXCEPTION && line.is_reset);
    read_line("                    EXC [0x200] Synchronous Current EL with SP_ELx");
    assert_true(line.kind == TARMAC_EXCEPTION && !line.is_reset);
    read_line("39 ps E 00008100 00000084 CoreEvent_CURRENT_SPx_SYNC");
    assert_true(line.kind == TARMAC_EXCEPTION && !line.is_reset);
}

static void assert_refused(const char *text, const char *reason)
{
    read_line(text);
    assert_int_equal(line.kind, TARMAC_REFUSED);
    assert_string_equal(line.reason, reason);
}

static void branches_have_their_target(void **state)
{
    (void)state;
    read_line("       BR (000204f0) A");
    assert_true(line.kind == TARMAC_BRANCH && line.value == 0x204f0);
    read_line("       BR (000204f0");
    assert_int_equal(line.kind, TARMAC_NOTHING);
}

static void what_cannot_be_read_is_refused_with_its_reason(void **state)
{
    (void)state;
    assert_refused("354ns IT 00000350 490d        LDR r1,[pc,#52]", "it does not say its instruction set");
    assert_refused("1 clk IT (1) 00008000 fa00000 A svc_s : BLX 8", "its opcode has neither 16 nor 32 bits");
    assert_refused("1 clk IT (1) 00008000 fa00 O EL3h_s : BLX 8", "its opcode has 16 bits, which its instruction set has not");
    assert_refused("1 clk IT (1) 0000800g fa000000 A svc_s : BLX 8", "its address cannot be read");
    assert_refused("1 clk IT (1 00008000 fa000000 A svc_s : BLX 8", "its number in brackets cannot be read");
    assert_refused("1 clk IT (1) 00008000 fa000000 A svc_s", "no colon follows its mode");
    assert_refused("1 tic ES (00008000 fa000000) A svc_s:", "its address cannot be read");
    assert_refused("1 tic ES (00008000:fa000000 A svc_s:", "no bracket closes its address and opcode");
    assert_refused("R X0 0000001", "the value of its register cannot be read");
    assert_refused("R ESR_EL3 00000000 e000000", "the value of its register cannot be read");
    assert_refused("a 1 tic ES (00008000:fa000000) A svc_s:", "an instruction whose beginning cannot be read");
    assert_refused("1 tic E5 (00008000:fa00) T svc_s:", "an instruction whose beginning cannot be read");
    read_line("hello world");
    assert_int_equal(line.kind, TARMAC_STRANGE);
    read_line("\x80\xff\x01");
    assert_int_equal(line.kind, TARMAC_STRANGE);
}

static void any_beginning_of_a_line_is_read_without_harm(void **state)
{
    static const char *const lines[] = {
        "23 clk cpu0 IT (23) 0000815c:00000000815c_NS,00000000815e_NS f7ffef76 T hyp_n : BLX      {pc}-0x110 ; 0x804c",
        "   10.356000us ES  (00000000002105d4:d2a00200) O el3h_s:         MOV      x0,#0x100000",
        "                    R R1 (USR) 00000800", "R X0 01234567 89abcdef",
    };
    char part[128];

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        for (size_t length = 0; length <= strlen(lines[i]); length++) {
            memcpy(part, lines[i], length); /* the sanitizer sees what is read behind it */
            tarmac_read(part, length, &before, &line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_of_fast_models_are_read),
        cmocka_unit_test(instructions_of_gem5_are_read),
        cmocka_unit_test(instructions_of_hardware_models_are_read),
        cmocka_unit_test(times_have_their_unit_and_fractions_are_millionths),
        cmocka_unit_test(registers_of_a_switch_are_read),
        cmocka_unit_test(what_does_not_matter_is_nothing),
        cmocka_unit_test(a_memory_line_goes_on_in_the_next_though_its_address_looks_like_a_time),
        cmocka_unit_test(exceptions_and_resets_are_told_apart),
        cmocka_unit_test(branches_have_their_target),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_its_reason),
        cmocka_unit_test(any_beginning_of_a_line_is_read_without_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
