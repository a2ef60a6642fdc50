# SPDX-License-Identifier: BSD-3-Clause
"""What is explained by facts of a platform: amounts worked out here from the samples, and silence where one cell speaks against it."""

from dataclasses import replace
from statistics import median

import pytest

from latlab.core.comparison.by_kind import explain_run
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Spans, Tick, Topology
from latlab.core.readers.platform_facts import facts_of, known_platforms
from latlab.core.store.references import load, published_references
from latlab.psci.analysis import platform_findings as p

RELEASES = ["2017", "v2.9-rc0", *(f"v2.{n}" for n in range(9, 16))]
JUNO = {release: load(f"published:tf-a/juno/{release}") for release in RELEASES}
N1SDP = {release: load(f"published:tf-a/n1sdp/{release}") for release in RELEASES[2:]}


def said(run, kind):
    return [one for one in explain_run(run) if isinstance(one.finding, kind)]


def the(run, kind):
    (one,) = said(run, kind)
    return one


def us(run, test, metric, core):
    """One figure in microseconds, straight from the samples."""
    return median(
        s.value_ticks * run.tick.value / 1000 for s in run.samples if (s.test, s.metric.value, str(s.core)) == (test, metric, core)
    )


def with_cell(run, test, metric, core, value_us):
    """The run with one figure replaced."""
    ticks = round(value_us * 1000 / run.tick.value)
    key = (test, Metric(metric), CoreId(*map(int, core.split("."))))
    samples = tuple(replace(s, value_ticks=ticks) if (s.test, s.metric, s.core) == key else s for s in run.samples)
    assert samples != run.samples
    return replace(run, contents=Spans(samples))


def test_the_flush_of_a_larger_cache_is_told_with_what_it_adds_in_each_cluster():
    run = JUNO["2017"]
    finding = the(run, p.LargerCache).finding
    assert (finding.clusters, finding.kib) == ((0, 1), (2048, 1024))
    flush = {core: us(run, "susp_deep_serial", "cache_flush", core) for core in ("0.0", "1.0")}
    shallow = {core: us(run, "cpu_susp_serial", "cache_flush", core) for core in ("0.0", "1.0")}
    assert [value / 1000 for value in finding.flushes] == [flush["0.0"] - shallow["0.0"], flush["1.0"] - shallow["1.0"]] == [174, 89]
    assert the(run, p.LargerCache).sentence == (
        "the cluster flush adds 174.0 µs in cluster 0 and 89.0 µs in cluster 1, that is 1.96 times as much for 2 times the cache. "
        "L2 is 2048 KiB in cluster 0 and 1024 KiB in cluster 1 (Linux, arch/arm64/boot/dts/arm/juno-r1.dts)"
    )


def test_a_smaller_cache_that_takes_as_long_in_one_test_silences_the_sentence():
    run = JUNO["v2.10"]
    assert said(run, p.LargerCache)
    assert not said(with_cell(run, "susp_deep_parallel", "cache_flush", "1.3", 138.0), p.LargerCache)


def test_no_core_of_a_platform_that_keeps_itself_coherent_flushes_a_cluster():
    assert not any(said(run, p.LargerCache) or said(run, p.ClusterStayedOn) for run in N1SDP.values())


def test_cores_that_were_switched_on_take_longer_and_the_lead_does_not():
    run = JUNO["v2.10"]
    finding = the(run, p.SwitchedOn).finding
    longer = {
        core: us(run, "cpu_off_serial", "wakeup", core) - us(run, "susp_deep_serial", "wakeup", core)
        for core in ("0.0", "0.1", "1.0", "1.1", "1.2", "1.3")
    }
    lead = longer.pop("1.0")
    assert tuple(map(str, finding.cores)) == tuple(longer)
    assert (finding.least / 1000, finding.most / 1000) == pytest.approx((min(longer.values()), max(longer.values())))
    assert finding.lead / 1000 == pytest.approx(lead) and the(run, p.SwitchedOn).test == "cpu_off_serial"
    assert "2.60 µs to 4.92 µs longer to wake up than in susp_deep_serial. The lead, which was only suspended, took +0.02 µs" in (
        the(run, p.SwitchedOn).sentence
    )


@pytest.mark.parametrize(
    ("core", "value"),
    [("1.2", 23.5), ("1.2", 24.4), ("1.0", 28.4)],
    ids=["one core is no slower", "one core is slower by less than 5 %", "the lead is slower too"],
)
def test_one_core_that_does_not_fit_silences_the_longer_way(core, value):
    assert not said(with_cell(JUNO["v2.10"], "cpu_off_serial", "wakeup", core, value), p.SwitchedOn)


def test_cores_that_play_another_part_in_the_other_test_are_left_out():
    """In v2.13 every core flushes its cluster in the deep test, and only the last one where cores are switched off."""
    assert tuple(map(str, the(JUNO["v2.13"], p.SwitchedOn).finding.cores)) == ("0.0", "0.1")


@pytest.mark.parametrize("release", N1SDP)
def test_n1sdp_takes_the_longer_way_in_every_release_that_shows_it(release):
    run = N1SDP[release]
    others = ("0.1", "1.0", "1.1")
    longer = [us(run, "cpu_off_serial", "wakeup", core) - us(run, "susp_deep_serial", "wakeup", core) for core in others]
    assert min(longer) > 0.5
    assert the(run, p.SwitchedOn).finding.least / 1000 == pytest.approx(min(longer))


def test_a_core_comes_back_sooner_into_a_cluster_that_is_on():
    run = JUNO["v2.10"]
    finding = the(run, p.ClusterStayedOn).finding
    cores = ("0.0", "0.1", "1.1", "1.2", "1.3")
    sooner = {c: us(run, "susp_deep_serial", "wakeup", c) - us(run, "cpu_susp_serial", "wakeup", c) for c in cores}
    ((cluster, value),) = finding.by_cluster
    assert (cluster, value / 1000) == (0, pytest.approx(median([sooner["0.0"], sooner["0.1"]])))
    assert finding.beside / 1000 == pytest.approx(median([sooner["1.1"], sooner["1.2"], sooner["1.3"]]))
    assert "coherency of the CCI-400 (Trusted Firmware-A" in the(run, p.ClusterStayedOn).sentence


def test_a_core_comes_back_sooner_whichever_number_the_cluster_of_the_lead_has():
    run = JUNO["v2.10"]
    swapped = replace(
        run,
        topology=Topology((4, 2)),
        lead=CoreId(0, 0),
        contents=Spans(tuple(replace(s, core=CoreId(1 - s.core.cluster, s.core.core)) for s in run.samples)),
    )
    ((_, sooner),) = the(run, p.ClusterStayedOn).finding.by_cluster
    finding = the(swapped, p.ClusterStayedOn).finding
    assert finding.by_cluster == ((1, sooner),) and finding.beside == the(run, p.ClusterStayedOn).finding.beside


@pytest.mark.parametrize(
    ("core", "value"),
    [("0.1", 19.5), ("1.2", 28.6)],
    ids=["a core of the cluster that was off is no later", "one beside the lead is as late"],
)
def test_one_core_that_does_not_fit_silences_the_shorter_exit(core, value):
    assert not said(with_cell(JUNO["v2.10"], "susp_deep_serial", "wakeup", core, value), p.ClusterStayedOn)


def test_the_lead_calls_with_warm_caches_and_says_how_many_samples_tell_so():
    finding = the(JUNO["v2.10"], p.WarmCaches).finding
    assert (str(finding.lead), finding.call, finding.others, finding.samples) == ("1.0", 580, (880, 920), 1)
    assert "(one sample of each core), consistent with cold caches" in the(JUNO["v2.10"], p.WarmCaches).sentence


def test_a_sibling_that_calls_as_fast_as_the_lead_silences_its_warm_caches():
    assert not said(with_cell(JUNO["v2.10"], "psci_version_parallel", "psci_call", "1.3", 0.66), p.WarmCaches)


def test_the_first_caller_is_named_where_one_core_stands_out_in_its_cluster():
    finding = the(JUNO["v2.9"], p.FirstCaller).finding
    assert (str(finding.core), finding.call, finding.others) == ("0.0", 1480, 1040)
    assert "L2 of 2048 KiB" in finding.fact.what
    assert not said(JUNO["v2.10"], p.FirstCaller)  # 1.10 and 1.06 µs


def test_a_step_of_the_counter_is_no_first_caller():
    run = JUNO["v2.9"]
    for core, value in (("0.0", 0.10), ("0.1", 0.06)):
        run = with_cell(run, "psci_version_parallel", "psci_call", core, value)
    assert not said(run, p.FirstCaller)


def test_the_faster_core_is_told_where_no_span_has_it_the_other_way_round():
    finding = the(JUNO["2017"], p.FasterCores).finding
    assert finding.clusters == (0, 1)
    assert finding.spans == ((Metric.POWERDOWN, 18000, 21000), (Metric.PSCI_CALL, 720, 2940))
    assert "cortex-a57 at 900 MHz against cortex-a53 at 650 MHz" in finding.fact.what


def test_the_newer_documents_do_not_show_the_faster_core():
    """There the calls of the faster cluster are the slower ones, whatever its wake-ups do."""
    assert not any(said(JUNO[release], p.FasterCores) for release in RELEASES[1:])
    run = JUNO["v2.10"]
    assert us(run, "cpu_susp_serial", "wakeup", "0.1") < us(run, "cpu_susp_serial", "wakeup", "1.2")
    assert us(run, "psci_version_parallel", "psci_call", "0.1") > us(run, "psci_version_parallel", "psci_call", "1.2")


def test_nothing_is_said_under_another_clock_nor_of_an_unknown_board():
    run = JUNO["2017"]
    for other in (replace(run, tick=Tick(Clock.INSTRUCTIONS, 1.0)), replace(run, tick=Tick(Clock.VIRTUAL, 20)), replace(run, platform="x")):
        assert not said(other, p.PlatformFinding)


def test_nothing_is_said_where_the_fact_is_not_known(monkeypatch):
    bare = replace(facts_of("juno"), switched_on=None, cluster_on=None, clusters=())
    monkeypatch.setattr("latlab.psci.analysis.explain_spans.facts_of", lambda _: bare)
    assert not said(JUNO["2017"], p.PlatformFinding)


def test_every_sentence_names_the_source_of_its_fact_and_none_is_exact():
    sources = {source for facts in known_platforms() for source in facts.sources.values()}
    for run in (load(reference) for reference in published_references() if "/tf-a/" in reference or ":tf-a/" in reference):
        for one in said(run, p.PlatformFinding):
            assert set(one.finding.fact.source.split("; ")) <= sources
            assert one.sentence.endswith(f"({one.finding.fact.source})") and one.basis == "inferred"


def test_a_cluster_whose_core_flushed_no_more_than_its_own_cache_had_not_been_off():
    assert not said(with_cell(JUNO["v2.10"], "susp_deep_serial", "cache_flush", "0.1", 5.6), p.ClusterStayedOn)


def test_a_lead_that_is_held_up_says_nothing_of_its_core():
    assert said(with_cell(JUNO["2017"], "cpu_susp_serial", "powerdown", "0.0", 60), p.FasterCores)


def test_a_cell_of_zero_was_not_measured():
    finding = the(with_cell(JUNO["v2.10"], "psci_version_parallel", "psci_call", "1.1", 0), p.WarmCaches).finding
    assert finding.others == (900, 920)


def mirrored(run):
    """The same board with its clusters numbered the other way round."""
    samples = tuple(replace(s, core=CoreId(1 - s.core.cluster, s.core.core)) for s in run.samples)
    lead = CoreId(1 - run.lead.cluster, run.lead.core)
    return replace(run, contents=Spans(samples), lead=lead, topology=Topology(run.topology.clusters[::-1]))


def test_which_cluster_is_the_larger_or_the_faster_is_asked_of_the_facts(monkeypatch):
    juno = facts_of("juno")
    monkeypatch.setattr("latlab.psci.analysis.explain_spans.facts_of", lambda _: replace(juno, clusters=juno.clusters[::-1]))
    run = mirrored(JUNO["2017"])
    assert the(run, p.LargerCache).finding.clusters == the(run, p.FasterCores).finding.clusters == (1, 0)
    assert the(run, p.LargerCache).finding.flushes == (174_000, 89_000)
    assert not said(JUNO["2017"], p.LargerCache) and not said(JUNO["2017"], p.FasterCores)
