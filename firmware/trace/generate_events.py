# SPDX-License-Identifier: BSD-3-Clause
"""Makes the C header of the trace events from events.toml. Usage: generate_events.py EVENTS.toml HEADER.h"""

import hashlib
import sys
import tomllib
from pathlib import Path
from typing import Any


def table_hash(events: list[dict[str, Any]]) -> int:
    lines = "".join(f"{event['id']} {event['name']}\n" for event in sorted(events, key=lambda event: event["id"]))
    return int.from_bytes(hashlib.sha256(lines.encode()).digest()[:8], "big")


def check(events: list[dict[str, Any]], path: Path) -> None:
    for key in ("id", "name", "pmf"):
        values = [event[key] for event in events if key in event]
        twice = {value for value in values if values.count(value) > 1}
        if twice:
            sys.exit(f"{path}: {key} {sorted(twice)[0]} stands twice; give each event its own")
    for event in events:
        if not 1 <= event["id"] <= 0xFFFF:
            sys.exit(f"{path}: id {event['id']} of {event['name']} is outside 1 to 65535")


def header(events: list[dict[str, Any]]) -> str:
    pmf = sorted((event for event in events if "pmf" in event), key=lambda event: event["pmf"])
    if [event["pmf"] for event in pmf] != list(range(len(pmf))):
        sys.exit("the PMF indices must run from 0 without a gap")
    lines = ["/* Made from events.toml; do not edit. */", "#ifndef TRACE_EVENTS_H", "#define TRACE_EVENTS_H", "", "enum trace_event_id {"]
    lines += [f"    TRACE_{event['name']} = {event['id']}, /* arg: {event['arg']} */" for event in events]
    one_based = ", ".join(f"[TRACE_{event['name']}] = {event['pmf'] + 1}" for event in pmf)
    lines += ["};", "", f"#define TRACE_EVENTS_HASH 0x{table_hash(events):016x}ULL", f"#define TRACE_PMF_EVENTS {len(pmf)}U"]
    lines += [f"#define TRACE_PMF_EVENT_IDS {{ {', '.join('TRACE_' + event['name'] for event in pmf)} }}"]
    lines += [f"#define TRACE_PMF_INDEX_OF_EVENT {{ {one_based} }}", "", "#endif", ""]
    return "\n".join(lines)


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    events = tomllib.loads(source.read_text())["event"]
    check(events, source)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(header(events))


main()
