# SPDX-License-Identifier: BSD-3-Clause
"""How a run was measured and how to repeat it. None of this is a condition of a comparison or a source of figures."""

from __future__ import annotations

from dataclasses import dataclass

SHORT = 12


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file that a machine loads: its name without folder, and its SHA-256 in hex, empty if it could not be read completely."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The git work tree of `files` (names without folder) when the machine started: its commit, and whether its tracked files were
    unchanged. That the files were built from it is likely, not certain."""

    commit: str
    is_clean: bool
    files: tuple[str, ...]

    def __str__(self) -> str:
        changed = "" if self.is_clean else " and changes that are not committed"
        return f"{', '.join(self.files)} in commit {self.commit[:SHORT]}{changed}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """`latlab_command` are the words that were typed, without where runs are kept; empty where no command line began the run. `commit` and
    `job` are what the job of a CI said that it measures, and its own name; they and `latlab_version` are empty where that is not known."""

    files: tuple[LoadedFile, ...] = ()
    trees: tuple[SourceTree, ...] = ()
    latlab_command: tuple[str, ...] = ()
    latlab_version: str = ""
    commit: str = ""
    job: str = ""


UNKNOWN = Provenance()
