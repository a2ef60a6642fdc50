# SPDX-License-Identifier: BSD-3-Clause
"""The readers of traces as the tests use them: built from the tree's sources, with sanitizers."""

from __future__ import annotations

import atexit
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

PROBE = Path(__file__).parents[2] / "probe"
LIBRARY_LEAKS = (
    'const char *__lsan_default_suppressions(void);\nconst char *__lsan_default_suppressions(void) { return "leak:libopencsd"; }'
)
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


@cache
def sanitized_coresight() -> Path | None:
    """None where OpenCSD is not installed."""
    made = Path(mkdtemp(prefix="latlab-reader-")) / "latlab-coresight"
    probe = subprocess.run(
        ("cc", "-E", "-"), input="#include <opencsd/c_api/opencsd_c_api.h>\n", text=True, capture_output=True, check=False
    )
    if probe.returncode:
        return None
    shared = re.findall(r"[\w/]+\.c\b", (PROBE / "traces" / "CMakeLists.txt").read_text("utf-8").split("TRACES_CORE")[1])
    sources = [*(PROBE / name for name in shared), *(PROBE / "traces" / "coresight").glob("*.c")]
    includes = (f"-I{PROBE}", f"-I{PROBE / 'traces'}", f"-I{PROBE / 'traces' / 'coresight'}")
    (made.parent / "leaks.c").write_text(f"{LIBRARY_LEAKS}\n")
    sources.append(made.parent / "leaks.c")
    libraries = ("-lopencsd_c_api", "-lopencsd", "-lpthread")
    subprocess.run(("cc", *FLAGS, *includes, *map(str, sorted(sources)), *libraries, "-o", str(made)), check=True)
    return made
