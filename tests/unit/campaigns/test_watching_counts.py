# SPDX-License-Identifier: BSD-3-Clause
"""What is counted of a stream as it comes, and what is said where QEMU started no machine."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from latlab.campaigns.life import living
from latlab.campaigns.watching import Seen, Watch, _concluded
from latlab.errors import LatlabError
from latlab.formats.probe.decoder import Decoder
from latlab.model.enums import RunStatus
from latlab.model.symbols import Image
from latlab.store.store import open_store
from support.probe_stream import NS_EL1, S_EL1, back, core, crossing, header, smc
from support.runs import run_with


def test_each_crossing_is_counted_by_where_it_left_and_what_it_entered() -> None:
    seen = Seen(lambda samples: None)
    stream = header() + core(0, 0x1) + crossing(0, 1, 0xFF, NS_EL1)
    for at in (10, 20, 30):
        stream += smc(0, at, 0x84000000) + back(0, at + 5, 0x10001)
    seen.take(Decoder().feed(stream))
    assert seen.crossings == {(0xFF, NS_EL1): 1, (NS_EL1, 7): 3, (7, NS_EL1): 3}
    assert (NS_EL1, S_EL1) not in seen.crossings and seen.unreturned == ()


def ended(folder: Path, seen: Seen, stderr: bytes = b"", images: tuple[Image, ...] = ()) -> tuple[str, list[str]]:
    """What a watch says that cannot be concluded, and the problems of its run."""
    store = open_store(str(folder / "s.sqlite"))
    follower: Any = SimpleNamespace(stderr=stderr, exit_status=1)
    with pytest.raises(LatlabError) as raised, living(store, run_with(status=RunStatus.RUNNING)) as run_id:
        _concluded(store, run_id, Watch((), folder, images=images), seen, follower, "")
    return str(raised.value), [problem.message for problem in store.load(run_id).problems]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (b"", "QEMU said nothing and ended"),
        (b"warning\nno machine\n", "QEMU did not start the machine; it said: 'no machine'"),
    ],
)
def test_a_machine_that_does_not_start_is_one_sentence_and_one_problem_of_the_run(said: bytes, sentence: str, tmp_path: Path) -> None:
    assert ended(tmp_path, Seen(lambda samples: None), said) == (sentence, [sentence])


def test_symbols_of_another_build_are_told_once(tmp_path: Path) -> None:
    seen = Seen(lambda samples: None)
    seen.take(Decoder().feed(header() + core(0, 0x1) + crossing(0, 1, 0xFF, NS_EL1)))
    said, problems = ended(tmp_path, seen, images=(Image("fw.elf", (0,), (4,), ("f",), ((0, bytes(4)),)),))
    assert said.startswith("fw.elf is of another build")
    assert [problem for problem in problems if "fw.elf" in problem] == [said]
