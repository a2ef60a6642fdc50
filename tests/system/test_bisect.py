# SPDX-License-Identifier: BSD-3-Clause
"""`latlab bisect` and `latlab history --repo` on a repository whose commits build two known firmwares of ours."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.calls.model.crossings import Core, Crossing, Sleep, Wake
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import Topology
from latlab.core.store.function_files import FUNCTIONS_LOG
from latlab.core.store.store import open_store
from latlab.core.targets.qemu.images import find_images
from support import preloaded
from support.processes import is_running, wait_until
from support.repositories import commit, new_repository, state

TIMEOUT_S = 900
WITHOUT_IDS = re.compile(r"psci-[0-9a-f]+")
IMAGES = find_images(Topology((4,)), "psci_calls")
SLOWER = IMAGES.folder.with_name("qemu_virt-hardened")
FIGURE = "cpu_off_serial/powerdown"
MEASURED = (
    "--build",
    "sh build.sh",
    "--firmware",
    "out/firmware.bin",
    "--machine",
    "virt",
    "--symbols",
    "out/firmware.elf",
    "--iterations",
    "1",
)


def latlab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    command = (preloaded.command(), *words)
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Six commits: the fourth makes calls dearer, the third does not build."""
    folder = new_repository(tmp_path / "theirs")
    for number in range(1, 7):
        source = IMAGES.folder if number < 4 else SLOWER
        step = "echo no compiler; exit 1" if number == 3 else f"mkdir out && cp {source}/firmware.bin {source}/firmware.elf out"
        commit(folder, f"change {number}", {"build.sh": f"{step} # {number}\n"})
    return folder


def test_a_slower_commit_is_named_with_its_functions_and_the_gate_names_both(tmp_path: Path, repository: Path) -> None:
    words = ("bisect", "HEAD~2..HEAD", "--repo", str(repository), "--figure", FIGURE, *MEASURED)
    commit(repository, "change 7", {"build.sh": (repository / "build.sh").read_text().replace(str(SLOWER), str(IMAGES.folder))})
    done = latlab(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert '"change 7" changed cpu_off_serial/powerdown: ' in done.stdout
    assert "vectors -17 (from " in done.stdout
    gate = latlab(tmp_path, *next(line for line in done.stdout.splitlines() if "latlab gate" in line).split()[1:], "--fail-on", "improved")
    assert gate.returncode == 1
    assert "by function, powerdown of cpu_off_serial" in gate.stdout and "vectors -17 (from " in gate.stdout
    assert '"change 7", compared with ' in gate.stdout


def test_a_call_of_the_smc_campaign_is_bisected_with_its_functions(tmp_path: Path, repository: Path) -> None:
    commit(repository, "change 7", {"build.sh": (repository / "build.sh").read_text().replace(str(SLOWER), str(IMAGES.folder))})
    words = ("bisect", "HEAD~1..HEAD", "--repo", str(repository), "--smc", "--figure", "TRNG_VERSION/call", *MEASURED)
    done = latlab(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert '"change 7" changed TRNG_VERSION/call: ' in done.stdout
    assert "vectors -" in done.stdout
    refused = latlab(tmp_path, *words[:7], "--build", "true", "--watch", "qemu-system-aarch64")
    assert refused.returncode == 2 and "--smc is of a --subject or a --firmware" in refused.stderr


def test_a_commit_that_does_not_build_is_skipped_and_named_among_those_that_may_be_the_first(tmp_path: Path, repository: Path) -> None:
    before = state(repository)
    done = latlab(tmp_path, "bisect", "HEAD~3..HEAD", "--repo", str(repository), "--figure", FIGURE, *MEASURED)
    assert done.returncode == 3 and "cannot be measured" in done.stderr
    assert "status 1; its last lines: 'no compiler'" in done.stderr
    words = ("bisect", "HEAD~5..HEAD", "--repo", str(repository), "--figure", FIGURE, *MEASURED)
    told = json.loads(latlab(tmp_path, *words, "--format", "json").stdout)
    assert sorted(one["subject"] for one in told["suspects"]) == ["change 3", "change 4"]
    assert told["first"] is None and told["skipped"] == 1
    (failed,) = (run for run in open_store(str(tmp_path / "store.db")).runs() if run.build.get_option("not measured"))
    assert open_store(str(tmp_path / "store.db")).log(failed.id, "build") == b"no compiler\n"

    history = ("history", f"{FIGURE}/core-0.1", "HEAD~5..HEAD", "--repo", str(repository), *MEASURED, "--format", "json")
    (series,) = json.loads(latlab(tmp_path, *history).stdout)["series"]
    assert [point["firmware"][:15] for point in series["points"]] == ["firmware.bin at"] * 5
    (change,) = series["changes"]
    assert series["points"][2]["run"] == change["run"]
    assert state(repository) == before


def test_what_was_measured_is_not_built_again(tmp_path: Path, repository: Path) -> None:
    words = ("bisect", "HEAD~2..HEAD~1", "--repo", str(repository), *MEASURED, "--format", "json")
    same = latlab(tmp_path, *words, "--figure", FIGURE)
    assert same.returncode == 2 and "name commits between which it differs" in same.stderr
    again = latlab(tmp_path, *words, "--figure", "cpu_off_serial/wakeup")
    assert again.stderr.count("measured before") == 2 and "building" not in again.stderr
    other = latlab(tmp_path, *words, "--figure", FIGURE, "--iterations", "2")
    assert other.stderr.count("building") == 2


@pytest.mark.parametrize(
    ("builds", "verb"), [(1, ("bisect", "HEAD~5..HEAD", "--figure", FIGURE)), (2, ("history", "HEAD~5..HEAD", "--jobs", "2"))]
)
def test_killed_in_the_middle_of_a_build_it_leaves_no_process_and_no_folder(
    tmp_path: Path, repository: Path, builds: int, verb: tuple[str, ...]
) -> None:
    places = tmp_path / "scratch"
    places.mkdir()
    build = f"sleep 5000 & echo $! $$ > {tmp_path}/new.$$; mv {tmp_path}/new.$$ {tmp_path}/pids.$$; wait"
    words = (*verb, "--repo", str(repository), "--firmware", "x", "--machine", "virt", "--build", build)
    before = state(repository)
    environment = dict(os.environ, LATLAB_STORE=str(tmp_path / "store.db"), TMPDIR=str(places))
    process = subprocess.Popen((preloaded.command(), *words), env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(list(tmp_path.glob("pids.*"))) == builds)
    pids = [int(pid) for path in tmp_path.glob("pids.*") for pid in path.read_text().split()]
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not any(map(is_running, pids)) and not list(places.iterdir()))
    assert state(repository) == before


def test_options_that_do_not_belong_together_are_refused(tmp_path: Path, repository: Path) -> None:
    repo = ("--repo", str(repository))
    assert "--build COMMAND" in latlab(tmp_path, "bisect", "HEAD~1..HEAD", *repo, "--figure", FIGURE).stderr
    assert "--machine MACHINE" in latlab(tmp_path, "bisect", "HEAD~1..HEAD", *repo, "--figure", FIGURE, "--build", "true").stderr
    assert "it needs --repo" in latlab(tmp_path, "history", FIGURE, "a", "b", "--build", "true").stderr
    assert "--jobs are processes" in latlab(tmp_path, "history", "HEAD", *repo, *MEASURED, "--jobs", "2", "--dask", "local").stderr
    assert "history needs a figure or commits; name a figure and two runs" in latlab(tmp_path, "history").stderr
    unknown = latlab(tmp_path, "bisect", "HEAD~1..HEAD", *repo, "--figure", "no_test/powerdown", *MEASURED)
    assert unknown.returncode == 2 and "matches 'no_test/powerdown'" in unknown.stderr


def test_what_a_watch_counts_is_followed_over_tags_and_bisected_by_function(tmp_path: Path, repository: Path) -> None:
    """The boot of each commit's firmware, by a command of the user's, which starts a program of x0 = 0x84000008, smc #0, b to itself."""
    machine = "qemu-system-aarch64 -M virt,secure=on,gic-version=2 -cpu cortex-a57 -m 1024 -bios {tree}/out/firmware.bin"
    quiet = "-display none -nic none -monitor none -serial stdio -icount shift=4,sleep=off -no-reboot"
    words = ((0x60000000, 0xF2800100D2B08000), (0x60000008, 0x14000000D4000003))
    off = " ".join(f"-device loader,addr={at:#x},data={data:#x},data-len=8" for at, data in words)
    measured = ("--repo", str(repository), "--build", "sh build.sh", "--symbols", "out/firmware.elf")
    watched = (*measured, "--watch", f"{machine} {off} {quiet}")
    for name, place in (("v1", "HEAD~5"), ("v2", "HEAD~1"), ("v3", "HEAD")):
        subprocess.run(("git", "-C", str(repository), "tag", name, place), check=True)
    followed = latlab(tmp_path, "history", "firmware/boot/*", "v1..v3", "--tags", "v*", *watched, "--format", "json")
    assert followed.returncode == 0, followed.stderr
    assert "3 built and measured, 0 measured before, 0 skipped" in followed.stderr
    found = latlab(tmp_path, "bisect", "HEAD~3..HEAD~2", "--figure", "firmware/boot", *watched)
    assert found.returncode == 3 and "cannot be measured" in found.stderr
    again = latlab(tmp_path, "bisect", "v1..v2", "--figure", "firmware/boot", *watched, "--format", "json")
    told = json.loads(again.stdout)
    assert sorted(one["subject"] for one in told["suspects"]) == ["change 3", "change 4"]


def test_two_ways_to_measure_a_commit_are_refused(tmp_path: Path, repository: Path) -> None:
    words = ("--repo", str(repository), "--build", "true", "--sbi", "fw.bin", "--watch", "qemu-system-riscv64")
    done = latlab(tmp_path, "bisect", "HEAD~1..HEAD", "--figure", "all/boot", *words)
    assert done.returncode == 2 and "exclude each other; give one of them" in done.stderr


def by_identity(stream: bytes) -> dict[int, list[Crossing | Sleep | Wake]]:
    """What each core did. QEMU 11 begins with whichever core it is woken for: numbers of cores, and the count of all cores, follow that."""
    records = list(Decoder().feed(stream))
    identities = {record.core: record.identity for record in records if isinstance(record, Core)}
    found: dict[int, list[Crossing | Sleep | Wake]] = {}
    for record in records:
        if isinstance(record, Crossing | Sleep | Wake):
            identity = identities[record.core]
            found.setdefault(identity, []).append(replace(record, core=identity, machine=0))
    return found


@pytest.mark.parametrize(
    ("processors", "more", "ways"),
    [
        (("cortex-a57",), (), ((), ("--jobs", "2"))),
        pytest.param(("cortex-a57", "cortex-a72"), ("--classes",), ((), ("--jobs", "2"), ("--dask", "local")), marks=pytest.mark.slow),
    ],
)
def test_two_dask_workers_and_two_processes_measure_the_same_as_one_and_a_second_history_builds_nothing(
    tmp_path: Path, repository: Path, processors: tuple[str, ...], more: tuple[str, ...], ways: tuple[tuple[str, ...], ...]
) -> None:
    pytest.importorskip("distributed")
    cpus = (*(word for name in processors for word in ("--cpu", name)), *more)
    words = ("history", "HEAD~2..HEAD~1", "--repo", str(repository), *MEASURED, *cpus, "--format", "json")
    told, logs = [], []
    for number, how in enumerate(ways):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = latlab(folder, *words, *how)
        assert done.returncode == 0, done.stderr
        again = latlab(folder, *words, *how)
        assert "0 built and measured, 2 measured before, 0 skipped" in again.stderr and again.stdout == done.stdout
        store = open_store(str(folder / "store.db"))
        runs = sorted(store.runs(), key=lambda run: (dict(run.build.options)["commit"], run.conditions.processor or ""))
        assert [run.conditions.processor for run in runs] == [*processors] * 2
        logs.append([(by_identity(store.log(run.id, "probe")), store.log(run.id, FUNCTIONS_LOG)) for run in runs])
        told.append(WITHOUT_IDS.sub("", done.stdout))
    assert all(cores and functions for cores, functions in logs[0]) and all(log == logs[0] for log in logs)
    assert all(text == told[0] for text in told)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--board", "n1sdp"), "--board needs instructions by class; measure them with --classes"),
        (("--board", "n1sdp", "--classes"), "what is named would be counted on cortex-a57, and n1sdp has neoverse-n1"),
        (("--board", "am62l", "--classes"), "--board am62l: no release of it was published and counted; there are juno, n1sdp"),
    ],
)
def test_a_board_that_cannot_be_told_is_refused_before_anything_is_built(
    tmp_path: Path, repository: Path, words: tuple[str, ...], said: str
) -> None:
    for verb in (("history", "HEAD~1..HEAD"), ("bisect", "HEAD~1..HEAD", "--figure", FIGURE)):
        done = latlab(tmp_path, *verb, "--repo", str(repository), *MEASURED, *words)
        assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout
    followed = latlab(tmp_path, "history", FIGURE, "HEAD~1..HEAD", "--repo", str(repository), *MEASURED, *words)
    assert followed.returncode == 2 and "leave out the figure" in followed.stderr
