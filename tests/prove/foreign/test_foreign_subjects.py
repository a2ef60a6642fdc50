# SPDX-License-Identifier: BSD-3-Clause
"""Slow: other people's firmware as Debian has it, one command each. docs/results/foreign-firmware.md has their figures."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import takewhile
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from latlab.calls.campaign.sbi import PROGRAM, QEMU
from latlab.core.errors import LatlabError
from latlab.core.model.enums import CodePart, Metric, RunStatus
from latlab.core.model.run import CoreId, Run
from latlab.core.store.store import open_store
from latlab.core.targets.qemu.images import search_folders
from support.clients import KERNEL_OF_XEN, Clients, fetch
from support.debian_sources import package, source, version_of
from support.foreign import OLDER_BUILD, RELEASE, SBSA_BUILD, SBSA_SUBJECT, TFA_BUILD, built_tfa
from support.hand_counted import TFA, classes_in
from support.places import ROOT
from support.watched import Boot, linux, ours, tfa_flash, u_boot, watched, xen

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

TIMEOUT_S = 3600
LATLAB = Path(sys.executable).with_name("latlab")
PAGE = (ROOT / "docs/results/foreign-firmware.md").read_text("utf-8")
SMC_PAGE = (ROOT / "docs/results/smc-calls.md").read_text("utf-8")
OPENSBI = Path("usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin")
RPI4 = Path("usr/lib/arm-trusted-firmware/rpi4/bl31.bin")
ROWS = (
    ("PSCI_VERSION", "psci_version_parallel", "psci_call"),
    ("CPU_OFF, down", "cpu_off_serial", "powerdown"),
    ("CPU_OFF, up", "cpu_off_serial", "wakeup"),
    ("CPU_SUSPEND to level 0, down", "cpu_susp_serial", "powerdown"),
    ("CPU_SUSPEND to the deepest state, down, others awake", "susp_deep_serial", "powerdown"),
)
LINUX_DID = {"CPU_ON (64)": 4, "CPU_OFF": 1, "PSCI_VERSION": 1}


def latlab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    command = (str(LATLAB), *words)
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL
    )


def last_run(folder: Path) -> Run:
    return open_store(str(folder / "store.db")).load("last")


@pytest.fixture(scope="module")
def tfa_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The subject file of the TF-A that a suite of Debian has as source, built once."""

    @cache
    def built(suite: str) -> Path:
        return built_tfa(tmp_path_factory.mktemp(suite), suite, OLDER_BUILD if suite == "bookworm" else TFA_BUILD)

    return built


@pytest.fixture(scope="module")
def tfa(tfa_of: Callable[[str], Path]) -> Path:
    """The subject file of TF-A 2.12.1."""
    return tfa_of("trixie")


@pytest.fixture(scope="module")
def tfa_of_sbsa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_tfa(tmp_path_factory.mktemp("sbsa"), "trixie", SBSA_BUILD, SBSA_SUBJECT)


@pytest.fixture(scope="module")
def clients() -> Clients:
    return fetch()


@pytest.mark.parametrize("suite", ["bookworm", "trixie", "sid"])
def test_debians_stripped_tf_a_for_the_raspberry_pi_4_answers_on_its_machine(suite: str, tmp_path: Path) -> None:
    image = package("arm-trusted-firmware", suite, "arm64") / RPI4
    version = version_of("arm-trusted-firmware", suite, "arm64")
    done = latlab(tmp_path, "run", "psci", "--firmware", str(image), "--machine", "raspi4b", "--iterations", "5")
    assert done.returncode == 0, done.stderr
    run = last_run(tmp_path)
    values = [sample.value_ticks for sample in run.samples]
    assert len(values) == 20 and {sample.test for sample in run.samples} == {"psci_version_parallel"}
    assert len(set(values)) == 1
    rows = table("TF-A for the Raspberry Pi 4")
    assert version in rows or suite == "sid", "sid goes on; the page has what it had"
    assert rows.get(version, [str(values[0])]) == [str(values[0])]


def test_tf_a_for_qemu_makes_every_call_that_it_can_and_the_functions_add_up(tmp_path: Path, tfa: Path) -> None:
    done = latlab(tmp_path, "run", "psci", "--subject", str(tfa), "--iterations", "5")
    assert done.returncode == 0, done.stderr
    run = last_run(tmp_path)
    assert run.status is RunStatus.COMPLETE
    check_functions(run)
    lines = {dict(one.operations)["dc cisw"] / one.calls for one in run.functions if one.metric is Metric.POWERDOWN}
    assert lines == {512}
    assert {one.value_ticks for one in run.samples if one.metric is Metric.CACHE_FLUSH} == {512 * 4}
    downs = {test: value for test in ("cpu_off_serial", "cpu_susp_serial", "susp_deep_serial") for value in figures(run, test, "powerdown")}
    assert downs["cpu_off_serial"] < downs["cpu_susp_serial"] < downs["susp_deep_serial"]
    assert all(share.place.startswith("lib/psci/") for one in run.functions for share in one.functions if share.name.startswith("psci_do"))


def test_classes_of_three_functions_of_tf_a_are_those_that_a_hand_counted(tmp_path: Path, tfa: Path) -> None:
    done = latlab(tmp_path, "run", "psci", "--subject", str(tfa), "--iterations", "1", "--classes")
    assert done.returncode == 0, done.stderr
    run = last_run(tmp_path)
    assert {key: classes_in(run, *key) for key in TFA} == TFA


def smc_column(heading: str) -> dict[str, str]:
    """What the page of the smc campaign prints of a firmware, by call; cells that are empty are left out."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in SMC_PAGE.splitlines() if line.startswith("| ")]
    first = next(number for number, row in enumerate(rows) if heading in row)
    column = rows[first].index(heading)
    found = {row[0]: row[column] for row in takewhile(lambda row: row[0] != "call", rows[first + 1 :])}
    return {name.removesuffix(", down and up").removesuffix(", standby"): cell for name, cell in found.items() if cell}


def smc_cell(call: dict[str, Any]) -> str:
    length = str(call["min"]) if call["min"] == call["max"] else f"{call['min']} to {call['max']}"
    return length + "".join(f" ({answer})" for answer in call["failed"])


@pytest.mark.parametrize("heading", ["TF-A", "latlab"])
def test_every_smc_costs_what_the_page_says_and_keeps_an_interrupt_waiting_as_long(
    heading: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    subject = ("--subject", str(request.getfixturevalue("tfa"))) if heading == "TF-A" else ()
    done = latlab(tmp_path, "run", "calls", "--iterations", "5", "--sweep", "1000", "--format", "json", *subject)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    calls = {call["call"]: smc_cell(call) for call in seen["calls"] if call["caller"] == "EL1"}
    printed = smc_column(heading)
    assert {name: calls[name] for name in printed} == printed
    (wait,) = seen["waits"]
    assert (wait["longest"], wait["late"], wait["due"]) == (int(printed["PSCI_VERSION"]), int(printed["PSCI_VERSION"]), 0)


def test_two_releases_of_tf_a_cost_what_the_page_says_and_differ_in_functions(tmp_path: Path, tfa_of: Callable[[str], Path]) -> None:
    names = []
    for column, suite in enumerate(("bookworm", "trixie")):
        done = latlab(tmp_path, "run", "psci", "--subject", str(tfa_of(suite)), "--iterations", "2")
        assert done.returncode == 0, done.stderr
        names += re.findall(r"^run (\S+): \d+ samples$", done.stderr, re.MULTILINE)
        run = last_run(tmp_path)
        check_functions(run)
        page = table("TF-A for `qemu`")
        assert {what: page[what][column] for what in measured(run)} == measured(run)
    told = latlab(tmp_path, "explain", *names)
    print(told.stdout)
    assert re.search(r"powerdown of cpu_off_serial.*bakery_lock_get .{0,80}\(gone\)", told.stdout.replace("\n", " "))


def test_the_newest_tf_a_that_debian_has_as_source_makes_every_call_that_it_can(tmp_path: Path, tfa_of: Callable[[str], Path]) -> None:
    try:
        source("arm-trusted-firmware", "sid")
    except LatlabError as error:
        pytest.skip(str(error))
    done = latlab(tmp_path, "run", "psci", "--subject", str(tfa_of("sid")), "--iterations", "2")
    assert done.returncode == 0, done.stderr
    run = last_run(tmp_path)
    print(measured(run))
    assert (run.status, len(run.samples)) == (RunStatus.COMPLETE, 22)
    check_functions(run)


def test_tf_a_for_the_reference_machine_of_servers_makes_every_call_that_it_can(tmp_path: Path, tfa_of_sbsa: Path) -> None:
    done = latlab(tmp_path, "run", "psci", "--subject", str(tfa_of_sbsa), "--iterations", "2")
    assert done.returncode == 0, done.stderr
    run = last_run(tmp_path)
    assert (run.status, run.platform, len(run.samples)) == (RunStatus.COMPLETE, "sbsa-ref", 22)
    check_functions(run)
    assert {what: row[0] for what, row in table("TF-A 2.12.1 for `qemu_sbsa`").items()} == measured(run)


@pytest.mark.skipif(
    not (shutil.which(QEMU) and any((folder / PROGRAM).is_file() for folder in search_folders())),
    reason="needs qemu-system-misc and `make sbi`",
)
@pytest.mark.parametrize(("suite", "version"), [("bookworm-backports", "1.5.1"), ("trixie", "1.6")])
def test_opensbi_answers_every_call_on_four_harts(suite: str, version: str, tmp_path: Path) -> None:
    image = package("opensbi", suite, "amd64") / OPENSBI
    done = latlab(
        tmp_path, "run", "calls", "--abi", "sbi", "--firmware", str(image), "--harts", "4", "--iterations", "20", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    # A fence waits for other harts, whose turns are the emulator's. They also say how long the longest of calls is that an IPI meets.
    calls = {one["call"]: one for one in json.loads(done.stdout)["calls"] if not one["call"].startswith("rfence.")}
    assert len(calls) == 41
    for name, one in calls.items():
        line = re.search(rf"^\| {re.escape(name)} \|.*", PAGE, re.MULTILINE)
        print(version, name, one["count"], one["min"], one["max"])
        shown = re.search(rf"\| {one['min']}(?P<most> to \d+)?(?: \([A-Z_]+\))? \|", line[0]) if line else None
        assert shown and (shown["most"] or one["min"] == one["max"]), (version, name, one["min"], one["max"])


def test_linux_under_tf_a_and_under_ours_makes_the_same_power_calls(tmp_path: Path, tfa: Path, clients: Clients) -> None:
    release = tfa.parent / RELEASE
    found = {}
    for name in ("tf-a", "ours"):
        folder = tmp_path / name
        folder.mkdir()
        theirs = name == "tf-a"
        flash = tfa_flash(release, folder, KERNEL_OF_XEN) if theirs else ours()
        command = linux(flash, clients, folder, gic=2, at=KERNEL_OF_XEN) if theirs else linux(flash, clients, folder)
        found[name] = watched(command, folder)
        told(name, found[name])
        assert found[name].status == 0 and not found[name].problems, found[name].console[-2000:]
        assert "CLIENT cpus 4" in found[name].console
        counts = {one["call"]: one["count"] for one in found[name].calls if one["call"] in LINUX_DID}
        assert counts == LINUX_DID
    version = {name: next(one for one in boot.calls if one["call"] == "PSCI_VERSION") for name, boot in found.items()}
    done = latlab(tmp_path, "run", "psci", "--subject", str(tfa), "--iterations", "1")
    assert done.returncode == 0
    assert figures(last_run(tmp_path), "psci_version_parallel", "psci_call") == [version["tf-a"]["median"]]
    assert version["ours"]["median"] < version["tf-a"]["median"]


def test_xen_and_u_boot_are_watched_too(tmp_path: Path, clients: Clients) -> None:
    booted = watched(xen(clients, tmp_path), tmp_path, enough="CLIENT cpus")
    told("xen", booted)
    assert "interrupted by the user" in booted.problems[0]
    assert next(one for one in booted.calls if one["call"] == "CPU_ON (64)")["count"] == 3
    loaded = watched(u_boot(clients), tmp_path, typed=b"\npoweroff\n", once="Net:")
    told("u-boot", loaded)
    assert "U-Boot" in loaded.console and "poweroff ..." in loaded.console
    assert not [one for one in loaded.calls if one["kind"] == "call"]
    assert [said.split(" from ")[0] for said in loaded.not_returned] == ["SYSTEM_OFF"]


def table(title: str) -> dict[str, list[str]]:
    """The first table of this section of the page: its rows by their first cell."""
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return {line[0]: line[1:] for line in lines[2:]}


def measured(run: Run) -> dict[str, str]:
    """What the page has of a subject, in its words; each figure is that of all cores and iterations."""
    found = {}
    for what, test, metric in ROWS:
        values = {sample.value_ticks for sample in run.samples if (sample.test, sample.metric) == (test, metric)}
        assert len(values) == 1, (what, values)
        found[what] = str(values.pop())
    return found


def check_functions(run: Run) -> None:
    """They add up to the spans."""
    spans: Counter[tuple[str, Metric, CoreId]] = Counter()
    for sample in run.samples:
        spans[sample.test, sample.metric, sample.core] += sample.value_ticks
    flushes = {key[0::2]: spans.pop(key) for key in list(spans) if key[1] is Metric.CACHE_FLUSH}
    assert spans == {(one.test, one.metric, one.core): sum(f.instructions for f in one.functions) for one in run.functions}
    for one in run.functions:
        parts, total = dict(one.parts), sum(f.instructions for f in one.functions)
        assert sum(parts.values()) == sum(frame.instructions for frame in one.frames) == total
        if one.metric is Metric.POWERDOWN:
            assert parts.get(CodePart.CACHE_FLUSH, 0) == flushes.get((one.test, one.core), 0)
    for one in run.functions:
        most = sorted(one.functions, key=lambda f: -f.instructions)[:8]
        print(one.test, one.metric, one.core, [(f.name, f.place, f.instructions // one.calls) for f in most])


def figures(run: Run, test: str, metric: str) -> list[float]:
    """The median over all cores, in a list that is empty where there is none."""
    values = [sample.value_ticks for sample in run.samples if (sample.test, sample.metric) == (test, metric)]
    return [median(values)] if values else []


def told(name: str, boot: Boot) -> None:
    print(f"== {name}", *boot.table(), sep="\n")
