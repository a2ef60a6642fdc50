# SPDX-License-Identifier: BSD-3-Clause
import re
from importlib import resources

import pytest

from latlab.calls.targets.boards import BOARDS
from latlab.core.errors import DataError
from latlab.core.model.platforms import Coherency, Fact
from latlab.core.readers.platform_facts import facts_of, known_platforms, parse_facts
from latlab.core.store.references import load, published_references
from latlab.core.targets.qemu.images import PLATFORM
from latlab.psci.targets.board import load_board, platform_names

JUNO = (resources.files("latlab.catalog") / "platforms" / "facts" / "juno.toml").read_text("utf-8")


def test_every_platform_that_a_run_of_ours_can_name_is_known() -> None:
    names = {load(reference).platform for reference in published_references()}
    names |= {PLATFORM, *BOARDS, "mps2_an521", "mps3_an547", *platform_names()}
    assert [name for name in sorted(names) if not facts_of(name).is_known] == []


def test_a_platform_that_nobody_knows_is_a_value_of_its_own() -> None:
    unknown = facts_of("my-board")
    assert (unknown.name, unknown.is_known, unknown.managed_by, unknown.clusters) == ("my-board", False, Coherency.UNKNOWN, ())
    assert unknown.cluster(0) is None


def test_junos_big_cluster_shares_a_cache_of_twice_the_size() -> None:
    juno = facts_of("juno")
    sizes = {cluster.core.value: cluster.cluster_cache.kib for cluster in juno.clusters if cluster.cluster_cache}
    assert sizes == {"cortex-a57": 2048, "cortex-a53": 1024}
    assert juno.managed_by is Coherency.SOFTWARE


def test_n1sdp_keeps_its_clusters_coherent_in_hardware() -> None:
    assert facts_of("n1sdp").managed_by is Coherency.HARDWARE
    assert all(cluster.cluster_cache is None for cluster in facts_of("n1sdp").clusters)


def test_a_platform_is_found_by_any_of_its_names_whatever_their_case() -> None:
    assert facts_of("juno-r1") is facts_of("Juno") is facts_of("juno")


def test_no_two_platforms_share_a_name() -> None:
    names = [name for facts in known_platforms() for name in (facts.name, *facts.same_as)]
    assert len(names) == len(set(names))


def test_every_source_is_cited_by_a_fact_and_says_where_it_stands() -> None:
    for facts in known_platforms():
        text = (resources.files("latlab.catalog") / "platforms" / "facts" / f"{facts.name}.toml").read_text("utf-8")
        for key, words in facts.sources.items():
            assert len(re.findall(f'source = "{re.escape(key)}"', text)) > 0, f"{facts.name}: {key}"
            assert len(words.split()) > 1


def test_a_fact_gives_its_source_in_words() -> None:
    juno = facts_of("juno")
    clock = juno.clusters[0].clock_mhz
    assert clock == Fact(900, "tf-a-perf", "nominal")
    assert clock is not None and juno.cited(clock).startswith("Trusted Firmware-A, docs/perf")


def test_facts_and_costs_of_one_board_have_the_same_shape() -> None:
    for name in platform_names():
        shape = tuple(cluster.cores for cluster in facts_of(name).clusters)
        assert shape == load_board(name).topology.clusters


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (('value = 900, source = "tf-a-perf"', 'value = 900, source = "hearsay"'), "hearsay"),
        (('value = "software"', 'value = "magic"'), "magic"),
        (("cores = 2", 'cores = "two"'), "clusters"),
        (('title = "Arm Juno r1"', 'titel = "Arm Juno r1"'), "title"),
        (('name = "juno"', 'name = "juno"\ncolour = "blue"'), "colour"),
        (("[sources]", "[sources"), "facts.toml"),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(change: tuple[str, str], word: str) -> None:
    assert change[0] in JUNO
    with pytest.raises(DataError, match=word):
        parse_facts(JUNO.replace(*change, 1), "facts.toml")
