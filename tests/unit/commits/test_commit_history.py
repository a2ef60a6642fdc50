# SPDX-License-Identifier: BSD-3-Clause
"""The history of a firmware's commits: the repository and the store are real, what is measured of a commit is made up."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.calls.analysis.span_functions import Move
from latlab.calls.targets.subject import subject_of_file
from latlab.commits.analysis import FigureStep
from latlab.commits.campaign.commit_history import chosen, histories, not_measured
from latlab.commits.campaign.commits import CommitJob, CommitOutcome, Measurer, Recipe, WatchedBuild, measure
from latlab.commits.pages.commit_history import _figure, commits_json, page
from latlab.commits.targets import Making, Repository
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import InstructionClass, Metric, RunStatus
from latlab.core.model.run import (
    COMMIT,
    FAILED,
    MESSAGE,
    RECIPE,
    Build,
    ClassShare,
    CoreId,
    FunctionShare,
    Problem,
    Run,
    Sample,
    SpanFunctions,
    Spans,
    Topology,
)
from latlab.core.report.renderers import markdown
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import Qemu
from latlab.virtual.campaign.board_times import costs_of
from support.repositories import commit, git, new_repository
from support.runs import INSTRUCTIONS, run_with

SPAN = ("off", Metric.POWERDOWN)
FASTER = "40 % faster on my board\n\n  10 us before, 6 us after"


class Lab:
    """In place of builds: `values` are instructions by the number of the commit and by recipe, or why there are none."""

    def __init__(self, folder: Path, values: dict[int, tuple[int | str, ...]]) -> None:
        self.values = values
        self.asked: list[int] = []
        self.told: list[str] = []
        self.store = open_store(str(folder / "store.db"))
        probe = folder / "probe.so"
        probe.write_bytes(b"probe")
        self.recipe = Recipe(Making("make", 60), WatchedBuild(command="machine"), Qemu(Path("qemu"), (10, 0, 2)), probe, 1, Limits(60, 60))

    def measurer(self, repository: Repository, recipes: int = 1, is_again: bool = False) -> Measurer:
        wanted = tuple(replace(self.recipe, iterations=number) for number in range(1, recipes + 1))
        return Measurer(self.store, self.store.place, repository, wanted, self.told.append, self._engine, is_again)

    def _engine(
        self, work: Callable[[CommitJob], tuple[CommitOutcome, ...]], jobs: Sequence[CommitJob]
    ) -> Iterator[tuple[CommitOutcome, ...]]:
        assert work is measure
        for job in jobs:
            one = Repository(job.repository).commit(job.sha)
            number = int(one.subject.removeprefix("change "))
            self.asked.append(number)
            values = [self.values[number][recipe.iterations - 1] for recipe in job.recipes]
            pairs = zip(values, job.digests, strict=True)
            yield tuple(self._kept(run_of(number, value, one.sha, digest, one.message)) for value, digest in pairs)

    def _kept(self, run: Run) -> CommitOutcome:
        run_id = self.store.begin(run)
        why = run.build.get_option(FAILED)
        self.store.add(run_id, run.samples, problems=[Problem(0, why)] if why else ())
        self.store.add(run_id, logs=_logs(run))
        self.store.finish(run_id, run.status)
        return CommitOutcome(run_id, why)


def _logs(run: Run) -> dict[str, bytes]:
    from latlab.core.store.function_files import FUNCTIONS_LOG, render_functions

    return {FUNCTIONS_LOG: render_functions(run.functions)} if run.functions else {}


def run_of(number: int, value: int | str, sha: str, digest: str, message: str) -> Run:
    options = ((COMMIT, sha), (RECIPE, digest), (MESSAGE, message))
    if isinstance(value, str):
        return run_with(build=Build("fw", options=(*options, (FAILED, value))), status=RunStatus.PARTIAL)
    core = CoreId(0, 0)
    shares = (FunctionShare("loop", "", value - 5), FunctionShare("rest", "", 5))
    classes = (ClassShare(InstructionClass.UNCACHED_LOAD, (value - 5, 5), ()),)
    spans = Spans((Sample(*SPAN, core, 0, 0, value),), functions=(SpanFunctions(*SPAN, core, 1, shares, classes=classes),))
    run = run_with(build=Build(f"fw {number}", options=options), contents=spans, tick=INSTRUCTIONS, topology=Topology((1,)))
    return replace(run, conditions=replace(run.conditions, processor="neoverse-n1"))


@pytest.fixture(name="repository", scope="module")
def fixture_repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = new_repository(tmp_path_factory.mktemp("history") / "theirs")
    for number in range(1, 6):
        commit(folder, f"change {number}" + (f"\n\n{FASTER}" if number in (4, 5) else ""), {"number": f"{number}\n"})
    git(folder, "tag", "v1", "HEAD~4")
    git(folder, "tag", "v2", "HEAD")
    return Repository(folder)


@pytest.fixture(name="lab")
def fixture_lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, {1: (100,), 2: (100,), 3: (102,), 4: (60,), 5: (60,)})


def shown(lab: Lab, repository: Repository, words: Sequence[str], tolerance: float = 0.0, is_again: bool = False) -> str:
    measurer = lab.measurer(repository, is_again=is_again)
    asked = chosen(repository, words, "", ())
    return markdown.document(page(histories(measurer, asked, tolerance, frozenset()), asked, not_measured(measurer)))


def test_each_commit_of_a_range_is_measured_once_and_what_moved_is_told_by_function_with_what_it_says_of_itself(
    lab: Lab, repository: Repository
) -> None:
    said = shown(lab, repository, ["HEAD~4..HEAD"])
    assert "off powerdown 102 to 60, -42 (-41.2 %): loop -42" in said and "off powerdown 100 to 102, +2 (+2.0 %): loop +2" in said
    assert (
        all(line.strip() in said for line in FASTER.splitlines())
        and said.count("40 % faster") == 1
        and "two commits of 4 moved a figure" in said
    )
    assert lab.asked == [1, 2, 3, 4, 5]
    assert shown(lab, repository, ["HEAD~4..HEAD"]) == said and lab.asked == [1, 2, 3, 4, 5]
    assert "building, the first of 5" in lab.told[0] and "(1 of 5, " in lab.told[1] and lab.told[1].count(" left)") == 1


def test_a_change_below_the_tolerance_is_not_told(lab: Lab, repository: Repository) -> None:
    said = shown(lab, repository, ["HEAD~4..HEAD"], 0.03)
    assert "100 to 102" not in said and "102 to 60" in said and "one commit of 4 moved a figure by more than 3 %, each" in said


def test_single_commits_are_compared_with_their_own_parents(lab: Lab, repository: Repository) -> None:
    said = shown(lab, repository, ["HEAD", "HEAD~2"])
    assert sorted(lab.asked) == [2, 3, 4, 5] and "100 to 102, +2" in said and "102 to 60" not in said
    assert "no figure moved" in said.split('"change 5"')[1] and "no figure moved" not in said.split('"change 5"')[0]


def test_what_does_not_build_is_named_and_what_it_changed_counts_with_the_next(lab: Lab, repository: Repository) -> None:
    lab.values[3] = ("the build ended with status 2",)
    said = shown(lab, repository, ["HEAD~4..HEAD"])
    assert '"change 3": the build ended with status 2' in said and "100 to 60" in said
    assert shown(lab, repository, ["HEAD~4..HEAD"]) == said and lab.asked == [1, 2, 3, 4, 5]
    lab.values[3] = (102,)
    assert "102 to 60" in shown(lab, repository, ["HEAD~4..HEAD"], is_again=True) and lab.asked[5:] == [3]
    assert "102 to 60" in shown(lab, repository, ["HEAD~4..HEAD"]) and lab.asked[5:] == [3]


def test_where_nothing_builds_one_sentence_says_why_the_first_did_not(lab: Lab, repository: Repository) -> None:
    lab.values = dict.fromkeys(range(1, 6), ("its last lines: 'aarch64-linux-gnu-gcc: not found'",))
    with pytest.raises(DataError, match=r'none of 5 commits can be measured; .*"change 1": its last lines: .*gcc: not found'):
        shown(lab, repository, ["HEAD~4..HEAD"])


def test_a_commit_is_built_once_for_all_that_is_measured_of_it_and_only_what_is_missing_is_asked_for(
    lab: Lab, repository: Repository
) -> None:
    lab.values = {number: (100 * number, 7 if number < 5 else 8) for number in range(1, 6)}
    shown(lab, repository, ["HEAD~4..HEAD"])
    lab.asked.clear()
    measurer, asked = lab.measurer(repository, 2), chosen(repository, ["HEAD~4..HEAD"], "", ())
    first, second = histories(measurer, asked, 0.0, frozenset())
    assert lab.asked == [1, 2, 3, 4, 5] and len(lab.store.runs()) == 10
    assert [len([one for one in each.changes if one.figures]) for each in (first, second)] == [4, 1]
    assert markdown.document(page([first, second], asked, ())).count("40 % faster") == 2
    told = json.loads(commits_json([first, second], asked, not_measured(measurer)))
    assert [one["figures"][0]["mean"] for one in told["histories"][1]["commits"]] == [7, 7, 7, 7, 8]


def test_a_killed_history_goes_on_where_it_was(lab: Lab, repository: Repository) -> None:
    kept = lab._kept

    def killed(run: Run) -> CommitOutcome:
        if len(lab.asked) == 3:
            raise KeyboardInterrupt
        return kept(run)

    lab._kept = killed  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        shown(lab, repository, ["HEAD~4..HEAD"])
    lab._kept = kept  # type: ignore[method-assign]
    shown(lab, repository, ["HEAD~4..HEAD"])
    assert lab.asked == [1, 2, 3, 3, 4, 5]


@pytest.mark.parametrize(
    ("words", "tags", "paths", "said"),
    [
        ([], "", [], "no commits are named"),
        (["HEAD~1..HEAD", "HEAD"], "", [], "is a range and 2 further names are given"),
        (["HEAD"], "v*", [], "--tags selects from a range"),
        (["HEAD"], "", ["number"], "--paths selects from a range"),
        (["HEAD~1..HEAD"], "v*", ["number"], "choose one of them"),
        ([], "w*", [], "no tag of .* before HEAD"),
        (["nobody"], "", [], "no commit"),
    ],
)
def test_what_is_no_choice_of_commits_is_refused(repository: Repository, words: list[str], tags: str, paths: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        chosen(repository, words, tags, paths)


def test_tags_alone_choose_releases_which_are_not_quoted(lab: Lab, repository: Repository) -> None:
    measurer, asked = lab.measurer(repository), chosen(repository, [], "v*", ())
    said = markdown.document(page(histories(measurer, asked, 0.0, frozenset()), asked, ()))
    assert [one.subject for one in asked.commits] == ["change 1", "change 5"] and "100 to 60" in said and "says of itself" not in said


def test_a_page_has_every_release_and_a_terminal_the_first_and_the_last_of_many(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("latlab.commits.pages.commit_history.MOST_WIDTH", 20)
    folder = new_repository(tmp_path / "tagged")
    for number in range(1, 6):
        commit(folder, f"change {number}", {"number": f"{number}\n"})
        git(folder, "tag", f"v{number}", "HEAD")
    asked = chosen(Repository(folder), [], "v*", ())
    found = histories(lab.measurer(Repository(folder)), asked, 0.0, frozenset())
    assert "| v1 | v2 | v3 | v4 | v5 |" in markdown.document(page(found, asked, (), is_wide=True))
    assert "| v1 | v5 |" in markdown.document(page(found, asked, ()))


def test_a_function_that_moved_by_less_than_is_printed_is_not_named() -> None:
    step = FigureStep(*SPAN, 10, 12.4, (Move("loop", "", 8, 10), Move("rest", "", 2, 2.4)))
    said = _figure(step, "insns")
    assert isinstance(said, tuple) and ": loop +2" in said


def test_a_worker_with_another_probe_or_out_of_reach_of_the_store_refuses(lab: Lab, repository: Repository) -> None:
    job = CommitJob(repository.folder, "HEAD", (lab.recipe,), ("another",), lab.store.place, ())
    with pytest.raises(UsageError, match="another latlab, probe, program or QEMU"):
        measure(job)
    with pytest.raises(UsageError, match=r"is a file of elsewhere; give a --store that workers of other machines reach"):
        measure(replace(job, host="elsewhere"))


def test_another_command_patch_or_choice_of_classes_is_another_measurement(lab: Lab) -> None:
    one, other = lab.recipe, replace(lab.recipe, has_classes=True)
    assert one.digest() == lab.recipe.digest() != other.digest()
    patched = replace(one, making=replace(one.making, patches=(one.probe,)))
    assert patched.digest() != one.digest() != replace(one, making=Making("make -j2", 60)).digest()


def test_a_job_goes_to_another_process_as_it_is(lab: Lab, repository: Repository) -> None:
    subject = replace(subject_of_file(Path("bl31.bin"), "raspi4b"), cpu="cortex-a72")
    job = CommitJob(repository.folder, "HEAD", (lab.recipe, replace(lab.recipe, subject=subject)), ("a", "b"), lab.store.place, ("latlab",))
    assert pickle.loads(pickle.dumps(job)) == job


def test_what_a_commit_changed_is_told_in_time_of_a_board_where_it_ran_on_its_processor(
    lab: Lab, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recipe, "_programs", lambda recipe: ())
    boards, costs = (
        [replace(subject_of_file(Path("bl31.bin"), "raspi4b"), cpu=cpu) for cpu in ("neoverse-n1", "cortex-a57")],
        costs_of("n1sdp"),
    )
    lab.values = {number: values * 2 for number, values in lab.values.items()}
    measurer = lab.measurer(repository, 2)
    measurer.recipes = tuple(replace(one, subject=board) for one, board in zip(measurer.recipes, boards, strict=True))
    asked = chosen(repository, ["HEAD~4..HEAD"], "", ())
    found = histories(measurer, asked, 0.0, frozenset(), costs)
    said = markdown.document(page(found, asked, ()))
    (each_ns,) = [cost.value_ns for cost in costs.fit.costs if cost.group == "outside of the caches"]
    assert f"-42 (-41.2 %): loop -42; by class: uncached load -42; on n1sdp {-42 * each_ns / 1000:.3g} µs (" in said
    assert said.count("on n1sdp ") == 2 and said.count("Times of n1sdp are predicted from the counts: costs by ") == 1
    first, second = json.loads(commits_json(found, asked, ()))["histories"]
    (time,) = first["changes"][2]["times"]
    assert (first["board"], second["board"]) == ("n1sdp", None) and not any(one["times"] for one in second["changes"])
    assert time["low_ns"] <= time["time_ns"] <= time["high_ns"] < 0 and "effects that are not counted" in first["changes"][2]["basis"]
