# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import pytest

from latlab.calls.analysis.calls import Fallen, Pairing
from latlab.calls.analysis.marked import MARK_BEGIN, Marks, Stranded, samples_of_call
from latlab.calls.analysis.span_functions import CoreMoves, Move, SpanReader, moves_of, spans_of_calls
from latlab.calls.model.crossings import Arch, Fragment, Stretch
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.commits.analysis import steps_of
from latlab.core.comparison.by_kind import compare, explain_pair, explain_run
from latlab.core.comparison.findings import FunctionMoved, FunctionsMoved
from latlab.core.comparison.joining import join_boots
from latlab.core.comparison.span_findings import PartsMoved
from latlab.core.errors import DataError
from latlab.core.model.enums import CodePart, Metric
from latlab.core.model.run import CoreId, Frame, FunctionShare, Run, Sample, SpanFunctions, Spans
from latlab.core.model.symbols import Image
from latlab.core.store import run_json
from latlab.psci.analysis.explain_trace import LongestSpan, SpentIn
from support import function_runs
from support import probe_stream as made
from support.runs import INSTRUCTIONS, run_with

FEATURES, OFF = 0x8400000A, 0x84000002
CORE, OTHER = CoreId(0, 0), CoreId(0, 1)
IMAGE = Image("fw.elf", (0x100, 0x200), (16, 16), ("first", "second.constprop.0"), ((0x100, bytes(0x200)),), ("a.c:3", ""))
FRAGMENTS = {0: Fragment(0, 0x100, 5, 3, bytes(4)), 1: Fragment(1, 0x204, 2, 3, bytes(4)), 2: Fragment(2, 0x9008, 7, 3, bytes(4))}


def run_of(spans: dict[tuple[str, CoreId], dict[str, int]], iterations: int = 2) -> Run:
    """Powerdowns of two equal iterations, made of these instructions per call of each function."""
    functions = tuple(
        SpanFunctions(
            test, Metric.POWERDOWN, core, iterations, tuple(FunctionShare(n, f"{n}.c:1", c * iterations) for n, c in shares.items())
        )
        for (test, core), shares in spans.items()
    )
    samples = tuple(
        Sample(test, Metric.POWERDOWN, core, 0, i, sum(shares.values()))
        for (test, core), shares in spans.items()
        for i in range(iterations)
    )
    return run_with(tick=INSTRUCTIONS, contents=Spans(samples, (), functions), id=f"psci-{sum(s.value_ticks for s in samples):04x}")


def with_code(run: Run, parts: tuple[tuple[CodePart, int], ...], operations: tuple[tuple[str, int], ...], frames: tuple[Frame, ...]) -> Run:
    (one,) = run.functions
    return replace(run, contents=Spans(run.samples, (), (replace(one, parts=parts, operations=operations, frames=frames),)))


def findings(a: Run, b: Run) -> list[FunctionsMoved]:
    return [one.finding for one in explain_pair(compare(a, b)) if isinstance(one.finding, FunctionsMoved)]


def fallen_of(*parts: bytes) -> list[Stranded]:
    records = list(Decoder().feed(made.header(cores=2) + b"".join(parts)))[1:]
    pairing, marks = Pairing(Arch.AARCH64, call_names()), Marks()
    assert list(marks.feed(pairing.feed(records))) == []  # type: ignore[arg-type]
    return list(marks.stranded(pairing.fallen()))


DESCRIBED = made.fragment(0, 0x100, 5) + made.fragment(1, 0x204, 2)
BEGIN = DESCRIBED + made.smc(0, 0, FEATURES, (MARK_BEGIN, 3, 0)) + made.back(0, 5)
DOWN = made.smc(0, 10, 0xC4000001) + made.profile(0, [(0, 2)]) + made.sleep(0, 20) + made.wake(0, 21) + made.profile(0, [(1, 1)])


def test_of_a_core_that_never_comes_back_the_way_down_to_its_last_sleep_is_measured() -> None:
    (found,) = fallen_of(BEGIN, DOWN, made.sleep(0, 310, 0x4000, wait=2))
    assert (found.test, found.core, found.call.down) == ("cpu_susp_serial", 0, (Stretch(runs=((0, 2),)), Stretch(runs=((1, 1),))))
    assert samples_of_call(found, {0: CORE}) == (Sample("cpu_susp_serial", Metric.POWERDOWN, CORE, 0, 0, 300),)


def test_a_sleep_after_a_measured_call_or_without_a_mark_is_not_measured() -> None:
    assert fallen_of(DESCRIBED, DOWN) == []
    assert fallen_of(BEGIN, made.smc(0, 6, OFF), made.back(0, 9), DOWN) == []
    assert fallen_of(BEGIN, made.smc(0, 10, OFF)) == []


def test_a_gcc_clone_counts_as_its_function_and_code_without_symbols_by_its_page() -> None:
    call = Fallen(0, None, 0, 19, (Stretch(runs=((0, 2), (1, 1), (2, 1))),))  # type: ignore[arg-type]
    spans = spans_of_calls([Stranded("cpu_off_serial", 0, 0, call)] * 2, {0: CORE})
    (found,) = SpanReader(Arch.AARCH64, FRAGMENTS, [IMAGE]).functions(spans)
    assert (found.test, found.metric, found.core, found.calls) == ("cpu_off_serial", Metric.POWERDOWN, CORE, 2)
    assert found.functions == (FunctionShare("first", "a.c:3", 20), FunctionShare("second", "", 4), FunctionShare("0x9000+", "", 14))


def test_moves_are_means_over_the_cores_that_both_runs_have_the_largest_first() -> None:
    a = run_of({("t_serial", CORE): {"f": 10, "g": 4, "h": 1}, ("t_serial", OTHER): {"f": 20, "g": 4, "h": 1}})
    b = run_of({("t_serial", CORE): {"f": 12, "g": 4, "new": 9}, ("t_serial", OTHER): {"f": 20, "g": 4, "new": 9}}, iterations=3)
    moves = moves_of(a, b)["t_serial", Metric.POWERDOWN]
    assert moves == CoreMoves((Move("new", "new.c:1", 0, 9), Move("f", "f.c:1", 15, 16), Move("h", "h.c:1", 1, 0)), 2, 2)
    only_one = replace(b, contents=Spans(b.samples, (), b.functions[:1]))
    assert moves_of(a, only_one)["t_serial", Metric.POWERDOWN].functions[1] == Move("f", "f.c:1", 10, 12)


def test_a_core_that_makes_another_call_is_not_averaged_into_what_moved() -> None:
    cores = [CoreId(1, core) for core in range(4)]
    off = {"psci_do_cpu_off": 100, "flush": 50}
    a = run_of({("cpu_off_serial", core): off if core.core else {"cpu_on": 70} for core in cores})
    b = run_of({("cpu_off_serial", core): off | {"psci_do_cpu_off": 384} if core.core else {"cpu_on": 70} for core in cores})
    (found,) = findings(a, b)
    assert found.functions == (FunctionMoved("psci_do_cpu_off", "psci_do_cpu_off.c:1", 100, 384),)
    told = found.sentence("insns")
    assert "powerdown of cpu_off_serial, mean over 3 of 4 cores, in instructions: psci_do_cpu_off (psci_do_cpu_off.c:1) +284" in told
    (mean,) = steps_of(a, b)
    assert mean.difference == mean.moves[0].difference == 213


def test_functions_that_moved_on_one_core_or_on_all_say_so() -> None:
    moved = (FunctionMoved("f", "", 1, 2),)
    for cores, of_cores, told in ((1, 1, "on one core"), (1, 4, "on 1 of 4 cores"), (4, 4, "mean over 4 cores")):
        assert f"wakeup of t, {told}, in" in FunctionsMoved(Metric.WAKEUP, ("t",), moved, cores, of_cores).sentence("insns")


def test_tests_whose_functions_moved_alike_are_one_finding() -> None:
    before, after = {"f": 10, "g": 4}, {"f": 10, "g": 54}
    a = run_of({("cpu_off_serial", CORE): before, ("susp_deep_serial", CORE): before, ("cpu_susp_serial", CORE): before})
    b = run_of({("cpu_off_serial", CORE): after, ("susp_deep_serial", CORE): after, ("cpu_susp_serial", CORE): before})
    (found,) = findings(a, b)
    assert found == FunctionsMoved(Metric.POWERDOWN, ("cpu_off_serial", "susp_deep_serial"), (FunctionMoved("g", "g.c:1", 4, 54),), 1, 1)


def test_a_function_that_grew_by_what_another_lost_is_told_though_no_span_changed() -> None:
    a, b = run_of({("cpu_off_serial", CORE): {"f": 10, "g": 4}}), run_of({("cpu_off_serial", CORE): {"f": 4, "g": 10}})
    (found,) = findings(a, b)
    assert [(one.name, one.after - one.before) for one in found.functions] == [("f", -6), ("g", 6)]


def test_where_cores_take_turns_functions_are_told_only_of_what_changed() -> None:
    a, b = run_of({("cpu_off_parallel", CORE): {"spin": 100}}), run_of({("cpu_off_parallel", CORE): {"spin": 101}})
    assert findings(a, b) == []


def test_runs_without_functions_say_nothing_of_them() -> None:
    a, b = run_of({("cpu_off_serial", CORE): {"f": 10}}), run_of({("cpu_off_serial", CORE): {"f": 20}})
    assert findings(replace(a, contents=Spans(a.samples)), b) == []


def test_the_sentence_names_five_functions_with_their_places_and_sums_the_rest() -> None:
    moved = tuple(FunctionMoved(f"f{i}", f"f{i}.c:{i}" if i else "", 10.0, 10.0 + 20 - i) for i in range(7))
    told = FunctionsMoved(Metric.WAKEUP, ("a_serial", "b_serial"), moved, 4, 4).sentence("insns")
    assert told.startswith(
        "by function, wakeup of a_serial, b_serial, mean over 4 cores, in instructions: f0 +20 (from 10 to 30), f1 (f1.c:1) +19 (from"
    )
    assert told.endswith("two others +29 together")
    gone = FunctionsMoved(Metric.WAKEUP, ("t",), (FunctionMoved("old", "", 7, 0), FunctionMoved("young", "", 0, 8)), 2, 4)
    assert gone.sentence("insns").endswith("old -7 (gone), young +8 (new)")


def test_boots_joined_add_up_their_functions() -> None:
    a, b = run_of({("cpu_off_serial", CORE): {"f": 10}}), run_of({("cpu_off_serial", CORE): {"f": 14, "g": 1}})
    c = with_code(b, ((CodePart.OTHER, 2),), (("isb", 1), ("dsb", 3)), (Frame(0, "f", 2, 26), Frame(1, "g", 2, 4)))
    (joined,) = join_boots([with_code(a, ((CodePart.OTHER, 1),), (("isb", 2),), (Frame(0, "f", 2, 20),)), c]).functions
    assert (joined.parts, joined.operations) == (((CodePart.OTHER, 3),), (("dsb", 3), ("isb", 3)))
    assert joined.frames == (Frame(0, "f", 4, 46), Frame(1, "g", 2, 4))
    (joined,) = join_boots([a, b]).functions
    assert (joined.calls, joined.functions) == (4, (FunctionShare("f", "f.c:1", 48), FunctionShare("g", "g.c:1", 2)))
    assert join_boots([a, replace(b, contents=Spans(b.samples))]).functions == ()


def test_functions_come_back_from_json_and_those_of_no_call_are_refused() -> None:
    run = run_of({("cpu_off_serial", CORE): {"f": 10}})
    whole = replace(run.functions[0], parts=((CodePart.OTHER, 20),), operations=(("isb", 2),), frames=(Frame(0, "f", 2, 20),))
    run = replace(run, contents=Spans(run.samples, (), (whole, replace(run.functions[0], core=OTHER))))
    assert run_json.parse(run_json.render(run), "run.json").functions == run.functions
    broken = run_json.render(run).replace('"powerdown","0.0",2,[["f"', '"powerdown","0.0",0,[["f"')
    with pytest.raises(DataError, match="functions of no call"):
        run_json.parse(broken, "run.json")


def test_a_pair_names_the_part_that_grew_and_a_run_what_its_longest_span_is_made_of() -> None:
    a, b = function_runs.run_of(function_runs.TREE), function_runs.run_of(function_runs.SLOWER)
    (parts,) = [one.finding for one in explain_pair(compare(a, b)) if isinstance(one.finding, PartsMoved)]
    assert parts == PartsMoved(Metric.POWERDOWN, (("cache flush", 50.0), ("other code", -1.0)))
    (longest,) = [one.finding for one in explain_run(a) if isinstance(one.finding, LongestSpan)]
    assert longest == LongestSpan(CORE, Metric.POWERDOWN, 2100, (("cache flush", 2000.0),), is_alike=True)
    (spent,) = [one.finding for one in explain_run(a) if isinstance(one.finding, SpentIn)]
    assert (spent.function, spent.caller, spent.times, spent.spent) == ("dcsw_op_all", function_runs.TREE[1].name, 1.0, 2000.0)
    assert spent.share == 4000 / 4200


def test_no_function_is_named_where_none_has_half_and_a_tree_is_followed_to_its_innermost() -> None:
    def spent_in(*frames: Frame) -> list[tuple[str, str, float, float]]:
        run = with_code(
            run_of({("cpu_off_serial", CORE): {"f": 10}}), ((CodePart.OTHER, sum(frame.instructions for frame in frames)),), (), frames
        )
        found = [one.finding for one in explain_run(run) if isinstance(one.finding, SpentIn)]
        return [(one.function, one.caller, one.times, one.spent) for one in found]

    assert spent_in(Frame(0, "a", 2, 50), Frame(0, "b", 2, 50)) == []
    assert spent_in(Frame(0, "a", 2, 51), Frame(0, "b", 2, 49)) == [("a", "", 1.0, 25.5)]
    deep = Frame(0, "a", 2, 10), Frame(1, "log", 4, 20), Frame(2, "puts", 4, 30), Frame(3, "putc", 40, 20), Frame(0, "z", 2, 20)
    assert spent_in(*deep) == [("log", "a", 2.0, 35.0)]
