# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run psci` on a firmware that it knows nothing of: ours, as if it were somebody else's, and images that are none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, Run, Topology
from latlab.core.store.store import open_store
from latlab.core.targets.qemu.images import find_images
from support import preloaded
from support.hand_counted import OURS, classes_in
from support.places import ROOT
from support.repeated import one_by_one

TIMEOUT_S = 900
IMAGES = find_images(Topology((4,)), "psci_calls")


def latlab(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    return subprocess.run(
        [preloaded.command(), *words], capture_output=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL
    )


def last_run(folder: Path) -> Run:
    return open_store(str(folder / "store.db")).load("last")


def check_functions(run: Run) -> None:
    """The functions of each span add up to it, and say where their source stands."""
    spans: Counter[tuple[str, Metric, CoreId]] = Counter()
    for sample in run.samples:
        spans[sample.test, sample.metric, sample.core] += sample.value_ticks
    flushes = {key: spans.pop(key) for key in list(spans) if key[1] is Metric.CACHE_FLUSH}
    assert all(0 < flush < spans[test, Metric.POWERDOWN, core] for (test, _, core), flush in flushes.items())
    assert len(flushes) == sum(metric is Metric.POWERDOWN for _, metric, _ in spans)
    assert spans == {(one.test, one.metric, one.core): sum(f.instructions for f in one.functions) for one in run.functions}
    (place,) = {share.place for one in run.functions for share in one.functions if share.name == "psci_call"}
    name, _, line = place.partition(":")
    source = (ROOT / name).read_text("utf-8").splitlines()
    assert any("psci_call(" in text for text in source[int(line) - 2 : int(line)])


def test_six_tests_on_four_cores_give_the_same_figures_twice(tmp_path: Path) -> None:
    words = ("run", "psci", "--firmware", str(IMAGES.firmware_bin), "--machine", "virt", "--iterations", "2")
    runs = []
    for _ in range(2):
        done = latlab(tmp_path, *words, "--symbols", str(IMAGES.firmware_elf))
        assert done.returncode == 0, done.stderr.decode()
        runs.append(last_run(tmp_path))
    first, second = runs
    assert one_by_one(first.samples) == one_by_one(second.samples) != []
    assert first.status is RunStatus.COMPLETE
    assert first.conditions.instrument == "crossings"
    assert len(first.samples) == 2 * (5 * 4 * 3 + 4)
    assert {sample.metric for sample in first.samples} == {Metric.POWERDOWN, Metric.CACHE_FLUSH, Metric.WAKEUP, Metric.PSCI_CALL}
    serial = [[one for one in run.functions if not one.test.endswith("_parallel")] for run in runs]
    assert serial[0] == serial[1] != []
    check_functions(first)
    assert len({sample.test for sample in first.samples}) == 6


def test_a_subject_file_is_all_that_is_needed_in_a_folder_with_a_comma_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "a, b"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    shutil.copy(IMAGES.firmware_bin, scratch / "one,two.bin")
    subject = scratch / "ours.toml"
    subject.write_text('name = "ours"\ncores = 4\n[[image]]\nfile = "one,two.bin"\nflash = 0\n')
    done = latlab(tmp_path, "run", "psci", "--subject", str(subject), "--iterations", "1")
    run = last_run(tmp_path)
    assert run.build.firmware == "ours"
    assert done.returncode == 0, done.stderr.decode()
    assert {sample.core.core for sample in run.samples if sample.test == "psci_version_parallel"} == {0, 1, 2, 3}


def test_an_image_that_does_not_start_is_one_sentence_and_what_came_is_kept(tmp_path: Path) -> None:
    (tmp_path / "zeros.bin").write_bytes(bytes(4096))
    words = ("--firmware", str(tmp_path / "zeros.bin"), "--machine", "virt", "--timeout", "5", "--silence", "4")
    done = latlab(tmp_path, "run", "psci", *words)
    assert done.returncode == 3
    assert "is partial" in done.stderr.decode().splitlines()[-2]
    assert "the payload printed nothing" in last_run(tmp_path).problems[0].message


def test_symbols_of_another_build_are_refused_in_a_sentence_and_name_no_function(tmp_path: Path) -> None:
    other = IMAGES.folder.with_name("qemu_virt-hardened") / "firmware.elf"
    words = ("--firmware", str(IMAGES.firmware_bin), "--machine", "virt", "--iterations", "1", "--symbols", str(other))
    done = latlab(tmp_path, "run", "psci", *words)
    run = last_run(tmp_path)
    assert done.returncode == 3
    assert run.problems[0].message.startswith("firmware.elf is of another build: of ")
    assert len(run.samples) == 64
    assert {share.name[:2] for one in run.functions for share in one.functions} == {"0x"}


def test_classes_of_three_functions_are_those_that_a_hand_counted(tmp_path: Path) -> None:
    words = ("--firmware", str(IMAGES.firmware_bin), "--machine", "virt", "--iterations", "1", "--symbols", str(IMAGES.firmware_elf))
    assert latlab(tmp_path, "run", "psci", *words, "--classes").returncode == 0
    run = last_run(tmp_path)
    assert {key: classes_in(run, *key) for key in OURS} == OURS


def test_options_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    image = str(IMAGES.firmware_bin)
    assert b"there are virt, raspi4b" in latlab(tmp_path, "run", "psci", "--machine", "juno").stderr
    assert b"needs --subject FILE" in latlab(tmp_path, "run", "psci", "--symbols", image).stderr
    assert (
        b"--topology has no effect" in latlab(tmp_path, "run", "psci", "--machine", "virt", "--firmware", image, "--topology", "4").stderr
    )


NO_PLUGINS = "qemu-system-aarch64: -plugin x: plugin interface not enabled in this build"
NEXT_STEP = "free some disk or set TMPDIR to a folder with more"
OLDER = "Could not load plugin x.so: x.so: undefined symbol: qemu_plugin_scoreboard_find"


@pytest.mark.parametrize(("says", "sentence"), [(NO_PLUGINS, "was built without plugins"), (OLDER, "is older than version 4")])
@pytest.mark.parametrize("is_watched", [False, True])
def test_a_qemu_that_takes_no_probe_is_refused_in_one_sentence(tmp_path: Path, says: str, sentence: str, is_watched: bool) -> None:
    """A script that says what such a QEMU says."""
    qemu = tmp_path / "qemu-system-aarch64"
    version = '[ "$1" = --version ] && { echo "QEMU emulator version 10.0.2"; exit 0; }'
    qemu.write_text(f"#!/bin/sh\n{version}\necho '{says}' >&2\nexit 1\n")
    qemu.chmod(0o755)
    run = ("run", "psci", "--machine", "virt", "--firmware", str(IMAGES.firmware_bin), "--qemu", str(qemu))
    done = latlab(tmp_path, *(("watch", "--", str(qemu), "-M", "virt") if is_watched else run))
    assert done.returncode == 2
    assert sentence in done.stderr.decode()
    assert open_store(str(tmp_path / "store.db")).runs() == ()


@pytest.mark.parametrize("is_watched", [False, True])
def test_a_disk_that_does_not_take_the_stream_is_the_first_problem_and_what_came_is_kept(tmp_path: Path, is_watched: bool) -> None:
    """A script writes the stream's header where the probe would, and says what the probe says then."""
    qemu = tmp_path / "qemu-system-aarch64"
    version = '[ "$1" = --version ] && { echo "QEMU emulator version 10.0.2"; exit 0; }'
    header = r"""printf 'LLPROBE\000\004\000\030\000\001\000\001\000\004\000\000\000\004\000\000\000' >"${out%%,*}" """
    asked = 'case "$*" in *,ask=on*) echo "latlab-interface used=4 min=2 cur=4"; exit 0 ;; esac'
    says = "latlab probe: writing to /x/probe failed (No space left on device); 43 records were lost"
    qemu.write_text(f"#!/bin/sh\n{version}\n{asked}\nfor word; do out=${{word#*out=}}; done\n{header}\necho '{says}' >&2\n")
    qemu.chmod(0o755)
    run = ("run", "psci", "--machine", "virt", "--firmware", str(IMAGES.firmware_bin), "--qemu", str(qemu))
    done = latlab(tmp_path, *(("watch", "--", str(qemu), "-M", "virt") if is_watched else run))
    assert done.returncode == 3
    first, second, *_ = last_run(tmp_path).problems
    assert first.message == f"{says.removeprefix('latlab ').replace('probe:', 'the probe:', 1)}; {NEXT_STEP}"
    assert "was cut off after 24 bytes" in second.message
    assert len(open_store(str(tmp_path / "store.db")).logs("last")["probe"]) == 24
