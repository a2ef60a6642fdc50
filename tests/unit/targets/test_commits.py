# SPDX-License-Identifier: BSD-3-Clause
import os
from pathlib import Path

import pytest

from latlab.campaigns.commits import first_bad
from latlab.errors import UsageError
from latlab.targets import scratch
from latlab.targets.commits import Commit, Repository, tree_of
from support.processes import is_running, wait_until
from support.repositories import commit, git, new_repository, state

TEN = range(1, 11)
BUILD_S = 600


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = new_repository(tmp_path / "theirs")
    for number in TEN:
        commit(folder, f"change {number}", {"number": f"{number}\n"})
    return folder


def number_of(one: Commit) -> int:
    return int(one.subject.removeprefix("change "))


@pytest.mark.parametrize("first", range(2, 11))
def test_whichever_commit_is_the_first_bad_one_it_is_found_with_at_most_four_builds(folder: Path, first: int) -> None:
    repository = Repository(folder)
    asked: list[int] = []

    def is_bad(one: Commit) -> bool:
        asked.append(number_of(one))
        return number_of(one) >= first

    (found,) = first_bad(repository, *repository.ends("HEAD~9..HEAD"), is_bad)
    assert number_of(found) == first
    assert len(asked) == len(set(asked)) <= 4


def test_commits_that_cannot_be_measured_are_stepped_round(folder: Path) -> None:
    repository = Repository(folder)
    (found,) = first_bad(
        repository, *repository.ends("HEAD~9..HEAD"), lambda one: None if number_of(one) in (5, 6) else number_of(one) >= 8
    )
    assert number_of(found) == 8


def test_where_only_unmeasured_commits_are_left_all_that_may_be_the_first_are_named(folder: Path) -> None:
    repository = Repository(folder)
    found = first_bad(repository, *repository.ends("HEAD~9..HEAD"), lambda one: None if number_of(one) in (5, 6) else number_of(one) >= 7)
    assert sorted(map(number_of, found)) == [5, 6, 7]


def test_a_bad_commit_of_a_merged_branch_is_found_and_not_the_merge(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "-b", "side", "HEAD~5")
    guilty = commit(folder, "side 1", {"side": "1"})
    commit(folder, "side 2", {"side": "2"})
    git(folder, "checkout", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-edit", "side")
    repository = Repository(folder)
    (found,) = first_bad(repository, *repository.ends("HEAD~9..HEAD"), lambda one: one.subject.startswith(("side", "Merge")))
    assert found.sha == guilty


def test_a_build_sees_its_own_commit_alone_and_nothing_of_the_make_and_git_around_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MAKEFLAGS", "-j2 --jobserver-auth=3,4")
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    (folder / "uncommitted").write_text("mine")
    before = state(folder)
    repository = Repository(folder)
    with tree_of(repository) as tree:
        for name in ("HEAD~3", "HEAD"):
            one = repository.commit(name)
            command = f'test $(cat number) = {number_of(one)} && test -z "$MAKEFLAGS$GIT_DIR" && test ! -e uncommitted && mkdir out'
            assert tree.build(one, command, BUILD_S).sentence == ""
            assert (tree.folder / "out").is_dir()
        kept = tree.folder
    assert not kept.exists()
    assert state(folder) == before


def test_a_build_that_fails_or_takes_too_long_says_so_and_leaves_no_process(folder: Path, tmp_path: Path) -> None:
    repository = Repository(folder)
    with tree_of(repository) as tree:
        one = repository.commit("HEAD")
        assert tree.build(one, "echo working; echo no such header >&2; exit 3", BUILD_S).sentence == (
            "the build ended with status 3; it said last: 'no such header'"
        )
        said = tree.build(one, f"sleep 1000 & echo $! > {tmp_path}/pid; wait", 1).sentence
        assert said == "the build took more than 1 s and was ended"
        pid = int((tmp_path / "pid").read_text())
        wait_until(lambda: not is_running(pid))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("HEAD", "no range"),
        ("..HEAD", "no range"),
        ("HEAD~1..", "no range"),
        ("HEAD~1...HEAD", "no range"),
        ("HEAD..HEAD", "nothing in between"),
        ("HEAD..HEAD~1", "no ancestor"),
        ("nobody..HEAD", "no commit"),
        ("--all..HEAD", "no commit"),
    ],
)
def test_what_is_no_range_of_commits_is_refused(folder: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Repository(folder).ends(text)


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no git repository"):
        Repository(tmp_path)
    assert not [path for path in scratch.abandoned() if str(os.getpid()) in path.name]
