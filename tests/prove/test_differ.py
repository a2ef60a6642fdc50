# SPDX-License-Identifier: BSD-3-Clause
"""A generated client sees the same of our firmware as of upstream's, but for what bench/differ.py has a reason for."""

import pytest

import differ


@pytest.mark.parametrize("delays", [(), ("--delays",)], ids=["undisturbed", "delayed"])
@pytest.mark.parametrize("gic", ["2", "3"])
def test_a_client_cannot_tell_our_firmware_from_upstreams(gic: str, delays: tuple[str, ...]) -> None:
    assert differ.main(["--gic", gic, "--seeds", "5", *delays]) == 0
