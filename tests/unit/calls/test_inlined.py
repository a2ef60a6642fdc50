# SPDX-License-Identifier: BSD-3-Clause
"""Functions that link-time optimisation inlined, of images that the compiler makes here."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from latlab.calls.readers.symbols import read_image
from latlab.core.model.symbols import Image

COMPILER = "aarch64-linux-gnu-gcc"
FLAGS = ("-O2", "-ffreestanding", "-nostdlib", "-static", "-Wl,--entry=outer", "-Wl,--build-id=none")
SOURCES = {
    "outer.c": "int other(int);\nint outer(int x)\n{\n    return other(x) + 1;\n}\n",
    "other.c": """int far(int);
static int near(int x)
{
    for (volatile int turn = 0; turn < 7; turn++) {
    }
    return x + 3;
}

int other(int x)
{
    return near(x) * far(x);
}
""",
    "far.c": 'int far(int x)\n{\n    __asm__ volatile("dmb sy" : : : "memory");\n    return x ^ 5;\n}\n',
}


def built(folder: Path, *flags: str) -> Path:
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    command = (COMPILER, *FLAGS, *flags, *SOURCES, "-o", "image.elf")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "image.elf"


def copies(image: Image) -> dict[str, int]:
    """Bytes of each inlined function."""
    found: dict[str, int] = {}
    for one in image.inlined:
        found[one.name] = found.get(one.name, 0) + one.end - one.start
    return found


@pytest.fixture(scope="module", name="whole")
def fixture_whole(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return read_image(built(tmp_path_factory.mktemp("whole"), "-flto", "-g"), with_places=True)


def test_functions_of_other_source_files_keep_their_names_and_places(whole: Image) -> None:
    assert "other" not in whole.names and "far" not in whole.names, "the compiler inlined them"
    assert set(copies(whole)) == {"other", "far"}, "a static function is its caller's"
    assert {one.place for one in whole.inlined} == {"other.c:9", "far.c:1"}


def test_the_innermost_copy_counts_and_copies_lie_apart(whole: Image) -> None:
    ends = [(one.start, one.end) for one in whole.inlined]
    assert ends == sorted(ends) and all(end <= start for (_, end), (start, _) in itertools.pairwise(ends))
    barrier = next(
        address
        for start, data in whole.code
        for address in range(start, start + len(data), 4)
        if data[address - start : address - start + 4] == bytes.fromhex("bf3f03d5")
    )
    found = whole.inlined_at(barrier)
    assert found is not None and found.name == "far" and whole.function(barrier) == "outer"
    assert whole.inlined_at(whole.starts[0] - 4) is None and whole.inlined_at(ends[-1][1] + 4096) is None


def test_an_image_that_runs_elsewhere_has_its_copies_there(whole: Image, tmp_path: Path) -> None:
    there = read_image(built(tmp_path, "-flto", "-g"), 0x1000, with_places=True)
    assert [(one.start - 0x1000, one.name) for one in there.inlined] == [(one.start, one.name) for one in whole.inlined]
    assert whole.moved(0x1000).inlined[0].end == whole.inlined[0].end + 0x1000


@pytest.mark.parametrize("flags", [("-g",), ("-flto",), ()])
def test_without_link_time_optimisation_or_debug_information_there_are_none(flags: tuple[str, ...], tmp_path: Path) -> None:
    assert read_image(built(tmp_path, *flags), with_places=True).inlined == ()


def test_they_are_read_only_if_places_are_wanted(tmp_path: Path) -> None:
    assert read_image(built(tmp_path, "-flto", "-g")).inlined == ()
