# SPDX-License-Identifier: BSD-3-Clause
"""Every revision of TF-A's two documents since 2019, as figures: what latlab says of each is recounted by a second reader."""

import csv
from itertools import groupby
from pathlib import Path

import pytest

from latlab.core.store.references import load, published_references
from support.recounted import differences

DATA = Path(__file__).parents[2] / "data" / "published" / "tf_a_tables.csv"
CALLS = {
    "susp_deep_parallel": "``CPU_SUSPEND`` latencies ({}) to deepest power level in parallel",
    "susp_deep_serial": "``CPU_SUSPEND`` latencies ({}) to deepest power level in serial",
    "cpu_susp_parallel": "``CPU_SUSPEND`` latencies ({}) to power level 0 in parallel",
    "cpu_susp_serial": "``CPU_SUSPEND`` latencies ({}) to power level 0 in serial",
    "cpu_off_serial": "``CPU_OFF`` latencies ({}) on all non-lead CPUs",
    "psci_version_parallel": "``CPU_VERSION`` latency ({}) in parallel on all cores",
}
SOURCES = {"juno-a3077ae1e": "v2.9-rc0", "n1sdp-6338876b6": "v2.9-rc0-16-g666aec401"}
HISTORIC = """
Old figures
-----------

Figures as of 31/01/2017. CPUs 0-3 refer to CPUs in the little cluster and CPUs 4-5 refer to CPUs in the big cluster. In all cases CPU 4
is the lead CPU.

"""


def documents():
    with DATA.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {name: list(found) for name, found in groupby(rows, key=lambda row: row[0])}


def as_rst(name, rows):
    board = name.split("-")[0]
    parts = [f"Latencies on {board}\n{'=' * 40}\n\nThe counter runs at 50MHz.\n"]
    if name in SOURCES:
        parts.append(f"\nMethod\n------\n\n- TF-A [`{SOURCES[name]}`_]\n")
    parts.append("\nResults\n-------\n")
    historic = False
    for (_, test, release, unit), found in groupby(rows, key=lambda row: tuple(row[1:5])):
        table = [row[5:] for row in found]
        if "." not in table[0][0] and not historic:
            historic = True
            parts.append(HISTORIC)
        caption = CALLS[test].format(unit.replace("us", "µs")) + (f" ({release})" if release else "")
        parts.append(f"\n.. csv-table:: {caption}\n   :header: {header(table)}\n\n")
        parts += [f"   {label.replace('.', ', ')}, " + ", ".join(f'"{cell}"' for cell in cells) + "\n" for label, *cells in table]
    return "".join(parts)


def header(table):
    place = "Cluster, Core" if "." in table[0][0] else "CPU"
    return f"{place}, Latency" if len(table[0]) == 2 else f"{place}, Powerdown, Wakeup, Cache Flush"


def with_files(text, folder):
    """The same tables with their rows in files, which is what the second reader looks for and what the documents have since v2.15."""
    out, number = [], 0
    lines = iter(text.splitlines())
    for line in lines:
        out.append(line)
        if line.startswith("   :header:"):
            next(lines)
            number += 1
            rows = []
            for row in lines:
                if not row.strip():
                    break
                rows.append(row.strip().replace(", ", ","))
            (folder / f"{number}.csv").write_text("\n".join(rows) + "\n")
            out += [f"   :file: {number}.csv", ""]
    return "\n".join(out) + "\n"


@pytest.mark.parametrize("name", documents())
def test_what_is_said_of_each_revision_is_what_a_recount_says(name, tmp_path):
    document = tmp_path / f"{name}.rst"
    document.write_text(with_files(as_rst(name, documents()[name]) + "\n", tmp_path))
    assert differences(document) == []


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("juno-94276a569", ("242.66 (+132.03%)", "242.66 (+133.03%)")),
        ("juno-0e4a751f8", ("104500 (-68.57%)", "104500 (-68.75%)")),
        ("n1sdp-02e82d024", ("3380.0 (+1.81%)", "3480.0 (+1.81%)")),
    ],
)
def test_the_recount_notices_one_delta_that_changed(name, change, tmp_path):
    text = as_rst(name, documents()[name])
    assert change[0] in text
    document = tmp_path / f"{name}.rst"
    document.write_text(with_files(text.replace(*change) + "\n", tmp_path))
    assert differences(document) != []


def test_the_newest_juno_document_pairs_its_deltas_by_position_and_says_it_in_one_line(tmp_path):
    document = tmp_path / "juno.rst"
    document.write_text(as_rst("juno-0e4a751f8", documents()["juno-0e4a751f8"]))
    (finding,) = [p for p in load(f"{document}#current").problems if "delta" in p.kind]
    assert "of the 94 printed deltas of the current release 94 are paired by position" in finding.message
    assert len(finding.details) == 94 and "printed with -68.57%" in "".join(finding.details)
    assert not [p for p in load(f"{document}#previous").problems if "delta" in p.kind]


def test_a_unit_slip_is_named_with_the_option_that_settles_it(tmp_path):
    document = tmp_path / "juno.rst"
    document.write_text(as_rst("juno-970203555", documents()["juno-970203555"]))
    with pytest.raises(Exception, match=r"6 tables of v2\.14: the stated unit is us, .* --unit ns reads them so"):
        load(f"{document}#v2.14")
    assert {s.value_ticks for s in load(f"{document}#v2.14", "ns").samples if s.test == "cpu_off_serial" and str(s.core) == "0.0"} == {
        13362,
        1647,
        8423,
    }


OF_CATALOGUE = {
    "juno/v2.9-rc0": ("juno-a3077ae1e", ""),
    "juno/v2.9": ("juno-94276a569", "v2.9"),
    "juno/v2.10": ("juno-94276a569", "v2.10"),
    "juno/v2.11": ("juno-932d6cdb2", "v2.11"),
    "juno/v2.12": ("juno-a0db5c74a", "v2.12"),
    "juno/v2.13": ("juno-5059fea06", "v2.13"),
    "juno/v2.14": ("juno-80947b612", "current release"),
    "juno/v2.15": ("juno-0e4a751f8", "current release"),
    "n1sdp/v2.9": ("n1sdp-fe7d06a67", "v2.9"),
    "n1sdp/v2.10": ("n1sdp-fe7d06a67", "v2.10"),
    "n1sdp/v2.11": ("n1sdp-e9c335fbd", "v2.11"),
    "n1sdp/v2.12": ("n1sdp-012cc2cb6", "v2.12"),
    "n1sdp/v2.13": ("n1sdp-08e6f24b7", "v2.13"),
    "n1sdp/v2.14": ("n1sdp-02e82d024", "v2.14"),
    "n1sdp/v2.15": ("n1sdp-55925c478", "current release"),
}


@pytest.mark.parametrize("reference", OF_CATALOGUE)
def test_the_catalogue_holds_the_figures_of_the_document_that_it_names(reference):
    name, release = OF_CATALOGUE[reference]
    same = {release, release.removeprefix("v"), "2.14" if release == "current release" else release}
    rows = [row for row in documents()[name] if row[3] in same and "." in row[5]]
    places = ["0.0", "0.1", "1.0", "1.1"] if name.startswith("n1sdp") else [f"0.{i}" for i in range(2)] + [f"1.{i}" for i in range(4)]
    printed = {}
    for _, found in groupby(rows, key=lambda row: row[1]):
        table = list(found)
        is_ambiguous = len({row[5] for row in table}) < len(table)
        for place, row in zip(places, table, strict=True):
            metrics = ("powerdown", "wakeup", "cache_flush") if len(row) == 9 else ("psci_call",)
            for metric, cell in zip(metrics, row[6:], strict=True):
                key = row[2], metric, place if is_ambiguous else row[5]
                printed[key] = float(cell.split()[0]) * (1000 if row[4] == "us" else 1)
    run = load(f"published:tf-a/{reference}")
    kept = {(s.test, s.metric.value, str(s.core)): s.value_ticks * run.tick.value for s in run.samples}
    assert kept == pytest.approx(printed)


def test_the_catalogue_has_every_release_of_both_boards():
    known = published_references()
    for board, extra in (("juno", ["2017", "v2.9-rc0"]), ("n1sdp", [])):
        for version in [*extra, *(f"v2.{n}" for n in range(9, 16))]:
            assert f"published:tf-a/{board}/{version}" in known
