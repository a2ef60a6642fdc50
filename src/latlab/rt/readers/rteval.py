# SPDX-License-Identifier: BSD-3-Clause
"""rteval: its XML, and the text that it makes of it. Both hold what it read from cyclictest: each CPU's histogram (XML only), counts and
statistics in whole microseconds, truncated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

from latlab.core.errors import DataError
from latlab.core.model.distributions import Distribution
from latlab.core.readers.line_account import printed_lines
from latlab.rt.model.wakeups import Wakeups, cpu_row
from latlab.rt.readers.cyclictest import conditions_of

XML = re.compile(r"^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<rteval[\s>]", re.DOTALL)
ELEMENT = re.compile(r"(?:^<\?xml[^>]{0,200}\?>\s*)?^<rteval[\s>].*?</rteval>", re.DOTALL | re.MULTILINE)
REPORT = re.compile(r"^ *rteval \(v[^)\s]{1,40}\) report *$", re.MULTILINE)
CORE = re.compile(r"^ *CPU core (\d{1,5}) +Priority: +(\d{1,3}) *$", re.ASCII)
FIGURE = re.compile(r"^ *(Samples|Mean|Min|Max): +(\d{1,15}(?:\.\d{1,18})?)(?:us)? *$", re.ASCII)
SECTION = re.compile(r"^ *(?:System|Command): ")
COMMAND = re.compile(r"^ *Command: +(\S.{0,300})$")
KERNEL = re.compile(r"^ *Kernel: +(\S{1,120})")
ABORTED = re.compile(r"^ *Run aborted: +(\S.{0,60}?)\s*$", re.MULTILINE)
LATENCY_TEST = re.compile(r"^ *Latency test\s*$", re.MULTILINE)
STOPPED = re.compile(r"^\*\*\* stop signal received - stopping rteval run", re.MULTILINE)
BESIDE = (
    re.compile(r"^ *Threshold exceeded (\d{1,12}) times\s*$", re.ASCII | re.MULTILINE),
    re.compile(r"^ *Records saved: (\d{1,12})\s*$", re.ASCII | re.MULTILINE),
)
SHARED = re.compile(r"^ *Core Sharing Warnings:\s*\n((?: {7,}\S.*\n)+)", re.MULTILINE)
SIGNS = (CORE, REPORT)
LINES = (FIGURE, KERNEL, *printed_lines("rteval"), STOPPED)
"""Lines of its text report. Its XML is one element."""
WHOLE = re.compile(r"\d{1,15}", re.ASCII)
LARGEST_US = 10**12
MOST_CPUS = 4096
SEVERAL = "{} latency tests in one report of rteval, which old releases made of several profiles; give the report of a run with one"
LATER = "rteval stopped it, as a wake-up was later than its threshold"
OTHER = "its measurement is {}; of rteval only that by cyclictest is read, of rtla give its own output"


def is_rteval(text: str) -> bool:
    """Its XML by the root element, its report by the first line."""
    return XML.match(text) is not None or REPORT.search(text[:20_000]) is not None


def read_rteval(text: str, place: str) -> Wakeups:
    """What cyclictest measured under rteval."""
    return _read_xml(text, place) if XML.match(text) else _read_report(text, place)


def _read_xml(text: str, place: str) -> Wakeups:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise DataError("XML with definitions of its own, which rteval does not write", "name another file", place=place)
    try:
        root = ElementTree.fromstring(text.lstrip())
    except ElementTree.ParseError as error:
        above = text[: len(text) - len(text.lstrip())].count("\n")
        raise DataError(
            f"not whole XML ({error.msg}); rteval was killed or the file cut off", place=f"{place}:{error.position[0] + above}"
        ) from error
    every = root.findall(".//cyclictest")
    if len(every) > 1:
        raise DataError(str(SEVERAL.format(len(every))), place=place)
    measured = next(iter(every), None)
    if measured is None:
        measurements = ", ".join(sorted({child.tag for group in root.iter("Measurements") for child in group}))[:80]
        raise DataError(
            f"{place}: {OTHER.format(measurements)}" if measurements else f"{place}: rteval measured nothing; name the file of a whole run"
        )
    cores = measured.findall("core")
    if not cores:
        raise DataError("no core: rteval leaves them out where a wake-up is beyond its histogram", "run it with more buckets", place=place)
    problems: list[str] = []
    cpus = [_core(core, place, problems) for core in cores]
    command, kernel = measured.get("command_line", "")[:500], root.find(".//uname/kernel")
    if measured.find("abort_report") is not None:
        problems.append(f"{place}: {LATER}")
    gaps, records = root.find(".//hwlatdetect/samples"), root.find(".//sysstat")
    shared = [warning.text or "" for warning in root.iterfind(".//CoreSharingWarnings/warning")]
    facts = (
        ("rteval", root.get("version", "")[:40]),
        ("kernel", (kernel.text or "")[:120] if kernel is not None else ""),
        *_beside("" if gaps is None else gaps.get("count", ""), "" if records is None else records.get("num_entries", ""), shared),
    )
    return _wakeups(cpus, command, facts, problems, place)


def _core(core: ElementTree.Element, place: str, problems: list[str]) -> Distribution:
    number = _whole(core.get("id"), "the id of a core", place)
    figures = core.find("statistics")
    if figures is None:
        raise DataError(f"core {number} has no statistics; the file is damaged", place=place)
    got = _whole(figures.findtext("samples"), f"the samples of core {number}", place)
    buckets = core.findall("histogram/bucket")
    pairs = [(_whole(bucket.get("index"), "a bucket", place), _whole(bucket.get("value"), "a bucket's count", place)) for bucket in buckets]
    if len({low for low, _ in pairs}) < len(pairs):
        raise DataError(f"core {number} names a bucket twice; the file is damaged", place=place)
    lowest, high, mean = (_us(figures.findtext(name), name, number, place) if got else 0.0 for name in ("minimum", "maximum", "mean"))
    beyond = 0
    if pairs:
        inside = sum(count for _, count in pairs)
        if inside != got:
            problems.append(f"{place}: CPU {number}: the buckets hold {inside} samples, the statistics say {got}")
        beyond = max(got - inside, 0)
    counts = tuple((low * 1000, (low + 1) * 1000, n) for low, n in sorted(pairs))
    return cpu_row(number, counts, got, int(lowest * 1000), int(high * 1000), _mean(mean, lowest, got) * 1000, beyond)


def _mean(mean: float, low: float, got: int) -> float:
    """rteval computes no mean of one sample and prints 0."""
    return low if got == 1 else mean


def _beside(gaps: str, records: str, shared: list[str]) -> tuple[tuple[str, str], ...]:
    """What rteval measured beside, which is not read, and the cores that its threads shared."""
    cores = "; ".join(warning.strip() for warning in shared if warning.strip())
    facts_said = (("gaps of hwlatdetect", gaps[:12]), ("records of sysstat", records[:12]), ("shared cores", cores[:500]))
    return tuple(fact for fact in facts_said if fact[1])


def _read_report(text: str, place: str) -> Wakeups:
    if len(tests := LATENCY_TEST.findall(text)) > 1:
        raise DataError(str(SEVERAL.format(len(tests))), place=place)
    cpus: list[Distribution] = []
    command = kernel = ""
    core: tuple[int, int] | None = None
    figures: dict[str, float] = {}
    problems: list[str] = []
    for number, line in _lines(text):
        if match := CORE.match(line):
            cpus += _reported(core, figures, place, problems)
            core, figures = (int(match[1]), number), {}
        elif match := FIGURE.match(line):
            figures.setdefault(match[1], float(match[2]))
        elif SECTION.match(line):
            cpus += _reported(core, figures, place, problems)
            core, figures = None, {}
            command = match[1].strip() if (match := COMMAND.match(line)) else command
        elif match := KERNEL.match(line):
            kernel = match[1]
    cpus += _reported(core, figures, place, problems)
    if command and "cyclictest" not in command.split(" ")[0]:
        raise DataError(str(OTHER.format(command.split(" ")[0][:40])), place=place)
    if not cpus:
        raise DataError("no CPU core with figures in the report of rteval", "name the file of a whole run", place=place)
    if aborted := ABORTED.search(text):
        problems.append(f"{place}: {LATER if aborted[1] == 'breaktrace' else f'rteval stopped it ({aborted[1]})'}")
    if STOPPED.search(text):
        problems.append(f"{place}: rteval was stopped by a signal, before its time was over")
    gaps, records = (match[1] if (match := form.search(text)) else "" for form in BESIDE)
    shared = SHARED.search(text)
    facts = (("kernel", kernel), *_beside(gaps, records, shared[1].split("\n") if shared else []))
    return _wakeups(cpus, command, facts, problems, place)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return enumerate((line.rstrip("\r") for line in text.split("\n")), 1)


def _reported(core: tuple[int, int] | None, figures: dict[str, float], place: str, problems: list[str]) -> list[Distribution]:
    if core is None:
        return []
    if figures.get("Samples") == 0:
        return [cpu_row(core[0], (), 0, 0, 0, 0.0)]
    missing = [name for name in ("Samples", "Mean", "Min", "Max") if name not in figures]
    if missing or max(figures.values()) > LARGEST_US:
        problems.append(f"{place}:{core[1]}: CPU core {core[0]} has no {missing[0] if missing else 'figure that can be'}; it is left out")
        return []
    low, high, mean = (figures[name] * 1000 for name in ("Min", "Max", "Mean"))
    got = int(figures["Samples"])
    return [cpu_row(core[0], (), got, int(low), int(high), _mean(mean, low, got))]


def _wakeups(cpus: list[Distribution], command: str, facts: tuple[tuple[str, str], ...], problems: list[str], place: str) -> Wakeups:
    if len({cpu.number for cpu in cpus}) < len(cpus) or max(cpu.number for cpu in cpus) >= MOST_CPUS:
        raise DataError("a CPU is named twice or cannot be one; the file is damaged", place=place)
    ordered = tuple(sorted(cpus, key=lambda cpu: cpu.number))
    facts_said = (("measured by", "rteval"), *(fact for fact in facts if fact[1]))
    read = Wakeups("cyclictest", None, 1000, ordered, complete=not problems, facts=facts_said, problems=tuple(problems))
    conditions = conditions_of(command)
    return replace(read, conditions=conditions, interval_ns=conditions.interval_ns)


def _whole(value: str | None, name: str, place: str) -> int:
    if value is None or not WHOLE.fullmatch(value.strip()):
        raise DataError(f"{name} is {str(value)[:40]!r} and not a number; the file is damaged", place=place)
    return int(value)


def _us(value: str | None, name: str, core: int, place: str) -> float:
    match = FIGURE.match(f"Mean: {(value or '').strip()}")
    if match is None or float(match[2]) > LARGEST_US:
        raise DataError(f"the {name} of core {core} is {str(value)[:40]!r} and no latency; the file is damaged", place=place)
    return float(match[2])
