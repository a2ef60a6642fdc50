# SPDX-License-Identifier: BSD-3-Clause
"""What the first screen of one run says, recomputed from its exported samples. Nothing here imports latlab.

A claim is a pattern of a sentence and a function from its words to what is false in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from statistics import median

from first_screens.figures import POWER, Json, Run, levels, spoken
from first_screens.printed import NUMBER, agrees, differs, number, unequal
from first_screens.screen import FirstScreen, Table

Wrongs = list[str]
Claim = tuple[re.Pattern[str], Callable[[re.Match[str], Run, FirstScreen], Wrongs]]
CALLS = {"powerdown": "powerdown", "wakeup": "wakeup", "cache flush": "cache_flush", "call": ""}
COLUMNS = {"Powerdown": "powerdown", "Wakeup": "wakeup", "Cache Flush": "cache_flush", "Latency": ""}
CALL_NAMES = {"CPU_SUSPEND": ("cpu_susp", "susp_deep"), "CPU_OFF": ("cpu_off",), "PSCI_VERSION": ("psci_version",)}
CLAIMS: list[Claim] = []


def claim(pattern: str) -> Callable[[Callable[[re.Match[str], Run, FirstScreen], Wrongs]], Callable[..., Wrongs]]:
    def kept(function: Callable[[re.Match[str], Run, FirstScreen], Wrongs]) -> Callable[..., Wrongs]:
        CLAIMS.append((re.compile(pattern), function))
        return function

    return kept


LONGEST = rf"the longest ([\w ]+?) (?:takes )?({NUMBER})(?: [^\s(]+)?"
PLACE = rf"\(core ([\d.]+) in (\S+), n = ({NUMBER})(?:, median ({NUMBER})(?: and ({NUMBER}))?)?\)"


@claim(rf"(?i)^{LONGEST} and {LONGEST} {PLACE}\.?$")
def longest_two(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    first, value, second, other, core, test, n, middle, middle_other = match.groups()
    wrong = _longest(run, first.lower(), value, core, test, n, middle)
    return wrong + _longest(run, second.lower(), other, core, test, n, middle_other)


@claim(rf"(?i)^{LONGEST} {PLACE}(?:, {LONGEST} {PLACE})?\.?$")
def longest(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    groups = match.groups()
    wrong = _longest(run, groups[0].lower(), groups[1], *groups[2:6])
    if groups[7]:
        wrong += _longest(run, groups[7].lower(), groups[8], *groups[9:13])
    shown = {groups[0].lower(), (groups[7] or "").lower()}
    measured = {metric for test, metric, _ in run.samples if metric in POWER and (run.is_noise or not run.takes_turns(test))}
    return wrong + [f"the longest {metric} is missing" for metric in sorted(measured - shown) if shown & set(POWER)]


def _longest(run: Run, what: str, value: str, core: str, test: str, n: str, middle: str | None) -> Wrongs:
    all_samples = run.samples
    named = [metric for at, metric, _ in all_samples if at == test]
    metric = what.replace(" ", "_") if what.replace(" ", "_") in named else next(iter(dict.fromkeys(named)), "")
    unmarked = {key: values for key, values in all_samples.items() if key[1] == metric and (run.is_noise or not run.takes_turns(key[0]))}
    mine = unmarked.get((test, metric, core))
    if mine is None:
        return [f"core {core} has no {what} in {test} that a headline may name"]
    most = max(max(values) for values in unmarked.values())
    wrong = differs(f"longest {what}", value, most) + differs(f"longest {what} of core {core} in {test}", value, max(mine))
    wrong += differs("n", n, len(mine))
    if middle:
        wrong += differs("median", middle, median(mine))
    elif not agrees(value, min(mine)):
        wrong.append(f"the median of core {core} in {test} is not printed, although its samples differ")
    return wrong


@claim(r"^Tests marked \((.+)\) are left out\.$")
def marked(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    return [] if any(run.takes_turns(test) for test, _, _ in run.samples) else ["no test has a mark"]


@claim(r"^Figures are medians; all samples of a figure are equal\.$")
def equal(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    return [f"samples of {key} differ" for key, values in run.samples.items() if min(values) != max(values)][:1]


@claim(r"^Figures are medians; minimum and maximum are in brackets if samples differ\.$")
def varied(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    return [] if any(min(values) != max(values) for values in run.samples.values()) else ["all samples are equal"]


@claim(
    rf"^(?:`?)(\w+)(?:`?): medians in \S+(?:, minimum to maximum below|; all samples of a core are equal); n = ({NUMBER}) for each core\.$"
)
def note_of_test(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    mine = [values for (test, _, _), values in run.samples.items() if test == match[1]]
    wrong = [w for values in mine for w in differs(f"n of {match[1]}", match[2], len(values))][:1]
    if "all samples" in match[0]:
        wrong += [f"samples of {match[1]} differ" for values in mine if min(values) != max(values)][:1]
    return wrong


@claim(rf"^(\S+): (?:.*?, )?({NUMBER}) samples, ({NUMBER}) for each data point$")
def extent(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    wrong = unequal("run", match[1], run.id) if match[1] == run.id else []
    if match[1] != run.id:
        return []
    wrong += differs("samples", match[2], sum(map(len, run.samples.values())))
    return wrong + [w for values in run.samples.values() for w in differs("n of a data point", match[3], len(values))][:1]


@claim(rf"^core ([\d.]+) has the longest (\w[\w ]*) (?:on average|by median), ({NUMBER}) ([^\s:;]+)(?:[:;].*)?$")
def explained_longest(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    core, what, value = match[1], match[2], match[3]
    candidates = [values for (_, metric, at), values in run.samples.items() if spoken(metric) == what and at == core]
    if any(agrees(value, middle) for values in candidates for middle in levels(values)):
        return []
    return [f"core {core} has no {what} of {value}"]


@claim(rf"^CPU (\d+): median ({NUMBER}) µs, maximum ({NUMBER}) µs(?:, ({NUMBER}) times the median)?, over ({NUMBER}) wake-ups(?: .*)?$")
def explained_cpu(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    rows = [row for row in run.distributions if row["core"].partition(".")[2] == match[1]]
    for row in rows:
        wrong = differs("maximum", match[3], row["maximum_ticks"] * run.scale) + differs("wake-ups", match[5], row["got"])
        middle = quantile(row, 0.5) * run.scale
        if not wrong and (not match[4] or agrees(match[4], row["maximum_ticks"] * run.scale / middle)):
            return differs("median", match[2], middle)
    return [f"no tool measured this of CPU {match[1]}"]


@claim(
    rf"^The maximum of ({NUMBER}) wake-up latencies is ({NUMBER}) µs on (?:CPU|thread|pair|all)? ?(\d*[^(]*?)\s*"
    r"\(([^),]+)(?:, [^)]*)?\)(?:[:,].*)?\.?$"
)
def maximum(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    rows = [row for row in run.distributions if row["test"] == match[4] and row["metric"] == "task_wakeup"]
    if not rows:
        return [f"no wake-ups by {match[4]}"]
    most = max(rows, key=lambda row: row["maximum_ticks"])
    wrong = differs("wake-ups", match[1], sum(row["got"] for row in rows)) + differs("maximum", match[2], most["maximum_ticks"] * run.scale)
    at = [row for row in rows if row["core"].partition(".")[2] == match[3].strip()]
    if at and at[0]["maximum_ticks"] != most["maximum_ticks"]:
        wrong.append(f"the maximum is not of {match[3]}")
    larger = [row for row in run.distributions if row["metric"] == "task_wakeup" and row["maximum_ticks"] > most["maximum_ticks"]]
    if larger and not any(f"{row['test']} measured" in sentence for row in larger for sentence in screen.sentences[:3]):
        wrong.append(f"{larger[0]['test']} has a larger maximum, which is not named")
    return wrong


@claim(rf"^(\S+) measured ({NUMBER}) µs on (?:CPU|thread)? ?(\S+)\.$")
def other_maximum(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    rows = [row for row in run.distributions if row["test"] == match[1]]
    return differs("maximum", match[2], max(row["maximum_ticks"] for row in rows) * run.scale) if rows else [f"{match[1]} measured nothing"]


@claim(rf"^(?:(None) of|Of) ({NUMBER}|\w+) attacks? on (.+?)(?: broke the isolation or stopped .*| (?:{NUMBER}) .*)\.$")
def attacks(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    tried = [attack for attack in run.document["attacks"] if attack["outcome"] != "not tried"]
    wrong = differs("attacks", match[2], len(tried)) + unequal("build", match[3], run.document["build"]["firmware"])
    bad = {outcome: sum(attack["outcome"] == outcome for attack in tried) for outcome in ("broken", "denial of service")}
    if match[1]:
        return wrong + [f"{n} are {outcome}" for outcome, n in bad.items() if n]
    counts = {number(n) for n in re.findall(rf"({NUMBER}) ", match[0].partition(match[3])[2])}
    return wrong + [f"{n} {outcome} are not counted" for outcome, n in bad.items() if n and n not in counts]


@claim(rf"^({NUMBER}) attacks?, ({NUMBER}) (?:tries|try);.*$")
def tries(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    all_attacks = run.document["attacks"]
    return differs("attacks", match[1], len(all_attacks)) + differs("tries", match[2], sum(attack["tries"] for attack in all_attacks))


@claim(
    rf"^CPU (\d+) lost ({NUMBER}) % of its time to firmware and secure world (?:while )?([\w ]+), ({NUMBER}) µs at most in one window, "
    rf"in ({NUMBER}) s(?:[;.,].*)?$"
)
def steal(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    per_second = _amounts(run, "time in firmware per second")
    largest = _amounts(run, "largest time in firmware of a window in a second")
    share = {cpu: sum(values) / len(values) / 1e7 for cpu, values in per_second.items()}
    mine = [cpu for cpu in share if cpu[1] == match[1]]
    if not mine:
        return [f"CPU {match[1]} was not measured"]
    wrong = differs("share", match[2], max(share[cpu] for cpu in mine))
    if not agrees(match[2], max(share.values())):
        wrong.append(f"another CPU lost more: {max(share.values()):.4f} %")
    wrong += differs("longest window", match[4], max(max(largest[cpu]) for cpu in mine) / 1000)
    return wrong + differs("seconds", match[5], max(len(per_second[cpu]) for cpu in mine))


def _amounts(run: Run, name: str) -> dict[tuple[str, str], list[float]]:
    """By phase and CPU."""
    return {(phase, core.partition(".")[2]): values for phase, _, of, core, values, _ in run.document["amounts"] if of == name and core}


@claim(
    rf"^(.+?) (?:from (\S+) )?takes most: ({NUMBER}) % of all (?:instructions|ticks|ns) that calls took "
    rf"\(({NUMBER}) calls?, median ({NUMBER})\)\.$"
)
def most_of_calls(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    """Kinds of calls are no part of the export: the sentence is held against the table below it."""
    for table in screen.tables:
        if not {"Call", "Calls", "Median", "Share", "Total"} <= set(table.columns):
            continue
        call, calls, middle, share, total = (table.columns.index(name) for name in ("Call", "Calls", "Median", "Share", "Total"))
        mine = [row for row in table.rows if row[call] == match[1]]
        wrong = (
            [] if mine and mine[0] == max(_outer(table), key=lambda row: number(row[total])) else [f"{match[1]} has not the largest total"]
        )
        if mine:
            wrong += unequal("calls", match[4], mine[0][calls]) + unequal("median", match[5], mine[0][middle])
            whole = sum(number(row[total]) for row in _outer(table))
            wrong += differs("share", match[3], 100 * number(mine[0][total]) / whole)
            wrong += unequal("share", f"{match[3]} %", mine[0][share])
        return wrong
    return []


@claim(rf"^([^:%]+): ({NUMBER}) (µs|ns|[\w/ %]+?) \((.+)\)\.$")
def benchmark(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    inner = match[4]
    of = re.search(rf"; median of ({NUMBER})(?:, ({NUMBER}) to ({NUMBER}))?$", inner)
    name = re.sub(r" on CPU \d+$", "", inner[: of.start()] if of else inner)
    cpu = re.search(r" on CPU (\d+)(?:;|$)", inner)
    for test, metric, quantity, core, values, over in run.document["amounts"]:
        if (test, quantity) != (match[1], name) or (cpu and core and core.partition(".")[2] != cpu[1]):
            continue
        scale = 1e-3 if metric not in ("events", "rate") else 1.0 / (over or 1.0)
        low, middle, high = (value * scale for value in levels(values))
        wrong = differs(f"median of {name}", match[2], middle)
        if of and of[2]:
            wrong += differs("n", of[1], len(values)) + differs("minimum", of[2], low) + differs("maximum", of[3], high)
        return wrong
    return [f"{match[1]} has no quantity {name}"]


def _outer(table: Table) -> list[tuple[str, ...]]:
    return [row for row in table.rows if "inside another call" not in row[1]]


@claim(rf"^All ({NUMBER}) power-state changes were done;(?: the longest took ({NUMBER}) µs: .*| multi-threaded .*)$")
def power(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    times = run.document["steps"] or run.document["firmware"]
    wrong = differs("changes", match[1], sum(len(timed["ns"]) for timed in times))
    return wrong + (differs("longest", match[2], max(max(timed["ns"]) for timed in times) / 1000) if match[2] else [])


def tables(run: Run, screen: FirstScreen) -> Iterable[tuple[str, Wrongs]]:
    """Each table of figures that the export has, by its caption."""
    for table in screen.tables:
        if "Core" in table.columns and any(name in COLUMNS for name in table.columns):
            yield table.caption, _spans(run, table)
        elif table.columns and table.columns[0] == "Latencies":
            yield table.caption, _wakeups(run, table)
        elif table.columns[:2] == ("Family", "broken"):
            yield table.caption, _outcomes(run.document["attacks"], table)


def _tests_of(run: Run, caption: str) -> list[str]:
    """The tests that a caption can mean: by their call, and whether cores are in parallel and how deep."""
    caption = caption.partition("(TF")[0]
    starts = next((starts for call, starts in CALL_NAMES.items() if call in caption), ())
    found = [test for test in dict.fromkeys(key[0] for key in run.samples) if any(test.startswith(start) for start in starts)]
    if "CPU_SUSPEND" in caption:
        found = [test for test in found if ("deepest" in caption) == ("deep" in test) and ("parallel" in caption) == ("parallel" in test)]
    return found


def _spans(run: Run, table: Table) -> Wrongs:
    found = _tests_of(run, table.caption)
    if len(found) != 1:
        return []
    cluster, core = table.column("Cluster"), table.columns.index("Core")
    wrong: Wrongs = []
    samples = run.samples
    for row in table.rows:
        place = row[core] if cluster is None else f"{row[cluster]}.{row[core]}"
        for name, metric in COLUMNS.items():
            at = table.column(name)
            if at is None or at >= len(row) or not row[at]:
                continue
            values = next((samples[key] for key in samples if key[0] == found[0] and key[2] == place and metric in ("", key[1])), None)
            if values is None:
                wrong.append(f"{found[0]}: core {place} has no {name}")
                continue
            low, middle, high = levels(values)
            printed = re.findall(NUMBER, row[at].replace(" to ", " "))
            true = [middle, low, high] if len(printed) == 3 else [middle]
            wrong += [w for text, value in zip(printed, true, strict=False) for w in differs(f"{found[0]} {name} {place}", text, value)]
            if len(printed) == 1 and not agrees(printed[0], low) and not agrees(printed[0], high):
                wrong.append(f"{found[0]} {name} {place}: minimum and maximum are missing")
    listed = {row[core] if cluster is None else f"{row[cluster]}.{row[core]}" for row in table.rows}
    absent = set() if table.is_cut else {key[2] for key in samples if key[0] == found[0]} - listed
    return wrong + [f"{found[0]}: core {place} is missing" for place in sorted(absent)]


def _wakeups(run: Run, table: Table) -> Wrongs:
    tool = table.caption.rpartition(" by ")[2]
    rows = [row for row in run.distributions if row["test"] == tool]
    wrong: Wrongs = []
    if len(rows) != len(table.columns) - 1:
        return wrong
    for line in table.rows:
        for row, text in zip(rows, line[1:], strict=False):
            value = _wakeup_figure(line[0], row, run.scale)
            if value is not None and re.fullmatch(NUMBER, text):
                wrong += differs(f"{tool} {line[0]} of {row['core']}", text, value)
    return wrong


def _wakeup_figure(name: str, row: Json, scale: float) -> float | None:
    known = {
        "Minimum (µs)": row["minimum_ticks"] * scale,
        "Average (µs)": row["average_ticks"] * scale,
        "Maximum (µs)": row["maximum_ticks"] * scale,
        "measured": row["got"],
        "beyond the histogram": row["beyond"],
    }
    if name in known:
        return known[name]
    percent = re.fullmatch(rf"({NUMBER}) % \(µs\)", name)
    return quantile(row, number(percent[1]) / 100) * scale if percent and row["counts"] else None


def quantile(row: Json, share: float) -> float:
    """The upper end of the interval in which this share of the samples ends, in ticks; the maximum beyond the histogram."""
    total = sum(n for _, _, n in row["counts"]) + row["beyond"]
    below = 0
    for _, high, n in row["counts"]:
        below += n
        if below >= round(share * total, 6):
            return min(high, row["maximum_ticks"]) if share == 1 else high
    return row["maximum_ticks"]


def _outcomes(attacks_of_run: list[Json], table: Table) -> Wrongs:
    wrong: Wrongs = []
    for line in table.rows:
        mine = [attack for attack in attacks_of_run if line[0] in ("all", attack["family"])]
        for name, text in zip(table.columns[1:], line[1:], strict=False):
            wrong += differs(f"{line[0]} {name}", text or "0", sum(attack["outcome"] == name for attack in mine))
    return wrong


@claim(
    r"^(?:cores were served in the order (?P<all>[\d., ]+): .*|"
    r"medians of (?P<n>\d+) iterations: .* the order was (?P<first>[\d., ]+?)(?: \(.*)?)$"
)
def served(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    """Some parallel test has its power-downs in this order, shortest first: in every iteration, or in the first of several."""
    cores = (match["all"] or match["first"]).replace(" ", "").split(",")
    for test in dict.fromkeys(test for test, metric, _ in run.samples if metric == "powerdown" and test.endswith("_parallel")):
        of_cores = [run.samples.get((test, "powerdown", core), []) for core in cores]
        if not all(of_cores):
            continue
        iterations = list(zip(*of_cores, strict=False))
        in_order = [list(spans) == sorted(spans) for spans in iterations]
        if all(in_order) if match["all"] else in_order[0] and len(iterations) == int(match["n"]):
            return []
    return [f"no test has its power-downs in the order {', '.join(cores)}"]


@claim(rf"^core ([\d.]+) waited ({NUMBER}) \S+ behind (\w+) cores?: (.*?)(?: \(\w+\))?$")
def waited(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    """The parts of the wait sum to it, and a position is one core in front."""
    positions = re.match(rf"({NUMBER}|\w+) positions? of ({NUMBER}) (.*)$", match[4])
    if positions is None:
        return []
    wrong = differs("positions", positions[1], number(match[3]))
    parts = [number(text) for text in re.findall(rf"({NUMBER}) (?:µs|instructions)", positions[3])]
    total = number(positions[1]) * number(positions[2]) + sum(parts)
    slack = 0.06 * (number(positions[1]) + len(parts) + 1) + 0.002 * total
    return wrong if abs(total - number(match[2])) <= slack else [*wrong, f"the parts of the wait sum to {total:.6g}"]


@claim(rf"^([\d.]+), the lead, took ({NUMBER}) \S+ more than the other cores of its cluster.*$")
def lead(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    cluster = match[1].partition(".")[0]
    for test, metric in dict.fromkeys(key[:2] for key in run.samples):
        others = [
            median(v) for (t, m, c), v in run.samples.items() if (t, m) == (test, metric) and c != match[1] and c.startswith(f"{cluster}.")
        ]
        own = run.samples.get((test, metric, match[1]))
        if (
            own
            and others
            and min(abs(median(own) - other - number(match[2])) for other in (*others, median(others))) <= 0.1 + 0.02 * number(match[2])
        ):
            return []
    return [f"the lead {match[1]} takes {match[2]} more than its cluster in no test"]


@claim(rf"^({NUMBER}) % of that (\w+) of core ([\d.]+) is (\S+) and its callees, ({NUMBER}) (?:instructions|ns|µs).*$")
def share_of_function(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    spans = [median(values) for (_, metric, core), values in run.samples.items() if metric == match[2] and core == match[3]]
    fits = any(abs(100 * number(match[5]) / span - number(match[1])) <= 0.6 for span in spans)
    return [] if fits else [f"{match[5]} are not {match[1]} % of a {match[2]} of core {match[3]}"]


@claim(rf"^.*latenc(?:y|ies) \([^)]*\).*\(.*, n = ({NUMBER})(?:, .*)?\)$")
def caption(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    tests = _tests_of(run, match[0])
    of_test = [len(values) for (test, _, _), values in run.samples.items() if test in tests[:1]]
    return [w for n in of_test for w in differs("n", match[1], n)][:1]


@claim(rf"^({NUMBER}) calls of ({NUMBER}) kinds, .*$")
def calls(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    for table in screen.tables:
        at = table.column("Calls")
        if at is not None and table.columns[:1] == ("Call",):
            wrong = differs("kinds", match[2], len(table.rows))
            return wrong + differs("calls", match[1], sum(number(row[at]) for row in _outer(table)))
    return []


@claim(rf"^({NUMBER}) runs, mean ({NUMBER}) \S+, standard deviation of a run .*$")
def design(match: re.Match[str], run: Run, screen: FirstScreen) -> Wrongs:
    experiment = run.document["experiment"]
    response = experiment.get("response", "")
    values = [figure["value"] for trial in experiment["trials"] for figure in trial["figures"] if figure["path"] == response]
    return differs("runs", match[1], len(values)) if values else []
