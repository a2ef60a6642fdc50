# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run psa --subject`: our own SPM measured as if it were somebody else's, beside what its own trace says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import Latlab
from latlab.calls.readers.symbols import read_subject_image
from latlab.calls.targets.subject import flat_program
from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.psa.analysis.builds import BuildResult, cost_range, cost_tests, whole_instructions
from latlab.psa.analysis.timeline import Room, timeline
from latlab.psa.campaign.foreign import Asked, run_psa_subject
from latlab.psa.campaign.measure import SYMBOLS_LOG, run_psa
from latlab.psa.targets import mps2
from latlab.psa.targets.psa_params import parameters_of
from latlab.psa.targets.psa_subject import find_psa_program, load_psa_subject
from latlab.psci.campaign.recording import Recorded
from support.needs import found
from support.pinned_figures import M_PROFILE, is_by_their_compiler
from support.plugins import probe_here
from support.psa_subjects import own_subject_file, own_text
from support.slow_but import slow_but

pytestmark = pytest.mark.qemu

LIMITS = Limits(900, 600)
SERVER_LOOK = 10  # of the test server: reads a word with its own rights
PARAMETERS_POINTER, FIRED = 64, 68  # in the program's struct memory
# The instructions of the bench itself between its two checkpoints, which the probe leaves out, the same in every build. By another
# compiler than that of the pinned figures one more or less.
OUTSIDE = {"ns_version": 7, "ns_connect": 7, "ns_close": 5, "ns_call_0": 5, "ns_call_256": 30, "ns_stateless_0": 4, "ns_stateless_16": 30}


def watched(store: Store, path: Path, iterations: int = 3, most_shots: int = 4000) -> Recorded:
    found(find_psa_program)
    subject, qemu, probe = load_psa_subject(path), found(lambda: find_qemu(Path(mps2.PROGRAM))), found(probe_here)
    images = tuple(read_subject_image(each, with_places=True) for each in subject.symbols)
    return run_psa_subject(store, qemu, subject, images, Asked(iterations, 0, most_shots), probe, LIMITS, NullProgress())


def result_of(store: Store, recorded: Recorded) -> BuildResult:
    return BuildResult(store.load(recorded.run_id), mps2.parse_symbols(store.logs(recorded.run_id)[SYMBOLS_LOG]))


def both(folder: Path, build: str) -> tuple[BuildResult, BuildResult]:
    """The build as its own trace sees it, and as it is seen from outside."""
    store = open_store(str(folder / "store.sqlite"))
    images, qemu = found(lambda: mps2.find_psa_images(build)), found(lambda: find_qemu(Path(mps2.PROGRAM)))
    own = run_psa(store, qemu, "mps2-an521", images, LIMITS, NullProgress())
    seen = watched(store, own_subject_file(folder, build))
    assert seen.problems == ()
    assert seen.status is RunStatus.COMPLETE
    return result_of(store, own), result_of(store, seen)


def windows_of(result: BuildResult, tests: set[str]) -> list[tuple[str, int, str]]:
    found = [w for test in sorted(tests) for w in result.windows if w.test == test]
    return [(window.test, whole_instructions(result.run, window.latency_ticks), window.function) for window in found]


def check_windows(seen: list[tuple[str, int, str]], own: list[tuple[str, int, str]]) -> None:
    """The probe counts whole instructions. The board's timer meets each instruction once, early or late in it: it may say one less."""
    assert [(test, function) for test, _, function in seen] == [(test, function) for test, _, function in own]
    less = [exact - timed for (_, exact, _), (_, timed, _) in zip(seen, own, strict=True)]
    assert set(less) <= {0, 1}
    assert less.count(1) <= len(less) // 10


@pytest.mark.parametrize("build", slow_but(("sfn_l1", "ipc_l1", "ipc_l2", "classic_l1", "planted_l1"), "ipc_l1", "planted_l1"))
def test_the_trace_and_the_probe_differ_by_the_same_constant_in_every_build(tmp_path: Path, build: str) -> None:
    own, seen = both(tmp_path, build)
    costs = {test: (cost_range(own.run, test), cost_range(seen.run, test)) for test in OUTSIDE}
    outside = {test: a[0] - b[0] for test, (a, b) in costs.items() if a and b}
    may_differ = 0 if is_by_their_compiler("arm-none-eabi-gcc", M_PROFILE) else 1
    assert {test: count for test, count in OUTSIDE.items() if abs(outside[test] - count) > may_differ} == {}
    assert all(a and b and a[0] == a[1] and b[0] == b[1] for a, b in costs.values())
    assert [test for test in cost_tests([seen.run]) if test not in OUTSIDE] == ["ns_framework_version", "ns_refused"]
    swept = {f"sweep_{test.removeprefix('ns_')}" for test in OUTSIDE if test not in ("ns_version", "ns_call_256")}
    check_windows(windows_of(seen, swept), windows_of(own, swept))
    assert bool(seen.windows) == (build in ("classic_l1", "planted_l1"))


def test_functions_add_up_to_each_call_and_the_sweep_says_whose_code_runs_when(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    seen = result_of(store, watched(store, own_subject_file(tmp_path, "ipc_l1"), iterations=2))
    spent = {test: sum(s.value_ticks for s in seen.run.samples if s.test == test) for test in cost_tests([seen.run])}
    assert spent == {one.test: sum(f.instructions for f in one.functions) for one in seen.run.functions}
    (place,) = {share.place for one in seen.run.functions for share in one.functions if share.name == "spm_connect"}
    assert place.partition(":")[0].endswith("client.c")
    rooms = {stretch.room for stretch in timeline(seen.run, seen.symbols, "sweep_stateless_0")}
    assert rooms == {Room.CALLER, Room.GATE, Room.SPM, Room.PARTITION}


def test_two_runs_are_equal_and_a_longer_call_has_gaps_that_the_run_names(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    path = own_subject_file(tmp_path, "classic_l1")
    first, second = (store.load(watched(store, path, 2, 100).run_id) for _ in range(2))
    assert first.samples == second.samples
    assert first.traces == second.traces
    assert dict(first.facts)["sweep of connect"] == "every 6 instructions"
    assert {s.test for s in first.samples if s.metric is Metric.IRQ_LATENCY} >= {"sweep_nothing", "sweep_connect", "sweep_stateless_16"}


def test_a_call_that_returns_another_status_is_named_and_not_measured(tmp_path: Path) -> None:
    calls = '[[call]]\nname = "nobody"\nhandle = 0x40000117\n[[call]]\nname = "denied"\nhandle = 0x40000117\nexpect = -129\n'
    store = open_store(str(tmp_path / "store.sqlite"))
    recorded = watched(store, own_subject_file(tmp_path, "sfn_l1", calls), 2, 50)
    assert [problem.message for problem in recorded.problems] == ["nobody returned -129 where 0 is expected, so it was not measured"]
    run = store.load(recorded.run_id)
    assert recorded.status is RunStatus.PARTIAL
    assert cost_tests([run]) == ["ns_framework_version", "ns_version", "ns_refused", "ns_denied"]


def test_a_service_that_an_interrupt_changes_the_answer_of_is_found(tmp_path: Path) -> None:
    """It reads the word in which the program notes that the interrupt came."""
    secure = mps2.find_psa_images("sfn_l1").secure.parents[1] / "sfn_l1_test" / "secure.elf"
    if not secure.is_file():
        pytest.skip("build it with `make spm`")
    path = tmp_path / "looks.toml"

    def text(address: int) -> str:
        look = f'[[call]]\nname = "look"\nhandle = 0x40000206\ntype = {SERVER_LOOK}\nin = ["{address.to_bytes(4, "little").hex()}"]\n'
        return own_text("sfn_l1", f"{look}out = [4]\n", secure).replace("[version]\nsid = 0xf100\nexpect = 1\n", "")

    path.write_text(text(0))
    parameters = len(parameters_of(load_psa_subject(path), 1, 0, {}))
    memory = 0x28200000 + -(-parameters // 1024) * 1024
    path.write_text(text(memory + FIRED))
    store = open_store(str(tmp_path / "store.sqlite"))
    (problem,) = watched(store, path, 2).problems
    assert "look gave another answer in" in problem.message
    assert "status 0 with other outputs" in problem.message
    path.write_text(text(memory + PARAMETERS_POINTER))
    assert watched(store, path, 2).problems == ()


def test_an_image_without_a_header_and_without_symbols_has_addresses_for_names(latlab: Latlab, tmp_path: Path) -> None:
    path = own_subject_file(tmp_path, "classic_l1", "")
    secure = found(lambda: mps2.find_psa_images("classic_l1")).secure
    (tmp_path / "raw.bin").write_bytes(flat_program(secure))
    text = path.read_text().replace(f'file = "{secure}"', 'file = "raw.bin"\naddress = 0x10000000', 1).splitlines()
    path.write_text("\n".join(line for line in text if not line.startswith("symbols")))
    found(find_psa_program)
    found(probe_here)
    done = latlab("run", "psa", "--subject", path, "--iterations", "1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"ns_refused +\d+", done.stdout)
    assert re.search(r"sweep_refused +\d+ +\d+ +0x100[0-9a-f]{5}", done.stdout)
    page = tmp_path / "page.html"
    assert latlab("report", "last", "--builds", "-o", page).returncode == 0
    assert "classic_l1 from outside" in page.read_text()


def test_where_nothing_starts_the_program_the_run_says_so(tmp_path: Path) -> None:
    path = own_subject_file(tmp_path, "sfn_l1")
    path.write_text(path.read_text().replace("code = 0x00200000", "code = 0x00300000"))
    store = open_store(str(tmp_path / "store.sqlite"))
    found(find_psa_program)
    subject, qemu = load_psa_subject(path), found(lambda: find_qemu(Path(mps2.PROGRAM)))
    limits = Limits(20, 10)
    recorded = run_psa_subject(store, qemu, subject, (), Asked(1, 0, 10), found(probe_here), limits, NullProgress())
    assert recorded.status is RunStatus.PARTIAL
    assert "printed nothing" in recorded.problems[0].message


def test_symbols_of_another_build_name_nothing_and_the_run_says_so(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    path = own_subject_file(tmp_path, "sfn_l1", "")
    other = found(lambda: mps2.find_psa_images("ipc_l2")).secure
    path.write_text(path.read_text().replace(path.read_text().splitlines()[1], f'symbols = ["{other}"]'))
    recorded = watched(store, path, 1, 10)
    assert any("is of another build" in problem.message for problem in recorded.problems)
    names = {share.name for one in store.load(recorded.run_id).functions for share in one.functions}
    assert all(name.startswith("0x") for name in names)
