# SPDX-License-Identifier: BSD-3-Clause
"""What is counted of a stream as it comes, and what is said where QEMU started no machine."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from latlab.calls.analysis.span_functions import SpanReader, functions_of_calls
from latlab.calls.campaign import watching
from latlab.calls.campaign.watching import (
    StreamAccumulator,
    Watch,
    WatchResult,
    _concluded,
    _last_words,
    _planned,
    check_command,
    core_of,
    verdict,
    watch,
)
from latlab.calls.model.crossings import Arch
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import LatlabError, UsageError
from latlab.core.lifecycle.life import run_lifecycle
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import CoreId, Problem, Sample, Topology
from latlab.core.model.symbols import Image
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.exit_diagnostics import death
from support.probe_stream import NS_EL1, S_EL1, back, core, crossing, end, fragment, header, profile, smc
from support.runs import run_with


def test_each_crossing_is_counted_by_where_it_left_and_what_it_entered() -> None:
    seen = StreamAccumulator(lambda samples: None)
    stream = header() + core(0, 0x1) + crossing(0, 1, 0xFF, NS_EL1)
    for at in (10, 20, 30):
        stream += smc(0, at, 0x84000000) + back(0, at + 5, 0x10001)
    seen.take(Decoder().feed(stream))
    assert seen.crossings == {(0xFF, NS_EL1): 1, (NS_EL1, 7): 3, (7, NS_EL1): 3}
    assert (NS_EL1, S_EL1) not in seen.crossings and seen.unreturned == ()


def test_a_call_that_was_refused_is_counted_and_is_no_sample() -> None:
    handed: list[list[Sample]] = []
    seen = StreamAccumulator(handed.append)
    refused = back(0, 15, -1 & (1 << 64) - 1)
    seen.take(Decoder().feed(header() + core(0, 0x1) + smc(0, 10, 0x84000000) + refused + smc(0, 20, 0x84000000) + back(0, 27, 0x10001)))
    seen.flush()
    assert [(sample.test, sample.value_ticks) for samples in handed for sample in samples] == [("PSCI_VERSION", 7)]
    (row,) = seen.tally.rows()
    assert (row.count, row.errors) == (2, (("NOT_SUPPORTED", 1),))


@pytest.mark.parametrize(("answer", "told"), [(0x10001, [("PSCI_VERSION", 2)]), (-1 & (1 << 64) - 1, [])])
def test_functions_of_calls_that_were_always_refused_are_not_kept_beside_samples(answer: int, told: list[tuple[str, int]]) -> None:
    seen = StreamAccumulator(lambda samples: None)
    call = smc(0, 10, 0x84000000) + profile(0, [(1, 1)]) + back(0, 15, answer)
    seen.take(Decoder().feed(header(functions=1) + core(0, 0x1) + fragment(1, 0x100, 5) + call + call))
    ran = [stretches for each in seen.tally.ran().values() for stretches in each]
    kept = functions_of_calls(seen.tally, seen.cores, SpanReader(Arch.AARCH64, seen.fragments, (), ran))
    assert [(one.test, one.calls) for one in kept] == told


@pytest.mark.parametrize(("campaign", "samples"), [("smc", []), ("watch", [7])])
def test_calls_of_a_secure_world_are_no_samples_of_a_campaign_about_a_program(campaign: str, samples: list[int]) -> None:
    handed: list[list[Sample]] = []
    seen = StreamAccumulator(handed.append, campaign)
    booted = header() + core(0, 0x1) + crossing(0, 1, 0xFF, S_EL1)
    seen.take(Decoder().feed(booted + smc(0, 20, 0x84000000, caller=S_EL1) + back(0, 27, 0x10001, to=S_EL1)))
    seen.flush()
    assert [sample.value_ticks for found in handed for sample in found] == samples
    assert [(row.key.name, row.key.is_inner) for row in seen.tally.rows()] == [("PSCI_VERSION", not samples)]


def ended(folder: Path, seen: StreamAccumulator, stderr: bytes = b"", images: tuple[Image, ...] = ()) -> tuple[str, list[str]]:
    """What a watch says that cannot be concluded, and the problems of its run."""
    store = open_store(str(folder / "s.sqlite"))
    follower: Any = SimpleNamespace(stderr=stderr, exit_status=1, console=b"")
    with pytest.raises(LatlabError) as raised, run_lifecycle(store, run_with(status=RunStatus.RUNNING)) as run_id:
        _concluded(store, run_id, run_with(status=RunStatus.RUNNING), Watch((), folder, images=images), seen, follower, "")
    problems = store.load(run_id).problems
    assert {problem.line for problem in problems} == {0}
    return str(raised.value), [problem.message for problem in problems]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (b"", "QEMU printed nothing and ended"),
        (b"warning\nno machine\n", "QEMU did not start the machine; it printed: 'no machine'"),
    ],
)
def test_a_machine_that_does_not_start_is_one_sentence_and_one_problem_of_the_run(said: bytes, sentence: str, tmp_path: Path) -> None:
    assert ended(tmp_path, StreamAccumulator(lambda samples: None), said) == (sentence, [sentence])


@pytest.mark.parametrize(
    ("console", "words"),
    [(b"boot\nPANIC at PC : 0x1234\n", "; it printed: 'PANIC at PC : 0x1234' on its console"), (b"", " and printed nothing")],
)
def test_a_machine_that_ends_without_a_word_of_qemu_has_the_last_line_of_its_console(console: bytes, words: str) -> None:
    assert death("QEMU", 1, _last_words(b"", console)) == f"QEMU ended with status 1{words}"
    assert _last_words(b"qemu-system-arm: no such machine", console) == "'qemu-system-arm: no such machine'"


def test_symbols_of_what_never_ran_are_told_once(tmp_path: Path) -> None:
    seen = StreamAccumulator(lambda samples: None)
    seen.take(Decoder().feed(header() + core(0, 0x1) + crossing(0, 1, 0xFF, NS_EL1)))
    said, problems = ended(tmp_path, seen, images=(Image("fw.elf", (0,), (4,), ("f",), ((0, bytes(4)),)),))
    assert said.startswith("none of the executed code is in fw.elf")
    assert [problem for problem in problems if "fw.elf" in problem] == [said]


def test_a_core_is_named_by_the_two_lowest_levels_of_its_affinity() -> None:
    assert core_of(0x8000_0203) == CoreId(2, 3) and core_of(7) == CoreId(0, 7) and core_of(0x81_0000_0100) == CoreId(1, 0)


def test_clusters_are_as_large_as_their_last_core_that_ran() -> None:
    seen = StreamAccumulator(lambda samples: None)
    assert seen.topology == Topology((1,)) and seen.unreturned == ()
    seen.take(Decoder().feed(header(cores=4) + core(0, 0x1) + core(1, 0x203) + core(2, 0x201) + core(3, 0x0)))
    assert seen.topology == Topology((2, 0, 4))


def test_samples_are_handed_on_many_at_once_and_the_rest_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "SAMPLES_AT_ONCE", 2)
    handed: list[list[Sample]] = []
    seen = StreamAccumulator(handed.append)
    stream = header() + core(0, 0x102) + crossing(0, 1, 0xFF, NS_EL1)
    for at in (10, 20, 30):
        stream += smc(0, at, 0x84000000) + back(0, at + 5)
    seen.take(Decoder().feed(stream + smc(0, 40, 0x84000000)))
    assert [len(each) for each in handed] == [2] and len(seen.unreturned) == 1
    seen.flush()
    seen.flush()
    assert [len(each) for each in handed] == [2, 1]
    samples = [sample for each in handed for sample in each]
    assert [(sample.test, sample.core, sample.iteration, sample.value_ticks) for sample in samples] == [
        ("PSCI_VERSION", CoreId(1, 2), number, 5) for number in range(3)
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no command is given"),
        (("ls", "-l"), "ls is no machine emulator of QEMU"),
        (("qemu-system-none",), "qemu-system-none does not exist"),
    ],
)
def test_what_cannot_be_watched_is_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_command(words)


@pytest.mark.parametrize(
    ("words", "machine", "mode"),
    [
        (("-M", "virt,secure=on", "-icount", "shift=1"), "virt", Mode.DETERMINISTIC),
        (("-machine", "type=raspi4b"), "raspi4b", Mode.MULTI_THREAD),
        (("--machine", "sbsa-ref,x=y"), "sbsa-ref", Mode.MULTI_THREAD),
        (("-kernel", "-M"), "unknown", Mode.MULTI_THREAD),
    ],
)
def test_a_run_says_its_machine_and_its_mode_by_the_command_line(words: tuple[str, ...], machine: str, mode: Mode) -> None:
    run = _planned(Watch(("qemu-system-aarch64", *words), Path("p"), firmware="fw", campaign="sbi"), "QEMU 10.0.2")
    assert (run.platform, run.conditions.mode, run.conditions.instrument) == (machine, mode, "crossings")
    assert (run.campaign, run.target, run.emulator, run.build.firmware) == ("sbi", "qemu", "QEMU 10.0.2", "fw")
    assert run.command == ("qemu-system-aarch64", *words) and run.tick.clock is Clock.INSTRUCTIONS


MACHINE = """#!/bin/sh
[ "$1" = --version ] && echo QEMU emulator version 10.0.2 && exit
for word; do last=$word; done
stream=${last#*out=}
stream=${stream%%,*}
echo booting
cat $0.stream >$stream
echo 'qemu-system-fake: said aside' >&2
"""


def watched(folder: Path, behaviour: str, stream: bytes, **more: Any) -> tuple[Store, WatchResult, bytes]:
    """A machine that writes this stream and goes on as told; what was shown of its console."""
    machine = folder / "qemu-system-fake"
    machine.write_text(MACHINE + behaviour)
    machine.chmod(0o755)
    (folder / "qemu-system-fake.stream").write_bytes(stream)
    store = open_store(str(folder / "s.sqlite"))
    shown = bytearray()
    asked = {"interrupted": more.pop("interrupted", lambda: False)}
    found = watch(store, Watch((str(machine), "-M", "virt"), Path("p"), **more), shown.extend, lambda seen, elapsed: None, **asked)
    return store, found, bytes(shown)


def whole(calls: int = 2) -> bytes:
    records = [core(0, 0x1), crossing(0, 1, 0xFF, NS_EL1)]
    for at in range(calls):
        records += [smc(0, 10 * at + 10, 0x84000000), back(0, 10 * at + 15)]
    return header() + b"".join(records) + end(len(records))


@pytest.mark.parametrize("left", [24, 60, len(whole()) - 8])
def test_what_a_qemu_that_gave_up_said_comes_before_what_its_stream_lacks(tmp_path: Path, left: int) -> None:
    _, found, _ = watched(tmp_path, 'echo "qemu: fatal: Lockup: no way out" >&2; kill -ABRT $$', whole()[:left])
    assert found.problems[0].message == "QEMU was killed by SIGABRT; it printed: 'qemu: fatal: Lockup: no way out'"
    assert "was cut off after" in found.problems[1].message and found.status is RunStatus.PARTIAL


def test_a_machine_that_ends_by_itself_is_a_whole_run_with_all_that_it_said(tmp_path: Path) -> None:
    store, found, shown = watched(tmp_path, "exit 0", whole())
    run, logs = store.load(found.run_id), store.logs(found.run_id)
    assert (found.status, run.status, found.problems, found.exit_status) == (RunStatus.COMPLETE, RunStatus.COMPLETE, (), 0)
    assert [sample.value_ticks for sample in run.samples] == [5, 5] and run.topology == Topology((2,))
    assert shown == logs["console"] == b"booting\n" and logs["stderr"] == b"qemu-system-fake: said aside\n" and logs["probe"] == whole()
    assert (found.unreturned, found.functions, found.masked, found.proof) == ((), {}, None, None)
    verdict(found)


def test_a_machine_that_dies_is_kept_and_told_with_its_last_words(tmp_path: Path) -> None:
    store, found, _ = watched(tmp_path, "exit 3", whole())
    assert (found.status, found.exit_status) == (RunStatus.PARTIAL, 3) and len(store.load(found.run_id).samples) == 2
    with pytest.raises(
        LatlabError, match=f"{found.run_id} is partial: QEMU ended with status 3; it printed: 'qemu-system-fake: said aside'"
    ):
        verdict(found)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"timeout_s": 1.0}, "the machine was stopped after 1 s"),
        ({"interrupted": iter([False] * 5 + [True] * 99).__next__}, "interrupted by the user"),
    ],
)
def test_a_machine_that_is_stopped_says_by_whom_and_its_own_end_is_no_fault(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    _, found, _ = watched(tmp_path, "exec sleep 100", whole(), **more)
    (problem,) = found.problems
    assert problem.line == 0 and problem.message.startswith(said) and found.exit_status != 0


def test_a_machine_of_which_no_core_ran_is_partial(tmp_path: Path) -> None:
    _, found, _ = watched(tmp_path, "exit 0", header() + end(0))
    assert found.problems == (Problem(0, "no core executed an instruction"),)


@pytest.mark.parametrize(("left", "entered"), [(0xFF, NS_EL1), (0xFF, 2)])
def test_a_machine_without_el3_is_said_to_have_no_firmware_to_watch(tmp_path: Path, left: int, entered: int) -> None:
    with pytest.raises(UsageError, match=r"never left it: this machine has no EL3.*secure=on"):
        watched(tmp_path, "exit 0", header() + core(0, 0x1) + crossing(0, 1, left, entered) + end(1))


def test_a_machine_that_began_in_el3_or_came_back_to_it_is_watched(tmp_path: Path) -> None:
    _, found, _ = watched(tmp_path, "exit 0", header() + core(0, 0x1) + crossing(0, 1, 0xFF, 3) + end(1))
    assert found.problems == ()


def test_a_stream_that_is_too_long_to_keep_is_measured_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "KEPT_STREAM_BYTES", len(whole(2)))
    (tmp_path / "kept").mkdir()
    (tmp_path / "long").mkdir()
    kept, long = watched(tmp_path / "kept", "exit 0", whole(2)), watched(tmp_path / "long", "exit 0", whole(3))
    assert "probe" in kept[0].logs(kept[1].run_id) and "probe" not in long[0].logs(long[1].run_id)
    assert len(long[0].load(long[1].run_id).samples) == 3


@pytest.mark.parametrize("chunk", [7, 64, 1 << 20])
def test_all_that_a_machine_wrote_is_read_however_much_comes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(watching, "CHUNK", chunk)
    store, found, shown = watched(tmp_path, "exit 0", whole(9))
    assert (found.status, found.problems, shown) == (RunStatus.COMPLETE, (), b"booting\n")
    assert len(store.load(found.run_id).samples) == 9
