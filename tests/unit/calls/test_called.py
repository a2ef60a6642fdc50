# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue's names of calls, against those that the firmware answers to."""

import re

from latlab.calls.readers.call_names import call_names
from support.places import ROOT

BIT_64 = 0x40000000


def test_every_psci_call_of_the_firmware_has_a_name_in_each_form_that_it_has():
    header = (ROOT / "firmware/el3/calls/psci_calls.h").read_text("utf-8")
    ids = {name: int(number, 16) for name, number in re.findall(r"#define (PSCI_\w+) (0x84\w{6})U", header)}
    calls = re.findall(r"CALL\((PSCI_\w+), (true|false)", header)
    assert calls
    for name, has_64 in calls:
        title = call_names().smc[ids[name]]
        assert title.removeprefix("PSCI_") == name.removeprefix("PSCI_")
        assert call_names().smc.get(ids[name] | BIT_64) == (f"{title} (64)" if has_64 == "true" else None)
