# SPDX-License-Identifier: BSD-3-Clause
"""Which run a change is judged against: that of the nearest commit from which it descends, as people push, re-run and force."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import preloaded
from support.ci_root import Root
from support.forges import ME, Forge, forge
from support.repositories import git, new_repository
from support.slow_but import slow_but

FORGES = ("github", "gitea", "gitlab")


class Pushed(Root):
    """A repository with the jobs of a forge: each commit costs what its factor says."""

    def __init__(self, folder: Path) -> None:
        new_repository(folder)
        (folder / ".gitignore").write_text(".latlab\nlatlab-out\nfirmware.log\n")
        super().__init__(folder, has_git_program=True)

    def push(self, factor: int, onto: str = "") -> str:
        """A commit onto another, or onto the last one."""
        if onto:
            git(self.folder, "checkout", "--quiet", "--detach", onto)
        self.build(factor)
        (self.folder / "factor").write_text(f"{factor}")
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--allow-empty", "-m", f"factor {factor}")
        return git(self.folder, "rev-parse", "HEAD")

    def job(self, sha: str, branch: str = "", **variables: str) -> int:
        """The exit code of the job of a commit: of a branch, or of a change."""
        git(self.folder, "checkout", "--quiet", "--detach", sha)
        self.build(int((self.folder / "factor").read_text()))
        done = self.gate(branch, LATLAB_COMMIT=sha, **variables)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode

    def base(self) -> str:
        """The commit of the run that the comment was judged against, in its first letters; empty for none."""
        found = re.search(r"of commit \w+ compared with \S+ of commit (\w+)", self.text())
        return found[1] if found else ""


@pytest.fixture(name="here")
def fixture_here(tmp_path: Path) -> Pushed:
    return Pushed(tmp_path / "checkout")


@pytest.fixture(name="there")
def fixture_there() -> Iterator[Forge]:
    with forge() as found:
        yield found


def test_an_old_job_that_is_run_again_is_no_newer_baseline(here: Pushed) -> None:
    a = here.push(1)
    b = here.push(2)
    assert (here.job(a, "main"), here.job(b, "main")) == (0, 1)
    assert here.job(a, "main") == 0 and "No run of main to judge against yet" in here.text()
    change = here.push(2, onto=b)
    assert here.job(change) == 0 and here.base() == b[:12]
    assert f"Commit {b[:12]} is the nearest measured one of main" in here.text() and "no commit lies between them" in here.text()
    slower = here.push(4, onto=change)
    assert here.job(slower) == 1 and here.base() == b[:12] and "one commit lies between them" in here.text()


def test_a_change_of_an_older_commit_is_not_blamed_for_what_was_merged_since(here: Pushed) -> None:
    a = here.push(2)
    b = here.push(1)
    assert here.job(a, "main") == 0 and here.job(b, "main") == 0
    change = here.push(2, onto=a)
    assert here.job(change) == 0 and here.base() == a[:12]


@pytest.mark.slow
def test_each_of_two_branches_has_its_own_baseline(here: Pushed) -> None:
    a = here.push(1)
    stable = here.push(4, onto=a)
    main = here.push(2, onto=a)
    assert here.job(a, "main") == 0
    assert here.job(stable, "stable", LATLAB_BASELINE="stable") == 0
    assert here.job(main, "main") == 1
    assert here.job(here.push(4, onto=stable), LATLAB_BASELINE="stable") == 0 and here.base() == stable[:12]
    assert here.job(here.push(2, onto=main)) == 0 and here.base() == main[:12]


def test_what_waits_in_a_merge_queue_is_judged_against_the_branch_and_becomes_no_baseline(here: Pushed) -> None:
    a = here.push(1)
    first, second = here.push(1), here.push(2)
    assert here.job(a, "main") == 0
    assert here.job(first) == 0 and here.base() == a[:12]
    assert here.job(second) == 1 and here.base() == a[:12] and "one commit lies between them" in here.text()
    assert here.job(first, "main") == 0
    assert here.job(second) == 1 and here.base() == first[:12]


@pytest.mark.slow
def test_a_commit_that_was_forced_away_is_no_baseline(here: Pushed) -> None:
    a = here.push(2)
    gone = here.push(1)
    assert here.job(a, "main") == 0 and here.job(gone, "main") == 0
    forced = here.push(2, onto=a)
    assert here.job(forced, "main") == 0 and here.base() == a[:12]
    assert here.job(here.push(2, onto=forced)) == 0 and here.base() == forced[:12]


@pytest.mark.slow
def test_a_merge_is_judged_against_the_nearest_of_both_sides(here: Pushed) -> None:
    """As GitHub tests a pull request: a merge of the branch's tip."""
    a = here.push(1)
    b = here.push(2)
    assert here.job(a, "main") == 0 and here.job(b, "main") == 1
    topic = here.push(1, onto=a)
    git(here.folder, "checkout", "--quiet", "--detach", b)
    git(here.folder, "merge", "--quiet", "--no-edit", "-s", "ours", topic)
    assert here.job(git(here.folder, "rev-parse", "HEAD")) == 0 and here.base() == b[:12]


def test_a_change_that_descends_from_no_measured_commit_passes_and_says_so(here: Pushed) -> None:
    before = here.push(1)
    measured = here.push(2)
    assert here.job(measured, "main") == 0
    assert here.job(here.push(1, onto=before)) == 0
    assert "It has runs of 1 other commit, and this one descends from none of them." in here.text()


@pytest.mark.parametrize("name", slow_but(FORGES, "gitea"))
def test_without_a_history_in_the_checkout_the_forge_says_it(here: Pushed, there: Forge, tmp_path: Path, name: str) -> None:
    a = here.push(1)
    b = here.push(2)
    for sha in (a, b, a):
        here.job(sha, "main")
    change = here.push(2, onto=b)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{here.folder}", str(shallow))
    other = [f"{number:040x}" for number in range(130)]
    there.history = {change: [change, *other, b, a]}
    copied = Root(shallow, has_git_program=True)
    copied.build(2)
    store = str(here.folder / ".latlab/store.sqlite")
    known = getattr(there, name)()
    done = copied.gate(LATLAB_COMMIT=change, LATLAB_STORE=store, **known)
    assert done.returncode == 0 and f"Commit {b[:12]} is the nearest" in copied.text(), done.stdout + done.stderr + copied.text()
    there.history = {}
    done = copied.gate(LATLAB_COMMIT=change, LATLAB_STORE=store, **known)
    assert "the forge refused to list commits (404)" in copied.text() and "newest run of main in time" in copied.text()
    done = copied.gate(LATLAB_COMMIT=change, LATLAB_STORE=store)
    assert "newest run of main in time, because the checkout is shallow" in copied.text()


def test_the_lines_of_the_comment_work_on_another_machine_with_the_artifact_alone(here: Pushed, tmp_path: Path) -> None:
    assert here.job(here.push(1), "main") == 0
    assert here.job(here.push(3), LATLAB_DOWNLOAD="cp ../artifact/runs.sqlite .") == 1
    (tmp_path / "artifact").mkdir()
    (tmp_path / "artifact/runs.sqlite").write_bytes((here.folder / "latlab-out/runs.sqlite").read_bytes())
    other = tmp_path / "maintainer"
    other.mkdir()
    (block,) = re.findall(r"```\n?(?:\w*\n)?(.*?)```", here.text(), re.DOTALL)
    lines = [line for line in block.splitlines() if not line.startswith("latlab import")]
    assert lines[0].startswith("cp ") and lines[1].endswith(" --store runs.sqlite")
    known = {"PATH": f"{Path(preloaded.command()).parent}:/usr/bin:/bin", "HOME": str(other)}
    done = subprocess.run(("sh", "-ec", "\n".join(lines)), cwd=other, env=known, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr


def test_no_sentence_of_a_comment_stands_twice(here: Pushed) -> None:
    assert here.job(here.push(1), "main") == 0
    assert here.job(here.push(3)) == 1
    sentences = [line.lstrip("- ").rstrip(".") for line in here.text().splitlines() if len(line) > 30 and not line.startswith("|")]
    assert len(sentences) == len(set(sentences))
    for sentence in sentences:
        assert sum(sentence in other for other in sentences) == 1, sentence


@pytest.mark.parametrize("name", slow_but(FORGES, "gitea"))
def test_an_unchanged_change_gets_no_comment_unless_asked_and_replaces_a_bad_one(here: Pushed, there: Forge, name: str) -> None:
    known = getattr(there, name)()
    a = here.push(1)
    assert here.job(a, "main") == 0
    change = here.push(1)
    assert here.job(change) == 0
    done = here.do("comment.py", "latlab-out/comment.md", **known)
    assert done.returncode == 0 and done.stdout == "nothing changed, so there is no comment\n" and not there.bodies(ME)
    assert here.do("comment.py", "latlab-out/comment.md", LATLAB_COMMENT="always", **known).returncode == 0
    assert len(there.bodies(ME)) == 1
    assert here.job(here.push(3)) == 1
    here.do("comment.py", "latlab-out/comment.md", **known)
    assert "# latlab gate fails" in there.bodies(ME)[0]
    assert here.job(here.push(1)) == 0
    here.do("comment.py", "latlab-out/comment.md", **known)
    assert len(there.bodies(ME)) == 1 and "# latlab gate passes" in there.bodies(ME)[0]


def test_a_second_use_in_one_job_needs_a_name(here: Pushed, tmp_path: Path) -> None:
    sha = here.push(1)
    env = tmp_path / "env"
    assert here.job(sha, "main", GITHUB_ENV=str(env), LATLAB_JOB="ci one") == 0
    told = dict(line.split("=") for line in env.read_text().splitlines())
    done = here.gate("main", GITHUB_ENV=str(env), LATLAB_JOB="ci one", LATLAB_COMMIT=sha, **told)
    assert done.returncode == 2 and "give each use a `name` of its own" in done.stderr
    assert here.text()
    assert here.job(sha, "main", GITHUB_ENV=str(env), LATLAB_JOB="ci two", **told) == 0
