# SPDX-License-Identifier: BSD-3-Clause
"""The options of `latlab run psa`, of its own builds and of somebody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Latlab


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--subject", "x.toml", "--build", "sfn_l1"), "--build has no effect with --subject"),
        (("--subject", "x.toml", "--machine", "mps2-an505"), "--machine has no effect with --subject"),
        (("--iterations", "3"), "--iterations goes with --subject"),
        (("--shots", "3"), "--shots goes with --subject"),
        (("--probe", "p.so"), "--probe goes with --subject"),
        (("--subject", "x.toml", "--iterations", "0"), "--iterations 0"),
        (("--subject", "x.toml", "--shots", "0"), "--shots 0 sweeps nothing"),
        (("--subject", "x.toml"), "x.toml: cannot be read"),
        (("--priority", "high"), "--priority high is no number"),
        (("--timeout", "0"), "--timeout and --silence"),
    ],
)
def test_options_that_do_not_go_together_are_refused(latlab: Latlab, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = latlab("run", "psa", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
