# SPDX-License-Identifier: BSD-3-Clause
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.adopters import dataframes
from latlab.adopters.pytest_plugin import Latency
from latlab.core.comparison.identity import NotComparable
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, Sample
from latlab.core.store.store import open_store
from support.fleets import Fleet, write
from support.ladder_model import Truth, make_run, relabelled
from support.runs import INSTRUCTIONS, run_with

pytest_plugins = ["pytester"]

TESTS = """
    def test_against_the_release(latency):
        latency.assert_no_regression("published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10")

    def test_against_itself(latency):
        latency.assert_no_regression("published:tf-a/juno/v2.9", "published:tf-a/juno/v2.9")

    def test_rules(latency):
        latency.assert_rules("published:tf-a/juno/v2.9")
"""


def test_an_adopters_test_fails_with_the_sentence_that_explains_it(pytester):
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*wakeup regressed in every test: +2.92 µs to +4.92 µs*"])


def test_a_broken_rule_fails_an_adopters_test(latency):
    run = make_run(Truth(), 1)
    faulty = relabelled(run, lambda s: replace(s, value_ticks=1) if s.metric is Metric.POWERDOWN else s)
    with pytest.raises(pytest.fail.Exception, match="the cache flush fits into the powerdown"):
        latency.assert_rules(faulty)


def test_pandas_gets_every_sample_with_its_unit():
    pandas = pytest.importorskip("pandas")
    run = make_run(Truth(), 1, boots=2)
    frame = dataframes.to_pandas(run)
    assert len(frame) == len(run.samples) and isinstance(frame["test"].dtype, pandas.CategoricalDtype)
    assert (frame["value"] == frame["value_ticks"] * 20.0).all()


def test_polars_gets_the_same_columns_and_values_as_pandas():
    run = make_run(Truth(), 1)
    polars, pandas = dataframes.to_polars(run), dataframes.to_pandas(run)
    assert {name: polars[name].to_list() for name in polars.columns} == {name: pandas[name].to_list() for name in pandas.columns}


def test_a_figure_over_a_fleet_has_the_samples_of_every_complete_run(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    place = str(tmp_path / "store.sqlite")
    store = write(Fleet(4, 3), place)
    frame = dataframes.figure_to_pandas(place, "susp_deep_serial/wakeup", platform="juno 000")
    runs = [store.load(head.id) for head in store.runs() if head.platform == "juno 000" and head.status is RunStatus.COMPLETE]
    samples = [s for run in runs for s in run.samples if (s.test, s.metric) == ("susp_deep_serial", Metric.WAKEUP)]
    assert list(frame["value_ticks"]) == [s.value_ticks for s in samples] != []
    assert set(frame["run"]) == {run.id for run in runs}


@pytest.mark.parametrize(("figure", "said"), [("wakeup", "is no figure"), ("t/slow", "is no figure"), ("t/wakeup", "no complete run")])
def test_a_figure_that_no_run_has_is_refused(tmp_path: Path, figure: str, said: str) -> None:
    pytest.importorskip("pandas")
    open_store(place := str(tmp_path / "store.sqlite")).close()
    with pytest.raises(UsageError, match=said):
        dataframes.figure_to_pandas(place, figure)


def test_a_figure_of_a_store_that_is_not_there_makes_none(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    with pytest.raises(UsageError, match="there is no such store"):
        dataframes.figure_to_pandas(str(tmp_path / "typo.sqlite"), "t/wakeup")
    assert not list(tmp_path.iterdir())


def test_a_table_without_its_library_names_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UsageError, match="needs the Python package polars"):
        dataframes.to_polars(make_run(Truth(), 1))


def test_a_condition_may_differ_where_the_test_says_so() -> None:
    samples = [Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 0, i, 100) for i in range(2)]
    a, b = (
        run_with(id=name, tick=INSTRUCTIONS, samples=samples, conditions=Conditions(processor=name))
        for name in ("cortex-a57", "neoverse-n1")
    )
    with pytest.raises(NotComparable, match="the processor differs"):
        Latency().compare(a, b)
    assert Latency().assert_no_regression(a, b, across=["processor"]).caveat == "across processor: cortex-a57 to neoverse-n1"
