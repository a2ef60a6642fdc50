# SPDX-License-Identifier: BSD-3-Clause
"""The reader of Tarmac as the tests use it: built from the tree's sources, with sanitizers."""

from __future__ import annotations

import atexit
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

PROBE = Path(__file__).parents[2] / "probe"
FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@cache
def sanitized_reader() -> Path:
    folder = mkdtemp(prefix="latlab-reader-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = Path(folder, "latlab-tarmac")
    text = (PROBE / "traces" / "CMakeLists.txt").read_text("utf-8")
    sources = {PROBE / name for name in re.findall(r"[\w/]+\.c\b", text)} - {PROBE / "tarmac.c"} | {PROBE / "traces" / "tarmac.c"}
    includes = (f"-I{PROBE}", f"-I{PROBE / 'traces'}")
    subprocess.run(("cc", *FLAGS, *includes, *map(str, sorted(sources)), "-lpthread", "-o", str(made)), check=True)
    return made
