# SPDX-License-Identifier: BSD-3-Clause
"""Where things lie in the checkout."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
RT_DATA = TESTS / "data" / "rt"
TOOLS_DATA = TESTS / "data" / "tools"
SEEDS = TESTS / "fuzz" / "seeds"
