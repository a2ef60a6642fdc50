# SPDX-License-Identifier: BSD-3-Clause
"""What class an instruction has: every row of the table of opcodes against an assembler's own bytes, and paths with branches in them."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from dataclasses import replace

import pytest

from latlab.calls.analysis.classes import TAKEN, UNTOLD, Classes, class_of
from latlab.calls.analysis.opcodes import A64, OpcodeKind, kind_of
from latlab.calls.analysis.paths import runs_of
from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.analysis.span_functions import Spans as Spans_
from latlab.calls.model.crossings import LOOP, Arch, Context, Fragment, Stretch
from latlab.calls.pages.class_tables import data, page, pair_page
from latlab.core.comparison.class_views import class_moves, class_named, classes_of, in_class
from latlab.core.comparison.joining import join_boots
from latlab.core.errors import UsageError
from latlab.core.model.enums import InstructionClass as C
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run, Sample, SpanFunctions, Spans
from latlab.core.store import run_json
from support.runs import INSTRUCTIONS, run_with

K = OpcodeKind
ASSEMBLER = "aarch64-linux-gnu-as"
# One line for each row of the table, or for each of its instructions where a row has several.
LINES = {
    K.BRANCH: ("b .", "bl .", "br x1", "blr x1", "ret", "eret", "drps", "retaa", "braa x1, x2", "eretab"),
    K.CHOICE: ("b.ne .", "cbz x1, .", "cbnz w1, .", "tbz x1, #3, .", "tbnz x1, #63, ."),
    K.RAISE: ("svc #1", "hvc #2", "smc #3", "brk #4", "hlt #5"),
    K.EXCLUSIVE: ("clrex", "ldxr x1, [x2]", "stlxrb w1, w2, [x3]", "ldaxp x1, x2, [x3]", "casp x0, x1, x2, x3, [x4]", "cas w1, w2, [x3]",
                  "swp x1, x2, [x3]", "ldaddal w1, w2, [x3]", "stset x1, [x2]", "ldsmaxb w1, w2, [x3]", "st64bv x1, x2, [x3]"),
    K.DSB: ("dsb sy", "dsb ishst", "dsb ishnxs", "ssbb"),
    K.DMB: ("dmb sy", "dmb oshld"),
    K.ISB: ("isb",),
    K.BARRIER: ("sb",),
    K.WAIT: ("wfe", "wfi", "wfet x1", "wfit x2"),
    K.WRITE: ("msr daifset, #2", "msr spsel, #1", "msr pan, #1", "msr uao, #0", "msr scr_el3, x1", "msr s2_0_c7_c2_0, x3", "smstart"),
    K.READ: ("mrs x1, midr_el1", "mrs x1, s2_1_c7_c2_0", "mrs x4, cntpct_el0"),
    K.TLB: ("tlbi alle3", "tlbi vae1is, x1", "tlbi rvae3, x1"),
    K.CODE_CACHE: ("ic iallu", "ic ialluis", "ic ivau, x1"),
    K.SETS: ("dc isw, x1", "dc csw, x1", "dc cisw, x1", "dc igsw, x1", "dc cgdsw, x2", "dc cigsw, x2"),
    K.LINES: ("dc ivac, x1", "dc cvac, x1", "dc cvau, x1", "dc cvap, x1", "dc cvadp, x1", "dc civac, x1", "dc igdvac, x1", "dc cigvac, x2",
              "sys #6, c7, c14, #1, x1", "sys #4, c7, c14, #0, x1"),
    K.SYSTEM: ("at s1e3r, x1", "at s12e1w, x1", "cfp rctx, x1", "sysl x1, #3, c7, c7, #1"),
    K.LOAD: ("ldr x1, [x2]", "ldrb w1, [x2, #1]!", "ldrsw x1, [x2], #4", "ldrsh x1, [x2, x3]", "ldur w1, [x2, #-4]", "ldtr x1, [x2]",
             "ldp x1, x2, [x3]", "ldnp q1, q2, [x3]", "ldpsw x1, x2, [x3, #8]!", "ldr x1, .", "ldr q1, .", "ldrsw x1, .", "ldar x1, [x2]",
             "ldlarb w1, [x2]", "ldaprh w1, [x2]", "ldapur x1, [x2, #8]", "ldapursb w1, [x2]", "ld1 {v0.8b}, [x1]",
             "ld4r {v0.4s - v3.4s}, [x1]",
             "ld1 {v0.b}[3], [x1], #1", "ldr b1, [x2]", "ldr q1, [x2, #16]", "ldur d1, [x2, #1]", "ldraa x1, [x2]", "ldg x1, [x2]",
             "ldgm x1, [x2]", "ld64b x0, [x1]"),
    K.STORE: ("str x1, [x2]", "strb w1, [x2], #1", "strh w1, [x2, x3]", "stur x1, [x2, #-8]", "sttr w1, [x2]", "stp x1, x2, [x3, #-16]!",
              "stnp d1, d2, [x3]", "stlr x1, [x2]", "stllrh w1, [x2]", "stlur w1, [x2, #4]", "st1 {v0.16b}, [x1]",
              "st2 {v0.s, v1.s}[1], [x2]",
              "str s1, [x2]", "str q1, [x2, #32]", "stg x1, [x2]",
             "stgm x1, [x2]", "stz2g x1, [x2, #16]", "stgp x1, x2, [x3]", "dc zva, x1",
              "dc gva, x2", "st64b x0, [x1]"),
    K.MEMORY: ("ld1b {z0.b}, p0/z, [x1]", "st1w {z0.s}, p0, [x1]", "ldr z1, [x2]", "ldff1d {z0.d}, p0/z, [x1, z2.d]"),
    K.PLAIN: ("add x1, x2, x3", "nop", "yield", "hint #20", "adr x1, .", "prfm pldl1keep, [x1]", "prfum pldl1keep, [x1, #-1]",
              "prfm pldl1keep, [x1, x2]", "prfm pldl1keep, .", "cfinv", "xaflag", "axflag", "fadd d1, d2, d3", "movz x1, #5", "paciasp",
              "sev", "esb", "udiv x1, x2, x3", "add z0.b, z1.b, z2.b", "irg x1, x2"),
}  # fmt: skip
MOPS = {0x19010440: K.STORE, 0x1D010440: K.STORE, 0xD5488701: K.TLB, 0xD5488001: K.TLB, 0xD5487802: K.SYSTEM, 0xD5580000: K.WRITE,
        0xD5780000: K.READ, 0xE1001041: K.MEMORY}  # fmt: skip
ON = Context.TOLD | Context.SWITCHES | Context.I_CACHE | Context.D_CACHE | Context.TRANSLATION
OFF = Context.TOLD | Context.SWITCHES
ADD, LDR, B_NE, BL, RET, DSB = 0x8B020020, 0xF9400020, 0x54000001, 0x94000000, 0xD65F03C0, 0xD5033F9F


@pytest.fixture(scope="module")
def assembled(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[OpcodeKind, str, int]]:
    folder = tmp_path_factory.mktemp("opcodes")
    lines = [(kind, line) for kind, found in LINES.items() for line in found]
    text = ".arch armv8.7-a+sve+memtag+sme+ls64+pauth\n" + "".join(f" {line}\n" for _, line in lines)
    (folder / "a.s").write_text(text)
    subprocess.run((ASSEMBLER, "a.s", "-o", "a.o"), cwd=folder, check=True)
    subprocess.run(("aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", "a.o", "a.bin"), cwd=folder, check=True)
    words = memoryview((folder / "a.bin").read_bytes()).cast("I")
    return [(kind, line, word) for (kind, line), word in zip(lines, words, strict=True)]


def word(bits: int) -> bytes:
    return bits.to_bytes(4, "little")


def test_each_instruction_has_its_kind(assembled: list[tuple[OpcodeKind, str, int]]) -> None:
    told = {line: kind_of(Arch.AARCH64, word(bits)) for _, line, bits in assembled}
    assert told == {line: kind for kind, line, _ in assembled}
    assert {bits: kind_of(Arch.AARCH64, word(bits)) for bits in MOPS} == MOPS


def first_row(bits: int, rows: list[tuple[int, int, OpcodeKind]]) -> OpcodeKind:
    return next((kind for mask, value, kind in rows if bits & mask == value), K.PLAIN)


def test_every_row_of_the_table_is_needed_by_some_instruction(assembled: list[tuple[OpcodeKind, str, int]]) -> None:
    known = [(kind, bits) for kind, _, bits in assembled] + [(kind, bits) for bits, kind in MOPS.items()]
    rows = list(A64)
    needless = [
        f"{value:#x}"
        for at, (_, value, _) in enumerate(rows[:-1])
        if all(first_row(bits, rows[:at] + rows[at + 1 :]) is kind for kind, bits in known)
    ]
    assert needless == []


def test_a_changed_row_is_noticed(assembled: list[tuple[OpcodeKind, str, int]]) -> None:
    known = [(kind, bits) for kind, _, bits in assembled] + [(kind, bits) for bits, kind in MOPS.items()]
    rows = list(A64)
    for at, (mask, value, _) in enumerate(rows):
        for bit in (1 << place for place in range(5, 32) if value >> place & 1):
            other = (mask, value & ~bit, K.WAIT)
            assert any(first_row(bits, [*rows[:at], other, *rows[at + 1 :]]) is not kind for kind, bits in known), hex(value)


@pytest.mark.parametrize(
    ("kind", "context", "is_last", "expected"),
    [
        (K.PLAIN, ON, False, C.CACHED),
        (K.PLAIN, OFF, False, C.UNCACHED_FETCH),
        (K.PLAIN, ON & ~Context.D_CACHE, False, C.CACHED),
        (K.PLAIN, Context.TOLD, False, C.UNCLASSIFIED),
        (K.PLAIN, ON | Context.AARCH32, False, C.UNCLASSIFIED),
        (K.PLAIN, Context(0), False, C.UNCLASSIFIED),
        (K.LOAD, ON, True, C.CACHED),
        (K.LOAD, ON & ~Context.I_CACHE, True, C.UNCACHED_FETCH),
        (K.LOAD, ON & ~Context.D_CACHE, True, C.UNCACHED_LOAD),
        (K.STORE, ON & ~Context.TRANSLATION, True, C.UNCACHED_STORE),
        (K.STORE, ON | Context.DEVICE, True, C.DEVICE),
        (K.LOAD, Context.TOLD | Context.DEVICE, True, C.DEVICE),
        (K.LOAD, ON | Context.DEVICE, False, C.CACHED),
        (K.LOAD, ON | Context.DEVICE_UNKNOWN, True, C.UNCLASSIFIED),
        (K.LOAD, Context.TOLD, True, C.UNCLASSIFIED),
        (K.MEMORY, OFF, True, C.UNCLASSIFIED),
        (K.EXCLUSIVE, OFF, True, C.EXCLUSIVE),
        (K.EXCLUSIVE, ON, True, C.EXCLUSIVE),
        (K.DSB, Context.TOLD, True, C.DSB),
        (K.SETS, OFF, True, C.DC_SET_WAY),
    ],
)
def test_a_class_is_told_by_kind_and_context(kind: OpcodeKind, context: Context, is_last: bool, expected: C) -> None:
    assert class_of(Arch.AARCH64, kind, context, is_last) is expected


def test_outside_aarch64_devices_are_told_and_other_memory_is_not() -> None:
    assert class_of(Arch.RISCV, K.PLAIN, Context.TOLD | Context.DEVICE, True) is C.DEVICE
    assert class_of(Arch.ARMV8M, K.PLAIN, Context.TOLD, True) is C.UNCLASSIFIED
    assert class_of(Arch.RISCV, K.BARRIER, Context.TOLD, True) is C.BARRIER


def code(*words: int) -> bytes:
    return b"".join(map(word, words))


def piece(number: int, address: int, *words: int, context: Context = OFF) -> Fragment:
    return Fragment(number, address, len(words), 3, code(*words), context)


def b_ne(words: int) -> int:
    return B_NE | (words & 0x7FFFF) << 5


# 0: add, b.ne to 2; 1: add; 2: add, b.ne back to 0; 3: ret; 4: a load with all switched on.
PIECES = {
    0: piece(0, 0x100, ADD, b_ne(2)), 1: piece(1, 0x108, ADD), 2: piece(2, 0x10C, ADD, b_ne(-4)), 3: piece(3, 0x114, RET),
    4: piece(4, 0x118, LDR, context=ON), 5: piece(5, 0x11C, ADD, DSB),
}  # fmt: skip


def of_path(steps: tuple[int, ...], runs: tuple[tuple[int, int], ...] = ()) -> Counter[C]:
    classes = Classes(Arch.AARCH64, PIECES)
    found: Counter[C] = Counter()
    for number, times in runs_of(classes.with_branches((Stretch(steps, runs),))).items():
        for name, count in classes.of[number].items():
            found[name] += count * times
    return found


def test_a_branch_is_taken_where_what_ran_next_is_not_behind_it() -> None:
    assert of_path((0, 1, 1, 1, 2, 1, 3, 1)) == {C.UNCACHED_FETCH: 5, C.UNCACHED_BRANCH: 1}
    assert of_path((0, 1, 2, 1, 3, 1)) == {C.UNCACHED_FETCH: 3, C.UNCACHED_BRANCH: 2}


def test_a_loop_goes_back_each_time_but_the_last() -> None:
    assert of_path((LOOP | 2, 5, 0, 1, 2, 1, 3, 1)) == {C.UNCACHED_FETCH: 10 + 1, C.UNCACHED_BRANCH: 5 + 4 + 1}
    assert of_path((2, 3, 3, 1)) == {C.UNCACHED_FETCH: 3 + 1, C.UNCLASSIFIED: 2, C.UNCACHED_BRANCH: 1}


def test_a_loop_in_a_loop_is_as_if_it_were_written_out() -> None:
    draw = random.Random(34)
    for _ in range(300):
        steps: list[int] = []
        flat = _drawn(draw, steps, 3)
        written_out = tuple(each for number in flat for each in (number, 1))
        assert of_path(tuple(steps)) == of_path(written_out), steps


def _drawn(draw: random.Random, steps: list[int], depth: int) -> list[int]:
    flat: list[int] = []
    for _ in range(draw.randint(1, 4)):
        times = draw.randint(1, 4)
        if depth and draw.random() < 0.4:
            at = len(steps)
            steps += [0, times]
            body = _drawn(draw, steps, depth - 1)
            steps[at] = LOOP | (len(steps) - at - 2) // 2
        else:
            body = [draw.randrange(len(PIECES))]
            steps += [body[0], times]
        flat += body * times
    return flat


def test_where_nothing_says_what_ran_next_a_choice_is_not_classified_and_a_return_is_taken() -> None:
    assert of_path((), ((0, 3), (3, 2))) == {C.UNCACHED_FETCH: 3, C.UNCLASSIFIED: 3, C.UNCACHED_BRANCH: 2}
    assert of_path((0, 1)) == {C.UNCACHED_FETCH: 1, C.UNCLASSIFIED: 1}
    assert TAKEN & UNTOLD == 0


def run_of(name: str, steps: tuple[int, ...]) -> Run:
    reader = SpanReader(Arch.AARCH64, PIECES, ())
    key = ("cpu_off_serial", Metric.WAKEUP, CoreId(0, 0))
    spans: Spans_ = {key: Counter({(Stretch(steps, ((4, 2),), 7),): 2})}
    samples = tuple(Sample(*key, 0, iteration, 40) for iteration in range(2))
    return run_with(tick=INSTRUCTIONS, contents=Spans(samples, (), reader.functions(spans)), id=name)


def test_classes_of_a_span_sum_up_to_each_function_and_each_frame() -> None:
    run = run_of("psci-0001", (LOOP | 2, 5, 0, 1, 2, 1, 5, 1))
    (one,) = run.functions
    assert [sum(each) for each in zip(*(share.functions for share in one.classes), strict=True)] == [f.instructions for f in one.functions]
    assert [sum(each) for each in zip(*(share.frames for share in one.classes), strict=True)] == [f.instructions for f in one.frames]
    (found,) = classes_of(run).values()
    assert (found[C.DSB], found[C.CACHED], found[C.UNCLASSIFIED]) == (1, 2, 1 + 7)
    assert run_json.parse(run_json.render(run), "x") == run


def test_two_runs_are_compared_by_class_and_joined_with_their_classes() -> None:
    a = run_of("psci-0001", (0, 1, 1, 1, 5, 1))
    b = run_of("psci-0002", (0, 1, 1, 1, 5, 3))
    (moves,) = class_moves(a, b).values()
    assert {move.name: (move.before, move.after) for move in moves.classes} == {C.UNCACHED_FETCH: (4, 6), C.DSB: (1, 3)}
    assert "dsb" in data(pair_page(a, b, "all"))
    assert "+2" in data(pair_page(a, b, "dsb"))
    assert "dsb" in data(page(a, "all"))
    joined = join_boots((a, replace(a, id="psci-0003")))
    assert classes_of(joined) == classes_of(a)
    (one,) = in_class(a, C.DSB).functions
    assert sum(each.instructions for each in one.functions) == 2


def test_classes_of_a_pair_are_means_over_the_cores_that_moved() -> None:
    def on(core: int, steps: tuple[int, ...]) -> SpanFunctions:
        return replace(run_of("x", steps).functions[0], core=CoreId(0, core))

    base, moved = (0, 1, 1, 1, 5, 1), (0, 1, 1, 1, 5, 3)
    a, b = (
        run_with(tick=INSTRUCTIONS, contents=Spans((), (), tuple(on(core, steps) for core, steps in enumerate(cores))), id=name)
        for name, cores in (("psci-0001", (base, base, base)), ("psci-0002", (base, moved, moved)))
    )
    (found,), (over_all,) = class_moves(a, b, moved_cores_only=True).values(), class_moves(a, b).values()
    assert (found.cores, found.of_cores) == (2, 3)
    assert {move.name: move.after - move.before for move in found.classes} == {C.UNCACHED_FETCH: 2, C.DSB: 2}
    assert all(0 < move.after - move.before < 2 for move in over_all.classes)
    for asked in ("all", "dsb"):
        assert "mean over 2 of 3 cores" in data(pair_page(a, b, asked))


def test_a_run_without_classes_and_a_class_that_is_none_are_refused() -> None:
    with pytest.raises(UsageError, match="has no classes of instructions"):
        page(run_with(), "all")
    with pytest.raises(UsageError, match="branches is no class of instructions; use all, device"):
        class_named("branches")
    assert class_named("uncached-branch") is C.UNCACHED_BRANCH
