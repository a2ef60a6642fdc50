# SPDX-License-Identifier: BSD-3-Clause
"""Files that a guest prints on its console: with name, size and checksum, found among whatever else the console says.

<LLG1:FILE name=NAME bytes=N sha256=HEX>
<LLG1:DATA BASE64>         (of the file, compressed by gzip)
<LLG1:END name=NAME>
<LLG1:DONE status=N>
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from latlab.core.model.run import Problem

FRAME = re.compile(rb"<LLG1:(FILE|DATA|END|DONE) ([^<>]*)>")
FIELD = re.compile(r"(\w+)=(\S+)")
MOST_BYTES = 512 << 20
"""Of a file as it is unpacked."""


@dataclass(frozen=True, slots=True)
class GuestOutput:
    """`status` is the job's exit status, None if the guest never said that the job was done."""

    files: dict[str, bytes]
    status: int | None
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Open:
    name: str
    size: int
    sha256: str
    line: int
    data: bytearray


def read_frames(lines: Iterable[bytes]) -> GuestOutput:
    """Every complete file; what is damaged is reported with its line and left out."""
    files: dict[str, bytes] = {}
    problems: list[Problem] = []
    status: int | None = None
    current: _Open | None = None
    for number, line in enumerate(lines, 1):
        match = FRAME.search(line)
        if not match:
            continue
        kind, text = match[1].decode(), match[2].decode("ascii", "replace")
        fields = dict(FIELD.findall(text))
        if kind == "FILE":
            if current:
                problems.append(Problem(number, f"the file {current.name} that began at line {current.line} has no end; it is left out"))
            current = _begun(fields, number, problems)
        elif kind == "DATA" and current:
            _extend(current, text, number, problems)
        elif kind == "END" and current:
            _close(current, files, number, problems)
            current = None
        elif kind == "DONE":
            status = _number(fields.get("status", ""))
    if current:
        problems.append(Problem(current.line, f"the console ends inside the file {current.name}; it is left out"))
    return GuestOutput(files, status, tuple(problems))


def _begun(fields: dict[str, str], number: int, problems: list[Problem]) -> _Open | None:
    size = _number(fields.get("bytes", ""))
    if "name" not in fields or size is None:
        problems.append(Problem(number, "a file begins without a name or a size; it is left out"))
        return None
    return _Open(fields["name"], size, fields.get("sha256", ""), number, bytearray())


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else None


def _extend(current: _Open, text: str, number: int, problems: list[Problem]) -> None:
    try:
        current.data += base64.b64decode(text, validate=True)
    except ValueError as error:
        problems.append(Problem(number, f"a line of {current.name} is not base64 ({error})"))


def _close(current: _Open, files: dict[str, bytes], number: int, problems: list[Problem]) -> None:
    try:
        data = gzip.GzipFile(fileobj=io.BytesIO(current.data)).read(min(current.size, MOST_BYTES) + 1)
    except (OSError, EOFError, zlib.error) as error:
        problems.append(Problem(number, f"the file {current.name} cannot be unpacked ({error}); it is left out"))
        return
    if len(data) != current.size or hashlib.sha256(data).hexdigest() != current.sha256:
        problems.append(
            Problem(number, f"the file {current.name} is damaged: {len(data)} bytes of {current.size}, or another checksum; it is left out")
        )
        return
    files[current.name] = data
