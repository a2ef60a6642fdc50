# SPDX-License-Identifier: BSD-3-Clause
"""Tests that measure wake-ups need a thread at real-time priority, which not every account may have."""

from __future__ import annotations

import os

import pytest


def _can_be_real_time() -> bool:
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        return True
    except PermissionError:
        return False


needs_rights = pytest.mark.skipif(not _can_be_real_time(), reason="needs the right to run at real-time priority")
