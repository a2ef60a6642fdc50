# SPDX-License-Identifier: BSD-3-Clause
import os
from pathlib import Path

import pytest

from latlab.commits.campaign.bisecting import first_bad
from latlab.commits.targets import Built, Commit, Making, Repository, tree_of
from latlab.core.errors import UsageError
from latlab.core.targets import scratch
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
            assert tree.build(one, Making(command, BUILD_S)).sentence == ""
            assert (tree.folder / "out").is_dir()
        kept = tree.folder
    assert not kept.exists()
    assert state(folder) == before


def test_a_build_that_fails_or_takes_too_long_says_so_and_leaves_no_process(folder: Path, tmp_path: Path) -> None:
    repository = Repository(folder)
    with tree_of(repository) as tree:
        one = repository.commit("HEAD")
        failed = tree.build(one, Making("echo working; echo no such header >&2; exit 3", BUILD_S))
        assert failed.sentence == "the build ended with status 3; its last lines: 'no such header'"
        assert failed.log == b"working\nno such header\n"
        said = tree.build(one, Making(f"sleep 1000 & echo $! > {tmp_path}/pid; wait", 1)).sentence
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


def test_a_range_has_the_first_parent_s_side_and_with_paths_only_what_changes_them(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "-b", "side", "HEAD~1")
    commit(folder, "side 1", {"side": "1"})
    commit(folder, "side 2", {"side": "2"})
    git(folder, "checkout", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-ff", "-m", "merged", "side")
    commit(folder, "after", {"other": "1"})
    repository = Repository(folder)
    ends = repository.ends("HEAD~4..HEAD")
    assert [one.subject for one in repository.between(*ends)] == ["change 8", "change 9", "change 10", "merged", "after"]
    assert [one.subject for one in repository.between(*ends, ["side"])] == ["change 8", "merged"]
    assert [one.subject for one in repository.between(*ends, [".", ":!side", ":!number"])] == ["change 8", "after"]
    assert [one.subject for one in repository.brought(repository.commit("HEAD~1"))] == ["side 1", "side 2"]
    assert repository.brought(ends[1]) == []
    with pytest.raises(UsageError, match="--paths nothing: no commit of the range changes any of them"):
        repository.between(*ends, ["nothing"])


def test_tags_are_taken_of_a_range_or_of_all_before_head_each_commit_once(folder: Path) -> None:
    repository = Repository(folder)
    with pytest.raises(UsageError, match=r"--tags v\*: no tag of .* before HEAD matches it"):
        repository.tagged("v*")
    for name, place in (("v1", "HEAD~5"), ("v1.0", "HEAD~5"), ("v2", "HEAD~1"), ("other", "HEAD")):
        git(folder, "tag", "-a", "-m", name, name, place)
    assert [(one.tag, one.subject) for one in repository.tagged("v*")] == [("v1", "change 5"), ("v2", "change 9")]
    assert str(repository.tagged("v2")[0]) == f"v2 ({git(folder, 'rev-parse', 'HEAD~1')[:12]})"
    assert [one.subject for one in repository.tagged("v*", repository.ends("HEAD~3..HEAD"))] == ["change 9"]


def test_a_commit_says_what_it_says_of_itself_without_its_trailers(folder: Path) -> None:
    commit(
        folder, "faster\n\nTwice as fast on my board:\n\n  10 us\n\nSigned-off-by: a tester <tester@example.org>\nChange-Id: I1", {"a": "1"}
    )
    one = Repository(folder).commit("HEAD")
    assert (one.subject, one.message) == ("faster", "Twice as fast on my board:\n\n  10 us")
    assert one.authored == git(folder, "log", "-1", "--format=%as")
    assert Repository(folder).commit("HEAD~1").message == ""
    with pytest.raises(UsageError, match='"change 1" has no parent to be compared with'):
        Repository(folder).first_parent(Repository(folder).commit("HEAD~10"))


def test_the_first_patch_that_applies_is_applied_and_one_that_is_there_changes_nothing(folder: Path, tmp_path: Path) -> None:
    patches = []
    for number in (9, 3):
        path = tmp_path / f"{number}.patch"
        path.write_text(f"--- a/number\n+++ b/number\n@@ -1 +1 @@\n-{number}\n+{number}00\n")
        patches.append(path)
    repository, before = Repository(folder), state(folder)
    with tree_of(repository) as tree:

        def built(name: str, number: str) -> Built:
            return tree.build(repository.commit(name), Making(f"test $(cat number) = {number}", BUILD_S, tuple(patches)))

        done = built("HEAD~7", "300")
        assert (done.sentence, done.patch[:17]) == ("", "3.patch, SHA-256 ")
        assert built("HEAD~1", "900").patch.startswith("9.patch")
        assert built("HEAD", "10").sentence == "no patch applies to it: 9.patch, 3.patch"
    has = new_repository(tmp_path / "has")
    commit(has, "has it", {"number": "900\n"})
    with tree_of(Repository(has)) as tree:
        done = tree.build(Repository(has).commit("HEAD"), Making("true", BUILD_S, tuple(patches)))
        assert (done.sentence, done.patch) == ("", "none, it has 9.patch already")
    assert state(folder) == before
