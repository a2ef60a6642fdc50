# SPDX-License-Identifier: BSD-3-Clause
"""The README's two commands and the wheel in minimal roots of unstable."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.minimal_roots import COMMANDS, package_works_in_root, passes_in_root, wheel_works_in_root

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

SUITE = "sid"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_passes_in_a_minimal_root(command: str, record_property: Callable[[str, object], None]) -> None:
    for name, count in passes_in_root(SUITE, command, f"{SUITE}-{command.split()[1]}").items():
        record_property(name, count)


def test_every_verb_of_the_readme_runs_from_the_wheel_without_a_compiler() -> None:
    wheel_works_in_root(SUITE)


def test_the_debian_package_works_in_a_root_without_a_compiler() -> None:
    package_works_in_root(SUITE)
