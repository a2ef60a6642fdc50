# SPDX-License-Identifier: BSD-3-Clause
"""What a commit says of itself, word by word, beside what was measured of it; nothing is read out of it."""

from __future__ import annotations

from latlab.core.model.run import AUTHORED, COMMIT, MESSAGE, Build
from latlab.core.report.text import Text, soft

MOST_LINES = 48


def quoted(message: str, sha: str, authored: str) -> tuple[Text, ...]:
    """The message under a line that says whose it is; empty where there is none."""
    lines = message.splitlines()
    if not lines:
        return ()
    more_lines = len(lines) - MOST_LINES
    more = (soft(f"> ... {more_lines} lines more: git show {sha[:12]}"),) if more_lines > 0 else ()
    return (soft(f"what it says of itself, {authored}:"), *(soft(f"> {line}".rstrip()) for line in lines[:MOST_LINES]), *more)


def quoted_of(build: Build) -> tuple[Text, ...]:
    """Of what was built from a commit."""
    return quoted(build.get_option(MESSAGE), build.get_option(COMMIT), build.get_option(AUTHORED))
