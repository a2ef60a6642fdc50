# SPDX-License-Identifier: BSD-3-Clause
"""Which threads of a trace a run is about, as the run keeps it: one JSON object."""

from __future__ import annotations

import json
from dataclasses import asdict

from latlab.core.errors import DataError
from latlab.rt.model.thread_trace import ThreadSelection

THREADS = "threads.json"


def written_selection(selection: ThreadSelection) -> bytes:
    return json.dumps(asdict(selection)).encode()


def read_selection(data: bytes, place: str) -> ThreadSelection:
    try:
        document = json.loads(data)
        return ThreadSelection(**{**document, "names": tuple(document["names"])})
    except (ValueError, TypeError, KeyError) as error:
        raise DataError("the selection of threads is damaged", "import the trace again", place=place) from error
