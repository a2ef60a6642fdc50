# SPDX-License-Identifier: BSD-3-Clause
"""How many examples the property-based tests draw: few and the same ones each time, or many and new ones (LATLAB_EXAMPLES=prove)."""

from __future__ import annotations

import os

from hypothesis import settings

MANY = os.environ.get("LATLAB_EXAMPLES") == "prove"
FEWEST = 15


def load_profile() -> None:
    """How long an example takes on a loaded machine is no property of what is tested."""
    settings.register_profile("tests", deadline=None, max_examples=30, derandomize=True)
    settings.register_profile("prove", deadline=None, max_examples=200)
    settings.load_profile("prove" if MANY else "tests")


def examples(usual: int) -> settings:
    """Of a test that needs another number of examples than the profile has: a fifth of the usual ones, or twice as many."""
    return settings(max_examples=2 * usual if MANY else max(FEWEST, usual // 5))
