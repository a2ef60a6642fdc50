# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.errors import DataError
from latlab.rt.model.stolen import Blind, Calibration, Regime
from latlab.rt.readers.steal_meter import read_stolen
from latlab.rt.targets.recorder_binary import meter_for
from support.examples import examples
from support.steal_lines import blind_cpu, cpu_with, measured, text

CPUS = st.one_of(
    st.builds(blind_cpu, st.sampled_from(Blind), error=st.integers(0, 133)),
    st.builds(
        cpu_with,
        st.lists(st.integers(1, 10**9), max_size=12),
        calibration=st.builds(
            Calibration,
            st.sampled_from(Regime),
            st.sampled_from(["hwrng", "trng_reseed"]),
            st.integers(1, 99),
            st.integers(-100, 10**9).map(float),
            st.integers(-100, 10**9).map(float),
            st.integers(0, 10**6),
            st.integers(0, 10**6).map(float),
            st.integers(0, 10**10).map(float),
        ),
    ),
)
MEASUREMENTS = st.lists(CPUS, min_size=1, max_size=4).map(lambda cpus: measured(*(replace(cpu, cpu=i) for i, cpu in enumerate(cpus))))


@given(MEASUREMENTS)
@examples(60)
def test_what_was_measured_comes_back(found):
    assert read_stolen(text(found).encode(), "x") == found


@given(MEASUREMENTS, st.data())
@examples(60)
def test_a_file_that_was_cut_off_keeps_the_lines_before_and_says_so(found, data):
    whole = text(found)
    head = whole.index("\n") + 1
    end = data.draw(st.integers(head, len(whole) - 2))
    read = read_stolen(whole[:end].encode(), "x")
    assert not read.complete and any("cut off" in problem for problem in read.problems)
    lines = whole[:end].splitlines()
    kept = sum(len(cpu.seconds) for cpu in read.cpus)
    assert kept in {count := sum(" SECOND " in line for line in lines), count - 1}


def test_a_line_that_cannot_be_read_is_named_and_costs_no_other():
    lines = text(measured(cpu_with([500, 700]))).splitlines()
    lines[2] = lines[2].replace("stolen_ns=", "stolen_ns=-")
    read = read_stolen("\n".join(lines).encode(), "steal.txt")
    assert read.problems == ("steal.txt:3: stolen_ns='-500' is no whole number of 0 or more",)
    assert [theft.stolen_ns for theft in read.cpus[0].thefts] == [700]


def test_seconds_that_the_histogram_contradicts_are_told():
    found = measured(cpu_with([500, 700]))
    contradicted = replace(found, cpus=(replace(found.cpus[0], counts=((500, 501, 1),)),))
    (problem,) = read_stolen(text(contradicted).encode(), "x").problems
    assert problem == "x: CPU 0: 2 windows with time in firmware by its seconds, 1 by its histogram"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "no head"),
        ("latlab-steal: cannot open", "no head"),
        (text(measured()).replace("version=1", "version=2"), "written by version '2'"),
    ],
)
def test_what_is_no_measurement_is_refused_with_a_sentence(data, said):
    with pytest.raises(DataError, match=f"^x: .*{said}"):
        read_stolen(data.encode(), "x")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="an Arm machine may well see")
def test_the_meter_on_a_machine_without_arms_counters_says_so_for_each_cpu(tmp_path: Path):
    output = tmp_path / "steal.txt"
    subprocess.run((str(meter_for("x86_64")), "-o", str(output), "-D", "1"), check=True, timeout=60)
    read = read_stolen(output.read_bytes(), "x")
    assert read.complete and not read.problems
    assert {cpu.cpu: cpu.blind for cpu in read.cpus} == {cpu: Blind.ARCHITECTURE for cpu in os.sched_getaffinity(0)}
