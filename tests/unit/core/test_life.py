# SPDX-License-Identifier: BSD-3-Clause
"""How a machine's end is told: what it said itself comes whole, guesses stand where it said nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.lifecycle.life import NEVER_STARTED, RunMachine, refuse_interrupted, refuse_unstarted, unfinished
from latlab.core.model.enums import ProblemKind, RunStatus
from latlab.core.model.run import Problem
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Console, Limits, MachineEnd
from latlab.core.targets.process.exit_diagnostics import exit_message
from support.runs import unfinished_run

ROMFILE = 'qemu-system-aarch64: failed to find romfile "efi-virtio.rom"'


def ended(tmp_path: Path, script: str, limits: Limits = Limits(60, 60)) -> Console:  # noqa: B008 - immutable
    console = Console(("sh", "-c", script), tmp_path / "secure.log", limits)
    list(console.lines())
    return console


def test_what_qemu_says_of_its_end_comes_alone(tmp_path: Path) -> None:
    console = ended(tmp_path, f"echo '{ROMFILE}' >&2; exit 1")
    (problem,) = unfinished(console, is_started=False, whereabouts="no core executed an instruction")
    assert problem == Problem(0, f"sh ended with status 1; it printed: '{ROMFILE}'", ProblemKind.UNFINISHED)
    with pytest.raises(UsageError, match=r"^QEMU did not start the machine; it printed: 'qemu-system-aarch64: failed to find romfile"):
        refuse_unstarted(console, b"")
    refuse_unstarted(console, b"a stream")


def test_what_the_probe_makes_of_a_machine_gives_way_to_what_qemu_says(tmp_path: Path) -> None:
    guess = "latlab probe: this machine's processor has none of the registers"
    with pytest.raises(UsageError, match="failed to find romfile"):
        refuse_unstarted(ended(tmp_path, f"echo '{ROMFILE}' >&2; echo \"{guess}\" >&2; exit 1"), b"")
    with pytest.raises(UsageError, match=r"^the probe: this machine's processor"):
        refuse_unstarted(ended(tmp_path, f'echo "{guess}" >&2; exit 1'), b"")
    with pytest.raises(UsageError, match=r"^the probe: give out=FILE"):
        refuse_unstarted(
            ended(tmp_path, "echo latlab probe: give out=FILE >&2; echo qemu-system-arm: Could not load plugin x >&2; exit 1"), b""
        )


@pytest.mark.parametrize("script", ["exit 1", "exit 0"])
@pytest.mark.parametrize(("secure", "logs"), [(b"", "the log console"), (b"here", "the logs console and secure")])
def test_a_machine_that_ends_in_silence_gets_a_guess_and_its_status(tmp_path: Path, script: str, secure: bytes, logs: str) -> None:
    console = ended(tmp_path, script)
    console.secure_log.write_bytes(secure)
    guess, how = unfinished(console, is_started=False, whereabouts="it slept")
    assert guess == Problem(0, f"{NEVER_STARTED}; it slept; read {logs}") and how.line == 0
    assert how.message == (
        "sh ended with status 1 and printed nothing" if script == "exit 1" else "the machine ended before the program did"
    )
    refuse_unstarted(console, b"")


def test_a_program_that_had_begun_is_not_said_to_be_missing(tmp_path: Path) -> None:
    (problem,) = unfinished(ended(tmp_path, "echo hello; exit 0"), is_started=True)
    assert NEVER_STARTED not in problem.message


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("", ""),
        ("first\nlast\n", "'last'"),
        (
            'qemu-system-arm: unsupported machine type: "x"\nUse -machine help to list them',
            "'qemu-system-arm: unsupported machine type: \"x\"'",
        ),
        (
            "qemu: fatal: Lockup: can't escalate 3 to HardFault\n\nR00=00000000\nFPSCR: 00000000\n",
            '"qemu: fatal: Lockup: can\'t escalate 3 to HardFault"',
        ),
        ("qemu-system-arm: a\nqemu-system-arm: b", "'qemu-system-arm: a', 'qemu-system-arm: b'"),
        ("qemu-system-arm: warning: slow\nqemu-system-arm: broken\nqemu-system-arm: terminating on signal 15", "'qemu-system-arm: broken'"),
        (f"{ROMFILE}\nlatlab probe: nothing was seen", f"'{ROMFILE}'"),
        ("latlab probe: nothing was seen", ""),
    ],
)
def test_last_words_are_every_error_of_qemu_s_own_else_the_last_line(said: str, words: str) -> None:
    assert exit_message(said.encode()) == words


def test_a_machine_s_logs_are_kept_even_where_its_reader_fails(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(unfinished_run())
    machine = RunMachine(store, run_id, tmp_path / "secure.log", Limits(60, 60), lambda: False)
    script = f"echo boot >{tmp_path}/secure.log; echo one; echo '<LLC1:DONE x>'; echo oops >&2"

    def fail(lines: object) -> None:
        assert next(iter(lines)) == "one"  # type: ignore[call-overload]
        raise ValueError("unreadable")

    with pytest.raises(ValueError, match="unreadable"):
        machine.follow(("sh", "-c", script), fail)
    kept = store.logs(run_id)
    assert kept["secure"] == b"boot\n" and kept["console"].startswith(b"one\n")


def test_a_program_s_finished_calls_are_told_as_they_come(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    done: list[int] = []
    machine = RunMachine(store, store.begin(unfinished_run()), tmp_path / "none", Limits(60, 60), lambda: False)
    script = "echo '<LLC1:DONE a>'; echo '<LLC1:DONE b>'; echo '<LLC1:END x>'; exec sleep 1000"
    lines, console = machine.follow(("sh", "-c", script), list, lambda: done.append(len(done)))
    assert done == [0, 1] and len(lines) == 3
    assert console.outcome.end is MachineEnd.STOPPED and console.outcome.sentence == ""


def test_an_interrupted_run_is_over_and_says_so(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(unfinished_run())
    store.finish(run_id, RunStatus.PARTIAL)
    refuse_interrupted(store, run_id, False)
    with pytest.raises(LatlabError, match=f"interrupted; the samples so far are kept as the partial run {run_id}"):
        refuse_interrupted(store, run_id, True)
