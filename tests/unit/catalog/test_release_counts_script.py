# SPDX-License-Identifier: BSD-3-Clause
"""How tables of counts are made of stored runs."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from latlab.errors import UsageError
from latlab.model.run import Frame
from release_counts import write
from support.function_runs import SLOWER, TREE, run_of
from support.runs import run_with


def test_a_row_holds_a_function_of_every_release_and_nothing_where_it_did_not_run() -> None:
    out = io.StringIO()
    write({"v1": run_of(TREE), "v2": run_of(SLOWER)}, out)
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["test,metric,function,v1,v2", "cpu_off_serial,powerdown,,2100,2149"], "per call, mean over two cores"
    assert "cpu_off_serial,powerdown,new_check,,15" in lines and "cpu_off_serial,powerdown,el3_exit,40,30" in lines


def test_runs_of_two_processors_are_refused_by_name() -> None:
    one = run_of(TREE)
    a57, n1 = (replace(one, conditions=replace(one.conditions, processor=name)) for name in ("cortex-a57", "neoverse-n1"))
    with pytest.raises(UsageError, match=r"of 2 machines, .*cortex-a57.* and .*neoverse-n1"):
        write({"v1": a57, "v2": n1}, io.StringIO())


def test_a_large_count_keeps_its_last_digits() -> None:
    out = io.StringIO()
    write({"v1": run_of((Frame(0, "dcsw_op_all", 2, 2_469_135),))}, out)
    assert "cpu_off_serial,powerdown,dcsw_op_all,1234567.5" in out.getvalue().splitlines()


def test_a_run_that_saw_no_function_is_refused_and_not_left_empty() -> None:
    with pytest.raises(UsageError, match="holds no functions"):
        write({"v1": run_of(TREE), "v2": run_with(conditions=run_of(TREE).conditions)}, io.StringIO())
