# SPDX-License-Identifier: BSD-3-Clause
"""A checkout in which the steps of a CI are run, as they find it in a container."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from latlab.core.store.listing import heads
from latlab.core.store.store import open_store
from support import preloaded, synthetic
from support.places import ROOT

COMMIT = "0123456789abcdef0123456789abcdef01234567"
IMPORT = "import firmware.log --clock instructions"


class Root:
    """A checkout. Its firmware is a log: what a run costs is how far apart its events are."""

    def __init__(self, folder: Path, has_git_program: bool = False) -> None:
        self.folder = folder
        programs = Path(preloaded.command()).parent
        self.path = f"{programs}:/usr/bin:/bin" if has_git_program else str(programs)
        folder.mkdir(exist_ok=True)

    def build(self, factor: int = 1) -> None:
        put = synthetic._Tracer.put
        patch = pytest.MonkeyPatch()
        patch.setattr(synthetic._Tracer, "put", lambda self, event, after, arg=0: put(self, event, factor * after, arg))
        with patch.context():
            lines = synthetic.log(iterations=2, tests=("psci_version_parallel", "cpu_susp_serial"))
        patch.undo()
        (self.folder / "firmware.log").write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def do(self, script: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        known = {"PATH": self.path, "HOME": str(self.folder), "LATLAB_COMMIT": COMMIT, "LATLAB_RUN": IMPORT, **variables}
        command = (preloaded.python(), str(ROOT / "ci" / script), *words)
        return subprocess.run(command, cwd=self.folder, env=known, capture_output=True, text=True, timeout=3600, check=False)

    def gate(self, branch: str = "", *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.do("gate.py", *words, LATLAB_BRANCH=branch, **variables)

    def text(self, name: str = "comment.md") -> str:
        return (self.folder / "latlab-out" / name).read_text("utf-8")

    @property
    def run(self) -> str:
        return self.text("run.id").strip()

    def label_of(self, run: str, store: str = "") -> str:
        return {head.id: head.label for head in heads(open_store(store or str(self.folder / ".latlab/store.sqlite")))}[run]
