# SPDX-License-Identifier: BSD-3-Clause
"""The README's two commands in a minimal root of a Debian suite, and the oldest suite's release in roots without a compiler.

What a root printed is kept in build/systems. A machine that can make no root skips with its reason.
"""

from __future__ import annotations

import platform
import re
import shlex
import subprocess

import pytest

from support.places import ROOT

COMMANDS = ("make demo", "make test")
OLDEST = "bookworm"
NO_ROOT = 77
LAST_LINES = 20
COUNTS = re.compile(r"(\d+) passed(?:, (\d+) skipped)?\b")
MAKE_RELEASE = f"rm -f /mnt/*.whl /mnt/*.deb && make release && cp dist/latlab-*_{platform.machine()}.whl dist/*.deb /mnt"
USE_WHEEL = "wheel=$(ls /mnt/*.whl) && LATLAB_WHEEL=$wheel scripts/setup.sh && PATH=$PWD/.venv/bin:$PATH"
USE_PACKAGE = (
    "apt-get update -q && apt-get install -yq --no-install-recommends /mnt/latlab_*_$(dpkg --print-architecture).deb"
    " && man_pages=$(ls /usr/share/man/man1/latlab*.1.gz | wc -l) && [ $man_pages -gt 40 ]"
)
OF_README = (
    "latlab doctor",
    "latlab run psci",
    "latlab report last -o psci.html",
    "latlab compare published:tf-a/juno/v2.9 published:tf-a/juno/v2.10 || [ $? = 1 ]",
    "latlab explain published:tf-a/juno/v2.9 published:tf-a/juno/v2.10",
    "latlab runs label last main",
    "latlab run psci",
    "latlab gate latest:main last",
    "latlab gate last --limit 'psci_call max <= 300 instructions'",
    "latlab run psa --build ipc_l2",
    "latlab run attack",
    "latlab run rt --target linux --causes --duration 2s",
    "latlab report last -o rt.html",
    "latlab run rt --duration 2s",
    "latlab run steal --duration 2s",
    "latlab explore",
    "latlab identify",
    "latlab ls",
)
"""What README says of the verbs, and what its table runs, in their order."""
EVERY_VERB = "cd /root && ! command -v gcc && " + " && ".join(f"{{ echo '$ '{shlex.quote(line)}; {line}; }}" for line in OF_README)


def passes_in_root(suite: str, command: str, log_name: str) -> dict[str, int]:
    """How many tests passed and were skipped there; empty if it ran none. Skips where no root can be made; fails with the last lines of a
    command that ended with another code than 0."""
    log = ROOT / "build" / "systems" / f"{log_name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        code = subprocess.run((ROOT / "scripts" / "root_of.sh", suite, command), stdout=file, stderr=file, check=False).returncode
    last = log.read_text("utf-8", "replace").splitlines()[-LAST_LINES:]
    if code == NO_ROOT:
        pytest.skip(last[-1])
    assert code == 0, "\n".join([f"{command} ended with {code} in {suite}, see {log}", *last])
    counts = next((match for line in last if (match := COUNTS.match(line))), None)
    return {} if counts is None else {"tests passed in the root": int(counts[1]), "skipped there": int(counts[2] or 0)}


def wheel_works_in_root(suite: str) -> None:
    """Every verb of the README from the wheel, which is made in the oldest suite's root, into the folder that all roots share."""
    passes_in_root(OLDEST, MAKE_RELEASE, f"release-for-{suite}")
    passes_in_root(f"{suite}/wheel", f"{USE_WHEEL} && {EVERY_VERB}", f"{suite}-wheel")


def package_works_in_root(suite: str) -> None:
    """The same from the Debian package, after `wheel_works_in_root` of the suite."""
    passes_in_root(f"{suite}/package", f"{USE_PACKAGE} && {EVERY_VERB}", f"{suite}-package")
