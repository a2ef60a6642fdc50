# SPDX-License-Identifier: BSD-3-Clause
"""Documents of older versions, made at random: each reads, and what it becomes is written and read unchanged."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from latlab.formats import run_json
from latlab.formats.old_runs import MODES, TYPED
from latlab.model.conditions import Mode
from latlab.model.enums import Kind, Metric
from latlab.model.run import Run

NUMBERS = st.integers(0, 999).map(str)
WORDS = st.text("abcdefgh -_/=", max_size=12)
FACTS = {
    "mode": st.sampled_from(sorted(MODES)),
    "duration_s": NUMBERS,
    "interval_us": NUMBERS,
    "priority": NUMBERS,
    "idle states": st.sampled_from(("allowed", "forbidden")),
    "load": st.sampled_from(("none", "hackbench &")),
    "cyclictest command": st.sampled_from(("none", "cyclictest -m -Sp80 -i200 -D2m")),
    "kernel": WORDS,
    "kernel-stack randomisation": st.sampled_from(("on", "off")),
    "hwrng driver": st.sampled_from(("loaded", "removed")),
    "cycles": NUMBERS,
    "code_bytes": NUMBERS,
    "doses_us": st.sampled_from(("0", "0,50,200")),
    "cpu": WORDS,
    "gic": st.sampled_from("023"),
    "el": st.sampled_from("012"),
    "iterations": NUMBERS,
    "basepri": st.sampled_from(("0x20", "0x0")),
    "instrument": WORDS,
    "resolution_ns wakeup": NUMBERS.filter(lambda text: text != "0"),
    "printed_delta_percent cpu_off powerdown 0.0": NUMBERS,
    "note of a reader": WORDS,
}
SAMPLE = st.tuples(st.just("cpu_off"), st.just("powerdown"), st.just("0.0"), st.integers(0, 3), st.integers(0, 9), st.integers(0, 9999))
COMMANDS = st.sampled_from(((), ("/usr/bin/qemu-system-arm", "-M", "mps2-an521", "-icount", "shift=0"), ("telnet", "board")))


def of_version_1(facts: dict[str, str], samples: list[tuple], command: tuple[str, ...], campaign: str, events: str | None) -> dict:
    return {
        "schema": run_json.SCHEMA,
        "version": 1,
        "id": "old",
        "campaign": campaign,
        "target": "qemu",
        "platform": "qemu_virt",
        "topology": [1],
        "clock": "time",
        "tick_value": 8.0,
        "tick_unit": "ns",
        "firmware": "old-1",
        "events_hash": events,
        "build_options": [],
        "lead": None,
        "status": "complete",
        "capture_cost_ticks": None,
        "started_utc": "2026-01-01T00:00:00Z",
        "emulator": "",
        "command": list(command),
        "facts": [list(fact) for fact in facts.items()],
        "problems": [[3, "a line that says nothing"]],
        "samples": samples,
        "traces": [],
    }


OLD = st.builds(
    of_version_1,
    st.fixed_dictionaries({}, optional=FACTS),
    st.lists(SAMPLE, max_size=4),
    COMMANDS,
    st.sampled_from(("psci", "psa", "rt", "rt-trng", "rt-power", "import")),
    st.none() | st.just("0123456789abcdef"),
)


def read(document: dict) -> Run:
    return run_json.parse(json.dumps(document), "old.json")


@given(OLD)
def test_a_document_of_version_1_becomes_one_of_today_that_reads_unchanged(document: dict) -> None:
    run = read(document)
    assert run_json.parse(run_json.render(run), "new.json") == run


@given(OLD)
def test_what_the_facts_of_version_1_said_is_typed_and_no_longer_a_fact(document: dict) -> None:
    said, run = dict(document["facts"]), read(document)
    kept = dict(run.facts)
    assert not kept.keys() & {*TYPED, "cpu", "gic", "el", "iterations", "basepri"}
    assert kept.get("note of a reader") == said.get("note of a reader")
    c = run.conditions
    assert c.mode == (MODES[said["mode"]] if "mode" in said else None)
    assert c.idle_states == (said["idle states"] == "allowed" if "idle states" in said else None)
    assert c.hotplug_cycles == (int(said["cycles"]) if "cycles" in said else None)
    assert run.build.code_bytes == (int(said["code_bytes"]) if "code_bytes" in said else None)
    assert [one.percent for one in run.printed_deltas] == [float(v) for k, v in said.items() if k.startswith("printed_delta_percent ")]
    assert run.resolutions == tuple((Metric.WAKEUP, float(v)) for k, v in said.items() if k.startswith("resolution_ns "))


@given(OLD, st.sampled_from(Mode))
def test_a_document_of_version_2_keeps_what_was_typed_and_its_machine_becomes_conditions(document: dict, mode: Mode) -> None:
    new = json.loads(run_json.render(read(document)))
    machine = [fact for fact in document["facts"] if fact[0] in ("cpu", "gic", "el", "iterations")]
    blank = dict.fromkeys(("processor", "interrupt_controller", "exception_level", "iterations"))
    run = read({**new, "version": 2, "facts": new["facts"] + machine, "conditions": {**new["conditions"], **blank, "mode": mode}})
    said = dict(machine)
    assert run.conditions.mode is mode and dict(run.facts) == dict(new["facts"])
    assert run.conditions.iterations == (int(said["iterations"]) if "iterations" in said else None)
    assert run.kind is Kind(new["kind"]) and run.samples == read(document).samples
