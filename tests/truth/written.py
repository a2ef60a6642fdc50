# SPDX-License-Identifier: BSD-3-Clause
"""Runs as files, as a tool would write them byte by byte: JSON of a run, a console log, a document's tables."""

from __future__ import annotations

import json
from enum import StrEnum

from truth.machines import CALL, DEEP, DEEP_SERIAL, DOWN, FLUSH, LEVEL_0, OFF, SERIAL_0, TESTS, UP, VERSION, Machine
from truth.spans import Table

TITLES = {
    DEEP: "``CPU_SUSPEND`` latencies (µs) to deepest power level in parallel",
    DEEP_SERIAL: "``CPU_SUSPEND`` latencies (µs) to deepest power level in serial",
    LEVEL_0: "``CPU_SUSPEND`` latencies (µs) to power level 0 in parallel",
    SERIAL_0: "``CPU_SUSPEND`` latencies (µs) to power level 0 in serial",
    OFF: "``CPU_OFF`` latencies (µs) on all non-lead CPUs",
    VERSION: "``CPU_VERSION`` latency (µs) in parallel on all cores",
}
BOARDS = {"juno": "Arm Juno Development Platform", "n1sdp": "Arm Neoverse N1 SDP (N1SDP)"}


class Form(StrEnum):
    JSON = "json"
    LOG = "log"
    RST = "rst"


def written(form: Form, machine: Machine, table: Table, name: str) -> str:
    return {Form.JSON: run_json, Form.LOG: console_log, Form.RST: document}[form](machine, table, name)


def metrics_of(test: str) -> tuple[str, ...]:
    return (CALL,) if test == VERSION else (DOWN, UP, FLUSH)


def run_json(machine: Machine, table: Table, name: str) -> str:
    samples = [
        [test, metric, f"{cluster}.{core}", boot, iteration, int(table[test, metric][boot, iteration, column])]
        for test in TESTS
        for metric in metrics_of(test)
        for boot in range(table[test, metric].shape[0])
        for iteration in range(table[test, metric].shape[1])
        for column, (cluster, core) in enumerate(machine.cores)
    ]
    said = {
        "schema": "latlab-run", "version": 3, "id": name, "campaign": "psci", "kind": "spans", "target": "board",
        "platform": machine.name, "topology": list(machine.clusters), "clock": "instructions" if machine.exact else "time",
        "tick_value": machine.tick_ns, "tick_unit": "insns" if machine.exact else "ns",
        "build": {"firmware": f"firmware of {name}", "events_hash": None, "options": [], "code_bytes": None},
        "lead": f"{machine.lead[0]}.{machine.lead[1]}", "status": "complete",
        "conditions": {
            "mode": "deterministic" if machine.exact else "real", "duration_s": None, "interval_ns": None, "priority": None, "load": None,
            "idle_states": None, "kernel": None, "kernel_version": None, "kstack_randomised": None, "hwrng_driver": None, "commands": [],
            "hotplug_cycles": None, "suspends": None,
        },
        "capture_cost_ticks": None, "started_utc": "", "emulator": "", "command": [], "source": "", "printed_deltas": [],
        "resolutions": [], "facts": [], "problems": [], "problem_details": [], "samples": samples,
    }  # fmt: skip
    return json.dumps(said)


def console_log(machine: Machine, table: Table, name: str) -> str:
    """One line for each core and iteration, after what the boot loader says of each boot."""
    lines = []
    boots, iterations, _ = table[VERSION, CALL].shape
    for boot in range(boots):
        lines += ["NOTICE:  Booting Trusted Firmware", f"NOTICE:  BL31: v2.{name[-1]}(release):bench"]
        for test in TESTS:
            for iteration in range(iterations):
                for column, (cluster, core) in enumerate(machine.cores):
                    ns = [round(table[test, metric][boot, iteration, column] * machine.tick_ns) for metric in metrics_of(test)]
                    columns = [f"test_rt_instr_{test}", cluster, core, *ns]
                    lines.append("<RT_INSTR:" + "\t".join(map(str, columns)) + "/>")
    return "\r\n".join(lines) + "\r\n"


def document(machine: Machine, table: Table, name: str) -> str:
    """The layout of the documents: a table for each test, the figures in microseconds."""
    title = f"PSCI Performance Measurements on {BOARDS[machine.name]}"
    lines = [title, "=" * len(title), "", "Results", "-------", ""]
    for test in TESTS:
        names = {DOWN: "Powerdown", UP: "Wakeup", FLUSH: "Cache Flush", CALL: "Latency"}
        head = ["Cluster", "Core", *(names[metric] for metric in metrics_of(test))]
        rule = "    +" + "+".join("-" * 13 for _ in head) + "+"
        lines += [f".. table:: {TITLES[test]}", f"        (v2.{name[-1]})", "", rule, _row(head), rule.replace("-", "=")]
        for column, (cluster, core) in enumerate(machine.cores):
            us = [f"{table[test, metric][0, 0, column] * machine.tick_ns / 1000:.2f}" for metric in metrics_of(test)]
            lines += [_row([str(cluster), str(core), *us]), rule]
        lines.append("")
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "    |" + "|".join(f"{cell:^13}" for cell in cells) + "|"
