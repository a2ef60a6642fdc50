# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of every verb: options with right values, with one that is wrong, and with nonsense of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import typer

from latlab.core.cli.app import app
from support.every_kind import loadable
from support.firmware_files import BL1, BL31, KERNEL, OPENSBI, package
from support.idle_trees import idle_tree
from support.import_library import FUNCTION, import_library
from support.nothing_starts import Answer, fault_of
from support.places import RT_DATA, TOOLS_DATA

NUMBERS = ("0", "-1", "1", "007", "1_000", "1e3", "1e400", "1.5", "nan", "-nan", "inf", "-inf", "0x10", "٣")
HUGE = ("9" * 30, "9" * 5000, "-" + "9" * 30, "9" * 30 + ".5")
TEXTS = (
    *("", " ", ",", ",,", "a,b", "1,2", "0,0", "1,-1", "-", "--", "+", "a+b", "+a", "#", "x#y", "@", "a@b", "a@0x10", "=", "a=", "=b"),
    *("ü", "日本", "😀", "\u202e", "\u00a0", "\ufeff", "a\nb", "\n", "\t", "\r", "\x1b[31m", "\x7f", "\udcff", "x\udc80y", "x" * 300),
    *("x" * 10_000, "../..", ".", "/", "~", "*", "[", "[a", "?", "{}", "{0}", "{tree}", "%s", "%n", "\\", '"', "'", "`", "$(x)", ";", "|"),
    *("last", "published:", "published:x", "psci", "psci-", "null", "true", "None", "[]", "virt", "all", "s", "0s", "10", "99999999999d"),
)
FILES = ("a.log", "a.toml", "a.elf", "a.bin", "a.rst", "empty", "folder", "nothing", "/dev/null", "/", "x/" * 3000, "\udcff", "日本")
NONSENSE = (*NUMBERS, *HUGE, *TEXTS, *FILES)

RIGHT: Mapping[str, Sequence[str]] = {
    "--topology": ("2,4", "1", "4"),
    "--iterations": ("1", "20"),
    "--gic": ("2", "3"),
    "--el": ("1", "2"),
    "--boots": ("1", "2"),
    "--timeout": ("1", "300", "0.5"),
    "--silence": ("1", "60"),
    "--build-timeout": ("9",),
    "--duration": ("1s", "10m"),
    "--interval": ("200",),
    "--threshold": ("100",),
    "--priority": ("0x20", "32"),
    "--basepri": ("0x00", "0x40"),
    "--tolerance": ("3", "0", "99"),
    "--unit": ("ns", "us", "ms"),
    "--allow-different": ("processor", "load"),
    "--harts": ("1", "4", "8"),
    "--cores": ("1",),
    "--once-in": ("1e6", "1000"),
    "--since": ("7d", "2026-11-01"),
    "--before": ("7d", "2026-11-01"),
    "--hold": ("0", "50"),
    "--affinity": ("0", "0,2-3"),
    "--threads": ("1",),
    "--machine": ("virt", "raspi4b", "sbsa-ref", "mps2-an521"),
    "--fail-on": ("regressed", "regressed, moved"),
    "--lock": ("ticket", "bakery"),
    "--scope": ("coordination", "transition"),
    "--channel": ("shared", "per-core"),
    "--cluster": ("4", "2,4"),
    "--cycles": ("1",),
    "--suspends": ("1",),
    "--shots": ("10",),
    "--load": ("idle", "cpu", "hackbench"),
    "--subject": ("psci.toml", "psa.toml"),
    "--symbols": ("a.elf", "a.elf@0x1000"),
    "--metric": ("powerdown", "wakeup"),
    "--figure": ("cpu_off_serial/powerdown",),
    "--repo": ("folder",),
    "--target": ("qemu", "guest", "linux"),
    "--log": ("console",),
    "--class": ("all", "device"),
    "--span": ("cpu_off_serial/powerdown",),
    "--platform": ("juno", "board"),
    "--core-mhz": ("50",),
    "--output": ("written.html", "written.rst"),
    "--program-out": ("written.elf",),
    "--junit": ("written.xml",),
    "--sarif": ("written.sarif",),
    "--html": ("written.html",),
    "--build": ("", "sfn_l1", "make"),
    "--clusters": ("1,1",),
    "--programs": ("2|2",),
    "--status": ("complete", "running"),
    "--data": ("folder",),
}
# Wrong wherever the option is.
WRONG: Mapping[str, Sequence[str]] = {
    "--iterations": ("0", "-1", "1000001", "9" * 30),
    "--gic": ("0", "1", "4", "-3"),
    "--el": ("0", "3"),
    "--boots": ("0", "-1", "9" * 30),
    "--timeout": ("0", "-1", "nan"),
    "--silence": ("0", "-1", "nan"),
    "--build-timeout": ("0", "-1", "nan"),
    "--harts": ("0", "9", "-1"),
    "--cycles": ("-1", "9" * 30),
    "--suspends": ("-1", "9" * 30),
    "--shots": ("0", "-1", "9" * 30),
    "--hold": ("-1", "10001"),
    "--affinity": ("a", "3-1", "0-99", ",", "-1"),
    "--threads": ("0", "-1", "999"),
    "--interval": ("0", "-1", "9" * 30),
    "--threshold": ("-1", "9" * 30),
    "--topology": (",", "0", "a", "1,,2", "-1", "9" * 30),
    "--duration": ("", "0s", "10", "s", "1.5h", "-1s"),
    "--newest": ("0", "-1"),
    "--stream-bytes": ("0", "-1"),
    "--machine": ("x,y", "mps9"),
}
# Of the verbs whose figures are far from what QEMU is asked for.
ARGUMENTS: Mapping[str, Sequence[str]] = {
    "log": ("a.log", "rt.txt"),
    "run": ("last", "psci-0660", "psci-0000", "rt-0003", "attack", "steal"),
    "runs": ("psci-0000", "published:tf-a/juno/v2.9"),
    "before": ("psci-0000", "published:tf-a/juno/v2.9"),
    "after": ("psci-0001", "published:tf-a/juno/v2.10"),
    "against": ("psci-0001", "published:tf-a/juno/v2.10"),
    "base": ("psci-0000", "published:tf-a/juno/v2.9"),
    "candidate": ("psci-0001", "published:tf-a/juno/v2.10"),
    "figure": ("*/powerdown", "cpu_off_serial/wakeup"),
    "commits": ("a..b",),
    "published": ("published:tf-a/juno/v2.9",),
    "measured": ("published:tf-a/juno/v2.10",),
    "command": ("qemu-system-aarch64", "-M", "virt"),
    "files": ("bl1.bin", "sbi.bin", "a.elf"),
    "file": ("design.toml",),
    "experiment": ("design", "published:ti/am62l/factors-2026"),
    "logs": ("a.log",),
    "folder": ("site",),
    "text": ("a label", ""),
    "tree": ("board.dtb", "a.bin"),
    "traces": ("a.log", "rt.txt", "."),
    "subject": ("rt",),
}
SLOW = {("publish", "site"), ("guest", "build")}
SUBJECT = """[[image]]
file = "a.bin"
flash = 0
"""
PSA_SUBJECT = """[[image]]
file = "a.bin"
address = 0x10000000
[veneers]
file = "veneers.o"
[[call]]
name = "get"
handle = 0x40000102
out = [4]
"""
DESIGN = """name = "made"
run = ["run", "psci"]
response = "cpu_off_serial/powerdown"
[[factor]]
name = "gic"
[[factor.level]]
name = "2"
options = ["--gic", "2"]
[[factor.level]]
name = "3"
options = ["--gic", "3"]
"""


@dataclass(frozen=True, slots=True)
class Verb:
    words: tuple[str, ...]
    parameters: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """`wrong` is the one value that no verb takes, with its option; every other one is right. `rest` is the line without it."""

    arguments: tuple[str, ...]
    wrong: tuple[str, str] | None = None
    rest: tuple[str, ...] = ()


def verbs(words: tuple[str, ...] = (), command: Any = None) -> Iterator[Verb]:
    """Every verb with what it takes, as the command line itself knows them."""
    command = command or typer.main.get_command(app)
    if not hasattr(command, "commands"):
        yield Verb(words, tuple(command.params))
        return
    for name, inner in command.commands.items():
        yield from verbs((*words, name), inner)


def lay_out(folder: Path) -> None:
    """The files that the command lines name, in the folder that they are given in."""
    (folder / "folder").mkdir()
    veneers = {f"tfm_psa_{name}_veneer": at for name, at in (("framework_version", 0x240), ("version", 0x248), ("call", 0x260))}
    contents: dict[str, bytes] = {
        "a.log": (TOOLS_DATA / "hackbench.txt").read_bytes(),
        "rt.txt": (RT_DATA / "cyclictest-h.txt").read_bytes(),
        "a.elf": import_library({"code": 0x1000}, FUNCTION),
        "program.elf": loadable(),
        "veneers.o": import_library(veneers),
        "a.bin": package(BL31),
        "bl1.bin": BL1,
        "sbi.bin": OPENSBI,
        "kernel": KERNEL,
        "empty": b"",
        "a.toml": b"a = [",
        "board.dtb": idle_tree((0, 1), {"sleep": {"entry-latency-us": 300, "arm,psci-suspend-param": 0x10000}}),
        "a.rst": b"=\n",
        "psci.toml": SUBJECT.encode(),
        "psa.toml": PSA_SUBJECT.encode(),
        "design.toml": DESIGN.encode(),
        "latin.toml": b'name = "\xff"\n',
        "digits.toml": b"cores = " + b"9" * 6000 + b"\n",
        "deep.toml": b"a = " + b"[" * 5000 + b"\n",
        "machine.toml": SUBJECT.encode().replace(b"[[", b'machine = "z"\n[[', 1),
        "image.toml": SUBJECT.encode().replace(b"a.bin", b"gone"),
        "sfn_l1_test/secure.elf": import_library(veneers),
        "raw.toml": PSA_SUBJECT.encode().replace(b"a.bin", b"bl1.bin").replace(b"address = 0x10000000\n", b""),
    }
    for name, data in contents.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


def asked(random: Random, every: Sequence[Verb]) -> Asked:
    """One command line: all right, one value wrong, or nonsense anywhere."""
    verb = random.choice(every)
    kind = random.choice(("right", "wrong", "wrong", "nonsense", "nonsense", "nonsense"))
    options = [one for one in verb.parameters if one.param_type_name == "option" and "--help" not in one.opts]
    arguments = [one for one in verb.parameters if one.param_type_name == "argument"]
    chosen = random.sample(options, min(len(options), random.choice((0, 1, 1, 2, 3))))
    chosen += [one for one in options if one.required and one not in chosen]
    culprit = random.choice([one for one in chosen if _wrong(one)] or [None]) if kind == "wrong" else None
    line: list[str] = [
        word for one in chosen if one is not culprit for word in _written(random, one, _value(random, one, kind == "nonsense"))
    ]
    line += ["--"] * (verb.words == ("watch",))
    for one in arguments:
        if one.required or random.random() < 0.4:
            line += _arguments(random, one, kind == "nonsense")
    if kind == "nonsense" and random.random() < 0.1:
        line.insert(random.randrange(len(line) + 1), random.choice((*NONSENSE, "--frobnicate", "-x")))
    if culprit is None:
        return Asked((*verb.words, *line))
    value = random.choice(_wrong(culprit))
    return Asked((*verb.words, *_written(random, culprit, value), *line), (max(culprit.opts, key=len), value), (*verb.words, *line))


def fault_of_asked(case: Asked, found: Answer, again: Callable[[Sequence[str]], Answer]) -> str:
    """What is wrong with the answer, if anything. A wrong value may go unnamed where the rest of the line is refused as well."""
    if (fault := fault_of(found)) or case.wrong is None:
        return fault
    option, value = case.wrong
    if found.starts_qemu:
        return f"QEMU starts with {option} {value!r}"
    if found.code < 2 or found.started:
        return f"{option} {value!r} is taken"
    is_named = option in found.err or (value and value in found.err)
    if is_named or ((rest := again(case.rest)).code > 1 and not rest.started):
        return ""
    return f"{option} {value!r} is not named"


def _written(random: Random, one: Any, value: str) -> list[str]:
    if one.is_flag:
        return [random.choice((*one.opts, *one.secondary_opts))]
    name = random.choice(one.opts)
    return [f"{name}={value}"] if name.startswith("--") and random.random() < 0.2 else [name, value]


def _arguments(random: Random, one: Any, is_nonsense: bool) -> list[str]:
    right = ARGUMENTS[one.name]
    if one.name == "command" and not is_nonsense:
        return list(right)
    count = random.choice((1, 1, 2, 3)) if one.nargs == -1 else 1
    return [random.choice(NONSENSE if is_nonsense and random.random() < 0.5 else right) for _ in range(count)]


def _value(random: Random, one: Any, is_nonsense: bool) -> str:
    if is_nonsense and random.random() < 0.7:
        return random.choice(NONSENSE)
    return random.choice(_right(one))


def _right(one: Any) -> Sequence[str]:
    name = max(one.opts, key=len)
    choices = getattr(one.type, "choices", None) or (one.metavar or "").strip("<>").split("|")
    if choices != [""]:
        return [getattr(each, "value", each) for each in choices]
    if name in RIGHT:
        return RIGHT[name]
    if "INT" in str(one.type).upper():
        return ("1", "5")
    return ("a.bin", "program.elf") if "Path" in str(one.type) else ("a", "x1")


def _wrong(one: Any) -> Sequence[str]:
    """By its type, and what its meaning refuses."""
    name = max(one.opts, key=len)
    if one.is_flag:
        return ()
    if getattr(one.type, "choices", None) or (one.metavar or "").startswith("<"):
        return ("", "x", "TABLE", "json,csv", "a\nb", "日本")
    kind = str(one.type).upper()
    typed: tuple[str, ...] = ("", "x", "1,2", "1 2", "0x1g", "日本", "a\nb") if "INT" in kind or "FLOAT" in kind else ()
    return (*typed, *(WRONG.get(name, ()) if "INT" in kind or "FLOAT" in kind or name in _MEANT else ()))


_MEANT = ("--affinity", "--topology", "--duration", "--machine")
