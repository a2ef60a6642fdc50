# SPDX-License-Identifier: BSD-3-Clause
"""The readers of traces as the tests use them: built from the tree's sources, with sanitizers."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

PROBE = Path(__file__).parents[2] / "probe"
LIBRARY_LEAKS = (
    'const char *__lsan_default_suppressions(void);\nconst char *__lsan_default_suppressions(void) { return "leak:libopencsd"; }\n'
)
FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@cache
def sanitized_reader() -> Path:
    return _built("latlab-tarmac", (*_sources_of("TRACES_CORE"), *_sources_of("TARMAC"), "traces/tarmac.c"), ("-lpthread",))


@cache
def sanitized_coresight() -> Path | None:
    """None where OpenCSD is not installed."""
    probe = subprocess.run(
        ("cc", "-E", "-"), input="#include <opencsd/c_api/opencsd_c_api.h>\n", text=True, capture_output=True, check=False
    )
    if probe.returncode:
        return None
    own = (f"traces/coresight/{path.name}" for path in (PROBE / "traces" / "coresight").glob("*.c"))
    return _built("latlab-coresight", (*_sources_of("TRACES_CORE"), *own), ("-lopencsd_c_api", "-lopencsd", "-lpthread"))


def _sources_of(name: str) -> list[str]:
    """What CMake builds, so that a new source needs no second list."""
    listed = re.search(rf"set\({name}\s+([^)]*)\)", (PROBE / "traces" / "CMakeLists.txt").read_text("utf-8"))
    assert listed is not None, name
    return listed[1].split()


def _built(name: str, sources: Sequence[str], libraries: Sequence[str]) -> Path:
    """Built once for these contents of the sources, whichever process comes first: all see a whole program, of one state of the tree."""
    files = {path.relative_to(PROBE): path.read_bytes() for path in sorted((*PROBE.glob("*.h"), *PROBE.glob("traces/**/*.h")))}
    files |= {Path(source): (PROBE / source).read_bytes() for source in sources} | {Path("leaks.c"): LIBRARY_LEAKS.encode()}
    contents = hashlib.sha256(repr((sorted(files.items()), FLAGS, libraries)).encode()).hexdigest()[:16]
    place = Path(gettempdir(), f"latlab-reader-{os.getuid()}-{contents}")
    if not (place / name).is_file():
        with TemporaryDirectory(prefix="latlab-reader-") as folder:
            _compile(Path(folder), files, (*sources, *(("leaks.c",) if "-lopencsd" in libraries else ())), libraries, name)
            place.mkdir(mode=0o700, exist_ok=True)
            os.replace(Path(folder, name), place / name)
    return place / name


def _compile(folder: Path, files: Mapping[Path, bytes], sources: Sequence[str], libraries: Sequence[str], name: str) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    includes = ("-I.", "-Itraces", "-Itraces/coresight")
    subprocess.run(("cc", *FLAGS, *includes, *sources, *libraries, "-o", name), cwd=folder, check=True)
