# SPDX-License-Identifier: BSD-3-Clause
"""Many jobs on processes: results in order, and nothing that goes on after an interrupt."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Generator

import pytest

from latlab.core.errors import DataError
from latlab.core.targets.process.many import in_processes

LONG_S = 600.0


def test_results_come_in_the_order_of_the_jobs() -> None:
    assert list(in_processes(abs, range(-9, 0), 2)) == list(range(9, 0, -1))


def test_after_an_interrupt_neither_a_process_nor_a_thread_of_the_pool_goes_on() -> None:
    """Python waits at its end for a thread that goes on; a second Ctrl-C there would be a traceback."""
    before = threading.active_count()
    results = in_processes(time.sleep, [0.0, LONG_S, LONG_S], 2)
    next(results)
    assert isinstance(results, Generator)
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)
    assert (threading.active_count(), multiprocessing.active_children()) == (before, [])


def test_a_worker_that_dies_is_one_sentence() -> None:
    with pytest.raises(DataError, match="a worker process died"):
        list(in_processes(os._exit, [3], 1))
