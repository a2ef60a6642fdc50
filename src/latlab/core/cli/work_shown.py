# SPDX-License-Identifier: BSD-3-Clause
"""The progress of long work on standard error."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from latlab.core.cli.output import say
from latlab.core.model.work_progress import progress_to
from latlab.core.report.work_line import WorkLine

CLEAR = "\r\x1b[K"


@contextmanager
def work_shown() -> Iterator[None]:
    """Show what long work reports, until the end of the block."""
    line = WorkLine(_draw if sys.stderr.isatty() else None, say)
    with progress_to(line):
        try:
            yield
        finally:
            line.clear()


def _draw(text: str) -> None:
    """A line that is wider than the terminal could not be taken back."""
    sys.stderr.write(CLEAR + text[: shutil.get_terminal_size().columns - 1])
    sys.stderr.flush()
