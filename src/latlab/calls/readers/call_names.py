# SPDX-License-Identifier: BSD-3-Clause
"""What calls are called and what they answer: calls.toml and answers.toml of the catalog."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from latlab.calls.model.crossings import Answers, CallNames

BIT_64 = 0x40000000
UNKNOWN_FUNCTION = -1


@cache
def call_names() -> CallNames:
    """What the calls are called that firmware serves, and what they answer: calls.toml, answers.toml."""
    data, answer_data = (
        tomllib.loads(files("latlab.catalog").joinpath(name).read_text("utf-8")) for name in ("calls.toml", "answers.toml")
    )
    sbi = {entry["id"]: (name, tuple(entry.get("functions", ()))) for name, entry in data.pop("sbi").items()}
    smc: dict[int, str] = {}
    answers: dict[int, Answers] = {}
    last: set[int] = set()
    for section, group in data.items():
        for name, entry in group.items():
            for number, title in _numbers(name, entry):
                smc[number] = title
                if section in answer_data:
                    answers[number] = _only_unknown() if name in answer_data[section].get("values", ()) else _answers(answer_data[section])
                if entry.get("last"):
                    last.add(number)
    return CallNames(smc, sbi, answers, _answers(answer_data["sbi"]), frozenset(last))


def _numbers(name: str, entry: dict[str, int]) -> Iterator[tuple[int, str]]:
    yield entry["id"], name
    if entry.get("also64"):
        yield entry["id"] | BIT_64, f"{name} (64)"


def _answers(section: dict[str, Any]) -> Answers:
    codes = {int(code): name for code, name in section["codes"].items()}
    return Answers(codes, section.get("register", 0), section.get("bits", 32), section.get("marker"))


def _only_unknown() -> Answers:
    return Answers({UNKNOWN_FUNCTION: "NOT_SUPPORTED"})


def call_name(function: int) -> str:
    """A call into the firmware by the number in its first register; those of both conventions have one name."""
    names = call_names().smc
    return names.get(function & ~BIT_64) or names.get(function) or f"SMC {function:#010x}"
