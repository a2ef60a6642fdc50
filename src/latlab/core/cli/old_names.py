# SPDX-License-Identifier: BSD-3-Clause
"""Verbs and options by the names of the last release: taken for one release more, in no help, with a line that names the new one."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from latlab.core.errors import UsageError

VERBS: Mapping[str, tuple[str, ...]] = {
    "look": ("identify",),
    "tail": ("extremes",),
    "idle-states": ("check-dt",),
    "mcp": ("serve", "--mcp"),
    "guest": ("guest", "build"),
    "label": ("runs", "label"),
    "rm": ("runs", "rm"),
    "prune": ("runs", "prune"),
    "recover": ("runs", "recover"),
    "import-rt": ("import",),
    "run smc": ("run", "calls"),
    "run sbi": ("run", "calls", "--abi", "sbi"),
}
GONE: Mapping[tuple[str, str], str] = {
    ("run", "rt-trng"): "`latlab design run` with the file trng.toml of docs/results/trng.md, or optee-random-numbers.toml beside it",
}
OPTIONS: Mapping[str, str] = {
    "--again": "--retry-failed",
    "--anew": "--restart",
    "--on": "--machine",
    "--across": "--allow-different",
    "--masked-below": "--max-masked",
}
# The old limit was the first length that fails, the new one is the last that passes.
LESS_BY_ONE = "--masked-below"
HELP = ("-h", "--help")


def current(words: Sequence[str], options_of: Callable[[Sequence[str]], Container[str]]) -> tuple[list[str], list[str]]:
    """The command line by its new names, and a notice for each old one. `options_of` gives the options of the verb in front.

    Raises UsageError for a verb that other verbs replace.
    """
    if instead := GONE.get((words[0], words[1])) if len(words) > 1 else None:
        raise UsageError(f"`latlab {words[0]} {words[1]}` is now {instead}")
    named, notices = _verb(list(words))
    takes = options_of(named)
    current_words: list[str] = []
    remaining = iter(named)
    for word in remaining:
        if word == "--":
            current_words += [word, *remaining]
            break
        old, equals, value = word.partition("=")
        new = OPTIONS.get(old, "")
        if new not in takes:
            current_words.append(word)
            continue
        notices.append(_notice(old, new))
        if old == LESS_BY_ONE:
            value = _less_by_one(value if equals else next(remaining, ""))
            equals = "="
        current_words.append(f"{new}{equals}{value}")
    return current_words, notices


def _verb(words: list[str]) -> tuple[list[str], list[str]]:
    old = next((name for name in (" ".join(words[:2]), " ".join(words[:1])) if name in VERBS), "")
    new = VERBS.get(old, ())
    rest_words = words[len(old.split()) :]
    if not new or (old == new[0] and rest_words[:1] and rest_words[0] in (*new[1:], *HELP)):
        return words, []
    return [*new, *rest_words], [_notice(f"latlab {old}", f"latlab {' '.join(new)}")]


def _less_by_one(value: str) -> str:
    return str(int(value) - 1) if value.isdecimal() and value.isascii() and len(value) < 20 else value


def _notice(old: str, new: str) -> str:
    return f"`{old}` is now `{new}`; the next release accepts only the new name"
