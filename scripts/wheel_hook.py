# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/package.py has staged goes into the wheel, which is for one kind of machine alone then. A plain build is as it was."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StagedPrograms(BuildHookInterface[Any]):
    """The probe and the programs of virtual time run where latlab does."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        staged = os.environ.get("LATLAB_STAGED")
        if staged is None or version == "editable":
            return
        build_data["pure_python"] = False
        build_data["tag"] = os.environ["LATLAB_TAG"]
        build_data["force_include"][str(Path(staged, "images"))] = "latlab/catalog/images"
        build_data["shared_data"][str(Path(staged, "man1"))] = "share/man/man1"
        build_data["sbom_files"].append(str(Path(staged, "latlab.cdx.json")))
