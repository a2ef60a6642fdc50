# SPDX-License-Identifier: BSD-3-Clause
"""What a run measured and how to have it again: no condition of a comparison, and nothing that its figures are made of."""

from __future__ import annotations

from dataclasses import dataclass

SHORT = 12


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file that a machine was given: its last name, and the SHA-256 of all its bytes in hex, empty where it could not be read whole."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The git tree that `files` lay in, by their last names, as it stood when the machine started: its commit, and whether its tracked
    files were as committed. That they were built from it is likely and not known."""

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
