# SPDX-License-Identifier: BSD-3-Clause
"""Commits of somebody's git repository: named, ordered, checked out and built in a tree of our own. The repository is only read."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from latlab.core.errors import DataError, UsageError
from latlab.core.shown import significant
from latlab.core.targets.process.children import dies_with_parent, interrupts_wait
from latlab.core.targets.process.guardian import Guardian, end_group
from latlab.core.targets.scratch import scratch

NOT_INHERITED = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
SHORT = 12
FIELDS = ("%H", "%s", "%as", "%b", "%(trailers)")
TAIL_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Commit:
    """`authored` is its author's date, `message` what it says below its subject, without trailers; `tag` the release that it
    was chosen as."""

    sha: str
    subject: str
    authored: str = ""
    message: str = ""
    tag: str = ""

    def __str__(self) -> str:
        return f"{self.tag} ({self.sha[:SHORT]})" if self.tag else f'{self.sha[:SHORT]} "{self.subject}"'

    @property
    def short(self) -> str:
        return self.tag or self.sha[:SHORT]


@dataclass(frozen=True, slots=True)
class Built:
    """`sentence` says why it is no build, empty where it is one; `log` is then the end of what the build said. `patch` is the one that it
    was built with."""

    sentence: str = ""
    patch: str = ""
    log: bytes = b""


@dataclass(frozen=True, slots=True)
class Making:
    """How a tree is built: a command in a shell at its root, and patches of which the first that applies is applied before. Of a commit
    that has one of them already nothing is changed."""

    command: str
    timeout_s: float
    patches: tuple[Path, ...] = ()


class Repository:
    """What is asked of the user's repository."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("git") is None:
            raise UsageError("git is not installed; commits need it")
        self.folder = folder
        try:
            self.objects = Path(self._ask("rev-parse", "--path-format=absolute", "--git-path", "objects"))
        except DataError as error:
            raise UsageError("no git repository", "name one with --repo", place=folder) from error

    def ends(self, text: str) -> tuple[Commit, Commit]:
        """The two of `GOOD..BAD`. Raises UsageError where there are no two or the first is not an ancestor of the second."""
        good, dots, bad = text.partition("..")
        if not good or not dots or not bad or bad.startswith("."):
            raise UsageError(f"{text!r} is no range of commits", "write GOOD..BAD, such as v2.12..HEAD", value=text)
        first, last = self.commit(good), self.commit(bad)
        if first == last:
            raise UsageError(f"{text!r}: both are {first}; there is nothing in between", value=text)
        if subprocess.run(self._command("merge-base", "--is-ancestor", first.sha, last.sha), env=clean(), check=False).returncode:
            raise UsageError(f"{good} is no ancestor of {bad}", "name a good commit that the bad one was made from")
        return first, last

    def commit(self, name: str) -> Commit:
        try:
            sha = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except DataError as error:
            raise UsageError(f"{name!r} is no commit of {self.folder}", value=name) from error
        return self._commits("--no-walk", sha)[0]

    def between(self, good: Commit, bad: Commit, paths: Sequence[str] = ()) -> list[Commit]:
        """From the good one to the bad one, both with it, the oldest first; of merges the first parent's side. With `paths`, which may be
        pathspecs of git, of those in between only what changed one of them. Raises UsageError where nothing did."""
        changing = self._commits("--reverse", "--first-parent", f"{good.sha}..{bad.sha}", "--", *paths)
        if not changing:
            raise UsageError(
                f"--paths {' '.join(paths)}: no commit of the range changes any of them", "see `git log --first-parent -- PATH`"
            )
        return [good, *changing]

    def tagged(self, pattern: str, ends: tuple[Commit, Commit] | None = None) -> list[Commit]:
        """Those with a tag that matches, such as `v*`, the oldest first: of a range with its ends, else of all that HEAD was made from.
        Raises UsageError for none."""
        lines = self._ask("for-each-ref", "--format=%(refname:lstrip=2) %(objectname) %(*objectname)", f"refs/tags/{pattern}").splitlines()
        named = {words[-1]: words[0] for words in map(str.split, reversed(lines))}
        revisions = (ends[1].sha, f"^{ends[0].sha}") if ends else ("HEAD",)
        shas = [*([ends[0].sha] if ends else []), *self._ask("rev-list", "--reverse", "--topo-order", *revisions).split()]
        tagged_shas = [sha for sha in shas if sha in named]
        if not tagged_shas:
            raise UsageError(
                f"--tags {pattern}: no tag of {self.folder} {'in this range' if ends else 'before HEAD'} matches it", value=pattern
            )
        return [replace(commit, tag=named[commit.sha]) for commit in self._commits("--no-walk=unsorted", *tagged_shas)]

    def by_date(self, commits: Iterable[Commit]) -> list[Commit]:
        """Each once, the oldest first."""
        return self._commits("--no-walk=sorted", *(commit.sha for commit in commits))[::-1]

    def brought(self, commit: Commit) -> list[Commit]:
        """What a merge brought, the oldest first; empty where it is no merge."""
        parents = self._ask("rev-list", "--parents", "--no-walk", commit.sha).split()[1:]
        return self._commits("--reverse", "--no-merges", commit.sha, f"^{parents[0]}") if len(parents) > 1 else []

    def candidates(self, bad: Commit, goods: Sequence[Commit]) -> list[str]:
        """What may be the first bad one, that which halves the rest best at the head."""
        lines = self._ask("rev-list", "--bisect-all", bad.sha, *(f"^{good.sha}" for good in goods)).splitlines()
        return [line.split()[0] for line in lines]

    def first_parent(self, commit: Commit) -> Commit:
        try:
            return self.commit(f"{commit.sha}^1")
        except UsageError as error:
            raise UsageError(f"{commit} has no parent to be compared with", "name another commit") from error

    def _commits(self, *which: str) -> list[Commit]:
        log_text = self._ask("log", f"--format={'%x00'.join(FIELDS)}%x00%x01", *which)
        return [_commit_of(record.lstrip("\n").split("\0")) for record in log_text.split("\x01") if record.strip()]

    def _command(self, *words: str) -> tuple[str, ...]:
        return ("git", "-C", str(self.folder), "-c", "log.showSignature=false", *words)

    def _ask(self, *words: str) -> str:
        return _output_of(self._command(*words))


class WorkTree:
    """A work tree of our own on the repository's objects, and what is built in it."""

    def __init__(self, folder: Path, repository: Repository, guardian: Guardian) -> None:
        self.folder = folder / "tree"
        self._log = folder / "build.log"
        self._guardian = guardian
        _output_of(("git", "init", "--quiet", str(self.folder)))
        alternates = self.folder / ".git" / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{repository.objects}\n", "utf-8")

    def build(self, commit: Commit, making: Making) -> Built:
        """The commit as it is but for a patch, nothing of another's build beside it, and the user's command in a shell in its root."""
        _output_of(self._git("checkout", "--quiet", "--force", "--detach", commit.sha))
        _output_of(self._git("clean", "-ffdxq"))
        patched = self._patched(making.patches)
        return patched if patched.sentence else replace(self._made(making), patch=patched.patch)

    def _patched(self, patches: Sequence[Path]) -> Built:
        for path in patches:
            if self._applies(path):
                _output_of(self._git("apply", str(path)))
                return Built(patch=f"{path.name}, SHA-256 {sha256(path.read_bytes()).hexdigest()}")
            if self._applies(path, "--reverse"):
                return Built(patch=f"none, it has {path.name} already")
        return Built(f"no patch applies to it: {', '.join(path.name for path in patches)}" if patches else "")

    def _applies(self, path: Path, *how: str) -> bool:
        return subprocess.run(self._git("apply", "--check", *how, str(path)), env=clean(), capture_output=True, check=False).returncode == 0

    def _made(self, making: Making) -> Built:
        with self._log.open("wb") as log:
            prepare = dies_with_parent()

            def begin() -> None:
                self._guardian.begin()
                if prepare is not None:
                    prepare()

            process = None
            try:
                with interrupts_wait():
                    process = subprocess.Popen(
                        ("/bin/sh", "-c", making.command),
                        cwd=self.folder,
                        env=clean(),
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                        preexec_fn=begin,
                    )
                status = process.wait(making.timeout_s)
            except subprocess.TimeoutExpired:
                return Built(f"the build took more than {significant(making.timeout_s)} s and was ended", log=self._end_of_log())
            finally:
                if process is not None:
                    end_group(process.pid)
                    process.wait()
                self._guardian.ended()
        if status == 0:
            return Built()
        log_end = self._end_of_log()
        lines = [line for line in log_end.decode("utf-8", "backslashreplace").splitlines() if line.strip()]
        why = f"its last lines: {lines[-1].strip()!r}" if lines else "it printed nothing"
        return Built(f"the build ended with status {status}; {why}", log=log_end)

    def _end_of_log(self) -> bytes:
        with self._log.open("rb") as log:
            log.seek(max(0, self._log.stat().st_size - TAIL_BYTES))
            return log.read()

    def _git(self, *words: str) -> tuple[str, ...]:
        return ("git", "-C", str(self.folder), "-c", "advice.detachedHead=false", "-c", "core.hooksPath=/dev/null", *words)


@contextmanager
def tree_of(repository: Repository) -> Iterator[WorkTree]:
    """Gone at the end, however that comes."""
    with scratch() as folder:
        guardian = Guardian(folder)
        try:
            yield WorkTree(folder, repository, guardian)
        finally:
            guardian.close()


def clean() -> dict[str, str]:
    """Without what a surrounding make or git would tell a build of its own."""
    return {key: value for key, value in os.environ.items() if not key.startswith("GIT_") and key not in NOT_INHERITED}


def _commit_of(fields: Sequence[str]) -> Commit:
    sha, subject, authored, body, trailers = fields[:5]
    return Commit(sha, subject, authored, body.strip().removesuffix(trailers.strip()).strip())


def _output_of(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, env=clean(), check=False)
    if done.returncode:
        errors = done.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        raise DataError(f"`{' '.join(command)}` ended with status {done.returncode}{f': {errors[-1]}' if errors else ''}")
    return done.stdout.decode("utf-8", "backslashreplace").strip()
