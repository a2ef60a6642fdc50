# SPDX-License-Identifier: BSD-3-Clause
"""The commands of a page run one after the other, in a folder that has the files which a reader of the page brings.

What the reader fills in is filled in here, and durations are seconds. A command in a sentence that names a verb and nothing else is not one
to run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from latlab.calls.campaign.sbi import DEBIAN_FIRMWARE
from latlab.core.targets.qemu.images import search_folders
from support.documented import shown
from support.foreign import RELEASE, built_tfa
from support.idle_trees import idle_tree
from support.places import RT_DATA
from support.psa_subjects import own_text
from support.repositories import commit, git, new_repository

TIMEOUT_S = 3600
LATLAB = Path(sys.executable).with_name("latlab")
BUILD = search_folders()[0]
OURS = BUILD / "qemu_virt"
MACHINE = (
    f"qemu-system-aarch64 -M virt,secure=on,gic-version=3 -cpu cortex-a57 -smp 2 -m 1024 -nic none -display none -monitor none "
    f"-serial stdio -serial null -bios {OURS}/firmware.bin -device loader,file={OURS}/psci_calls.elf -icount shift=4,sleep=off"
)
SUBJECT = 'name = "{name}"\nsymbols = ["firmware.elf"]\n[[image]]\nfile = "firmware.bin"\nflash = 0\n'
JUDGING = {"compare", "explain", "gate", "history", "check-dt", "predict"}  # 1 and 3 are answers
# What a reader puts for the words of a page. In this order.
FILLED_IN = (
    (r" -- qemu-system-\S+ .*", f" -- {MACHINE}"),
    (r"^latlab watch -- .*", f"latlab watch -- {MACHINE}"),
    (r"(--symbols (tee|bl31|build/\S+)\.elf ?)+", f"--symbols {OURS}/firmware.elf "),
    (r"(?<![\w/])build/qemu_virt", f"{BUILD}/qemu_virt"),
    (r"(--duration|-D) \S+", r"\1 2s"),
    (r"--boots [58]\b", "--boots 2"),
    (r"--platform juno (?=--since)", "--platform qemu_virt "),
    (r"--build '[^']*'", "--build true"),
    (r"(v2\.9|v1\.0)\.\.(HEAD|v2\.10\.0)", "v1.0..HEAD"),
    (r"\b(3b8021058|89dba82df)\b", "v2.9"),
    (r"\b(0a580b512|251e1dfa1)\b", "HEAD"),
    (r"GOOD\.\.BAD", "v1.0..HEAD --build true --subject DIR/subject.toml --figure cpu_off_serial/powerdown"),
    (r"--tags '\S+'(?!.*--build)", r"\g<0> --build true --subject DIR/subject.toml"),
    (r"--paths '[^']*'", "--paths ."),
    (r"--tolerance 1 \.\.\.|--repo DIR \.\.\.", "--repo DIR v1.0..HEAD --build true --subject DIR/subject.toml"),
    (r"(--cpu neoverse-n1) \.\.\.$", r"\1 --repo DIR --build true --subject DIR/subject.toml"),
    (r"v1.0..HEAD (?=.*v1.0..HEAD)", ""),
    (r"--fit \.\.\.", "--fit published:tf-a/n1sdp/v2.10 --fit published:tf-a/n1sdp/v2.11 --fit published:tf-a/n1sdp/v2.12"),
    (r"(fit --counted .*) \.\.\.", r"\1 published:tf-a/n1sdp/v2.11 published:tf-a/n1sdp/v2.12"),
    (r"--priority \.\.\.", "--priority 0x00"),
    (r"--repo (DIR|tf-a)", "--repo theirs"),
    (r"DIR/subject\.toml|--subject (FILE|tf-a\.toml)(?=.*--cpu|$)", "--subject theirs/subject.toml"),
    (r"--subject --subject", "--subject"),
    (r"--subject FILE|--subject FOLDER/subject\.toml", "--subject firmware.toml"),
    (r"json\|csv\|\S+", "json"),
    (r"gate RUN (?=--limit 'susp_deep_parallel)", "gate published:tf-a/juno/v2.10 "),
    (r"RUN_OF_ONE_BUILD|\bBASE\b|\bRELEASE\b", "last~1"),
    (r"\bFIGURE A B C\b", "'cpu_off_serial/*' last~1 last"),
    (r"RUN_OF_ANOTHER|\bCAND\b|\bDEBUG\b|EXPERIMENT|\bA\+A2\b|(?<!-)\bA\b|\bRUN\b|\[RUN\]|\"\$\(cat run.id\)\"", "last"),
    (r"\bB\b", "last~1"),
    (r"rt-7231|rt-7f34", "last"),
    (r"\bFIGURE last \.\.\.", "'cpu_off_serial/*' last~1 last"),
    (r" fw_dynamic\.elf", ""),
    (r"(-o|publish site) (FILE|DIR)\b", r"\1 out"),
    (r"import FILE", "import cyclictest.json"),
    (r"import LOG", "import console.log --platform NAME"),
    (r"import console\.log --platform \S+(?! --topology)$", r"\g<0> --topology 2,4"),
    (r"publish tf-a LOG\.\.\. --data DIR", "publish tf-a console.log --data data"),
    (r"identify (build/)?IMAGE\.\.\.", "identify bl1.bin fip.bin bl31.elf"),
    (r"\bNAME\b", "my-board"),
    (r"\bTEXT\b", "nightly"),
    (r"(?<!\S)\.\.\.(?!\S)|(?<=\w)\.\.\.$", ""),
)
# What this test has not, and where it is tried.
LEFT_OUT = {
    r"--target (ssh|labgrid)": "a board: tests/system/test_labgrid_boards.py and test_linux_measurements.py have one",
    r"^latlab (serve|mcp)": "it answers until it is stopped: tests/unit/site/test_serve.py and test_assistant.py",
    r"--subject tf-m( |$)": "a build of TF-M, whose sources no package has: tests/unit/calls/test_ready_subjects.py, and by hand",
    r"board\.log": "a log of our firmware on the board: tests/unit/runs/test_importing.py",
    r"^latlab (bisect --format|run psa --priority$|import --core-mhz|run rt --boots$|run psci --trace$)": "an option, named in a sentence",
    r"boot\.tarmac|snapshot/|trace-[0-9a-f]{4}": "a trace of a model or a board: tests/unit/calls/test_import_trace_command.py",
    r"--log stderr": "only a QEMU that said something leaves it: tests/unit/psci/test_recorded_consoles.py",
    r"--log build": "a build that failed has that log: tests/system/test_bisect.py",
    r"--store runs\.sqlite": "what a job of a CI keeps: tests/system/test_ci_lineage.py",
    r"import perf\.data|'cycle max": "a trace of a user's program: tests/unit/rt/test_cli_threads.py and make prove PART=own_threads",
    r"--threads-of|run rt -D 1m -- |--log command\.out": "root and tracefs: tests/system/test_followed_threads.py",
    r"--interrupt (secure|el3)": "firmware with timers of the secure world: make prove PART=secure_world",
    r"--measured-from": "a run that a job of a CI measured: tests/system/test_ci_documented.py",
    r"dask (tcp|ADDRESS)": "a scheduler elsewhere: tests/system/test_whatif.py",
    r"design run|design show (last|EXPERIMENT)": "an experiment that was run: tests/system/test_design_on_qemu.py",
    r"--instrument timerlat": "a kernel with the tracer: tests/unit/rt/test_timerlat.py and test_linux_target.py",
    r"run rt --arch x86": "QEMU for x86, which set-up does not bring: make prove PART=causes",
    r"run rt-(trng|power)": "minutes to hours in the guest: make prove PART=guest",
    r"secure-world optee|--efi": "OP-TEE or EDK2, built or fetched first: make prove PART=secure_world",
    r"--log job\.log": "a run on a Linux machine has that log: tests/unit/rt/test_rt_on_a_machine.py",
    r"tfm\.log": "a board's log of TF-M's profiler: tests/unit/psa/test_import_profiler.py",
    r"--calls WATCH|qemu_virt-thief": "a Linux above firmware that steals: make prove PART=steal",
    r"--repo opensbi": "a clone of OpenSBI: tests/system/test_bisect.py has a repository of its own, and by hand",
    r"--patch wakeup\.patch": "a patch of TF-A: tests/system/test_bisect.py",
    r"explore --full": "it takes more minutes than all else",
    r"^latlab runs (rm|recover \S+|prune)": "it removes what the page goes on with: tests/unit/runs/test_housekeeping.py",
    r"'recorder/task_wakeup": "a series of runs of the recorder: tests/unit/rt",
}
CLASSES = "run psci --subject firmware.toml --classes --iterations 2"
ON_N1 = CLASSES.replace("firmware.toml", "n1.toml")
# What the sentence in front of a command asks for: a command before each of these words.
FIRST = {
    "rt-7f34": "import cyclictest.json",
    "guide/rt.md": "import cyclictest.json",
    "guide/psa.": "run psa --build sfn_l1",
    "sweep_stateless_0": "run psa --build sfn_l1",
    "--limit 'wakeup": "import cyclictest.json",
    "--limit 'psci_call": "run psci",
    "--limit-file": "run psci",
    "--class ": CLASSES,
    "RUN_OF_ONE_BUILD": ON_N1,
    "RUN_OF_ANOTHER": ON_N1,
}


@pytest.fixture(name="desk", scope="module")
def fixture_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What readers bring: a TF-A that they built, files of firmware, logs, a repository; and two runs of theirs."""
    folder = tmp_path_factory.mktemp("documented")
    tree, desk = built_tfa(folder, "trixie").parent, folder / "desk"
    for name in ("bl1.bin", "fip.bin", "bl31/bl31.elf"):
        (desk / RELEASE / name).parent.mkdir(parents=True, exist_ok=True)
        for place in (desk / RELEASE / name, desk / Path(name).name):
            shutil.copy(tree / RELEASE / name, place)
    for name in ("firmware.bin", "firmware.elf"):
        shutil.copy(OURS / name, desk)
    for name in ("firmware", "tf-a"):
        (desk / f"{name}.toml").write_text(SUBJECT.format(name=name))
    (desk / "n1.toml").write_text('cpu = "neoverse-n1"\n' + SUBJECT.format(name="n1"))
    (desk / "tf-a-sbsa.toml").write_text('machine = "sbsa-ref"\n[[image]]\nfile = "flash0.bin"\nflash = 0\n')
    shutil.copy(BUILD / "sbsa_ref" / "firmware.bin", desk / "flash0.bin")
    shutil.copy(BUILD / "raspi4" / "firmware.bin", desk / "bl31.bin")
    (desk / "tf-m.toml").write_text(own_text("sfn_l1"))
    shutil.copy(DEBIAN_FIRMWARE, desk / "fw_dynamic.bin")
    shutil.copy(RT_DATA / "cyclictest.json", desk)
    (desk / "juno.limits").write_text("psci_call max <= 300 instructions\n")
    state = {"arm,psci-suspend-param": 0x10000, "entry-latency-us": 300, "exit-latency-us": 1200, "min-residency-us": 2000}
    (desk / "juno-r1.dtb").write_bytes(idle_tree((0, 1, 0x100, 0x101, 0x102, 0x103), {"cpu-sleep-0": state}))
    theirs = new_repository(desk / "theirs")
    for build, tag in (("qemu_virt", "v1.0"), ("qemu_virt", "v2.9"), ("qemu_virt-hardened", "v2.10")):
        for name in ("firmware.bin", "firmware.elf"):
            shutil.copy(BUILD / build / name, theirs)
        commit(theirs, f"as {build}", {"subject.toml": SUBJECT.format(name="theirs")})
        git(theirs, "tag", tag)
    for words in (("run", "psci", "--subject", "firmware.toml"), ("run", "psci"), ("run", "psci")):
        done = latlab(desk, words)
        assert done.returncode == 0, done.stderr
    assert latlab(desk, ("runs", "label", "last~1", "main")).returncode == 0
    log = latlab(desk, ("show", "last", "--log", "console")).stdout
    printed = "".join(line for line in log.splitlines(keepends=True) if line.startswith("<RT_INSTR"))
    for number, name in enumerate(("console", "monday", "tuesday", *(f"{age}-{boot}" for age in ("old", "new") for boot in (1, 2, 3)))):
        (desk / f"{name}.log").write_text(re.sub(r"\d(?=/>)", str(number), printed))
    return desk


def latlab(folder: Path, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.sqlite"), COLUMNS="80")
    command, nothing = (str(LATLAB), *words), subprocess.DEVNULL
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, stdin=nothing
    )


def filled_in(command: str) -> str:
    for pattern, by in FILLED_IN:
        command = re.sub(pattern, by, command)
    return command


def is_answer(words: tuple[str, ...], code: int) -> bool:
    return code == 0 or (code in (1, 3) and words[0] in JUDGING) or (words[:2], code) in ((("run", "attack"), 1), (("run", "steal"), 3))


def check_page(page: Path, desk: Path, tmp_path: Path) -> None:
    """Runs what the page shows in its order; each command has to end as a reader expects."""
    folder = tmp_path / "page"
    shutil.copytree(desk, folder, symlinks=True)
    for place in ("build/report", "guide", "docs/perf/data/juno", "data"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    failed, ran = {}, 0
    for command, stands_alone in shown(page):
        words = tuple(shlex.split(filled_in(command), comments=True)[1:])
        if any(re.search(needed, command) for needed in LEFT_OUT) or not (stands_alone or any("-" in word for word in words[1:])):
            continue
        for first in (tuple(before.split()) for asked, before in FIRST.items() if asked in command):
            assert latlab(folder, first).returncode == 0
        began = time.monotonic()
        done = latlab(folder, words)
        ran += 1
        print(json.dumps([page.name, command, shlex.join(words), done.returncode, round(time.monotonic() - began, 1)]), flush=True)
        if not is_answer(words, done.returncode) or "Traceback" in done.stderr:
            failed[shlex.join(words)] = done.stderr[-300:]
    assert failed == {}, f"{len(failed)} of {ran}: {failed}"
