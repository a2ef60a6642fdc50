# SPDX-License-Identifier: BSD-3-Clause
"""What each verb that measures needs on this machine, by target: what is there, what is missing, and how to get it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from latlab.calls.campaign import sbi
from latlab.calls.targets.traces import find_reader
from latlab.core.errors import LatlabError, NotBuilt, UsageError
from latlab.core.lifecycle.doctor import DoctorFinding
from latlab.core.readers.dump.frames import parse_topology
from latlab.core.targets.building import first_run_of
from latlab.core.targets.linux.machine import Here
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.probe import find_probe
from latlab.core.targets.qemu.qemu import Qemu, find_qemu
from latlab.psa.targets import mps2
from latlab.psa.targets.attack_params import find_attack_program, find_witness
from latlab.psci.targets.virtual_program import find_program
from latlab.rt.targets.guest.guest import GuestMachine, check_firmware
from latlab.rt.targets.guest.guest_arch import ARCHES, Arch
from latlab.rt.targets.guest.guest_image import lacking_for_module
from latlab.rt.targets.guest.secure_world import check_tools
from latlab.rt.targets.linux import Chosen, Survey, check_survey, fitted, survey
from latlab.rt.targets.recorder_binary import recorder_for
from latlab.rt.targets.rt_job import Instrument, Workload
from latlab.rt.targets.thread_survey import check_tracing, tracing_survey
from latlab.virtual.campaign.exploration import find_explorer

Look = Callable[[], object]
EVENTS = Path("/sys/kernel/tracing/events")
WORKLOAD = Workload(10)
"""What `run rt` measures if nothing is said."""


def verb_findings(qemu: Path | None = None) -> list[DoctorFinding]:
    """A line for each verb and target, in the order of the manual. Never raises for a thing that is missing."""
    return [
        _finding("run psci", lambda: find_qemu(qemu), lambda: find_images(parse_topology("2,4"), "psci_bench")),
        _finding("run psci --target virtual:juno, whatif", find_program),
        _finding("explore", find_explorer),
        _finding("run psci --subject, watch, run calls", lambda: find_probe(find_qemu(qemu).path)),
        _finding("run calls --abi sbi", lambda: find_qemu(Path(sbi.QEMU)), sbi.find_program, _opensbi),
        _finding("run psa", _mps2, lambda: mps2.find_psa_images(mps2.BUILDS[0])),
        _finding("run attack", _mps2, find_attack_program, lambda: find_witness(_mps2().path)),
        _finding("import-trace", find_reader),
        _guest(qemu),
        _finding("run rt --secure-world optee", check_tools, notes=("its first run builds OP-TEE and TF-A",)),
        *_this_machine(),
    ]


def _finding(verb: str, *looks: Look, notes: tuple[str, ...] = ()) -> DoctorFinding:
    missing, to_build = list[str](), list[str]()
    for look in looks:
        try:
            to_build += _to_build(look)
        except LatlabError as error:
            missing.append(str(error).rstrip("."))
    builds = (f"its first run {' and '.join(to_build)}",) if to_build else ()
    result = "; ".join(dict.fromkeys((*missing, *builds, *notes)))
    return DoctorFinding(f"latlab {verb}", result or "has all that it needs", not missing, needed=False)


def _to_build(look: Look) -> list[str]:
    """What the verb does when it first runs; nothing if all is there. Raises LatlabError for what it can neither install nor build."""
    try:
        look()
    except NotBuilt as missing:
        return [first_run_of(missing)]
    return []


def _mps2() -> Qemu:
    return find_qemu(None, mps2.PROGRAM)


def _opensbi() -> None:
    if not sbi.DEBIAN_FIRMWARE.is_file():
        raise UsageError("no OpenSBI", "install Debian's package opensbi or name an image with --firmware")


def _guest(qemu: Path | None) -> DoctorFinding:
    arch = ARCHES[Arch.ARM64]
    lacking = lacking_for_module(arch)
    notes = (f"without {' and '.join(lacking)} {arch.module_use}",) if lacking else ()
    looks: tuple[Look, ...] = (lambda: find_qemu(qemu), lambda: check_firmware(GuestMachine()), lambda: recorder_for(arch.machine), _debian)
    return _finding("run rt, run steal, run rt-power (guest)", *looks, notes=notes)


def _debian() -> None:
    if missing := [name for name in ("apt-get", "dpkg-deb") if shutil.which(name) is None]:
        raise UsageError(f"{' and '.join(missing)} missing: the guest is made of Debian's packages", "use a Debian system or a container")


def _this_machine() -> Iterator[DoctorFinding]:
    """This Linux machine, as `--target linux` would find it."""
    machine = Here()
    try:
        answers = survey(machine, WORKLOAD.priority)
    except LatlabError as error:
        yield DoctorFinding("latlab run rt --target linux", str(error), False, needed=False)
        return
    fit = fitted(answers, WORKLOAD, Chosen(False, False))
    looks = (lambda: check_survey(machine, answers, fit.workload), lambda: recorder_for(answers.machine))
    yield _finding("run rt --target linux", *looks, notes=tuple(filter(None, (fit.note, _kernel(answers)))))
    yield _finding("run rt --target linux --causes", _events)
    yield _threads(machine)
    timerlat = Workload(10, "idle", Instrument.TIMERLAT)
    yield _finding("run rt --target linux --instrument timerlat", lambda: check_survey(machine, answers, timerlat))


def _threads(machine: Here) -> DoctorFinding:
    """What following a user's threads needs, and what killed runs of it left."""
    verb = "run rt --threads-of"
    try:
        tracing = tracing_survey(machine)
    except LatlabError as error:
        return DoctorFinding(f"latlab {verb}", str(error), False, needed=False)
    left = (f"killed runs left the tracing instances {', '.join(tracing.left)}; the next run removes them",) if tracing.left else ()
    return _finding(verb, lambda: check_tracing(tracing, machine.name), notes=left)


def _kernel(answers: Survey) -> str:
    """Its preemption model, in the words of its version."""
    version = answers.answers.get("version", "")
    model = next((word for word in ("PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT") if word in version.split()), "no PREEMPT in its version")
    return f"kernel {answers.answers.get('kernel', '')}: {model}"


def _events() -> None:
    """The recorder mounts tracefs itself if it may."""
    try:
        readable = EVENTS.is_dir()
    except PermissionError:
        readable = False
    if not readable and survey(Here(), WORKLOAD.priority).answers.get("root") != "0":
        raise UsageError(f"no right to read {EVENTS}, which has the kernel's events", "run as root")
