# SPDX-License-Identifier: BSD-3-Clause
"""What others need not see of the machines that measured: folders, names of hosts and users, a kernel's command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from latlab.core.kinds.registry import kind_of
from latlab.core.model.life import Head
from latlab.core.model.run import Contents, Run
from latlab.core.report.text import Styled

T = TypeVar("T")
HIDDEN = "(redacted)"
_FOLDERS = re.compile(
    r"(?:(?<![\w./<~*-])|(?<=-[BIL])|(?<=-isystem)|(?<=file://))"
    r"(?:~|\.{1,2})?/(?!(?:dev|etc|lib|proc|sys|usr)/)(?:[^\s/\"'<>,;:()]+/)+(?=[^\s/\"'<>,;:()])"
)
"""Those of every machine tell nothing."""
_HOME = re.compile(r"/(?:home|Users)/[^\s/\"'<>,;:()]+(?=$|[\s\"'<>,;:()])")
"""The last name of this one is a user's."""
_LOGIN = re.compile(r"\b[\w.-]+@[\w.-]+\b")
_REACHED = ("linux", "ssh", "labgrid")
_SHORTEST = 3
"""Of a name: a shorter one would be found in other words."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Texts that are hidden wherever they stand, beside whatever looks like a folder or a login."""

    texts: tuple[str, ...]

    @classmethod
    def of(cls, runs: Iterable[Run | Head]) -> Secrets:
        """What runs say of their machines."""
        runs = tuple(runs)
        lines = {run.conditions.kernel_command_line or "" for run in runs if isinstance(run, Run)} - {""}
        names = {name for name in map(_host, runs) if len(name) >= _SHORTEST}
        return cls((*map(re.escape, _longest_first(lines)), *(rf"(?<!\w){re.escape(name)}(?!\w)" for name in _longest_first(names))))

    def hide(self, text: str) -> str:
        for secret in self.texts:
            text = re.sub(secret, HIDDEN, text)
        return _LOGIN.sub(HIDDEN, _FOLDERS.sub("", _HOME.sub(HIDDEN, text)))


def _longest_first(texts: set[str]) -> list[str]:
    """One that is the beginning of another must not hide that beginning alone."""
    return sorted(sorted(texts), key=len, reverse=True)


def _host(run: Run | Head) -> str:
    """The name of the machine that a run was made on; none of an emulator or of a model."""
    kind, _, name = run.target.partition(":")
    if kind in _REACHED and name:
        return name
    return run.platform.partition(", ")[0] if kind in _REACHED else ""


def redacted_run(run: Run) -> Run:
    """The run with its figures as they are, and nothing that tells whose machine it was."""
    secrets = Secrets.of([run])
    contents = run.contents
    hide = kind_of(run).hidden or redacted
    shown: Contents = hide(contents, secrets)
    hidden = {
        field.name: redacted(getattr(run, field.name), secrets)
        for field in fields(run)
        if field.name not in ("id", "contents", "conditions")
    }
    conditions = redacted(replace(run.conditions, kernel_command_line=None), secrets)
    return replace(run, contents=shown, conditions=conditions, **hidden)


def redacted(value: T, secrets: Secrets) -> T:
    """Plain data of any shape, with each of its texts redacted."""
    item: Any = value
    hidden: Any = value
    if isinstance(item, str) and not isinstance(item, Enum):
        hidden = secrets.hide(item)
    elif isinstance(item, tuple | list):
        parts = (redacted(part, secrets) for part in item)
        hidden = type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)
    elif isinstance(item, Mapping):
        hidden = {key: redacted(part, secrets) for key, part in item.items()}
    elif isinstance(item, Styled):
        hidden = replace(item, text=secrets.hide(item.text))  # where a link leads is a place of the site
    elif is_dataclass(item) and not isinstance(item, type):
        hidden = replace(item, **{field.name: redacted(getattr(item, field.name), secrets) for field in fields(item) if field.init})
    return cast(T, hidden)
