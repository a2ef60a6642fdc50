# SPDX-License-Identifier: BSD-3-Clause
"""What a machine tells of itself, from made-up trees of /sys and /proc."""

import re
import subprocess
from pathlib import Path

import pytest

from latlab.rt.targets import machine_inventory
from latlab.rt.targets.machine_facts import machine_facts
from latlab.rt.targets.machine_inventory import CPUS, MachineInventory, cpu_list, read_collected
from latlab.rt.targets.machine_setup import advice

X86 = {
    "/sys/devices/system/cpu/online": "0-3\n",
    "/sys/devices/system/cpu/isolated": "\n",
    "/sys/devices/system/cpu/nohz_full": "(null)\n",
    "/sys/devices/system/cpu/smt/active": "1\n",
    "/sys/devices/system/cpu/intel_pstate/no_turbo": "0\n",
    "/sys/devices/system/cpu/cpuidle/current_driver": "intel_idle\n",
    "/sys/devices/system/cpu/vulnerabilities/mds": "Mitigation: Clear CPU buffers; SMT vulnerable\n",
    "/sys/devices/system/cpu/vulnerabilities/l1tf": "Not affected\n",
    "/sys/devices/system/cpu/vulnerabilities/retbleed": "Vulnerable\n",
    "/sys/class/thermal/thermal_zone0/type": "x86_pkg_temp\n",
    "/sys/class/thermal/thermal_zone0/temp": "51000\n",
    "/proc/cmdline": "root=/dev/sda1 a:b quiet\n",
    "/proc/sys/kernel/sched_rt_runtime_us": "950000\n",
    "/proc/irq/default_smp_affinity": "f\n",
    "/proc/irq/8/smp_affinity_list": "0-3\n",
    "/proc/irq/9/smp_affinity_list": "2\n",
    "/proc/meminfo": "MemTotal:       16316412 kB\nMemFree: 1 kB\n",
    "/proc/cpuinfo": "model name\t: Example CPU @ 2.00GHz\nmicrocode\t: 0xf0\nflags\t: fpu\ncpu MHz\t: 1995.2\n" * 4,
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor": "powersave\n" for cpu in range(4)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_driver": "intel_pstate\n" for cpu in range(4)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_min_freq": "800000\n" for cpu in range(4)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_max_freq": "3600000\n" for cpu in range(4)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq": f"{1000000 + cpu}\n" for cpu in range(4)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count": f"{cpu}\n" for cpu in range(4)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/package_throttle_count": "7\n" for cpu in range(4)},
}
ARM = {
    "/sys/devices/system/cpu/online": "0-5\n",
    "/sys/devices/system/cpu/isolated": "4-5\n",
    "/sys/devices/system/cpu/nohz_full": "4-5\n",
    "/proc/cmdline": "isolcpus=4-5 nohz_full=4-5\n",
    "/proc/sys/kernel/sched_rt_runtime_us": "-1\n",
    "/proc/irq/default_smp_affinity": "0f\n",
    "/proc/irq/20/smp_affinity_list": "0-3\n",
    "/proc/device-tree/model": "Example Board\0",
    "/proc/cpuinfo": "CPU implementer\t: 0x41\nCPU part\t: 0xd03\n" * 4 + "CPU implementer\t: 0x41\nCPU part\t: 0xd08\n" * 2,
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor": "performance\n" for cpu in range(6)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_min_freq": "600000\n" for cpu in range(6)},
    **{f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_max_freq": f"{1400000 if cpu < 4 else 1800000}\n" for cpu in range(6)},
}


def _collected(folder: Path, tree: dict[str, str]) -> MachineInventory:
    """The shell's own line over a tree below a folder, whose name is taken away again."""
    for path, text in tree.items():
        place = folder / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    command = re.sub(r"(?<!\w)/(sys|proc|boot|etc)/", rf"{folder}/\1/", machine_inventory.COLLECT)
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    assert done.stderr == b""
    return read_collected(done.stdout.replace(str(folder).encode(), b""))


def test_an_ordinary_machine_is_described(tmp_path: Path) -> None:
    facts = dict(machine_facts(_collected(tmp_path, X86)))
    assert facts == {
        "CPU": "Example CPU @ 2.00GHz",
        "microcode": "0xf0",
        "CPU clock": "800 to 3600 MHz, governor powersave; driver intel_pstate; 1000 MHz at the start",
        "turbo": "on",
        "SMT": "on",
        "memory": "15933 MiB",
        "isolated CPUs": "none",
        "nohz_full CPUs": "none",
        "IRQ affinity": "IRQ 8 on CPUs 0-3; IRQ 9 on CPUs 2; new ones on CPUs 0-3",
        "cpuidle driver": "intel_idle",
        "vulnerabilities": "vulnerable: retbleed; mitigated: mds (Clear CPU buffers; SMT vulnerable); not affected by 1 more",
        "kernel command line": "root=/dev/sda1 a:b quiet",
        "temperature": "x86_pkg_temp 51 °C",
    }


def test_an_ordinary_machine_gets_a_command_for_everything_that_disturbs(tmp_path: Path) -> None:
    found = advice(_collected(tmp_path, X86))
    commands = [sentence.split("`")[1] for sentence in found]
    assert commands == [
        "sysctl -w kernel.sched_rt_runtime_us=-1",
        "isolcpus=managed_irq,domain,2-3 nohz_full=2-3 irqaffinity=0-1",
        "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
        "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo",
        "echo off >/sys/devices/system/cpu/smt/control",
    ]


def test_a_machine_of_two_kinds_of_cores_is_described_by_kind(tmp_path: Path) -> None:
    facts = dict(machine_facts(_collected(tmp_path, ARM)))
    assert facts["CPU"] == "Cortex-A53, Cortex-A72" and facts["board"] == "Example Board"
    assert facts["CPU clock"] == "CPUs 0-3: 600 to 1400 MHz, governor performance; CPUs 4-5: 600 to 1800 MHz, governor performance"
    assert facts["isolated CPUs"] == facts["nohz_full CPUs"] == "4-5"
    assert facts["IRQ affinity"] == "IRQ 20 on CPUs 0-3; new ones on CPUs 0-3"
    assert "SMT" not in facts and "turbo" not in facts


def test_where_most_interrupts_go_is_said_first_and_many_are_counted(tmp_path: Path) -> None:
    many = {f"/proc/irq/{number}/smp_affinity_list": "5\n" for number in range(30, 39)}
    few = {f"/proc/irq/{number}/smp_affinity_list": "4-5\n" for number in (21, 22)}
    facts = dict(machine_facts(_collected(tmp_path, ARM | few | many)))
    assert facts["IRQ affinity"].startswith("9 IRQs on CPUs 5; IRQs 21, 22 on CPUs 4-5; IRQ 20 on CPUs 0-3; ")


def test_a_machine_that_is_set_up_gets_no_advice(tmp_path: Path) -> None:
    assert advice(_collected(tmp_path, ARM)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({f"{CPUS}/nohz_full": "4\n"}, "CPUs 5 are isolated and keep their tick; boot with `nohz_full=4-5`"),
        ({f"{CPUS}/nohz_full": ""}, "this kernel cannot leave out the tick"),
        (
            {"/proc/irq/20/smp_affinity_list": "4\n"},
            "isolated CPUs: IRQ 20; `for n in 20; do echo 0-3 >/proc/irq/$n/smp_affinity_list; done`",
        ),
        ({"/proc/sys/kernel/sched_rt_runtime_us": "900000\n"}, "together get 900000 µs"),
        ({f"{CPUS}/cpu4/cpufreq/scaling_governor": "schedutil\n"}, "the clock of CPUs 4 follows the load (governor schedutil)"),
        ({f"{CPUS}/cpufreq/boost": "1\n"}, f"`echo 0 >{CPUS}/cpufreq/boost`"),
    ],
)
def test_each_thing_that_is_not_set_up_is_told(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    (sentence,) = advice(_collected(tmp_path, ARM | changed))
    assert said in sentence


def test_a_clock_that_has_one_step_only_is_not_scaled(tmp_path: Path) -> None:
    one_step = {path: "600000\n" for path in ARM if path.endswith("scaling_max_freq")}
    slow = {path: "powersave\n" for path in ARM if path.endswith("scaling_governor")}
    assert advice(_collected(tmp_path, ARM | one_step | slow)) == []


def test_heat_and_throttling_are_told_from_before_to_after(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    before = _collected(tmp_path / "before", X86)
    hot = {"/sys/class/thermal/thermal_zone0/temp": "93000\n", f"{CPUS}/cpu1/thermal_throttle/core_throttle_count": "5\n"}
    hot |= {f"{CPUS}/cpu{cpu}/thermal_throttle/package_throttle_count": "9\n" for cpu in range(4)}
    (tmp_path / "after").mkdir()
    facts = dict(machine_facts(before, _collected(tmp_path / "after", X86 | hot)))
    assert facts["temperature"] == "x86_pkg_temp 51 to 93 °C"
    assert facts["throttled during the measurement"] == "6 times"


@pytest.mark.parametrize(
    "data", [b"", b"sh: grep: not found\n", b"/sys/devices/system/cpu/online:x-y\n/proc/irq/3/smp_affinity_list:\xff\n"]
)
def test_a_machine_that_says_nothing_sensible_has_no_facts_and_no_advice(data: bytes) -> None:
    assert machine_facts(read_collected(data)) == () and advice(read_collected(data)) == []


def test_cpus_are_listed_as_the_kernel_lists_them() -> None:
    assert cpu_list({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8" and cpu_list(()) == ""
