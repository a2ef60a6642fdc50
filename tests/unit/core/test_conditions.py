# SPDX-License-Identifier: BSD-3-Clause
"""What has to be alike before two runs are compared: refused, wanted on purpose, named or noted, by one table."""

from collections.abc import Callable
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.conditions import (
    CONDITIONS,
    WITHOUT_RULE,
    ConditionRule,
    caveat_of,
    check_across,
    differences,
    differing_conditions,
    label_of,
    stated_conditions,
)
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.history import history
from latlab.core.comparison.identity import NotComparable
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import COMMIT, Build, CoreId, Run, Sample, Tick
from latlab.core.report.comparison import comment
from latlab.core.report.comparison.comparison_pages import document, pair_explanations, screen
from latlab.core.report.comparison.data import comparison_csv, comparison_json
from latlab.core.report.comparison.web import page
from latlab.core.report.exports.junit import comparison_junit
from latlab.core.report.history.pages import screen as history_screen
from latlab.core.report.page import Page
from latlab.core.report.renderers import html, markdown
from support.runs import INSTRUCTIONS, changed, run_with

SAMPLES = [
    Sample("susp_deep_serial", metric, core, 0, i, value)
    for core in (CoreId(0, 0), CoreId(0, 1))
    for i in range(3)
    for metric, value in ((Metric.POWERDOWN, 900), (Metric.WAKEUP, 300))
]
OTHERS: dict[str, tuple[Any, Any]] = {
    "mode": (Mode.REAL, Mode.VIRTUAL_MACHINE),
    "processor": ("cortex-a57", "neoverse-n1"),
    "interrupt_controller": ("GICv3", "GICv2"),
    "exception_level": (1, 2),
    "instrument": ("trace", "probe"),
    "interrupt_priority": (0, 0xE0),
    "basepri": (0, 0x80),
    "interval_ns": (200_000, 1_000_000),
    "priority": (80, 90),
    "load": ("", "stress-ng"),
    "idle_states": (True, False),
    "emulator_options": (("-m 1024",), ("-m 2048", "mte=on")),
    "board_model": ("a", "b"),
    "image": ("1a", "2b"),
    "compiler": ("GCC 12.2.0", "GCC 13.1.0"),
    "compiler_flags": (("-g -O2",), ("-g -Og",)),
    "kernel": ("6.1", "6.12"),
    "kernel_version": ("1", "2"),
    "kernel_command_line": ("quiet", "quiet isolcpus=3"),
    "kstack_randomised": (True, False),
    "hwrng_driver": (True, False),
    "hwrng_node": ("optee", "firmware"),
    "hwrng_quality": (0, 1024),
    "trng_hold_us": (0, 50),
    "duration_s": (60.0, 90.0),
    "iterations": (20, 40),
    "hotplug_cycles": (1, 2),
    "suspends": (1, 2),
}


def _run(name: str = "a", **conditions: Any) -> Run:
    return run_with(id=name, tick=INSTRUCTIONS, samples=SAMPLES, lead=CoreId(0, 0), conditions=Conditions(**conditions))


def _pair(field: str) -> tuple[Run, Run]:
    one, other = OTHERS[field]
    return _run("a", **{field: one}), _run("b", **{field: other})


@pytest.mark.parametrize("field", OTHERS)
def test_every_condition_has_its_one_rule_and_is_silent_where_it_is_alike(field: str) -> None:
    a, b = _pair(field)
    (one,) = (one for one in CONDITIONS if one.of(a) is not None and one.of(a) != one.of(b))
    assert differences(a, replace(a, id="b")).all == ()
    if one.rule is ConditionRule.VOID:
        with pytest.raises(NotComparable, match=f"the {one.name} differs?, .* --allow-different {one.option}"):
            differences(a, b)
        assert [found.name for found in differences(a, b, [one.option]).across] == [one.name]
        return
    found = differences(a, b)
    assert [each.name for each in (found.named if one.rule is ConditionRule.NAMED else found.noted)] == [one.name]
    assert (one.name in found.title) is (one.rule is ConditionRule.NAMED)
    assert any(one.name in note for note in found.notes) is (one.rule is ConditionRule.NOTE)


@pytest.mark.parametrize("field", OTHERS)
def test_what_one_run_does_not_say_is_taken_to_be_the_others_and_noted_where_it_weighs(field: str) -> None:
    a, b = _pair(field)
    (one,) = (one for one in CONDITIONS if one.of(a) is not None and one.of(a) != one.of(b))
    for found, silent in ((differences(a, _run("b")), "b"), (differences(_run("a"), b), "a")):
        assert found.all == ()
        assert list(found.notes) == (
            [] if one.rule is ConditionRule.NOTE else [f"{silent} does not state its {one.name}; latlab assumes those of the other run"]
        )


def test_a_history_tells_conditions_once_and_below_a_change_only_what_is_of_its_figure() -> None:
    slower = [replace(one, value_ticks=one.value_ticks + 50) for one in SAMPLES]
    a, b = _run("a", compiler="GCC 12.2.0"), changed(_run("b", compiler="GCC 13.1.0"), samples=slower)
    for figure, other in (("powerdown", "wakeup"), ("wakeup", "powerdown")):
        (series,) = history([a, b], f"susp_deep_serial/{figure}/core-0.0")
        said = markdown.document(history_screen((series,))).replace("\\", "")
        assert said.count("GCC 13.1.0") == 1 and f"{figure} regressed in susp_deep_serial: +50 instructions over 2 data points" in said
        assert f"{other} regressed" not in said


def test_all_void_conditions_that_differ_stand_in_one_sentence_and_each_must_be_wanted() -> None:
    a = _run("a", interrupt_controller="GICv3", exception_level=1)
    b = _run("b", interrupt_controller="GICv2", exception_level=2)
    with pytest.raises(NotComparable) as refused:
        compare(a, b)
    assert str(refused.value) == (
        "the interrupt controller differs, GICv3 in a and GICv2 in b, and the exception level differs, EL1 in a and EL2 in b; "
        "compare runs under the same conditions, or allow the difference with --allow-different interrupt-controller "
        "--allow-different exception-level"
    )
    with pytest.raises(NotComparable, match=r"^the exception level differs"):
        compare(a, b, across=["interrupt-controller"])
    title = compare(a, b, across=["interrupt-controller", "exception-level"]).caveat
    assert title == "across interrupt controller: GICv3 to GICv2; exception level: EL1 to EL2"


def test_what_differs_stands_in_every_form_of_a_verdict() -> None:
    a, b = _run("a", processor="cortex-a57", compiler="GCC 12.2.0"), _run("b", processor="neoverse-n1", compiler="GCC 13.1.0")
    said = "across processor: cortex-a57 to neoverse-n1; differs: compiler GCC 12.2.0 to GCC 13.1.0"
    comparison = compare(a, b, across=["processor"])
    assert comparison.caveat == said
    decision = report_gate(comparison, frozenset({"regressed"}))
    assert decision.lines[0].endswith(said)
    assert said in comparison_json(comparison) and said in comparison_csv(comparison)
    assert said in comparison_junit(comparison, decision)
    for made in (screen(comparison), document(comparison), pair_explanations(comparison, ())):
        assert said in str(made.title)
    web = page(comparison)
    assert said in web.name and web.lead[0] == said
    (series, *_) = history([a, b], "susp_deep_serial/powerdown/*", across=frozenset({"processor"}))
    assert [one.title for _, one in series.differences] == [said]
    assert markdown.document(history_screen((series, series))).count(said) == 1
    with pytest.raises(NotComparable, match="processor"):
        history([a, b], "susp_deep_serial/powerdown/*")


@pytest.mark.parametrize("made", [screen, document, lambda comparison: pair_explanations(comparison, explain_pair(comparison)), page])
def test_a_page_names_another_image_once(made: Callable[[Comparison], Page]) -> None:
    comparison = compare(_run("a", image="1a"), _run("b", image="2b"))
    assert markdown.document(made(comparison)).count("firmware image 1a to 2b") == 1
    assert html.document(made(comparison)).partition("<body")[2].count("firmware image 1a to 2b") == 1


def test_a_gate_names_another_image_once() -> None:
    comparison = compare(_run("a", image="1a"), _run("b", image="2b"))
    report = report_gate(comparison, frozenset({"regressed"}))
    assert report.lines[0].endswith("; differs: firmware image 1a to 2b")
    assert "\n".join(report.lines).count("firmware image") == comment.render(comparison, report).count("firmware image") == 1


def test_another_emulator_or_build_option_is_named_and_another_commit_is_no_condition() -> None:
    a = replace(_run("a"), emulator="QEMU 10.0.2", build=Build("x", options=((COMMIT, "1"), ("DEBUG", "0"))))
    b = replace(_run("b"), emulator="QEMU 10.1.0", build=Build("x", options=((COMMIT, "2"), ("DEBUG", "1"), ("LOG", "40"))))
    said = "differs: emulator QEMU 10.0.2 to QEMU 10.1.0; build options DEBUG 0 to 1, LOG unset to 40"
    assert differences(a, b).title == said


def test_another_image_of_the_same_name_is_named_and_another_name_speaks_for_itself() -> None:
    a, b = _run("a", image="1a"), _run("b", image="2b")
    assert differences(a, b).title == "differs: firmware image 1a to 2b"
    assert differences(a, replace(b, build=Build("next"))).title == ""
    assert [one.name for one in differing_conditions(a, b)] == ["firmware image"]


def test_another_tick_is_named_where_the_clock_counts_time_and_never_compared_where_it_counts_instructions() -> None:
    a, b = _run("a"), _run("b")
    slow, fast = (replace(run, tick=Tick(Clock.TIME, value)) for run, value in ((a, 10.0), (b, 20.0)))
    assert differences(slow, fast).title == "differs: tick 10 ns to 20 ns"
    with pytest.raises(NotComparable, match="run both with one shift"):
        compare(a, replace(b, tick=Tick(Clock.INSTRUCTIONS, 2.0)))


def test_flags_that_moved_between_files_are_told_from_flags_that_came() -> None:
    came = differences(_run("a", compiler_flags=("-g -O2",)), _run("b", compiler_flags=("-g -O2", "-g -O2 -Os")))
    assert came.title == "differs: compiler flags with -Os"
    moved = differences(_run("a", compiler_flags=("-a -b", "-b")), _run("b", compiler_flags=("-a", "-b")))
    assert moved.title == "differs: compiler flags of single files"
    run = _run("a", compiler_flags=("-g -O2 -Os", "-g -O2"))
    assert dict(stated_conditions(run))["compiler flags"] == "-g -O2; single files -Os"


def test_across_names_only_what_makes_a_comparison_void() -> None:
    assert check_across(["processor", "exception-level"]) == {"processor", "exception-level"}
    for name in ("compiler", "platform", "Processor", ""):
        with pytest.raises(UsageError, match="interrupt-controller"):
            check_across([name])


def test_what_was_wanted_and_does_not_differ_is_not_said() -> None:
    assert compare(_run("a"), _run("b"), across=["processor"]).caveat == ""


def test_runs_are_of_one_thing_only_where_both_say_the_same_or_nothing() -> None:
    assert differing_conditions(_run("a", kernel="6.1", duration_s=1.0), _run("b", kernel="6.1", duration_s=2.0)) == ()
    assert [one.name for one in differing_conditions(_run("a", kernel="6.1"), _run("b", kernel="6.12"))] == ["kernel"]
    assert [one.name for one in differing_conditions(_run("a", kernel="6.1"), _run("b"))] == ["kernel"]


def test_simulated_figures_and_a_virtual_machines_say_so() -> None:
    simulated = replace(_run("a"), tick=Tick(Clock.VIRTUAL, 1.0))
    assert caveat_of(_run("b"), simulated).startswith("simulated: ") and label_of(simulated) == "simulated"
    assert compare(simulated, replace(simulated, id="b")).caveat.startswith("simulated: ")
    guest = _run("g", mode=Mode.VIRTUAL_MACHINE)
    assert caveat_of(guest) == "virtual machine: not an RT figure" and label_of(guest) == "virtual-machine"
    assert caveat_of(_run("b")) == label_of(_run("b")) == ""


class _Recorded:
    """Stands for the conditions of a run, and says which fields a rule reads."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getattr__(self, name: str) -> None:
        self.names.add(name)


def fields_with_rules() -> set[str]:
    conditions = _Recorded()
    beside = {name: getattr(run_with(), name) for name in ("emulator", "build", "tick", "provenance")}
    run: Any = SimpleNamespace(conditions=conditions, **beside)
    for condition in CONDITIONS:
        condition.of(run)
    return conditions.names


@pytest.mark.parametrize("name", [field.name for field in fields(Conditions)])
def test_each_field_of_the_conditions_has_a_rule_or_a_reason(name: str) -> None:
    """A field without one would compare as alike whatever its values are."""
    cure = "give it a row in CONDITIONS of src/latlab/core/comparison/conditions.py, or a reason in WITHOUT_RULE there"
    assert (name in fields_with_rules()) != (name in WITHOUT_RULE), f"the condition {name} has no rule: {cure}"


def test_reasons_are_of_fields() -> None:
    assert WITHOUT_RULE.keys() <= {field.name for field in fields(Conditions)} and all(WITHOUT_RULE.values())
