# SPDX-License-Identifier: BSD-3-Clause
"""Faults planted into the sentences, tables and pictures of rendered first screens, each of which the checker has to notice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from first_screens.drawn import Drawn
from first_screens.printed import NUMBER

Change = Callable[[str], str]


@dataclass(frozen=True)
class Fault:
    """`of` is how the name of a screen begins into which it is planted; `change` makes the faulty screen."""

    name: str
    of: str
    change: Change


def replaced(pattern: str, instead: str | Callable[[re.Match[str]], str], text: str) -> str:
    """The first place alone."""
    return re.sub(pattern, instead, text, count=1, flags=re.S)


def scaled(pattern: str, by: float, text: str) -> str:
    """The number in the first group of the first match, times `by`."""
    return replaced(pattern, partial(_scaled, by), text)


def _scaled(by: float, match: re.Match[str]) -> str:
    value = float(match[1].replace(",", "")) * by
    decimals = len(match[1].partition(".")[2])
    sign = "+" if match[1].startswith("+") else ""
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return f"{match[0][:start]}{sign}{value:,.{decimals}f}{match[0][end:]}"


def exchanged(first: str, second: str, text: str) -> str:
    """Two texts in each other's place, wherever they are."""
    return re.sub(f"{re.escape(first)}|{re.escape(second)}", lambda match: second if match[0] == first else first, text)


def without_row(pattern: str, text: str) -> str:
    """Without the first line that matches."""
    return re.sub(rf"^.*(?:{pattern}).*\n", "", text, count=1, flags=re.M)


VARIED = "medians; minimum and maximum are in brackets if samples differ"
JUNO = "published:tf-a/juno"
RUN, RUN_PAGE = f"show {JUNO}/v2.10", f"report {JUNO}/v2.10"
PAIR, PAIR_PAGE = f"compare {JUNO}/v2.9 {JUNO}/v2.10", f"report {JUNO}/v2.9 {JUNO}/v2.10"
HISTORY = f"history susp_deep_parallel/cache_flush {JUNO}"
LINE = r"(<g[^>]*stroke-width=\"1\.5\"[^>]*><path d=\")(M[^\"]*)(\")"
BAR_END = r'(<path d="M[\d.]+,[\d.]+h)([\d.]+)(v[^"]*"[^>]*><title>)'


def _comb(match: re.Match[str]) -> str:
    """Each second step of a line at the floor: the false peaks of bins that are narrower than the intervals."""
    steps = match[2].split("L")
    floor = max(float(step.split(",")[1]) for step in steps[1:])
    changed = [f"{step.split(',')[0]},{floor}" if at % 4 in (2, 3) else step for at, step in enumerate(steps)]
    return match[1] + "L".join(changed) + match[3]


def _wider(match: re.Match[str]) -> str:
    """The first intervals drawn as wide as three of them."""
    steps = match[2].split("L")
    return match[1] + "L".join([*steps[:4], *steps[10:]]) + match[3]


def _ended(text: str) -> str:
    """Without the bars beyond the histogram, at the end of which the axis then ends."""
    return re.sub(r"<g[^>]*><path d=\"M[^\"]*Z\" opacity=\"0\.35\"><title>.*?</title></path></g>", "", text)


def _shifted_ticks(text: str) -> str:
    """The words of one tick of an axis say what another place is."""
    return replaced(r'(<text text-anchor="middle" x="[\d.]+" y="18">)50(</text>)', r"\g<1>80\2", text)


def _moved_mark(text: str) -> str:
    return replaced(
        r'(<path transform="translate\()([\d.]+)(,[\d.]+\)" d="M0,-3\.9)', lambda m: f"{m[1]}{float(m[2]) * 0.7:.1f}{m[3]}", text
    )


def _mark_in_other_row(text: str) -> str:
    return replaced(
        r'(<path transform="translate\([\d.]+,)([\d.]+)(\)" d="M0,-3\.9)', lambda m: f"{m[1]}{float(m[2]) + 44:.1f}{m[3]}", text
    )


def _longer_bar(text: str) -> str:
    return replaced(r'(<path d="M[\d.]+,[\d.]+h)([\d.]+)("><title>)', lambda m: f"{m[1]}{float(m[2]) * 1.6:.1f}{m[3]}", text)


FAULTS = (
    Fault("the headline's maximum is too large", RUN, partial(scaled, rf"longest powerdown takes ({NUMBER})", 1.25)),
    Fault("the headline's maximum is that of another core", RUN, partial(replaced, r"981\.36 µs \(", "807.74 µs (")),
    Fault("the second maximum is too small", RUN, partial(scaled, rf"longest wakeup takes ({NUMBER})", 0.9)),
    Fault("the maximum is of another core", RUN, partial(replaced, r"core 1\.3 in", "core 1.2 in")),
    Fault("the maximum is in another test", RUN, partial(replaced, r"in susp_deep_parallel", "in susp_deep_serial")),
    Fault("the maximum has another n", RUN, partial(replaced, r"n = 1\)", "n = 10)")),
    Fault("the longest wakeup is missing", RUN, partial(replaced, r", the longest wakeup takes [^)]*\)", "")),
    Fault("samples are called unequal", RUN, partial(replaced, r"medians; all samples of a figure are equal", VARIED)),
    Fault("a cell of a table is wrong in a digit", RUN, partial(replaced, r"522\.08", "522.18")),
    Fault("a cell of a table is ten times as large", RUN, partial(replaced, r" 99\.84", "998.40")),
    Fault("two rows of a table are exchanged", RUN, partial(exchanged, "807.74", "383.58")),
    Fault("a row of a table is missing", RUN, partial(without_row, r"382\.56")),
    Fault("a core of a table has another number", RUN, partial(replaced, r"1     3     981\.36", "1     2     981.36")),
    Fault("a caption has another n", RUN, partial(replaced, r"TF-A v2\.10, n = 1\)", "TF-A v2.10, n = 20)")),
    Fault("a page's maximum is too small", RUN_PAGE, partial(scaled, rf"longest powerdown takes ({NUMBER})", 0.8)),
    Fault("a page's cell is wrong", RUN_PAGE, partial(replaced, r"<td>138\.32</td>", "<td>183.32</td>")),
    Fault("a page's note has another n", RUN_PAGE, partial(replaced, r"n = 1 for each core", "n = 7 for each core")),
    Fault("the sign of a change is swapped", PAIR, partial(replaced, r"by \+2\.97", "by -2.97")),
    Fault("a regression is called an improvement", PAIR, partial(replaced, r"Wakeup regressed by", "Wakeup improved by")),
    Fault("the largest change is left out", PAIR, partial(replaced, r"to \+4\.84 µs", "to +4.56 µs")),
    Fault("the largest share is left out", PAIR, partial(replaced, r"to \+28\.1 %", "to +24.5 %")),
    Fault("the least share is wrong", PAIR, partial(replaced, r"\(\+15\.2 %", "(+1.52 %")),
    Fault("another number of tests", PAIR, partial(replaced, r"in 5 tests", "in 6 tests")),
    Fault("a function of the wrong core type", PAIR, partial(exchanged, "cortex_a57_reset_func", "cortex_a53_reset_func")),
    Fault("a core type without its cause", PAIR, partial(replaced, r" and cortex_a53_reset_func on cortex-a53", "")),
    Fault("one function for both core types", PAIR, partial(replaced, r"cortex_a53_reset_func on", "cortex_a57_reset_func on")),
    Fault("counted in more tests", PAIR, partial(replaced, r"counted in 3 of 5", "counted in 5 of 5")),
    Fault("the verdict of the heading", PAIR, partial(replaced, r": regressed\n", ": unchanged\n")),
    Fault("another number of data points", PAIR, partial(replaced, r"27 of 27", "27 of 30")),
    Fault("data points that went the other way", PAIR, partial(replaced, r"data points rose", "data points fell")),
    Fault("a cell of the changes has another sign", PAIR, partial(replaced, r"\+3\.74 \(\+16\.6 %\)", "-3.74 (-16.6 %)")),
    Fault("a cell of the changes is in another column", PAIR, partial(exchanged, r"cluster 0, last core", r"cluster 1, last core")),
    Fault("a test of the changes is missing", PAIR, partial(without_row, r"cpu_susp_serial +\+2\.97")),
    Fault("a queue's delay is wrong", PAIR, partial(replaced, r"139\.62", "193.62")),
    Fault("a queue's verdict is wrong", PAIR, partial(replaced, r"4\.19  unchanged", "4.19  regressed")),
    Fault("quiet rows are too many", PAIR, partial(replaced, r"8 of 8 rows", "9 of 9 rows")),
    Fault("a smaller quiet shift", PAIR, partial(replaced, r"-0\.39 µs \(-0\.4 %\) in cpu_off", "-0.10 µs (-0.1 %) in cpu_susp")),
    Fault("a printed change has another value", PAIR, partial(replaced, r"\+132\.03 %", "+123.03 %")),
    Fault("regressed printed changes", PAIR, partial(replaced, r"none of them regressed", "2 of them regressed")),
    Fault("the order of a queue", PAIR, partial(replaced, r"became 1\.0 0\.0", "became 0.0 1.0")),
    Fault("a page's change has another sign", PAIR_PAGE, partial(replaced, r"\+2\.97&nbsp;µs to", "-2.97&nbsp;µs to")),
    Fault("a mark of the shifts stands elsewhere", PAIR_PAGE, _moved_mark),
    Fault("a mark of the shifts is in another row", PAIR_PAGE, _mark_in_other_row),
    Fault("a mark's words have another size", PAIR_PAGE, partial(replaced, r"\+24\.5 %, regressed</title>", "+42.5 %, regressed</title>")),
    Fault("a bar of a function is too long", PAIR_PAGE, _longer_bar),
    Fault("a bar's words have another size", PAIR_PAGE, partial(replaced, r"<title>el3_exit, 21 ", "<title>el3_exit, 12 ")),
    Fault("a tick of the shifts has another value", PAIR_PAGE, partial(replaced, r">\+20</text>", ">+40</text>")),
    Fault("the largest change of a history is missing", HISTORY, partial(replaced, r"5\.39 µs[^,]* at v2\.13, ", "")),
    Fault("a change of a history has another sign", HISTORY, partial(replaced, r"\(\+13\.5 %\)", "(-13.5 %)")),
    Fault("a change at another release", HISTORY, partial(replaced, r"at v2\.14", "at v2.12")),
    Fault("the newest figure is an older one", HISTORY, partial(replaced, r"v2\.15 has 6\.66", "v2.15 has 88.96")),
    Fault("the share against the first", HISTORY, partial(replaced, r"\+27\.8 % against", "+2.78 % against")),
    Fault("a difference of the history", HISTORY, partial(replaced, r"\+10\.59 µs", "-10.59 µs")),
    Fault("bins narrower than the intervals", "report rt-0003", partial(replaced, LINE, _comb)),
    Fault("bins wider than the intervals", "report rt-0003", partial(replaced, LINE, _wider)),
    Fault("the axis ends before the maximum", "report rt-0003", _ended),
    Fault("a tick of the histogram has another value", "report rt-0003", _shifted_ticks),
    Fault("the legend has another maximum", "report rt-0003", partial(replaced, r"max 497\.0 µs</text>", "max 60.0 µs</text>")),
    Fault("two legends are exchanged", "report rt-0003", partial(exchanged, "min 4.0, avg 8.0, max 28.0", "min 5.0, avg 11.0, max 497.0")),
    Fault("the maximum is of another thread", "show rt-0003", partial(replaced, r"on thread 1", "on thread 0")),
    Fault("the maximum is the end of the histogram", "show rt-0003", partial(replaced, r"is 497\.0 µs", "is 60.0 µs")),
    Fault("another number of wake-ups", "show rt-0003", partial(replaced, r"of 1,996 wake-up", "of 2,000 wake-up")),
    Fault("an average is wrong", "show rt-0003", partial(replaced, r"Average \(µs\)( +)8", r"Average (µs)\g<1>9")),
    Fault("a percentile is wrong", "show rt-0003", partial(replaced, r"22\.0", "20.0")),
    Fault("an attack is not counted", "show attack-0005", partial(replaced, r"None of one attack", "None of two attacks")),
    Fault("tries are wrong", "show attack-0005", partial(replaced, r"3 tries", "4 tries")),
    Fault("steal time of another CPU", "show steal-0006", partial(replaced, r"CPU 0 lost", "CPU 1 lost")),
    Fault("the longest window is wrong", "show steal-0006", partial(replaced, r"48\.9 µs at most", "49.8 µs at most")),
    Fault("a benchmark's median is wrong", "show bench-0002", partial(replaced, r"2,958,500 µs", "2,872,000 µs")),
    Fault("power changes are miscounted", "show rt-power-0ee2", partial(replaced, r"All 14", "All 13")),
    Fault("another kind of call takes most", "report psci-0000", partial(replaced, r"53\.8&nbsp;% of all", "35.8&nbsp;% of all")),
    Fault("explain names another order", f"explain {JUNO}/v2.10", partial(replaced, r"order 1\.0, 0\.0", "order 0.0, 1.0")),
    Fault("the parts of a wait do not sum", f"explain {JUNO}/v2.10", partial(replaced, r"waited 877", "waited 778")),
    Fault("explain gives the lead another wait", f"explain {JUNO}/v2.10", partial(replaced, r"took 180\.0", "took 108.0")),
)  # fmt: skip


def planted(screens: list[Drawn]) -> Iterator[tuple[Fault, Drawn, Drawn]]:
    """Each fault with the screen before and after; a pattern that finds nothing leaves the screen as it was."""
    for fault in FAULTS:
        before = next(drawn for drawn in screens if drawn.name == fault.of or drawn.name.startswith(f"{fault.of}/v2.9"))
        yield fault, before, Drawn(f"{before.name}: {fault.name}", fault.change(before.text), before.documents)
