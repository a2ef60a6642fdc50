# SPDX-License-Identifier: BSD-3-Clause
"""What a run measured and how to have it again, in words."""

from __future__ import annotations

import shlex

from latlab.core.model.run import Run


def repeated_by(run: Run) -> str:
    """The command that makes such a run again, as it was typed; empty where none did."""
    return shlex.join(run.provenance.latlab_command)


def provenance_facts(run: Run) -> tuple[tuple[str, str], ...]:
    """Digests of the files that were loaded."""
    return tuple((f"SHA-256 of {file.name}", file.sha256 or "not read") for file in run.provenance.files)
