# SPDX-License-Identifier: BSD-3-Clause
"""An option that is typed has an effect or is refused with exit code 2, be its value the one that it has by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import latlab
from support.places import RT_DATA

V9 = "published:tf-a/juno/v2.9"
CYCLICTEST = str(RT_DATA / "cyclictest-h.txt")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run psci --target virtual:juno,clusters=4+4 --topology 2,4", "--topology 2,4: platform juno has 4,4"),
        ("run psci --target labgrid --topology 2,4", "--topology has no effect on a board"),
        ("run psci --subject x.toml --topology 2,4", "--topology has no effect with --subject"),
        ("run rt --target linux --cores 1", "--cores is for the guest in QEMU and has no effect with --target linux"),
        ("run rt --target linux --hwrng", "--hwrng is for the guest in QEMU"),
        ("run rt --platform board", "--platform is for a machine that runs Linux"),
        ("run rt --target linux --target-name main", "--target-name is for --target labgrid"),
        ("run rt --restart", "--restart begins a series again; it needs --boots"),
        ("run steal --cpu cortex-a57", "--cpu is for the guest in QEMU"),
        ("run steal --target guest --platform board", "--platform is for a machine that runs Linux"),
        (f"fit {V9} --counted --platform juno", "--platform is of the simulated platform"),
        (f"predict {V9} --counted --test susp_deep_parallel", "--test is of the simulated platform"),
        ("explore --seed 1", "--seed draws random walks; it needs --walks"),
        ("whatif -o x.json --format table", "--format is of what is printed"),
        ("show last --log console --format table", "--format has no effect with --log"),
        ("show last --class all --span cpu_off_serial/powerdown", "--span has no effect with --class"),
        (f"gate {V9} --max-masked 9 --fail-on regressed", "--fail-on is of two runs and has no effect with --max-masked"),
        (f"gate {V9} --limit x --tolerance 1", "--tolerance is of two runs and has no effect with --limit"),
        (f"explain {V9} --tolerance 1", "--tolerance is of the comparison of two runs"),
        (f"explain {V9} {V9} --class all --board juno", "--board has no effect with --class"),
        (f"compare {V9} {V9} --unit us", f"--unit us is for tables of a file (.rst or .csv); {V9} and {V9} has a unit"),
        (f"explain {V9} --unit us", f"--unit us is for tables of a file (.rst or .csv); {V9} has a unit"),
        (f"explain {V9} {V9} --unit us", "--unit us is for tables of a file"),
        (f"gate {V9} {V9} --unit us", "--unit us is for tables of a file"),
        (f"gate {V9} --limit missed==0 --unit us", "--unit us is for tables of a file"),
        (f"history */powerdown/step {V9} {V9} --unit us", "--unit us is for tables of a file"),
        (f"extremes {V9} --unit us", "--unit us is for tables of a file"),
        (f"export {V9} --unit us", "--unit us is for tables of a file"),
        (f"compare {V9} {V9} --unit hours", "--unit 'hours' is not a unit; use ns, us, ms or s"),
        ("serve --mcp --port 80", "--port is for browsers and has no effect with --mcp"),
        ("identify --iterations 2", "--iterations is for firmware files; name them too"),
        ("bisect a..b --figure x/y --repo . --build true --watch x --harts 4", "--harts 4 is of the machine of --sbi"),
        (
            "bisect a..b --figure x/y --repo . --build true --watch x --iterations 2",
            "--iterations 2: the command of --watch sets the calls",
        ),
        ("bisect a..b --figure x/y --repo . --build true --watch x --machine virt", "--machine is of a --subject or a --firmware"),
    ],
)
def test_an_option_without_effect_is_refused(words: str, said: str, tmp_path: Path) -> None:
    done = latlab(*words.split(), store=tmp_path / "s.sqlite")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"latlab: {said}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--topology 2,4", "cyclictest-h.txt is no console log; leave out --topology"),
        ("--clock time", "cyclictest-h.txt is no console log; leave out --clock"),
        ("--core-mhz 50", "cyclictest-h.txt is no console log; leave out --core-mhz"),
        ("--duration 1s --interval 1", "--duration and --interval"),
    ],
)
def test_what_is_said_of_a_file_fits_it_or_is_refused(words: str, said: str, tmp_path: Path) -> None:
    log = tmp_path / "board.log"
    log.write_text("<RT_INSTR:test_rt_instr_cpu_susp_serial\t0\t0\t1000\t2000\t300/>\n")
    file = log if "--duration" in words else CYCLICTEST
    done = latlab("import", file, *words.split(), store=tmp_path / "s.sqlite")
    expected = "board.log is a console log, in which nothing was due; leave out --duration" if file is log else said
    assert (done.returncode, done.stderr) == (2, f"latlab: {expected}\n")
