# SPDX-License-Identifier: BSD-3-Clause
"""Prints latlab's instruction counts beside the peer's. One boot of `insn_probe` with an instruction log, one psci run."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from rich.console import Console
from rich.table import Table

from latlab.core.model.enums import Metric
from latlab.core.model.run import Run, Topology
from latlab.core.report.progress import RunProgress
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.images import ImageSet, find_images
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from latlab.psci.campaign.measure import CAMPAIGN_TESTS, PAYLOAD, run_psci

PROBE = "insn_probe"
TOPOLOGY = Topology((2, 4))
L1_LINES = 512  # cortex-a57: 32 KiB of 64 bytes
LOOP_LABELS = {"next_sets", "next_way", "way_done"}
EXECUTED = re.compile(r"Trace (\d+): 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/")


@dataclass(frozen=True)
class Symbols:
    addresses: list[int]
    names: list[str]

    @classmethod
    def of(cls, elf: Path) -> Symbols:
        with elf.open("rb") as stream:
            table = ELFFile(stream).get_section_by_name(".symtab")
            assert isinstance(table, SymbolTableSection)
            labels = sorted(
                (s["st_value"], s.name) for s in table.iter_symbols() if s.name and s.name[0] not in "$_" and s["st_shndx"] != "SHN_ABS"
            )
        return cls([address for address, _ in labels], [name for _, name in labels])

    def address(self, name: str) -> int:
        return self.addresses[self.names.index(name)]

    def name(self, address: int) -> str:
        return self.names[bisect_right(self.addresses, address) - 1]


def logged(images: ImageSet) -> str:
    """All but libfdt, which lies behind the rest of the firmware and has some millions of instructions of the boot."""
    firmware = Symbols.of(images.firmware_elf)
    end = firmware.address("fdt_ro_probe_")
    return f"{firmware.address('vectors'):#x}..{end - 1:#x},0x60000000+0x10000"


def executed(images: ImageSet) -> dict[int, list[int]]:
    """Every instruction of the probe's boot: addresses by core, in order."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        command = command_line(find_qemu(), QemuMachine(images, PROBE), Path(folder, "secure.log"))
        options = ("-accel", "tcg,one-insn-per-tb=on", "-d", "exec,nochain", "-D", str(log), "-dfilter", logged(images))
        subprocess.run([*command, *options], check=True, timeout=900, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cores: dict[int, list[int]] = {}
        with log.open() as lines:
            for line in lines:
                if found := EXECUTED.match(line):
                    cores.setdefault(int(found[1]), []).append(int(found[2], 16))
    return cores


def between(core: list[int], start: int, end: int) -> list[int]:
    """The first run of addresses that follows `start` (the SMC) up to, not including, `end`."""
    first = core.index(start)
    return core[first + 1 : core.index(end, first)]


def without(addresses: Iterable[int], symbols: Symbols, labels: set[str]) -> int:
    return sum(symbols.name(address) not in labels for address in addresses)


def from_log(images: ImageSet) -> dict[str, float]:
    firmware, probe = Symbols.of(images.firmware_elf), Symbols.of(images.payload(PROBE))
    cores = executed(images)
    smc_bytes = 4

    def call(label: str) -> list[int]:
        return between(cores[0], probe.address(label) - smc_bytes, probe.address(label))

    second = probe.address("second")
    entered = cores[1].index(second)
    parked = cores[1][entered:].index(second + smc_bytes) + entered
    off = cores[1][parked + 1 :]
    on = cores[1][:entered]
    warm = len(on) - on[::-1].index(firmware.address("arch_warm_entry")) - 1
    suspend = call("after_suspend")
    woken = suspend.index(firmware.address("arch_warm_entry"))
    return {
        "version_round_trip": len(call("after_version")),
        "workaround_round_trip": len(call("after_workaround")),
        "pmf_round_trip": len(call("after_pmf")),
        "affinity_round_trip": len(call("after_affinity")),
        "suspend_path": without(suspend, firmware, LOOP_LABELS),
        "suspend_down": without(suspend[:woken], firmware, LOOP_LABELS),
        "suspend_up": len(suspend) - woken,
        "off_path": without(off, firmware, LOOP_LABELS),
        "on_path": len(on) - warm,
        "loop_per_line": sum(firmware.name(address) in LOOP_LABELS for address in suspend) / L1_LINES,
        "image_bytes": images.firmware_bin.stat().st_size,
    }


def spans(run: Run, test: str, metric: Metric) -> list[int]:
    return [sample.value_ticks for sample in run.samples if sample.test == test and sample.metric is metric]


def from_run(images: ImageSet) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder, "bench.db")))
        progress = RunProgress(Console(quiet=True), PAYLOAD, CAMPAIGN_TESTS)
        recorded = run_psci(store, find_qemu(), QemuMachine(images, PAYLOAD), Limits(300, 60), progress)
        run = store.load(recorded.run_id)
    serial = "cpu_susp_serial"
    down, flush = spans(run, serial, Metric.POWERDOWN), spans(run, serial, Metric.CACHE_FLUSH)
    return {
        "version_span": min(spans(run, "psci_version_parallel", Metric.PSCI_CALL)),
        "suspend_entry": max(d - f for d, f in zip(down, flush, strict=True)),
        "suspend_exit": max(spans(run, serial, Metric.WAKEUP)),
        "cluster_loop": max(spans(run, "susp_deep_serial", Metric.CACHE_FLUSH)),
        "capture": run.capture_cost_ticks or 0,
    }


def main() -> int:
    images = find_images(TOPOLOGY, PROBE)
    measured = from_log(images) | from_run(images)
    rows = tomllib.loads(Path(__file__).with_name("peers.toml").read_text())["row"]
    table = Table(title="QEMU virt, cortex-a57, instruction clock, deterministic: instructions unless said otherwise")
    for heading in ("", "latlab", "peer", "goal", ""):
        table.add_column(heading, justify="left" if not heading else "right")
    missed = 0
    for row in rows:
        value, goal = measured[row["key"]], row.get("goal")
        met = goal is None or value <= goal
        missed += not met
        table.add_row(
            row["what"],
            f"{value:g}",
            f"{row['peer'] - row.get('loop', 0):g}" if "peer" in row else "",
            "" if goal is None else f"{goal:g}",
            "" if goal is None else "met" if met else "MISSED",
        )
    Console(width=150).print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
