# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of findings that rest on a fact of the platform."""

from __future__ import annotations

from latlab.analysis.base import platform_findings as p
from latlab.analysis.base.wording import amount, count, signed


def platform_sentence(finding: p.PlatformFinding, unit: str) -> str:
    """`unit` is that of the finding's amounts, ns or insns."""
    return f"{_observation_sentence(finding, unit)}: {finding.fact.what} ({finding.fact.source})"


def _observation_sentence(finding: p.PlatformFinding, unit: str) -> str:
    match finding:
        case p.LargerCache((large, small), (longer, shorter), _, _):
            cost = f"the cluster flush adds {amount(longer, unit)} in cluster {large} and {amount(shorter, unit)} in cluster {small}"
            return f"{cost}, {longer / shorter:.2f} times as much for {finding.kib[0] / finding.kib[1]:g} times the cache"
        case p.SwitchedOn(cores, least, most, lead, test, _):
            took = f"{amount(least, unit)} to {amount(most, unit)}" if len(cores) > 1 else amount(most, unit)
            beside = f"the lead, which was only suspended, {signed(lead, unit)}"
            return f"{', '.join(map(str, cores))} took {took} longer to wake up than in {test}; {beside}"
        case p.ClusterStayedOn(by_cluster, beside, test, _):
            sooner = " and ".join(f"{amount(value, unit)} sooner in cluster {cluster}" for cluster, value in by_cluster)
            same = "" if beside is None else f", and {amount(beside, unit)} sooner in clusters that had stayed on there too"
            return f"cores came back {sooner} than in {test}, where the cluster had been off{same}"
        case p.WarmCaches(lead, call, (low, high), samples, _):
            others = amount(low, unit) if low == high else f"{amount(low, unit)} to {amount(high, unit)}"
            sentence = f"{lead}, the lead, took {amount(call, unit)}, the rest of its cluster {others}"
            return f"{sentence}, {_sample_count(samples)}, consistent with cold caches"
        case p.FirstCaller(core, call, others, samples, _):
            sentence = f"{core} took {amount(call, unit)}, {call / others:.2f} times the longest of the rest of its cluster"
            return f"{sentence}, {_sample_count(samples)}, consistent with a first caller and cold caches"
        case p.FasterCores((fast, slow), spans, _):
            sentence = ", ".join(
                f"{metric} at most {amount(most, unit)} against at least {amount(least, unit)}" for metric, most, least in spans
            )
            return f"cores of cluster {fast} were faster than those of cluster {slow}, {sentence}"


def _sample_count(samples: int) -> str:
    return f"{count(samples, 'sample')} of each core"
