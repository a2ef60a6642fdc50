# SPDX-License-Identifier: BSD-3-Clause
"""Counts of releases in the catalogue: whole, of tables that exist, and of processors that the boards have."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from latlab.core.model.enums import Metric
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.release_counts import counts_of
from latlab.core.store.references import load, published_references

SOURCES = tomllib.loads((files("latlab.catalog") / "counts" / "sources.toml").read_text("utf-8"))["firmware"]
COUNTED = [f"published:{reference}" for entry in SOURCES for release in entry["release"] for reference in release["published"]]


@pytest.mark.parametrize("reference", COUNTED)
def test_functions_and_classes_of_a_counted_release_each_sum_up_to_its_spans_on_every_processor_of_the_board(reference: str) -> None:
    assert reference in published_references()
    for cluster in facts_of(load(reference).platform).clusters:
        counts = counts_of(reference, cluster.core.value)
        assert counts is not None and len(counts.commit) == 40
        for (test, metric), span in counts.spans.items():
            if metric is not Metric.CACHE_FLUSH:
                assert sum(span.functions.values()) == sum(span.classes.values()) == span.total, (test, metric)


def test_a_counted_release_says_how_it_was_counted_and_which_commits_moved_its_functions() -> None:
    counts = counts_of("published:tf-a/juno/v2.13", "cortex-a57")
    assert counts and {"options", "compiler", "machine", "probe", "method", "changes"} == set(counts.provenance)
    assert "HW_ASSISTED_COHERENCY=0" in counts.provenance["options"]
    assert {commit.id[:9] for commit in counts.commits} == {"89dba82df", "ef738d19d", "83ec7e452"}


@pytest.mark.parametrize("processor", ["cortex-a57", "cortex-a53", "neoverse-n1"])
def test_a_commit_of_the_catalogue_names_functions_that_were_counted_on_some_processor(processor: str) -> None:
    releases = [f"v2.{number}" for number in range(9, 16)]
    found = [one for name in releases if (one := counts_of(f"published:tf-a/juno/{name}", processor))]
    ran = {name for one in found for span in one.spans.values() for name in span.functions}
    for commit in {commit for one in found for commit in one.commits}:
        own = [name for name in commit.functions if name.partition("_reset")[0].replace("_", "-") in (processor, name)]
        assert set(own) <= ran, (commit, own)


def test_a_release_is_counted_once_for_its_tables_on_both_boards() -> None:
    one, other = (
        counts_of(f"published:tf-a/{board}/v2.13", processor) for board, processor in (("juno", "cortex-a57"), ("n1sdp", "neoverse-n1"))
    )
    assert one and other and one.commit == other.commit and one.spans != other.spans


def test_what_was_not_counted_is_not_known() -> None:
    assert counts_of("published:tf-a/juno/2017", "cortex-a57") is None
    assert counts_of("published:tf-a/juno/v2.13", "cortex-a72") is None
    counts = counts_of("published:tf-a/n1sdp/v2.9", "neoverse-n1")
    assert counts and ("susp_deep_parallel", Metric.WAKEUP) not in counts.spans
