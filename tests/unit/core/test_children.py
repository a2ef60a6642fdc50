# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts that come while a child is started, when Python drops what is raised."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from latlab.experiments.campaign.design import command

SAID = """
import os, signal
from latlab.experiments.campaign.design import command
signal.signal(signal.SIGINT, signal.{on_sigint})
os.register_at_fork({when}=lambda: os.kill(os.getpid(), signal.{name}))
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    print("went on", command(["sleep", "60"], {{}}))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("name", "on_sigint"), [("SIGINT", "default_int_handler"), ("SIGTERM", "default_int_handler"), ("SIGTERM", "SIG_IGN")]
)
@pytest.mark.parametrize("when", ["before", "after_in_parent"])
def test_an_interrupt_in_the_middle_of_a_fork_ends_what_was_begun(when: str, name: str, on_sigint: str) -> None:
    """Also in the background of a script, where SIGINT is ignored by all that it starts."""
    line = [sys.executable, "-c", SAID.format(when=when, name=name, on_sigint=on_sigint)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_a_child_is_interrupted_like_any_other_program() -> None:
    assert command(["sh", "-c", "kill -TERM $$; sleep 60"], {}) == -signal.SIGTERM
