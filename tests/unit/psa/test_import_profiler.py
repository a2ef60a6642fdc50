# SPDX-License-Identifier: BSD-3-Clause
"""Logs of tf-m-tools' profiler as runs."""

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import Run, Topology
from latlab.core.store.store import Store
from latlab.psa.campaign.importing_profiler import CAVEATS
from latlab.psa.readers.tfm_profiler import read_averages
from latlab.runs.campaign.importing_log import import_log

LOG = """Booting TF-M v2.2.2
[INF][PRF] secure psa_connect average is 1203 CPU cycles\r
secure psa_call stateless average is 1402 CPU cycles\r
non-secure psa_connect average is 1300 CPU cycles\r
non-secure psa_call average is 1290 CPU cycles\r
non-secure psa_close average is 1250 CPU cycles\r
non-secure psa_call stateless average is 1500 CPU cycles\r
"""


def memory() -> Store:
    store = Store(sa.create_engine("sqlite://"), "memory")
    store.prepare()
    return store


def imported(text: str, core_mhz: float | None = 50.0) -> Run:
    store = memory()
    recorded = import_log(store, text.encode(), "tfm.log", platform="an521", firmware="TF-M 2.2.2", core_mhz=core_mhz)
    return store.load(recorded.run_id)


def test_each_average_is_a_figure_under_the_campaigns_own_name() -> None:
    run = imported(LOG)
    assert {s.test: s.value_ticks for s in run.samples} == {
        "s_connect": 1203,
        "s_stateless_0": 1402,
        "ns_connect": 1300,
        "ns_call_0": 1290,
        "ns_close": 1250,
        "ns_stateless_0": 1500,
    }
    assert {s.metric for s in run.samples} == {Metric.PSA_CALL} and run.status is RunStatus.COMPLETE
    assert run.tick.value == 20.0  # nanoseconds a cycle at 50 MHz


def test_what_the_log_does_not_say_is_said_with_the_run() -> None:
    facts = dict(imported(LOG).facts)
    assert facts["core_mhz"] == "50" and dict(CAVEATS).items() <= facts.items()


def test_the_same_call_again_is_another_boot() -> None:
    run = imported(LOG + LOG.replace("1300", "1310"))
    assert [(s.boot, s.value_ticks) for s in run.samples if s.test == "ns_connect"] == [(0, 1300), (1, 1310)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("non-secure psa_call average is 0 CPU cycles", "without a pair of checkpoints"),
        ("non-secure psa_call average is -5 CPU cycles", "beyond 32 bits"),
        ("non-secure psa_call average is 4000000000 CPU cycles", "beyond 32 bits"),
        ("non-secure psa_call average is 12", "not whole"),
        ("psa_call average is 12 CPU cycles", "not whole"),
    ],
)
def test_a_figure_that_cannot_be_is_left_out_and_told(line: str, sentence: str) -> None:
    run = imported(LOG + line)
    assert len(run.samples) == 6 and run.status is RunStatus.PARTIAL
    assert run.problems[0].line == 8 and sentence in run.problems[0].message
    with pytest.raises(DataError, match=r"tfm\.log line 1: .*there is nothing to store"):
        imported(line)


@pytest.mark.parametrize("core_mhz", [None, 0.0, -1.0, float("nan"), float("inf")])
def test_cycles_without_the_cores_frequency_are_refused(core_mhz: float | None) -> None:
    with pytest.raises(UsageError, match="--core-mhz"):
        imported(LOG, core_mhz)


def test_a_frequency_for_a_log_without_cycles_is_refused() -> None:
    with pytest.raises(UsageError, match="does not have; leave it out"):
        imported("nothing")


def test_a_topology_for_averages_is_refused() -> None:
    with pytest.raises(UsageError, match="leave out --topology"):
        import_log(memory(), LOG.encode(), "tfm.log", Topology((2,)), core_mhz=50.0)


@given(st.text(alphabet="non-secure psa_call average is CPU cycles 0123456789\x1b[m", max_size=120))
def test_any_line_is_read_or_told(line: str) -> None:
    found, _ = read_averages([line])
    assert all(0 < one.cycles < 1 << 31 and one.test.startswith(("ns_", "s_")) for one in found)
