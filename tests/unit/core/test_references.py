# SPDX-License-Identifier: BSD-3-Clause
"""What a user may name as a run, and the one sentence for a name that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.loading import load_base, load_earlier, load_reference
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.experiment import experiment_of
from latlab.core.model.run import CoreId, Run, Topology
from latlab.core.store import run_json
from latlab.core.store.listing import set_label
from latlab.core.store.references import BadReference, load, published_references
from latlab.core.store.store import open_store
from support.runs import unfinished_run
from support.synthetic import log

CSV = "Cluster,Core,Powerdown,Wakeup,Cache Flush\n0,0,104,241,5\n0,1,384,23,138\n"
DOCUMENT = """\
Performance on Juno
===================

.. table:: ``CPU_SUSPEND`` latencies (us) to deepest power level in serial (v2.{old})

    +---------+------+-----------+--------+-------------+
    | Cluster | Core | Powerdown | Wakeup | Cache Flush |
    +---------+------+-----------+--------+-------------+
    |    0    |  0   |   104.58  | 241.20 |      5.26   |
    +---------+------+-----------+--------+-------------+
    |    0    |  1   |   384.24  |  23.50 |    138.00   |
    +---------+------+-----------+--------+-------------+

.. table:: ``CPU_SUSPEND`` latencies (us) to deepest power level in serial (v2.{new})

    +---------+------+-----------+--------+-------------+
    | Cluster | Core | Powerdown | Wakeup | Cache Flush |
    +---------+------+-----------+--------+-------------+
    |    0    |  0   |   204.58  | 341.20 |     15.26   |
    +---------+------+-----------+--------+-------------+
    |    0    |  1   |   484.24  | 123.50 |    238.00   |
    +---------+------+-----------+--------+-------------+
"""


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    place = str(tmp_path / "store.sqlite")
    monkeypatch.setenv("LATLAB_STORE", place)
    return place


def file(folder: Path, name: str, text: str | bytes) -> str:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder / name)


def figures(run: Run) -> list[tuple[Metric, CoreId, float]]:
    return [(one.metric, one.core, round(one.value_ticks * run.tick.value, 2)) for one in run.samples]


def test_every_published_reference_can_be_loaded_by_its_name() -> None:
    for reference in published_references():
        run = load(reference)
        assert run.id == reference and (run.samples or distributions_of(run) or experiment_of(run))
        assert run.platform == reference.split("/")[1]


def test_figures_of_the_catalogue_are_those_that_were_printed() -> None:
    run = load("published:tf-a/juno/v2.9")
    assert (run.build.firmware, run.tick.clock, run.tick.value) == ("TF-A v2.9-rc0", Clock.TIME, 20.0)
    assert (run.topology, run.lead) == (Topology((2, 4)), CoreId(1, 0))
    assert (Metric.POWERDOWN, CoreId(0, 0), 104_580.0) in figures(run)


@pytest.mark.parametrize(("reference", "said"), [("published:tf-a/juno/v1.0", "is not in the catalogue; it has published:tf-a/juno/")])
def test_what_the_catalogue_does_not_have_is_refused_with_what_it_has(reference: str, said: str) -> None:
    with pytest.raises(BadReference, match=said):
        load(reference)


def test_a_table_is_in_the_unit_that_the_user_names(tmp_path: Path) -> None:
    path = file(tmp_path, "test_rt_instr_susp_deep_serial.csv", CSV)
    us, ns = load(path, "us"), load(path, "ns")
    assert us.id == ns.id == path
    assert [one[2] for one in figures(us)] == [1000 * one[2] for one in figures(ns)] and figures(ns)[0][2] == 104


def test_a_release_of_a_document_is_named_behind_it(tmp_path: Path) -> None:
    path = file(tmp_path, "juno.rst", DOCUMENT.format(old=11, new=12))
    with pytest.raises(BadReference, match=f"{path} holds 2 releases; name one: {path}#v2.11, {path}#v2.12"):
        load(path)
    old, new = load(f"{path}#v2.11"), load(f"{path}#v2.12")
    assert (old.id, new.id, old.platform) == (f"{path}#v2.11", f"{path}#v2.12", "juno")
    assert figures(old)[0][2] == 104_580 and figures(new)[0][2] == 204_580
    with pytest.raises(BadReference, match=r"v2\.13"):
        load(f"{path}#v2.13")


@pytest.mark.parametrize("named", ["v9", "current", "v2.1", "v2.11-rc0", "V2.11"])
def test_a_release_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path, named: str) -> None:
    path = file(tmp_path, "juno.rst", DOCUMENT.format(old=11, new=12))
    with pytest.raises(BadReference) as refused:
        load(f"{path}#{named}")
    assert str(refused.value) == f"{path} has no release {named!r}; name one that it has: {path}#v2.11, {path}#v2.12"


def test_the_current_release_is_named_as_the_document_does(tmp_path: Path) -> None:
    text = DOCUMENT.format(old=11, new=12).replace("v2.12", "current release").replace("v2.11", "previous release")
    path = file(tmp_path, "juno.rst", text)
    assert load(f"{path}#current").samples == load(f"{path}#current release").samples != load(f"{path}#previous").samples
    with pytest.raises(BadReference, match=r"has no release 'v9'; name one that it has: .*#"):
        load(f"{path}#v9")


def test_clusters_stand_behind_the_release_where_a_document_does_not_say_them(tmp_path: Path) -> None:
    path = file(tmp_path, "juno.rst", DOCUMENT.format(old=11, new=12))
    assert load(f"{path}#v2.11@2,4").topology == Topology((2, 4)) != load(f"{path}#v2.11").topology
    with pytest.raises(BadReference, match="@2,x"):
        load(f"{path}#v2.11@2,x")


def test_a_document_of_one_release_needs_no_name(tmp_path: Path) -> None:
    path = file(tmp_path, "juno.rst", DOCUMENT.format(old=12, new=12))
    assert load(path).id == f"{path}#v2.12"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", b"\xff\xfe", r"a\.csv: byte 0 is no UTF-8 \(invalid start byte\); save the file as UTF-8 text"),
        ("a.rst", "Nothing\n=======\n", r"a\.rst: no latency table in it; there is nothing to compare"),
        ("a.xls", "x", r"a\.xls: the format '\.xls' is not read; \.rst, \.csv, \.json, \.log, \.txt and \.yaml are"),
        ("a.log", "<LLT1:BOOT x>\n", r"a\.log is a dump of latlab's firmware; keep it with `latlab import .*a\.log` and name the run"),
        ("a.txt", "nothing here\n", r"a\.txt.*: "),
        ("a.json", "{", r"a\.json"),
    ],
)
def test_a_file_that_holds_no_run_is_refused_by_name_with_what_to_do(tmp_path: Path, name: str, text: str | bytes, said: str) -> None:
    with pytest.raises((BadReference, DataError), match=said):
        load(file(tmp_path, name, text))


@pytest.mark.parametrize("suffix", [".log", ".txt", ".json", ".dat"])
def test_wake_ups_of_another_tool_are_told_how_to_be_kept(tmp_path: Path, suffix: str) -> None:
    found = "T: 0 ( 11) P:80 I:200 C:  10 Min:  1 Act:  2 Avg:  3 Max:  40\n"
    path = tmp_path / f"wakeups{suffix}"
    path.write_text(found)
    with pytest.raises(BadReference, match=r"holds wake-up latencies; keep it with `latlab import .*wakeups"):
        load(str(path))


def test_a_log_of_the_test_framework_is_a_run(tmp_path: Path) -> None:
    line = "<RT_INSTR:test_rt_instr_psci_version_parallel\t0\t0\t140/>\n"
    run = load(file(tmp_path, "board.log", line))
    assert [one[2] for one in figures(run)] == [140.0]


def test_a_name_that_is_nothing_is_told_what_there_is() -> None:
    with pytest.raises(
        BadReference,
        match=r"no run is called 'nonsense'; `latlab ls` lists the runs; 'nonsense' is no file either, and `latlab ls --publi",
    ):
        load("nonsense")
    with pytest.raises(BadReference, match="no run is called 'nonsense'; `latlab ls` lists the runs"):
        load("nonsense", from_store=lambda name: None)

    def refuse(name: str) -> Run:
        raise UsageError(f"no run {name} here")

    with pytest.raises(BadReference, match=r"no run nonsense here; .nonsense. is no file either"):
        load("nonsense", from_store=refuse)


@pytest.mark.parametrize("unit", ["m", "seconds", "NS"])
def test_a_unit_that_is_none_is_refused(unit: str) -> None:
    with pytest.raises(UsageError, match=f"--unit '{unit}' is not a unit; use ns, us, ms or s"):
        load_reference("published:tf-a/juno/v2.9", unit)


@pytest.mark.parametrize("reference", ["published:tf-a/juno/v2.9+", "+a", "a++b"])
def test_a_name_that_is_missing_beside_a_plus_is_told(reference: str) -> None:
    with pytest.raises(UsageError, match=r"lacks a name beside a \+; name every run, as in A1\+A2"):
        load_reference(reference)


def test_a_file_whose_name_has_a_plus_is_one_run_and_so_is_a_release_of_it(tmp_path: Path) -> None:
    path = file(tmp_path, "a+b.log", "\n".join(log()))
    with pytest.raises(BadReference, match="is a dump"):
        load_reference(path)
    document = file(tmp_path, "c+d.rst", DOCUMENT.format(old=11, new=12))
    assert load_reference(f"{document}#v2.12").id == f"{document}#v2.12"


def test_boots_of_one_firmware_are_joined_and_only_wake_ups_have_earlier_runs(own_store: str, tmp_path: Path) -> None:
    a = file(tmp_path, "a.rst", DOCUMENT.format(old=11, new=12))
    b = file(tmp_path, "b.rst", DOCUMENT.format(old=11, new=12).replace("204.58", "205.58"))
    alone, none = load_base(f"{a}#v2.12")
    assert none == () and figures(alone) == figures(load(f"{a}#v2.12"))
    joined, further = load_base(f"{a}#v2.12+{b}#v2.12")
    assert further == () and len(joined.samples) == 2 * len(alone.samples)
    assert load_earlier(alone, joined, own_store) == () and not Path(own_store).exists()


def test_a_file_of_a_run_is_named_by_its_place(tmp_path: Path) -> None:
    run = load("published:tf-a/juno/v2.9")
    path = file(tmp_path, "kept.json", run_json.render(run))
    assert load(path).id == path and figures(load(path)) == figures(run)


def test_a_label_names_its_single_run_and_latest_the_newest_complete_one(own_store: str) -> None:
    store = open_store(own_store)
    ids = [store.begin(unfinished_run()) for _ in range(4)]
    for run_id in ids[:3]:
        store.finish(run_id, RunStatus.COMPLETE)
    set_label(store, ids[0], "v1")
    for run_id in ids[1:]:
        set_label(store, run_id, "main")
    assert store.resolve("v1") == store.resolve("latest:v1") == ids[0]
    assert store.resolve("latest:main") == ids[2], "the newest has not ended"
    with pytest.raises(UsageError, match="3 runs are labelled 'main'; latest:main is the newest complete one"):
        store.resolve("main")
    for none in ("latest:", "latest:other"):
        with pytest.raises(UsageError, match="is labelled"):
            store.resolve(none)
    with pytest.raises(UsageError, match="is labelled 'mian'; the nearest label is 'main'"):
        store.resolve("latest:mian")
    set_label(store, ids[3], "nightly")
    with pytest.raises(UsageError, match="is labelled 'nightly'; `latlab runs label RUN nightly`"):
        store.resolve("latest:nightly")


def test_last_counts_back(own_store: str) -> None:
    store = open_store(own_store)
    ids = [store.begin(unfinished_run()) for _ in range(2)]
    assert [store.resolve(name) for name in ("last", "last~0", "last~1")] == [ids[1], ids[1], ids[0]]
    with pytest.raises(UsageError, match=r"last~2: .* has 2 runs"):
        store.resolve("last~2")
