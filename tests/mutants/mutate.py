# SPDX-License-Identifier: BSD-3-Clause
"""The mutants of a group's sources: universalmutator makes them, a hash picks them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mutants.plan import Group, Planted

RULES = {".py": ["universal.rules", "python.rules"], ".c": ["universal.rules", "c_like.rules", "c.rules"]}
RULES[".h"] = RULES[".c"]
# The rules of universalmutator are for languages with operators; these leave out an instruction, turn it round, or change a number.
RULES[".S"] = RULES[".inc"] = [str(Path(__file__).with_name("assembly.rules"))]
# An import that is gone is noticed by any test that loads the file, and says nothing of the tests.
NEVER = {
    ".py": r"^\s*(from\s.+\s)?import\s",
    ".c": r"^\s*#\s*include",
    ".h": r"^\s*#\s*(include|ifndef|pragma)",
    ".S": r"^\s*(#\s*(include|if|else|endif)|\.global|/?\*)",
}
NEVER[".inc"] = NEVER[".S"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`after` stands in place of line `line`, counted from 1, of `file`; both without their ends of line."""

    file: str
    line: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """Names the change, wherever in the file it stands."""
        return hashlib.sha256(f"{self.file}\n{self.before}\n{self.after}\n".encode()).hexdigest()[:16]


Maker = Callable[[str, str, tuple[str, ...]], Iterable[Mutant]]


def mutants_of(file: str, text: str, ignore: tuple[str, ...]) -> Iterator[Mutant]:
    """Every mutant that the rules of the file's language make, except in strings, comments and imports."""
    from universalmutator.mutator import mutants_regexp

    suffix = Path(file).suffix
    lines = text.splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutants_regexp(lines, ruleFiles=RULES[suffix], ignorePatterns=[], ignoreStringOnly=True)
    skipped = [re.compile(pattern) for pattern in (NEVER[suffix], *ignore)]
    for number, after, *_ in made:
        before = lines[number - 1].rstrip("\n")
        if not any(pattern.search(before) for pattern in skipped):
            yield Mutant(file, number, before, _on_one_line(after.rstrip("\n"), suffix))


def _on_one_line(after: str, suffix: str) -> str:
    """A statement that C gets behind the line joins it: the numbers of the lines below, which assertions hold, stay as they are."""
    return after if suffix == ".py" or after.lstrip().startswith("#") else " ".join(after.split("\n"))


def planted(group: Group, tree: Path, faults: Iterable[Planted]) -> list[Mutant]:
    """Those of the group's sources. Raises ValueError where a file has the line before not once."""
    sources = {path.relative_to(tree).as_posix() for pattern in group.sources for path in tree.glob(pattern)}
    return [_planted(tree, fault) for fault in faults if fault.file in sources]


def _planted(tree: Path, fault: Planted) -> Mutant:
    lines = (tree / fault.file).read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.strip() == fault.before]
    if len(found) != 1:
        raise ValueError(f"{fault.file} has the line `{fault.before}` {len(found)} times; planted.toml has to name one that is there once")
    before = lines[found[0] - 1]
    return Mutant(fault.file, found[0], before, before[: -len(fault.before)] + fault.after)


def drawn(group: Group, tree: Path, make: Maker = mutants_of) -> list[Mutant]:
    """All mutants of the group, in the order in which they are tried: that of a hash with the seed, so that an edit moves no other."""
    files = sorted({path for pattern in group.sources for path in tree.glob(pattern) if path.is_file()})
    if not files:
        raise ValueError(f"group {group.name}: no file matches {', '.join(group.sources)}")
    found: dict[tuple[str, int], Mutant] = {}
    for path in files:
        name = path.relative_to(tree).as_posix()
        for mutant in make(name, path.read_text(), group.ignore):
            found.setdefault((mutant.key, mutant.line), mutant)
    return sorted(found.values(), key=lambda one: hashlib.sha256(f"{group.seed} {one.key} {one.line}".encode()).digest())
