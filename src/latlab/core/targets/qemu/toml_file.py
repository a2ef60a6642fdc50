# SPDX-License-Identifier: BSD-3-Clause
"""A TOML file that a user wrote, as a typed record: what the schema refuses reaches neither QEMU nor the store."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from latlab.core.errors import DataError, UsageError, one_line

T = TypeVar("T")

Text = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f]*\Z")]
Name = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Address = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Word = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
MOST_BYTES = 1 << 20


def text_of(path: Path) -> str:
    """The text of a file that a person wrote. Raises UsageError for one that is larger than any, or never ends."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"more than {MOST_BYTES >> 20} MiB, which no TOML file for latlab has", "name the TOML file", place=path)
    return data.decode()


def read_toml(path: Path, kind: type[T], example: str) -> T:
    """Raises UsageError where the file cannot be read, DataError where it is not as `kind` wants it; `example` is where one stands."""
    try:
        return msgspec.convert(tomllib.loads(text_of(path)), type=kind)
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", "name the TOML file", place=path) from error
    except (msgspec.ValidationError, RecursionError) as error:
        raise DataError(one_line(f"{path}: {error}; {example} has an example")) from error
    except ValueError as error:  # no TOML, no UTF-8, or a number of more digits than Python reads
        raise DataError(f"not TOML ({error}); {example} has an example", place=path) from error
