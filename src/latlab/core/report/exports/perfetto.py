# SPDX-License-Identifier: BSD-3-Clause
"""The time line of a run as a trace of Perfetto: what its page opens and its trace processor asks in SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from latlab.core.errors import needs_packages
from latlab.core.model.run import Run
from latlab.core.model.time_line import Facts, Slice, TimeLine, Track
from latlab.core.report.redaction import Secrets, redacted

if TYPE_CHECKING:
    from latlab.core.lifecycle.material import RunArtifacts

SEQUENCE = 1


def render(run: Run, material: Callable[[], RunArtifacts], secrets: Secrets | None = None) -> bytes:
    """A group of tracks for each CPU, test or boot, a track for each source in it. What is known of the run and of the clock are
    attributes of the trace; the facts of a slice are its debug annotations."""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
        from perfetto.trace_builder.proto_builder import TraceProtoBuilder
    except ModuleNotFoundError:
        raise needs_packages("--format perfetto", "perfetto") from None
    line = material().time_line
    if secrets is not None:
        line = redacted(line, secrets)
    builder = TraceProtoBuilder()
    packet = builder.add_packet()
    packet.sequence_flags = proto.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    for key, value in _of_run(run, line):
        attribute = packet.trace_attributes.attribute.add()
        attribute.key = key
        _value(attribute, value, "long_value")
    groups = list(dict.fromkeys(track.group for track in line.tracks))
    for number, group in enumerate(groups, 1):
        builder.add_packet().track_descriptor.CopyFrom(proto.TrackDescriptor(uuid=number, name=group))
    for uuid, track in enumerate(line.tracks, len(groups) + 1):
        parent = groups.index(track.group) + 1
        builder.add_packet().track_descriptor.CopyFrom(proto.TrackDescriptor(uuid=uuid, parent_uuid=parent, name=track.name))
        _add_slices(builder, proto.TrackEvent, uuid, track)
    for packet in builder.trace.packet:
        packet.trusted_packet_sequence_id = SEQUENCE
    serialised: bytes = builder.serialize()
    return serialised


def _of_run(run: Run, line: TimeLine) -> Facts:
    pairs = (("run", run.id), ("target", run.target), ("platform", run.platform), ("firmware", run.build.firmware), *line.facts)
    return tuple(("latlab." + key.replace(" ", "_"), value) for key, value in pairs)


def _add_slices(builder: Any, event: Any, uuid: int, track: Track) -> None:
    for at, track_slice, kind in _moments(track, event):
        packet = builder.add_packet()
        packet.timestamp = at
        packet.track_event.type = kind
        packet.track_event.track_uuid = uuid
        if kind == event.TYPE_SLICE_END:
            continue
        packet.track_event.name = track_slice.name
        packet.track_event.categories.append(track.name)
        for key, value in track_slice.facts:
            _value(packet.track_event.debug_annotations.add(name=key), value, "int_value")
        if track_slice.parts:
            listed = packet.track_event.debug_annotations.add(name="parts")
            for cause, ns in track_slice.parts:
                part = listed.array_values.add()
                part.dict_entries.add(name="cause", string_value=cause)
                part.dict_entries.add(name="ns", int_value=ns)


def _moments(track: Track, event: Any) -> Iterator[tuple[int, Slice, int]]:
    """Begins and ends in the order of time; where slices nest the inner one ends first."""
    still_open: list[Slice] = []
    for track_slice in track.slices:
        while still_open and still_open[-1].end <= track_slice.begin:
            last = still_open.pop()
            yield last.end, last, event.TYPE_SLICE_END
        yield track_slice.begin, track_slice, event.TYPE_SLICE_BEGIN
        still_open.append(track_slice)
    for last in reversed(still_open):
        yield last.end, last, event.TYPE_SLICE_END


def _value(message: Any, value: str | int, whole: str) -> None:
    if isinstance(value, int):
        setattr(message, whole, value)
    else:
        message.string_value = value
