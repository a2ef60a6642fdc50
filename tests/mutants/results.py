# SPDX-License-Identifier: BSD-3-Clause
"""What was found so far, one line for each mutant, so that an interrupted run continues."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from mutants.mutate import Mutant


@dataclass(frozen=True, slots=True)
class Result:
    """`source` is the digest of the mutated file's text as it is, `tree` that of everything."""

    file: str
    line: int
    before: str
    after: str
    source: str
    tree: str
    outcome: str
    by: str


class Results:
    """A file of results. A survivor holds for exactly this tree: a new test may notice it. What was noticed holds while its file stays."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[tuple[str, int, str], Result] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                result = Result(**json.loads(line))
            except (ValueError, TypeError):
                continue  # the line that an interrupted run was writing
            self._known[result.file, result.line, result.after] = result

    def known(self, mutant: Mutant, text: str, tree: str) -> Result | None:
        result = self._known.get((mutant.file, mutant.line, mutant.after))
        if result is None or result.source != _digest(text):
            return None
        return None if result.outcome == "survived" and result.tree != tree else result

    def keep(self, mutant: Mutant, text: str, tree: str, outcome: str, by: str) -> Result:
        result = Result(mutant.file, mutant.line, mutant.before, mutant.after, _digest(text), tree, str(outcome), by)
        self._known[mutant.file, mutant.line, mutant.after] = result
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as stream:
            stream.write(json.dumps(asdict(result)) + "\n")
        return result


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
