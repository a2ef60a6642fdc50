# SPDX-License-Identifier: BSD-3-Clause
"""What a run knows before its target boots, and what the target's log adds."""

from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.run import Build
from latlab.core.store.store import open_store
from latlab.psa.targets import mps2
from latlab.psci.campaign.recording import Recorder
from support.places import ROOT
from support.runs import run_with


def test_what_is_known_of_the_build_stays_when_the_firmware_says_its_name(tmp_path):
    store = open_store(str(tmp_path / "store.sqlite"))
    run = run_with(build=Build("unknown", options=(("CONFIG", "y"),), code_bytes=11360))
    log = (ROOT / "tests" / "fuzz" / "seeds" / "dump" / "suspend.log").read_bytes()
    recorder = Recorder(store, store.begin(run), run, mps2.tick_of, lambda: b"", NullProgress())
    list(recorder.read(log.splitlines()))
    kept = store.load(recorder.run_id)
    assert kept.build.firmware != "unknown" and kept.build.events_hash
    assert (kept.build.options, kept.build.code_bytes) == ((("CONFIG", "y"),), 11360)
