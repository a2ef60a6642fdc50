# SPDX-License-Identifier: BSD-3-Clause
"""Which calls `latlab run calls` makes, and the options that are for the other architecture."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.calls.campaign.sbi import is_subject
from support.command import latlab


@pytest.mark.parametrize(("name", "is_riscv"), [("opensbi", True), ("tf-a", False), ("zephyr", False)])
def test_the_subject_says_which_calls_are_made(name: str, is_riscv: bool) -> None:
    assert is_subject(Path(name)) is is_riscv


@pytest.mark.parametrize("text", ["firmware = ", "\udcff"])
def test_a_damaged_subject_is_left_to_who_loads_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert not is_subject(path)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--harts", "2"), "--harts"),
        (("--abi", "smc", "--functions"), "--functions"),
        (("--abi", "sbi", "--sweep", "1000"), "--sweep"),
        (("--subject", "opensbi", "--machine", "virt"), "--machine"),
    ],
)
def test_an_option_of_the_other_architecture_is_refused(words: tuple[str, ...], option: str) -> None:
    done = latlab("run", "calls", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"latlab: {option} is for ")
