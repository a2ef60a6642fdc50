# SPDX-License-Identifier: BSD-3-Clause
"""Subject files of the psa campaign: latlab's own SPM as if it were somebody else's."""

from __future__ import annotations

from pathlib import Path

from latlab.psa.targets.mps2 import find_psa_images

BENCH_CALLS = """
[[call]]
name = "call_0"
sid = 0xf100
[[call]]
name = "call_256"
sid = 0xf100
in = [256]
out = [256]
[[call]]
name = "stateless_0"
handle = 0x40000100
[[call]]
name = "stateless_16"
handle = 0x40000100
in = [16]
out = [16]
"""


def own_text(build: str, calls: str = BENCH_CALLS, secure: Path | None = None) -> str:
    """The addresses of the veneers are in the image's own symbols too."""
    secure = secure or find_psa_images(build).secure
    return f"""name = "{build} from outside"
symbols = ["{secure}"]

[[image]]
file = "{secure}"

[veneers]
file = "{secure}"
names = "nsc_psa_{{}}"
in_shift = 16
out_shift = 20

[non_secure]
code = 0x00200000
ram = 0x28200000

[version]
sid = 0xf100
expect = 1
{calls}"""


def own_subject_file(folder: Path, build: str, calls: str = BENCH_CALLS) -> Path:
    path = folder / f"{build}.toml"
    path.write_text(own_text(build, calls))
    return path
