# SPDX-License-Identifier: BSD-3-Clause
"""The console of an attacked machine and the lines of its witness, whole and cut off."""

from __future__ import annotations

from zlib import crc32

from latlab.psa.model import Access, AttackOutcome, AttackResult, Family
from latlab.psa.readers.attack_rows import parse, render
from latlab.psa.readers.attacks_log import read_attacks_log, record_of
from latlab.psa.readers.witness import read_witness


def line(body: str) -> str:
    return f"<LLC1:{body} *{crc32(body.encode()):08x}>"


START = line("ATTACKS n=3 first=0 fpu=0")


def test_the_lines_before_a_restart_are_its_record_without_those_of_every_start() -> None:
    log = read_attacks_log(["booting", START, line("DONE a=0 saw=0 answers=0"), "SPM: a fault", "booting", line("AGAIN a=1 s=0")])
    assert (log.by_attack[1].resets, log.by_attack[1].record) == (1, "SPM: a fault")
    assert log.by_attack[0].is_done
    assert log.by_attack[0].record == ""


def test_what_a_machine_said_before_it_stood_still_is_left_for_its_last_attack() -> None:
    log = read_attacks_log(["booting", START, "FATAL: fault", "booting"])
    assert record_of(log, log.before) == "FATAL: fault"
    assert not log.is_whole


def test_answers_and_memory_are_read_by_attack_and_shot() -> None:
    call = line("CALL a=2 s=7 i=4 r0=ffffff7f r1=0 r2=1 r3=2 r12=3 f=0 h=2 v=a5")
    log = read_attacks_log([START, call, line("SHOW a=2 s=7 n=0 v=00000001"), line("TAKEN a=2 h=41 r0=0"), line("END n=3")])
    told = log.by_attack[2]
    assert (told.calls[0].shot, told.calls[0].r0, told.calls[0].changed, told.calls[0].value) == (7, 0xFFFFFF7F, 2, 0xA5)
    assert told.shown == {7: bytearray(b"\1\0\0\0")}
    assert told.taken == [(0x41, 0)]
    assert log.is_whole


def test_a_damaged_line_is_counted_and_the_others_stand() -> None:
    log = read_attacks_log([START, line("DONE a=0 saw=0 answers=0").replace("saw=0", "saw=1"), line("DONE a=1 saw=2 answers=0")])
    assert log.damaged == 1
    assert log.by_attack[1].saw == 2


def test_the_witness_is_read_as_far_as_it_came() -> None:
    text = "B\nK 38000800\nM 1\nE 1 0 100ff028 e97fe97f gate\nE 1 3 10000402 b510 unknown\nS 1 3 10000410 38000800 4 2a\n"
    found = read_witness(f"{text}P 1 38002c40 fef5eda5 fef5eda5\nW 1 55\nM 2\nZ limit 10000500 3\nL 2 0 1000".splitlines())
    first = found.by_attack[0]
    assert (found.seals, found.under_way, found.shot, found.damaged) == ([0x38000800], 1, 3, 1)
    assert (first.gates, first.strange, first.spent) == ([0x100FF028], [(0x10000402, 0xB510)], [55])
    assert first.stores == [Access(0x10000410, 0x38000800, 4, 0x2A)]
    assert first.process_stack == (0x38002C40, 0xFEF5EDA5, 0xFEF5EDA5)
    assert (found.by_attack[1].ended, found.by_attack[1].ended_pc) == ("limit", 0x10000500)


def test_rows_read_back_as_they_were_written() -> None:
    rows = (AttackResult(Family.HANDLE, "guessed", AttackOutcome.BROKEN, "it was accepted", 192, (("handle", "0x41"),)),)
    assert parse(render(rows)) == rows
    assert parse(b"") == ()
