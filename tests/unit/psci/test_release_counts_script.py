# SPDX-License-Identifier: BSD-3-Clause
"""How tables of counts are made of stored runs."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from latlab.core.errors import UsageError
from latlab.core.model.enums import InstructionClass, Metric
from latlab.core.model.run import ClassShare, CoreId, Frame, Run, Sample, SpanFunctions, Spans
from release_counts import write
from support.function_runs import SLOWER, TREE, run_of
from support.runs import run_with


def classified(run: Run, test: str = "cpu_off_serial") -> Run:
    """The same with one access to a device in each function, all others in the caches; the second core takes twice as long."""
    spans = []
    for number, one in enumerate(run.functions, 1):
        functions = tuple(replace(each, instructions=each.instructions * number) for each in one.functions)
        devices = tuple(one.calls for _ in functions)
        cached = tuple(each.instructions - one.calls for each in functions)
        shares = (ClassShare(InstructionClass.DEVICE, devices, ()), ClassShare(InstructionClass.CACHED, cached, ()))
        spans.append(replace(one, test=test, functions=functions, classes=shares))
    flush = tuple(Sample(test, Metric.CACHE_FLUSH, one.core, 0, 0, 40) for one in run.functions)
    return replace(run, contents=Spans((*run.samples, *flush), (), tuple(spans)))


def table(runs: dict[str, Run]) -> list[str]:
    out = io.StringIO()
    write(runs, out)
    return out.getvalue().splitlines()


def test_a_row_holds_a_function_and_class_of_every_release_and_nothing_where_it_did_not_run() -> None:
    lines = table({"v1": classified(run_of(TREE)), "v2": classified(run_of(SLOWER))})
    assert lines[0] == "test,metric,function,class,v1,v2"
    assert "cpu_off_serial,powerdown,new_check,cached,,14" in lines, "per call, of the first core: the median of two is the lower"
    assert "cpu_off_serial,powerdown,el3_exit,cached,39,29" in lines and "cpu_off_serial,powerdown,el3_exit,device,1,1" in lines
    assert "cpu_off_serial,cache_flush,,,40,40" in lines


def test_what_cores_do_at_the_same_time_has_no_row() -> None:
    assert table({"v1": classified(run_of(TREE), "cpu_susp_parallel")}) == ["test,metric,function,class,v1"]


def test_runs_of_two_processors_are_refused_by_name() -> None:
    one = classified(run_of(TREE))
    a57, n1 = (replace(one, conditions=replace(one.conditions, processor=name)) for name in ("cortex-a57", "neoverse-n1"))
    with pytest.raises(UsageError, match=r"of 2 machines, .*cortex-a57.* and .*neoverse-n1"):
        table({"v1": a57, "v2": n1})


def test_a_large_count_keeps_its_last_digits() -> None:
    run = classified(run_of((Frame(0, "dcsw_op_all", 2, 2_469_135),)))
    assert "cpu_off_serial,powerdown,dcsw_op_all,cached,1234566.5" in table({"v1": run})


def test_a_run_without_functions_or_without_classes_is_refused_and_not_left_empty() -> None:
    with pytest.raises(UsageError, match="holds no functions"):
        table({"v1": classified(run_of(TREE)), "v2": run_with(conditions=run_of(TREE).conditions)})
    with pytest.raises(UsageError, match="has no classes of instructions"):
        table({"v1": run_of(TREE)})


def test_the_core_with_the_median_count_stands_for_all() -> None:
    one = classified(run_of(TREE))
    three = (*one.functions, replace(one.functions[1], core=CoreId(0, 2)))
    run = replace(one, contents=Spans(one.samples, (), three))
    assert all(isinstance(each, SpanFunctions) for each in three)
    assert "cpu_off_serial,powerdown,el3_exit,cached,79" in table({"v1": run})
