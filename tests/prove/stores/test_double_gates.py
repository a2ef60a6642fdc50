# SPDX-License-Identifier: BSD-3-Clause
"""Slow: two gates of a CI at once on one PostgreSQL, many times: each judges its own run, and none becomes the other's baseline."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.store.listing import heads
from latlab.core.store.store import open_store
from support.ci_root import Root
from support.postgres import Server
from support.postgres import server as postgres_server

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

TIMES = int(os.environ.get("LATLAB_PROOF_TIMES", "5"))


@pytest.fixture(name="pg", scope="module")
def fixture_pg() -> Iterator[Server]:
    with postgres_server() as started:
        yield started


def test_two_gates_at_once_judge_each_its_own_run(pg: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = pg.new_database("gates")
    roots = [Root(tmp_path / name) for name in ("same", "slow")]
    roots[0].build()
    assert roots[0].gate("main", LATLAB_STORE=url).returncode == 0
    base = roots[0].run
    roots[1].build(factor=2)
    for number in range(TIMES):
        ends: dict[str, int] = {}

        def job(root: Root, ends: dict[str, int] = ends) -> None:
            ends[root.folder.name] = root.gate(LATLAB_STORE=url).returncode

        threads = [threading.Thread(target=job, args=(root,)) for root in roots]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ends == {"same": 0, "slow": 1}, number
        assert all(root.run in root.text() for root in roots) and roots[0].run != roots[1].run
    assert [head.id for head in heads(open_store(url)) if head.label == "main"] == [base]
    with capsys.disabled():
        print(f" {TIMES} times two gates", end="")
