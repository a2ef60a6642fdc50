# SPDX-License-Identifier: BSD-3-Clause
"""`latlab report` to a file and to standard output, in each of its forms."""

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import Spans, Tick
from latlab.core.store.store import open_store
from latlab.psa.campaign.measure import SYMBOLS_LOG
from support.places import RT_DATA
from unit.core.test_guide import psa_results
from unit.psci.test_report import make_run


@pytest.fixture
def store(tmp_path, monkeypatch):
    place = str(tmp_path / "store.sqlite")
    monkeypatch.setenv("LATLAB_STORE", place)
    return open_store(place)


def latlab(*arguments):
    app([*map(str, arguments)], standalone_mode=False)


def keep(store, run, logs=None):
    """The run in the store, under an id of its own."""
    run_id = store.begin(replace(run, contents=Spans()))
    store.add(run_id, run.samples, run.traces, run.problems, logs)
    store.finish(run_id, run.status)
    return run_id


def keep_psa(store, cost=1, **changes):
    for result in psa_results():
        run = replace(result.run, status=RunStatus.COMPLETE, **changes)
        samples = tuple(replace(sample, value_ticks=sample.value_ticks * cost) for sample in run.samples)
        keep(store, replace(run, contents=Spans(samples, run.traces)), {SYMBOLS_LOG: b"100 before\n200 masks\n"})


def test_a_file_gets_the_page_with_its_pictures_and_standard_output_the_tables(store, tmp_path, capsys):
    keep(store, make_run(command=("qemu", "-smp")))
    latlab("report", "--format", "md", "-o", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "## Commentary" in text and "(page-img/susp-deep-serial-0.svg)" in text
    assert (tmp_path / "page-img" / "susp-deep-serial-0.png").exists()
    capsys.readouterr()
    latlab("report", "--format", "md")
    printed = capsys.readouterr().out
    assert "## Results" in printed and "Commentary" not in printed and ".svg" not in printed


def test_pictures_of_a_simulation_lie_in_a_folder_that_says_so(store, tmp_path):
    keep(store, make_run(tick=Tick(Clock.VIRTUAL, 1.0)))
    latlab("report", "--format", "md", "-o", tmp_path / "page.md")
    assert (tmp_path / "page-simulated-img" / "susp-deep-serial-0.png").exists()
    assert "page-simulated-img/susp-deep-serial-0.svg" in (tmp_path / "page.md").read_text()


@pytest.mark.parametrize("form", ["rst", "md"])
def test_a_run_of_wakeups_is_a_page_with_its_histogram(store, tmp_path, form):
    latlab("import", RT_DATA / "cyclictest-h.txt", "--platform", "am62l")
    latlab("report", "--format", form, "-o", tmp_path / f"rt.{form}")
    assert "rt-img/m0-0.svg" in (tmp_path / f"rt.{form}").read_text()
    assert (tmp_path / "rt-img" / "m0-0.png").exists()


def test_every_build_that_was_measured_alike_stands_on_one_page_by_its_newest_run(store, tmp_path):
    keep_psa(store, cost=7)
    keep_psa(store)
    keep_psa(store, cost=9, conditions=Conditions(interrupt_priority=0xE0))
    keep_psa(store, cost=11, emulator="another")
    newest = [run.id for run in store.runs()][3]
    latlab("report", newest, "--builds", "--format", "md", "-o", tmp_path / "psa.md")
    text = (tmp_path / "psa.md").read_text()
    assert "| call | sfn\\_l1 | ipc\\_l2 |" in text and "| ns\\_call\\_0 | 100 | 300 |" in text
    latlab("report", newest, "--format", "md", "-o", tmp_path / "one.md")
    assert "| call | ipc\\_l2 |\n" in (tmp_path / "one.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--builds",), "--builds is for one run as a page in a file"),
        (("--builds", "--format", "md"), "--builds is for one run as a page in a file"),
        (("--builds", "--format", "md", "-o", "x.md"), "puts builds of the psa campaign side by side"),
    ],
)
def test_builds_are_refused_where_there_are_none(store, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    keep(store, make_run())
    with pytest.raises(UsageError, match=sentence):
        latlab("report", *arguments)
    assert not (tmp_path / "x.md").exists()


def test_a_comparison_is_a_document_in_markdown_too(store, tmp_path):
    one, other = "published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10"
    latlab("report", one, other, "--format", "md", "-o", tmp_path / "c.md")
    assert "## What changed" in (tmp_path / "c.md").read_text()


def test_a_published_table_is_shown_and_reported_as_a_run_is(tmp_path, capsys):
    """What `compare` takes, the verbs that look at one run take too."""
    latlab("show", "published:tf-a/juno/v2.10")
    assert "CPU_SUSPEND latencies" in capsys.readouterr().out
    latlab("report", "published:ti/am62l/12.00", "-o", tmp_path / "ti.html")
    assert "72.0 µs on CPU 1" in (tmp_path / "ti.html").read_text().replace("&nbsp;", " ")
    latlab("ls", "--published")
    assert "published:tf-a/juno/2017" in capsys.readouterr().out
    latlab("ls", "--published", "--format", "csv")
    assert "published:ti/am62l/12.00,am62l," in capsys.readouterr().out
    with pytest.raises(UsageError, match="is not in the catalogue"):
        latlab("show", "published:tf-a/nothing")


@pytest.mark.parametrize(
    ("name", "options", "ending"),
    [("run.pdf", (), ".html"), ("run.md", (), ".html"), ("run.html", ("--format", "rst"), ".rst"), ("RUN.JSON", ("--format", "md"), ".md")],
)
def test_a_file_that_promises_another_document_is_refused_before_it_is_written(tmp_path, name, options, ending):
    with pytest.raises(UsageError, match=rf"ends in \{Path(name).suffix}, and this writes [A-Z]+; end the name in \{ending}"):
        latlab("report", "published:tf-a/juno/v2.10", "-o", tmp_path / name, *options)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["run.html", "run.HTM", "run"])
def test_a_file_of_the_document_or_without_an_ending_is_written(tmp_path, name):
    latlab("report", "published:tf-a/juno/v2.10", "-o", tmp_path / name)
    assert (tmp_path / name).read_text().startswith("<!doctype html>")
