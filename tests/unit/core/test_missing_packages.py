# SPDX-License-Identifier: BSD-3-Clause
"""What brings a missing Python package depends on who may change the Python that latlab runs in."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from latlab.core.errors import needs_packages


@pytest.mark.parametrize(("is_environment", "is_marked"), [(True, True), (False, False), (False, True)])
def test_only_a_python_of_the_system_takes_none_of_pip(
    is_environment: bool, is_marked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_marked:
        (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(sys, "base_prefix", "/usr" if is_environment else sys.prefix)
    sentence = str(needs_packages("serve", "starlette", "uvicorn"))
    assert sentence.startswith("serve needs the Python packages starlette and uvicorn; ")
    assert ("-m pip install starlette uvicorn`" in sentence) == (is_environment or not is_marked)
    assert ("by this system's packages" in sentence) == (is_marked and not is_environment)
