# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign on an emulator that behaves as told."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from conftest import Latlab
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import CoreId, Topology
from latlab.core.readers.event_table import event_table
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.images import ImageSet, elf_events_hash, find_images
from latlab.core.targets.qemu.qemu import Qemu, QemuMachine, check_machine, command_line, find_qemu
from latlab.psci.campaign.measure import run_psci
from latlab.psci.campaign.recording import Recorded
from support.fakes import elf_with_note, fake_images, fake_qemu
from support.runs import JUNO
from support.synthetic import TESTS, log

LOG = log()
PATIENT = Limits(timeout_s=120, silence_s=60)
IMPATIENT = Limits(timeout_s=120, silence_s=4)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


def run(
    store: Store, folder: Path, behaviour: str = "well", limits: Limits = PATIENT, mode: Mode = Mode.DETERMINISTIC, boots: int = 1
) -> Recorded:
    images = find_images(JUNO, "psci_bench", fake_images(folder / "images"))
    machine = QemuMachine(images, "psci_bench", mode, iterations=2)
    return run_psci(store, find_qemu(fake_qemu(folder, LOG, behaviour)), machine, limits, NullProgress(), boots=boots)


def test_a_whole_run_is_kept_with_everything_that_says_what_it_means(store: Store, tmp_path: Path) -> None:
    recorded = run(store, tmp_path)
    kept = store.load("last")
    assert recorded.status is kept.status is RunStatus.COMPLETE
    assert kept.id == recorded.run_id
    assert kept.topology == JUNO
    assert (kept.tick.clock, kept.tick.value) == (Clock.INSTRUCTIONS, 1.0)
    assert kept.lead == CoreId(0, 0)
    assert kept.capture_cost_ticks == 7.5
    assert kept.build.firmware == "synthetic-1.0,release"
    assert kept.build.events_hash == event_table().hash
    assert kept.emulator == "QEMU 10.0.2"
    assert "shift=4,sleep=off" in kept.command
    assert (kept.conditions.interrupt_controller, kept.conditions.exception_level) == ("GICv3", 1)
    assert len(kept.samples) == recorded.samples == 2 * 6 * (5 * 3 + 1)
    assert list(dict.fromkeys(sample.test for sample in kept.samples)) == list(TESTS)
    assert len(kept.traces) == 2 * 6 * 6


def test_cold_boots_are_numbered_in_one_run_and_all_of_their_logs_are_kept(store: Store, tmp_path: Path) -> None:
    for name in ("once", "thrice"):
        (tmp_path / name).mkdir()
    run(store, tmp_path / "once")
    once = store.logs("last")
    recorded = run(store, tmp_path / "thrice", boots=3)
    kept = store.load("last")
    assert recorded.status is kept.status is RunStatus.COMPLETE and recorded.passed
    assert {sample.boot for sample in kept.samples} == {trace.boot for trace in kept.traces} == {0, 1, 2}
    assert len(kept.samples) == 3 * 2 * 6 * (5 * 3 + 1)
    assert store.logs("last") == {name: text * 3 for name, text in once.items()}


def test_a_boot_that_does_not_end_well_is_the_last(store: Store, tmp_path: Path) -> None:
    recorded = run(store, tmp_path, "dies", boots=3)
    assert recorded.status is RunStatus.PARTIAL and {sample.boot for sample in store.load("last").samples} <= {0}


@pytest.mark.parametrize("boots", [0, 1001])
def test_a_number_of_boots_that_makes_no_sense_is_refused(store: Store, tmp_path: Path, boots: int) -> None:
    with pytest.raises(UsageError, match="use 1 to 1000"):
        run(store, tmp_path, boots=boots)


def test_both_raw_logs_are_kept_byte_for_byte(store: Store, tmp_path: Path) -> None:
    run(store, tmp_path)
    logs = store.logs("last")
    assert logs["console"] == ("\r\n".join(LOG) + "\r\n").encode()
    assert logs["secure"] == b"latlab firmware\n"


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("hangs", "the target hangs: no output for 4 s"),
        ("silent", "the target hangs: no output for 4 s"),
        ("dies", "ended with status 7; it printed: 'qemu: something broke'"),
        ("crashes", "was killed by SIGSEGV and printed nothing"),
        ("garbage", "prints garbage"),
        ("panics", "the firmware panicked, line 2 of its console: 'PANIC at 0x1234: lock order'"),
        ("ends early", "the log ends before the END line"),
    ],
)
def test_a_target_that_fails_is_named_and_its_partial_run_is_kept(store: Store, tmp_path: Path, behaviour: str, words: str) -> None:
    recorded = run(store, tmp_path, behaviour, IMPATIENT if behaviour in ("hangs", "silent") else PATIENT)
    kept = store.load(recorded.run_id)
    assert kept.status is RunStatus.PARTIAL
    assert any(words in problem.message for problem in kept.problems), kept.problems
    if behaviour not in ("garbage", "silent"):
        assert 0 < len(kept.samples) < 192
        assert store.logs(recorded.run_id)["console"].startswith(LOG[0].encode())


def test_a_target_that_goes_on_without_an_end_is_stopped_at_the_timeout(store: Store, tmp_path: Path) -> None:
    recorded = run(store, tmp_path, "chatters", Limits(timeout_s=4, silence_s=60))
    assert any("stopped after 4 s" in problem.message for problem in recorded.problems)


def test_a_target_that_has_said_all_and_does_not_power_off_is_no_failure(store: Store, tmp_path: Path) -> None:
    assert run(store, tmp_path, "lingers").status is RunStatus.COMPLETE


def test_multi_threaded_figures_are_no_instructions(store: Store, tmp_path: Path) -> None:
    run(store, tmp_path, mode=Mode.MULTI_THREAD)
    kept = store.load("last")
    assert (kept.tick.clock, kept.tick.value) == (Clock.TIME, 16.0)
    assert "thread=multi" in " ".join(kept.command)
    assert "-icount" not in kept.command


def test_firmware_of_another_event_table_is_refused_before_the_start(store: Store, tmp_path: Path) -> None:
    images = find_images(JUNO, "psci_bench", fake_images(tmp_path, events="00000000deadbeef"))
    with pytest.raises(DataError, match="00000000deadbeef"):
        run_psci(store, find_qemu(fake_qemu(tmp_path, LOG)), QemuMachine(images, "psci_bench"), PATIENT, NullProgress())
    assert store.runs() == ()


def test_the_note_of_a_firmware_says_its_event_table(tmp_path: Path) -> None:
    elf = tmp_path / "firmware.elf"
    elf.write_bytes(elf_with_note("0123456789abcdef"))
    assert elf_events_hash(elf) == "0123456789abcdef"


@pytest.mark.parametrize("content", [b"", b"not an ELF", elf_with_note("1", b"others\0"), elf_with_note("1")[:80]])
def test_a_firmware_without_a_readable_note_is_refused(tmp_path: Path, content: bytes) -> None:
    elf = tmp_path / "firmware.elf"
    elf.write_bytes(content)
    with pytest.raises(DataError, match=r"firmware\.elf: "):
        elf_events_hash(elf)


def test_missing_images_are_named_with_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"psci_bench\.elf in .*qemu_virt.*make qemu_virt"):
        find_images(Topology((3, 3)), "psci_bench", tmp_path)


def test_another_build_is_never_the_release(tmp_path: Path) -> None:
    folder = fake_images(tmp_path)
    with pytest.raises(UsageError, match=r"qemu_virt-debug; build it with `make qemu_virt-debug`"):
        find_images(JUNO, "psci_bench", folder, "debug")
    with pytest.raises(UsageError, match=r"qemu_virt-debug"):
        find_images(JUNO, "psci_bench", folder / "qemu_virt", "debug")
    (folder / "qemu_virt").rename(folder / "qemu_virt-debug")
    assert find_images(JUNO, "psci_bench", folder, "debug").folder == folder / "qemu_virt-debug"
    own = folder / "qemu_virt-debug" / "psci_bench.elf"
    assert find_images(JUNO, "psci_bench", folder, "debug").payload("psci_bench") == own
    released = folder / "qemu_virt" / "psci_bench.elf"
    released.parent.mkdir()
    released.write_bytes(own.read_bytes())
    assert find_images(JUNO, "psci_bench", folder, "debug").payload("psci_bench") == released


def test_a_folder_of_the_users_own_has_its_own_programs_even_beside_a_release(tmp_path: Path) -> None:
    (released,) = fake_images(tmp_path).iterdir()
    own = tmp_path / "mine" / "psci_bench.elf"
    assert ImageSet(own.parent, JUNO).payload("psci_bench") == own
    assert ImageSet(released, JUNO).payload("psci_bench") == released / "psci_bench.elf"
    variant = ImageSet(tmp_path / "qemu_virt-bare", JUNO)
    assert variant.payload("psci_bench") == released / "psci_bench.elf"
    assert variant.payload("another") == tmp_path / "qemu_virt-bare" / "another.elf", "which the release does not have"


def machine(topology: Topology, **options: object) -> QemuMachine:
    return QemuMachine(ImageSet(Path("/images,here"), topology), "psci_bench", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", [(7, 2, 22), (9, 2, 0)])
def test_an_old_qemu_is_refused_for_several_deterministic_cores_only(version: tuple[int, int, int]) -> None:
    old = Qemu(Path("/usr/bin/qemu"), version)
    with pytest.raises(UsageError, match=r"--topology 1.*--mode multi-thread"):
        check_machine(old, machine(JUNO))
    check_machine(old, machine(Topology((1,))))
    check_machine(old, machine(JUNO, mode=Mode.MULTI_THREAD))
    check_machine(Qemu(Path("/usr/bin/qemu"), (10, 0, 2)), machine(JUNO))


@pytest.mark.parametrize(
    ("topology", "options", "words"),
    [
        (Topology((4, 4, 4)), {"gic": 2}, "12 cores, GICv2 on this machine takes 8"),
        (Topology((17,)), {}, "17 cores, GICv3 on this machine takes 16"),
        (JUNO, {"gic": 4}, "--gic 4"),
        (JUNO, {"el": 3}, "--el 3"),
        (JUNO, {"iterations": 0}, "--iterations 0"),
        (JUNO, {"iterations": 10**20}, "use at most 1000000"),
    ],
)
def test_a_machine_that_cannot_be_is_refused(topology: Topology, options: dict[str, int], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_machine(Qemu(Path("q"), (10, 0, 2)), machine(topology, **options))


def test_the_command_line_hands_over_the_parameters_and_survives_commas_in_paths() -> None:
    command = command_line(Qemu(Path("q"), (10, 0, 2)), machine(JUNO, el=2, gic=2, iterations=7, seed=9), Path("/tmp/s,1"))
    assert "virt,secure=on,virtualization=on,gic-version=2" in command
    assert "loader,file=/images,,here/psci_bench.elf" in command
    assert "loader,addr=0x5fff0000,data=0x4c41544c41420001,data-len=8" in command
    assert "loader,addr=0x5fff0008,data=0x7,data-len=8" in command
    assert "loader,addr=0x5fff0010,data=0x9,data-len=8" in command
    assert command[command.index("-smp") + 1] == "6"
    assert "name=opt/latlab/clusters,string=2,,4" in command


def test_a_program_that_is_no_qemu_is_refused() -> None:
    with pytest.raises(UsageError, match="does not print a QEMU version"):
        find_qemu(Path("/bin/echo"))
    with pytest.raises(UsageError, match="is missing"):
        find_qemu(Path("/nowhere/qemu"))
    with pytest.raises(UsageError, match="not a program that this user may run"):
        find_qemu(Path(__file__))


def test_a_qemu_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_qemu(tmp_path, LOG)
    monkeypatch.chdir(tmp_path)
    assert find_qemu(Path(f"./{program.name}")).path == program


def test_metrics_of_a_stored_run_match_the_figures_of_the_console(store: Store, tmp_path: Path) -> None:
    run(store, tmp_path)
    sample = next(s for s in store.load("last").samples if s.test == "susp_deep_serial" and s.metric is Metric.CACHE_FLUSH)
    line = next(line for line in LOG if line.startswith("<RT_INSTR:test_rt_instr_susp_deep_serial\t0\t0"))
    assert line.endswith(f"\t{sample.value_ticks * 16}/>")


def test_the_command_runs_the_campaign_and_prints_its_tables(latlab: Latlab, tmp_path: Path) -> None:
    options = ("--qemu", fake_qemu(tmp_path, LOG), "--firmware", fake_images(tmp_path / "images"), "--iterations", 2)
    done = latlab("run", "psci", *options)
    assert done.returncode == 0, done.stderr
    assert "CPU_SUSPEND latencies (instructions) to deepest power level in serial" in done.stdout
    assert "192 samples" in done.stderr


@pytest.mark.parametrize(("behaviour", "code"), [("dies", 3), ("panics", 3), ("garbage", 3)])
def test_the_command_ends_with_three_where_the_target_fails(latlab: Latlab, tmp_path: Path, behaviour: str, code: int) -> None:
    options = ("--qemu", fake_qemu(tmp_path, LOG, behaviour), "--firmware", fake_images(tmp_path / "images"))
    done = latlab("run", "psci", *options, "--format", "json")
    assert done.returncode == code
    assert "is partial" in done.stderr
    assert "partial" in latlab("ls").stdout


def test_a_run_keeps_its_images_and_the_command_that_makes_it_again_without_the_stores_password(latlab: Latlab, tmp_path: Path) -> None:
    asked = ("run", "psci", "--qemu", fake_qemu(tmp_path, LOG), "--firmware", fake_images(tmp_path / "images"), "--iterations", 2)
    place = tmp_path / "other.sqlite"
    assert latlab(*asked, "--store", place).returncode == 0
    document = json.loads(latlab("export", "last", "--store", place, "--format", "json").stdout)
    told, image = document["provenance"], Path(document["command"][document["command"].index("-bios") + 1])
    assert told["latlab_command"] == ["latlab", *map(str, asked)]
    assert told["files"][0] == {"name": image.name, "sha256": sha256(image.read_bytes()).hexdigest()}
    assert "latlab run psci --qemu" in latlab("show", "-v", "last", "--store", place).stdout
