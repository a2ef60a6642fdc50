# SPDX-License-Identifier: BSD-3-Clause
"""What a test needs from outside: where it is not there the test is skipped with the sentence that says how to get it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import pytest

from latlab.core.errors import LatlabError

Found = TypeVar("Found")


def found(look: Callable[[], Found]) -> Found:
    """What `look` finds; its own complaint is the reason of the skip."""
    try:
        return look()
    except LatlabError as error:
        pytest.skip(str(error))


@cache
def may_be_real_time() -> bool:
    """Whether a thread of this account may have real-time priority."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        return True
    except PermissionError:
        return False


@cache
def browser_program() -> str | None:
    """A Chromium of this machine."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
