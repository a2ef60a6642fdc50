# SPDX-License-Identifier: BSD-3-Clause
"""What is counted of a stream as it comes, and what is said where QEMU started no machine."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from latlab.campaigns.watching import Seen, Watch, _concluded
from latlab.errors import UsageError
from latlab.formats.probe.decoder import Decoder
from support.probe_stream import NS_EL1, S_EL1, back, core, crossing, header, smc


def test_each_crossing_is_counted_by_where_it_left_and_what_it_entered() -> None:
    seen = Seen(lambda samples: None)
    stream = header() + core(0, 0x1) + crossing(0, 1, 0xFF, NS_EL1)
    for at in (10, 20, 30):
        stream += smc(0, at, 0x84000000) + back(0, at + 5, 0x10001)
    seen.take(Decoder().feed(stream))
    assert seen.crossings == {(0xFF, NS_EL1): 1, (NS_EL1, 7): 3, (7, NS_EL1): 3}
    assert (NS_EL1, S_EL1) not in seen.crossings and seen.open_calls == 0


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (b"", "QEMU said nothing and ended"),
        (b"warning\nno machine\n", "QEMU did not start the machine; it said: 'no machine'"),
    ],
)
def test_a_machine_that_does_not_start_is_a_sentence_and_a_problem_of_the_run(said: bytes, sentence: str, tmp_path: Path) -> None:
    kept: list[Any] = []
    store: Any = SimpleNamespace(add=lambda run_id, problems: kept.extend(problems))
    follower: Any = SimpleNamespace(stderr=said, exit_status=1)
    with pytest.raises(UsageError) as raised:
        _concluded(store, "r", Watch((), tmp_path), Seen(lambda samples: None), follower, "")
    assert str(raised.value) == sentence
    assert [problem.message for problem in kept] == ["QEMU did not start the machine"]
