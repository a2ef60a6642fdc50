# SPDX-License-Identifier: BSD-3-Clause
"""TF-A from Debian's source package, built for QEMU's machines with line tables, and how it is described to latlab."""

from __future__ import annotations

import subprocess
from pathlib import Path

from latlab.commits.targets import clean
from support.debian_sources import copied, source

TOOLS = "CROSS_COMPILE=aarch64-linux-gnu- CC='aarch64-linux-gnu-gcc -g'"
TFA_BUILD = f"printf none > bl33.bin && make -j2 {TOOLS} PLAT=qemu DEBUG=0 BL33=bl33.bin bl1 bl2 bl31 fip"
# The linker of Debian 12 warns of what the older release does, and its makefile takes warnings for errors.
OLDER_BUILD = f"{TFA_BUILD} LD='aarch64-linux-gnu-ld --no-warn-rwx-segments'"
BUILD_S = 3600
RELEASE = "build/qemu/release"
SUBJECT = f"""name = "TF-A"
cores = 4
symbols = ["{RELEASE}/bl31/bl31.elf"]
[[image]]
file = "{RELEASE}/bl1.bin"
flash = 0
[[image]]
file = "{RELEASE}/fip.bin"
flash = 0x40000
payload = "bl33"
"""

SBSA_RELEASE = "build/qemu_sbsa/release"
SBSA_BUILD = f"make -j2 {TOOLS} PLAT=qemu_sbsa DEBUG=0 bl1 bl2 bl31 fip"
SBSA_SUBJECT = f"""name = "TF-A"
machine = "sbsa-ref"
symbols = ["{SBSA_RELEASE}/bl31/bl31.elf"]
[[image]]
file = "{SBSA_RELEASE}/bl1.bin"
flash = 0
[[image]]
file = "{SBSA_RELEASE}/fip.bin"
flash = 0x12000
"""


def built_tfa(folder: Path, suite: str, build: str = TFA_BUILD, subject: str = SUBJECT) -> Path:
    """The subject file of a build in `folder`."""
    tree = copied(source("arm-trusted-firmware", suite), folder / "tf-a")
    with (folder / "build.log").open("wb") as log:
        subprocess.run(("sh", "-c", build), cwd=tree, env=clean(), stdout=log, stderr=log, timeout=BUILD_S, check=True)
    (tree / "subject.toml").write_text(subject, "utf-8")
    return tree / "subject.toml"


def with_loop(text: str, function: str, turns: int) -> str:
    """C source with a needless loop behind the declarations of this function: at the first empty line behind its head."""
    at = text.index("\n\n", text.index(f" {function}("))
    return f"{text[:at]}\n\n\tfor (volatile unsigned int i = 0U; i < {turns}U; i++) {{\n\t}}{text[at:]}"
