# SPDX-License-Identifier: BSD-3-Clause
"""A format of files that an installed package reads: an entry point of the group `latlab.formats` that is one of these records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from latlab.core.model.run import Run


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A run without its contents, and the logs from which `read` of its kind makes them."""

    run: Run
    logs: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """`name` is the tool, as `latlab import --as` takes it. `knows` says whether a file proves to be of it. `read` takes the file and its
    name, and raises DataError with one sentence for a file that is damaged."""

    name: str
    knows: Callable[[bytes], bool]
    read: Callable[[bytes, str], ReadFile]
