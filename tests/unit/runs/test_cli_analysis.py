# SPDX-License-Identifier: BSD-3-Clause
import json
import subprocess
from dataclasses import replace

import pytest

from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId
from latlab.core.store import run_json
from latlab.core.store.store import open_store
from latlab.psa.attack_results import Attacks
from support import preloaded
from support.command import latlab
from support.idle_trees import idle_tree
from support.ladder_model import Truth, make_run
from support.places import RT_DATA
from support.runs import changed, unfinished_run

V9, V10 = "published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10"


def test_a_tail_of_a_test_that_the_run_has_not_names_those_that_it_has():
    done = latlab("extremes", V9, "--test", "nosuch")
    assert done.returncode == 2 and "no test 'nosuch'; it has susp_deep_parallel, " in done.stderr


def test_the_installed_command_exits_with_the_verdict():
    done = subprocess.run([preloaded.command(), "gate", V9, V10], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout.splitlines()[0].startswith("fail: 12 of ")


def test_a_comparison_fits_one_screen_and_exits_with_its_verdict():
    done = latlab("compare", V9, V10)
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and done.stderr == ""
    assert len(lines) <= 56 and max(map(len, lines)) <= 120
    assert "7 percentages printed beside the second run's figures, none of them regressed" in done.stdout
    assert lines[1].startswith("Wakeup regressed by ")


def test_verbose_shows_the_cells_and_the_places():
    done = latlab("compare", V9, V10, "--verbose")
    assert "First run's queue model" in done.stdout and "104.58" in done.stdout and "1.3" in done.stdout


@pytest.mark.parametrize(
    ("format", "begins"), [("json", "{"), ("csv", "test,metric,"), ("rst", "PSCI Performance"), ("html", "<!doctype html>")]
)
def test_a_comparison_is_written_in_every_format(format, begins, tmp_path):
    target = tmp_path / "out"
    done = latlab("compare", V9, V10, "--format", format, "-o", str(target))
    assert done.returncode == 1 and target.read_text("utf-8").startswith(begins)


def test_the_report_of_two_runs_is_their_comparison():
    done = latlab("report", V9, V10, "--format", "rst")
    assert done.returncode == 0 and "compared with" in done.stdout


def test_explain_tells_sentences_and_json():
    assert "behind five cores" in latlab("explain", V9).stdout
    told = json.loads(latlab("explain", V9, V10, "--format", "json").stdout)
    assert told[0]["basis"] == "inferred"


def test_an_explanation_says_its_clock_and_how_many_samples_it_stands_on():
    counted = f"{V9}: system counter (time), 96 samples, 1 for each data point"
    assert latlab("explain", V9).stdout.splitlines()[0] == counted
    assert counted in latlab("explain", V9, V10).stdout.splitlines()


def test_a_run_of_attacks_has_nothing_to_explain(tmp_path):
    store = str(tmp_path / "store.sqlite")
    run_id = open_store(store).begin(replace(unfinished_run(), contents=Attacks()))
    done = latlab("explain", run_id, "--store", store)
    assert done.returncode == 0 and done.stderr.startswith("nothing to explain")
    assert done.stdout.splitlines()[0] == f"{run_id}: no samples"


def test_a_log_without_figures_is_refused_by_its_name_alone(tmp_path):
    log = tmp_path / "boot.log"
    log.write_text("U-Boot 2026.01\n")
    assert latlab("compare", str(log), V9).stderr == f"latlab: {log}: the log holds no RT_INSTR figure; give the whole console log\n"


def test_the_gate_passes_what_it_is_not_told_to_fail(tmp_path):
    assert latlab("gate", V9, V10).returncode == 1
    done = latlab("gate", V9, V10, "--fail-on", "improved", "--junit", str(tmp_path / "j.xml"))
    assert done.stdout.splitlines()[0].startswith("pass: no row improved; rows: 12 regressed, ")
    assert done.returncode == 0 and (tmp_path / "j.xml").exists()


def test_the_gate_judges_no_run_by_itself_under_whichever_names(tmp_path):
    """A job that labels its last run and gates it at once, with no run between."""
    twice = latlab("gate", V9, V9)
    assert twice.returncode == 2 and f"{V9} twice: the same run" in twice.stderr
    store = ("--store", str(tmp_path / "runs.db"))
    log = tmp_path / "cyclictest.log"
    log.write_text("T: 0 (   7) P:80 I:1000 C:   5000 Min:      4 Act:    5 Avg:    6 Max:       9\n")
    assert latlab("import", str(log), *store).returncode == 0
    assert latlab("runs", "label", "last", "main", *store).returncode == 0
    refused = latlab("gate", "latest:main", "last", *store)
    assert refused.returncode == 2 and "latest:main and last: the same run" in refused.stderr
    log.write_text("T: 0 (   7) P:80 I:1000 C:   5001 Min:      4 Act:    5 Avg:    6 Max:       8\n")
    assert latlab("import", str(log), *store).returncode == 0
    assert latlab("gate", "latest:main", "last", *store).returncode == 3
    assert latlab("gate", "last", "last", *store).returncode == 2
    among = latlab("gate", "last~1+last", "last", *store)
    assert among.returncode == 2 and "last~1+last and last: the same run" in among.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("compare", V9, "published:ti/am62l/11.00"), 3, "the platform differs"),
        (("compare", V9, "published:none"), 2, "is not in the catalogue"),
        (("compare", V9, V10, "--tolerance", "200"), 2, "is not a percentage"),
        (("gate", V9, V10, "--fail-on", "worse"), 2, "is not a list of verdicts"),
        (("gate", V9), 2, f"gate compares two runs and has {V9} alone; name the candidate too, or a limit with --limit or --max-masked"),
        (("gate", "psci-1", "psci-2", "--max-masked", "9"), 2, "--max-masked judges one run; leave out psci-1 or psci-2"),
        (("gate", "psci-1", "--max-masked", "9", "--unit", "ns"), 2, "--max-masked compares nothing; leave out --unit"),
        (("gate", "psci-1", "--max-masked", "9"), 2, "has no runs"),
        (("explain", V9, "--board", "n1sdp"), 2, "--board is for the difference of two runs; name the second one"),
        (("explain", V9, V10, "--board", "am62l"), 2, "no release of it was published and counted; there are juno, n1sdp"),
        (("gate", V9, V10, "--board", "juno"), 2, "has no classes of instructions; measure it with --classes"),
        (("fit", "--counted", V9, V10), 3, "2 releases are too few for costs of classes; name 3 or more"),
        (("predict", V10, "--counted"), 3, "0 releases are too few for costs of classes; name 3 or more"),
        (("extremes", V9, "--metric", "speed"), 2, "is no metric"),
        (("history", "*/step", V9), 2, "needs two runs"),
        (("export", V9, "--format", "chrome"), 2, "has no traces"),
        (("export", V9, "--format", "perfetto", "-o", "a.pftrace"), 3, f"{V9}: none of its data have a time"),
        (("export", V9, "--format", "perfetto"), 2, "perfetto is not text"),
        (("export", V9, "--format", "csv", "--test", "cpu_susp_serial"), 2, "--test is for --format chrome"),
        (("export", V9, "--build-id", "x"), 2, "--build-id is for --format kcidb"),
        (("run", "psci", "--power-cycle"), 2, "--power-cycle is for a board"),
        (("run", "psci", "--target", "virtual:juno", "--gic", "2"), 2, "--gic has no effect in virtual time"),
        (("compare", "/etc/hostname", V9), 2, "is not read"),
        (("compare", V9, V9, "-o", "x.txt"), 2, "name another --format"),
        (("history", "*/powerdown/step", V9, V10, "-o", "x.txt"), 2, "name another --format"),
        (("explain", V9, ""), 2, "'' is no file"),
        (("check-dt", V9, "/etc/hostname"), 3, "hostname: not a flattened device tree"),
        (("check-dt", V9, "no.dtb"), 2, "no.dtb"),
        (("extremes", V9, "--once-in", "nan"), 2, "must be more than 1 and at most"),
        (("extremes", V9, "--once-in", "1e300"), 2, "must be more than 1 and at most"),
        (("explore", "--walks", "10"), 2, "are of one system"),
        (("explore", "--full", "--clusters", "2", "--programs", "1|1"), 2, "choose either"),
        (("explore", "--replay", ""), 2, "is --clusters and --programs together"),
        (("compare", str(RT_DATA / "cyclictest-h.txt"), V9), 2, f"keep it with `latlab import {RT_DATA / 'cyclictest-h.txt'}`"),
        (("compare", str(RT_DATA / "cyclictest.json"), V9), 2, f"keep it with `latlab import {RT_DATA / 'cyclictest.json'}`"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_an_exit_code(arguments, code, said, tmp_path):
    open_store(str(tmp_path / "s.sqlite")).close()
    done = latlab(*arguments, store=tmp_path / "s.sqlite")
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


def test_a_tree_whose_entry_latency_is_too_short_is_told_and_corrected(tmp_path):
    cpus, tree, nodes = (0, 1, 0x100, 0x101, 0x102, 0x103), tmp_path / "juno.dtb", tmp_path / "corrected.dtsi"
    state = {"arm,psci-suspend-param": 0x10000, "entry-latency-us": 300, "exit-latency-us": 1200, "min-residency-us": 2000}
    tree.write_bytes(idle_tree(cpus, {"cpu-sleep-0": state}))
    done = latlab("check-dt", "published:tf-a/juno/v2.15", str(tree), "-o", str(nodes))
    assert done.returncode == 1 and "too short" in done.stdout
    assert "&{/cpus/idle-states/cpu-sleep-0} {\n\tentry-latency-us = <831>; /* was 300; 830.9 us," in nodes.read_text()
    found = json.loads(latlab("check-dt", "published:tf-a/juno/v2.15", str(tree), "--format", "json").stdout)["latencies"]
    assert [(one["property"], one["correct_us"]) for one in found if one["finding"] == "too short"] == [("entry-latency-us", 831)]
    tree.write_bytes(idle_tree(cpus, {"cpu-sleep-0": state | {"entry-latency-us": 831}}))
    again = latlab("check-dt", "published:tf-a/juno/v2.15", str(tree), "-o", str(tmp_path / "none.dtsi"))
    assert again.returncode == 0 and "no value needs a correction" in again.stderr and not (tmp_path / "none.dtsi").exists()
    tree.write_bytes(idle_tree(cpus, {"cpu-sleep-0": state | {"arm,psci-suspend-param": 0x40000003}}))
    assert latlab("check-dt", "published:tf-a/juno/v2.15", str(tree)).returncode == 3
    refused = latlab("check-dt", "published:tf-a/juno/v2.15", str(tree), "--state", "cpu-sleep-0")
    assert refused.returncode == 2 and "write the state's node and its tests, such as" in refused.stderr


def test_a_gate_passes_no_candidate_that_lacks_what_the_base_has(tmp_path):
    whole = make_run(Truth(), 1, name="whole")
    left = {
        "a partial run": replace(whole, status=RunStatus.PARTIAL),
        "a test": changed(whole, samples=tuple(s for s in whole.samples if s.test != "cpu_susp_serial")),
        "a core": changed(whole, samples=tuple(s for s in whole.samples if s.core != CoreId(1, 3) or s.test == "cpu_susp_serial")),
        "a metric": changed(whole, samples=tuple(s for s in whole.samples if s.metric is not Metric.WAKEUP)),
    }
    base = tmp_path / "whole.json"
    base.write_text(run_json.render(whole))
    for name, run in left.items():
        candidate, junit = tmp_path / f"{name}.json", tmp_path / "j.xml"
        candidate.write_text(run_json.render(replace(run, id=name)))
        done = latlab("gate", str(base), str(candidate), "--junit", str(junit))
        assert done.returncode == 3 and "missing data" in done.stdout, name
        assert 'classname="not judged"' in junit.read_text()
        assert latlab("compare", str(base), str(candidate)).returncode == 3
        more = latlab("gate", str(candidate), str(base))
        assert more.returncode == (3 if name in ("a partial run", "a core") else 0), name


def test_a_tail_without_enough_samples_exits_with_cannot_tell():
    done = latlab("extremes", V9, "--test", "cpu_susp_serial")
    assert done.returncode == 3 and "no estimate" in done.stdout


def test_exported_runs_are_compared_from_their_files(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.json").write_text(run_json.render(make_run(Truth(), seed, name=name)))
    done = latlab("compare", str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    assert done.returncode == 0 and "unchanged (tail inconclusive)" in done.stdout.splitlines()[0]


def test_two_files_of_one_run_are_told_apart_by_their_names(tmp_path):
    run = make_run(Truth(), 1, name="run")
    paths = [tmp_path / "before.json", tmp_path / "after.json"]
    for path, platform in zip(paths, ("one", "other"), strict=True):
        path.write_text(run_json.render(replace(run, platform=platform)))
    assert f"one in {paths[0]} and other in {paths[1]}" in latlab("compare", *map(str, paths)).stderr


def test_every_format_of_export_says_something():
    for format in ("json", "csv", "junit", "benchmark", "squad", "kcidb"):
        assert latlab("export", V9, "--format", format).stdout, format


def test_a_history_in_markdown_has_the_table_that_stands_for_its_picture():
    done = latlab("history", "susp_deep_serial/powerdown/0.1", V9, V10, "--format", "md")
    assert done.returncode == 0 and "| Run | Value |" in done.stdout and "dashed rules" not in done.stdout
