# SPDX-License-Identifier: BSD-3-Clause
import json

import pytest

from latlab.core.model.run import Topology
from latlab.core.readers.console_text import as_printed
from latlab.core.readers.dump import console_log
from latlab.core.store.references import load
from latlab.core.store.store import open_store
from latlab.runs.campaign.importing_log import import_log

FIGURES = [f"<RT_INSTR:test_rt_instr_cpu_off_serial\t0\t{figures}/>" for figures in ("0\t1000\t2000\t300", "1\t1100\t2100\t400")]
CONSOLE = "\n".join(["NOTICE:  BL31: booted", *FIGURES, "done"]) + "\n"


def lava(console: str) -> bytes:
    said = [{"dt": "2026-01-01T00:00:00.1", "lvl": "info", "msg": "start: 1 deploy, <RT_INSTR: is what to look for"}]
    said += [{"dt": "2026-01-01T00:00:01.2", "lvl": "target", "msg": line} for line in console.splitlines()]
    return b"".join(b"- " + json.dumps(entry).encode() + b"\n" for entry in said)


@pytest.mark.parametrize(
    "data",
    [
        lava(CONSOLE),
        CONSOLE.encode("utf-16"),
        CONSOLE.encode("utf-16-le"),
        CONSOLE.encode("utf-16-be"),
        lava(CONSOLE).decode().encode("utf-16"),
    ],
    ids=["lava", "utf-16 with its mark", "utf-16-le", "utf-16-be", "lava in utf-16"],
)
def test_the_figures_of_a_log_are_those_of_the_console_however_a_lab_kept_it(data):
    plain, kept = console_log.parse(CONSOLE.encode(), "log"), console_log.parse(data, "log")
    assert len(plain.samples) == 6
    assert kept.samples == plain.samples and kept.problems == ()


def test_a_plain_log_comes_back_byte_for_byte():
    assert as_printed(CONSOLE.encode()) == CONSOLE.encode()
    assert as_printed(b"\xff\x00garbage\x80") == b"\xff\x00garbage\x80"


def test_a_problem_in_a_lava_log_names_the_line_of_the_file():
    cut = lava(CONSOLE.replace("\t300/>", ""))
    (problem,) = [p for p in console_log.parse(cut, "log").problems if "does not end as one" in p.message]
    assert problem.line == 1 + CONSOLE.splitlines().index(FIGURES[0]) + 1


def test_an_entry_that_is_cut_off_is_left_as_it_stands():
    data = lava(CONSOLE)
    assert as_printed(data[:-20]).endswith(data[:-20].splitlines()[-1])


def test_a_lava_log_is_a_reference_and_can_be_imported(tmp_path):
    log = tmp_path / "output.yaml"
    log.write_bytes(lava(CONSOLE))
    assert len(load(str(log)).samples) == 6
    store = open_store(str(tmp_path / "store.db"))
    stored = import_log(store, log.read_bytes(), "output.yaml", Topology((2,)))
    assert store.load(stored.run_id).samples == console_log.parse(CONSOLE.encode(), "log").samples
    assert store.logs(stored.run_id)["console"] == log.read_bytes()
