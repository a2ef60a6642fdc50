# SPDX-License-Identifier: BSD-3-Clause
import hashlib
import tomllib

import pytest

from latlab.core.errors import DataError
from latlab.core.readers.event_table import event_table, parse_events
from support.places import ROOT


def test_the_package_and_the_firmware_share_one_table() -> None:
    rows = tomllib.loads((ROOT / "firmware/trace/events.toml").read_text())["event"]
    assert [(event.id, event.name) for event in event_table().events] == [(row["id"], row["name"]) for row in rows]


def test_the_hash_is_over_ids_and_names_in_the_order_of_the_ids() -> None:
    text = '[[event]]\nid = 2\nname = "B"\narg = "0"\n[[event]]\nid = 1\nname = "A"\narg = "0"\n'
    assert parse_events(text).hash == hashlib.sha256(b"1 A\n2 B\n").hexdigest()[:16]


def test_an_event_is_found_by_id_and_name() -> None:
    table = event_table()
    assert table.by_id[1] is table.by_name["ENTER_PSCI"]
    assert (table.by_id[1].pmf, table.by_name["WARM_BOOT"].pmf) == (0, None)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[[event]", "not an event table"),
        ('[[event]]\nid = 0\nname = "A"\narg = "0"', "id 0"),
        ('[[event]]\nid = 1\nname = "A"\narg = "0"\n[[event]]\nid = 1\nname = "B"\narg = "0"', "id 1 appears twice"),
        ('[[event]]\nid = 1\nname = "A"', "not an event table"),
    ],
)
def test_a_bad_table_is_refused_with_its_place(text: str, word: str) -> None:
    with pytest.raises(DataError, match=word) as caught:
        parse_events(text, "there.toml")
    assert str(caught.value).startswith("there.toml: ")
