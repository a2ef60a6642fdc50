# SPDX-License-Identifier: BSD-3-Clause
"""What a measurement was made on: files in which Linux tells its machine, collected there by one line of shell, and what they say.

The kernel documents these files as its interface (Documentation/ABI, Documentation/admin-guide). One that is missing says nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from latlab.rt.targets.preemption import preemption_model

COLLECTED = "machine.txt"
HEAT = "heat.txt"
MOST_IRQS = 8
CPUS = "/sys/devices/system/cpu"
RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
IRQS = "/proc/irq"
CPU_INFO = "/proc/cpuinfo"
COMMAND_LINE = "/proc/cmdline"
VERSION, CONFIG = "/proc/version", "/proc/config.gz"
REALTIME, PREEMPT = "/sys/kernel/realtime", "/sys/kernel/debug/sched/preempt"
PERIOD = "/proc/sys/kernel/sched_rt_period_us"
CLOCK_SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
CLOCK_SOURCES = "/sys/devices/system/clocksource/clocksource0/available_clocksource"
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
SMI_EVENT = "/sys/bus/event_source/devices/msr/events/smi"
TUNED = "/etc/tuned/active_profile"
MODEL = "/proc/device-tree/model"
PRODUCT = "/sys/class/dmi/id/product_name"
ZONES = "/sys/class/thermal/thermal_zone"
THROTTLED = ("thermal_throttle/core_throttle_count", "thermal_throttle/package_throttle_count")
FREQUENCY = ("scaling_governor", "scaling_driver", "scaling_min_freq", "scaling_max_freq", "scaling_cur_freq", "cpuinfo_max_freq")
WHOLE = (
    *(f"{CPUS}/{name}" for name in ("online", "present", "isolated", "nohz_full", "smt/active", "smt/control")),
    *(f"{CPUS}/{name}" for name in ("cpuidle/current_driver", "vulnerabilities/*")),
    *(f"{CPUS}/cpu[0-9]*/cpufreq/{name}" for name in FREQUENCY),
    *(f"{CPUS}/{name}" for name in ("intel_pstate/no_turbo", "cpufreq/boost", "cpu0/microcode/version")),
    *(f"{CPUS}/cpu[0-9]*/cpuidle/state[0-9]*/{name}" for name in ("name", "latency", "disable")),
    *(COMMAND_LINE, VERSION, REALTIME, PREEMPT, RUNTIME, PERIOD, CLOCK_SOURCE, CLOCK_SOURCES, HUGE_PAGES, SMI_EVENT, TUNED, PRODUCT),
    *(f"{IRQS}/default_smp_affinity", f"{IRQS}/[0-9]*/smp_affinity_list"),
)
WARM = (f"{ZONES}*/type", f"{ZONES}*/temp", *(f"{CPUS}/cpu[0-9]*/{name}" for name in THROTTLED))
CPU_LINES = "^(model name|microcode|cpu MHz|CPU (implementer|part|variant|revision)|Hardware|Model|uarch|isa)[[:space:]]*:"
HEAT_COMMAND = f"grep -sH '' {' '.join(WARM)}"
BUILT = "^CONFIG_PREEMPT(_NONE|_VOLUNTARY|_LAZY)?=y"
COLLECT = (
    f"{{ grep -sH '' {' '.join(WHOLE)} {' '.join(WARM)}; grep -sHE '{CPU_LINES}' {CPU_INFO} | sort -u; "
    f"grep -sHE '^[0-9]+ [(]irq/' /proc/[0-9]*/stat; "
    f"{{ zcat {CONFIG} || cat /boot/config-$(cat /proc/sys/kernel/osrelease); }} | grep -E '{BUILT}' | sed 's|^|{CONFIG}:|'; "
    f"grep -sH MemTotal /proc/meminfo; [ ! -r {MODEL} ] || echo \"{MODEL}:$(tr -d '\\000' <{MODEL})\"; true; }} 2>/dev/null"
)
ARM = {
    ("0x41", "0xd03"): "Cortex-A53",
    ("0x41", "0xd04"): "Cortex-A35",
    ("0x41", "0xd05"): "Cortex-A55",
    ("0x41", "0xd07"): "Cortex-A57",
    ("0x41", "0xd08"): "Cortex-A72",
    ("0x41", "0xd09"): "Cortex-A73",
    ("0x41", "0xd0a"): "Cortex-A75",
    ("0x41", "0xd0b"): "Cortex-A76",
    ("0x41", "0xd0c"): "Neoverse-N1",
    ("0x41", "0xd40"): "Neoverse-V1",
    ("0x41", "0xd41"): "Cortex-A78",
    ("0x41", "0xd49"): "Neoverse-N2",
    ("0x41", "0xd4f"): "Neoverse-V2",
}
CPU_OF = re.compile(rf"{CPUS}/cpu(\d+)/(.+)")
IDLE_STATE_OF = re.compile(r"cpuidle/state(\d+)/name")
IRQ_THREAD = re.compile(r"\d+ \((irq/.*)\) (?:\S+ ){37}(\d+) ")
"""The 40th field is the real-time priority (proc_pid_stat(5))."""
IRQ_OF = re.compile(rf"{IRQS}/(\d+)/smp_affinity_list")
ZONE_OF = re.compile(rf"{ZONES}(\d+)/(type|temp)")
Files = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class IdleState:
    """A state that a CPU may enter, with the exit latency that the kernel declares."""

    cpu: int
    number: int
    name: str
    latency_us: int


@dataclass(frozen=True, slots=True)
class MachineInventory:
    """`governors`, `frequencies` and `irqs` are by CPU and by IRQ. `off` are the CPUs that are there and not online. A set of CPUs is None
    where the machine has no such file; None of a switch, too, is that it is not there. `irq_threads` are the real-time priorities of the
    kernel's IRQ threads by name, `preemption` is the preemption model, `huge_pages` when the kernel makes transparent huge pages."""

    cpu: str = ""
    board: str = ""
    microcode: str = ""
    memory_mib: int | None = None
    command_line: str = ""
    online: frozenset[int] = frozenset()
    off: frozenset[int] = frozenset()
    isolated: frozenset[int] | None = None
    tickless: frozenset[int] | None = None
    smt: bool | None = None
    governors: Mapping[int, str] = field(default_factory=dict)
    frequencies: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    driver: str = ""
    now_mhz: tuple[float, ...] = ()
    turbo_switch: str = ""
    turbo: bool | None = None
    idle_driver: str = ""
    idle_states: tuple[IdleState, ...] = ()
    clock_source: str = ""
    clock_sources: tuple[str, ...] = ()
    preemption: str | None = None
    huge_pages: str = ""
    counts_smis: bool = False
    tuned: str = ""
    default_irq_mask: int | None = None
    irqs: Mapping[int, frozenset[int]] = field(default_factory=dict)
    irq_threads: Mapping[str, int] = field(default_factory=dict)
    rt_runtime_us: int | None = None
    rt_period_us: int | None = None
    vulnerabilities: Mapping[str, str] = field(default_factory=dict)
    celsius: Mapping[str, float] = field(default_factory=dict)
    throttled: int | None = None
    is_smt_forbidden: bool = False
    is_x86: bool = False


def read_collected(data: bytes) -> MachineInventory:
    """What COLLECT printed. Lines that are none of its own are passed over."""
    files = _files(data)
    cpus = _by_cpu(files)
    info = [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in files.get(CPU_INFO, ()))]
    no_turbo, boost = _first(files, f"{CPUS}/intel_pstate/no_turbo"), _first(files, f"{CPUS}/cpufreq/boost")
    memory, online = _first(files, "/proc/meminfo").split(), cpu_set(_first(files, f"{CPUS}/online")) or frozenset()
    return MachineInventory(
        cpu=_model(info),
        board=_first(files, MODEL) or _first(files, PRODUCT),
        microcode=_first(files, f"{CPUS}/cpu0/microcode/version") or next((value for name, value in info if name == "microcode"), ""),
        memory_mib=int(memory[1]) // 1024 if len(memory) > 1 and memory[1].isdecimal() else None,
        command_line=_first(files, COMMAND_LINE),
        online=online,
        off=(cpu_set(_first(files, f"{CPUS}/present")) or frozenset()) - online if online else frozenset(),
        isolated=cpu_set(_first(files, f"{CPUS}/isolated")) if f"{CPUS}/isolated" in files else None,
        tickless=cpu_set(_first(files, f"{CPUS}/nohz_full")) if f"{CPUS}/nohz_full" in files else None,
        smt=_switch(_first(files, f"{CPUS}/smt/active")),
        governors={
            cpu: cpu_files["cpufreq/scaling_governor"] for cpu, cpu_files in cpus.items() if "cpufreq/scaling_governor" in cpu_files
        },
        frequencies=dict(_frequencies(cpus)),
        driver=next((cpu_files["cpufreq/scaling_driver"] for cpu_files in cpus.values() if "cpufreq/scaling_driver" in cpu_files), ""),
        now_mhz=_now_mhz(cpus, info),
        turbo_switch="intel_pstate/no_turbo" if no_turbo else "cpufreq/boost" if boost else "",
        turbo=not _switch(no_turbo) if no_turbo else _switch(boost),
        idle_driver=_first(files, f"{CPUS}/cpuidle/current_driver"),
        idle_states=tuple(_idle_states(cpus)),
        clock_source=_first(files, CLOCK_SOURCE),
        clock_sources=tuple(_first(files, CLOCK_SOURCES).split()),
        preemption=preemption_model(_preemption_answers(files)),
        huge_pages=_chosen(_first(files, HUGE_PAGES)),
        counts_smis=SMI_EVENT in files,
        tuned=_first(files, TUNED),
        default_irq_mask=_mask(_first(files, f"{IRQS}/default_smp_affinity")),
        irqs=dict(_irqs(files)),
        irq_threads=dict(_irq_threads(files)),
        rt_runtime_us=_whole(_first(files, RUNTIME)),
        rt_period_us=_whole(_first(files, PERIOD)),
        vulnerabilities={path.rpartition("/")[2]: lines[0] for path, lines in files.items() if "/vulnerabilities/" in path},
        celsius=_celsius(files),
        throttled=_throttled(cpus),
        is_smt_forbidden=_first(files, f"{CPUS}/smt/control") in ("off", "forceoff"),
        is_x86={"model name", "CPU implementer"} & {name for name, _ in info} == {"model name"},
    )


def cpu_list(cpus: Iterable[int]) -> str:
    """As the kernel writes it: 0-3,6."""
    spans: list[list[int]] = []
    for cpu in sorted(cpus):
        if spans and cpu == spans[-1][1] + 1:
            spans[-1][1] = cpu
        else:
            spans.append([cpu, cpu])
    return ",".join(f"{low}-{high}" if low != high else str(low) for low, high in spans)


def _files(data: bytes) -> Files:
    """An empty file has no line with grep, but it has with a kernel that ends it."""
    by_path: dict[str, list[str]] = defaultdict(list)
    for line in data.decode("utf-8", "replace").splitlines():
        path, colon, text = line.partition(":")
        if colon and path.startswith(("/sys/", "/proc/", TUNED)):
            by_path[path].append(text)
    return {path: tuple(lines) for path, lines in by_path.items()}


def _first(files: Files, path: str) -> str:
    return files.get(path, ("",))[0].strip()


def _by_cpu(files: Files) -> dict[int, dict[str, str]]:
    by_cpu: dict[int, dict[str, str]] = defaultdict(dict)
    for path, lines in files.items():
        match = CPU_OF.fullmatch(path)
        if match:
            by_cpu[int(match[1])][match[2]] = lines[0].strip()
    return dict(sorted(by_cpu.items()))


def _model(info: list[tuple[str, str]]) -> str:
    """x86 has a name; Arm has numbers of implementer and part, of which a machine may have several."""
    named = list(dict.fromkeys(value for name, value in info if name in ("model name", "uarch")))
    parts = [value for name, value in info if name == "CPU part"]
    maker = next((value for name, value in info if name == "CPU implementer"), "")
    arm = [ARM.get((maker, part), f"implementer {maker}, part {part}") for part in dict.fromkeys(parts)]
    return ", ".join(arm or named)


def _frequencies(cpus: Mapping[int, Mapping[str, str]]) -> Iterator[tuple[int, tuple[int, int]]]:
    for cpu, cpu_files in cpus.items():
        low, high = _whole(cpu_files.get("cpufreq/scaling_min_freq", "")), _whole(cpu_files.get("cpufreq/scaling_max_freq", ""))
        if low is not None and high is not None:
            yield cpu, (low, high)


def _now_mhz(cpus: Mapping[int, Mapping[str, str]], info: list[tuple[str, str]]) -> tuple[float, ...]:
    khz = [_whole(cpu_files.get("cpufreq/scaling_cur_freq", "")) for cpu_files in cpus.values()]
    mhz = [value / 1000 for value in khz if value is not None]
    info_mhz = [value for name, value in info if name == "cpu MHz"]
    return tuple(mhz or [float(value) for value in info_mhz if re.fullmatch(r"\d+(\.\d+)?", value)])


def _irqs(files: Files) -> Iterator[tuple[int, frozenset[int]]]:
    for path, lines in files.items():
        match, cpus = IRQ_OF.fullmatch(path), cpu_set(lines[0])
        if match and cpus is not None:
            yield int(match[1]), cpus


def _irq_threads(files: Files) -> Iterator[tuple[str, int]]:
    for path, lines in files.items():
        match = IRQ_THREAD.match(lines[0]) if path.endswith("/stat") else None
        if match:
            yield match[1], int(match[2])


def _idle_states(cpus: Mapping[int, Mapping[str, str]]) -> Iterator[IdleState]:
    """Those that are not disabled."""
    for cpu, cpu_files in cpus.items():
        for path, name in cpu_files.items():
            match = IDLE_STATE_OF.fullmatch(path)
            folder = path.rpartition("/")[0]
            latency_us = _whole(cpu_files.get(f"{folder}/latency", ""))
            if match and latency_us is not None and cpu_files.get(f"{folder}/disable", "0") == "0":
                yield IdleState(cpu, int(match[1]), name, latency_us)


def _preemption_answers(files: Files) -> dict[str, str]:
    boot = re.search(r"(?:^| )(preempt=[a-z]+)", _first(files, COMMAND_LINE))
    return {
        "realtime": _first(files, REALTIME),
        "version": _first(files, VERSION),
        "preempt_now": _first(files, PREEMPT),
        "preempt_boot": boot[1] if boot else "",
        "preempt_built": " ".join(files.get(CONFIG, ())),
    }


def _chosen(text: str) -> str:
    """The word in brackets."""
    match = re.search(r"\[(\w+)\]", text)
    return match[1] if match else ""


def counted_irqs(numbers: Sequence[int]) -> str:
    if len(numbers) <= MOST_IRQS:
        return f"IRQ{'s' * (len(numbers) != 1)} {', '.join(map(str, numbers))}"
    return f"{len(numbers)} IRQs"


def _celsius(files: Files) -> dict[str, float]:
    zones: dict[str, dict[str, str]] = defaultdict(dict)
    for path, lines in files.items():
        match = ZONE_OF.fullmatch(path)
        if match:
            zones[match[1]][match[2]] = lines[0].strip()
    readings = {(number, zone.get("type", f"zone {number}")): _whole(zone.get("temp", "")) for number, zone in sorted(zones.items())}
    return {name: value / 1000 for (_, name), value in readings.items() if value is not None}


def _throttled(cpus: Mapping[int, Mapping[str, str]]) -> int | None:
    """Every CPU of a package counts the package's, so of these the highest; of cores the sum."""
    core, package = ([_whole(cpu_files[name]) or 0 for cpu_files in cpus.values() if name in cpu_files] for name in THROTTLED)
    return sum(core) + max(package, default=0) if core or package else None


def cpu_set(text: str) -> frozenset[int] | None:
    """None of what is no list of CPUs; the kernel prints an empty one as nothing, or as (null)."""
    text = text.strip()
    if text in ("", "(null)"):
        return frozenset()
    cpus: set[int] = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        if not (low.isdecimal() and (high or low).isdecimal()):
            return None
        cpus.update(range(int(low), int(high or low) + 1))
    return frozenset(cpus)


def _mask(text: str) -> int | None:
    """Words of 32 bits, the highest first."""
    digits = text.replace(",", "")
    return int(digits, 16) if re.fullmatch(r"[0-9a-fA-F]+", digits) else None


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _switch(text: str) -> bool | None:
    return {"0": False, "1": True}.get(text)
