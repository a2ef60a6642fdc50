# SPDX-License-Identifier: BSD-3-Clause
"""What single files of a machine add to what is told of it, and what it is advised where only they differ."""

from __future__ import annotations

import pytest

from latlab.rt.targets.machine_facts import heat_facts, machine_facts
from latlab.rt.targets.machine_inventory import CPUS, MachineInventory, cpu_list, read_collected
from latlab.rt.targets.machine_setup import advice

FREQ = "cpufreq/scaling"
# As Linux numbers them in arch/arm64/include/asm/cputype.h, all of Arm's own (0x41).
PARTS = {
    0xD03: "Cortex-A53",
    0xD04: "Cortex-A35",
    0xD05: "Cortex-A55",
    0xD07: "Cortex-A57",
    0xD08: "Cortex-A72",
    0xD09: "Cortex-A73",
    0xD0A: "Cortex-A75",
    0xD0B: "Cortex-A76",
    0xD0C: "Neoverse-N1",
    0xD40: "Neoverse-V1",
    0xD41: "Cortex-A78",
    0xD49: "Neoverse-N2",
    0xD4F: "Neoverse-V2",
}


def told(*lines: str) -> MachineInventory:
    """Of a machine that has these files alone, each with its one line."""
    return read_collected("\n".join(lines).encode())


def fact(name: str, *lines: str) -> str | None:
    return dict(machine_facts(told(*lines))).get(name)


def cpu_info(*lines: str) -> tuple[str, ...]:
    return tuple(f"/proc/cpuinfo:{line}" for line in lines)


@pytest.mark.parametrize("part", PARTS)
def test_a_core_of_arm_s_is_called_by_its_name(part: int) -> None:
    assert fact("CPU", *cpu_info("CPU implementer : 0x41", f"CPU part : {part:#x}")) == PARTS[part]


def test_a_core_is_named_whatever_stands_before_its_numbers() -> None:
    lines = cpu_info("BogoMIPS : 50.00", "CPU architecture: 8", "CPU implementer : 0x41", "CPU variant : 0x0", "CPU part : 0xd08")
    assert fact("CPU", *lines) == "Cortex-A72"


@pytest.mark.parametrize("numbers", [("0x51", "0xd03"), ("0x41", "0xfff")])
def test_a_core_that_nobody_named_is_told_by_its_numbers(numbers: tuple[str, str]) -> None:
    lines = cpu_info(f"CPU implementer\t: {numbers[0]}", f"CPU part\t: {numbers[1]}", f"CPU part\t: {numbers[1]}")
    assert fact("CPU", *lines) == f"implementer {numbers[0]}, part {numbers[1]}"


def test_a_core_of_risc_v_is_called_by_its_microarchitecture() -> None:
    assert fact("CPU", *cpu_info("uarch : sifive,u74-mc", "uarch : sifive,u74-mc", "isa : rv64imafdc")) == "sifive,u74-mc"


def test_a_board_is_called_by_its_tree_else_by_its_maker() -> None:
    product, model = "/sys/class/dmi/id/product_name:A Laptop", "/proc/device-tree/model:A Board"
    assert fact("board", product) == "A Laptop"
    assert fact("board", product, model) == "A Board"
    assert fact("board") is None


def test_the_microcode_of_the_kernel_s_own_file_comes_before_that_of_the_processors_list() -> None:
    listed = cpu_info("microcode : 0x11", "microcode : 0x22")
    assert fact("microcode", *listed) == "0x11"
    assert fact("microcode", *listed, f"{CPUS}/cpu0/microcode/version:0x33") == "0x33"


@pytest.mark.parametrize(
    ("line", "said"),
    [("MemTotal:  2048 kB", "2 MiB"), ("MemTotal: 3071 kB", "2 MiB"), ("MemTotal: much kB", None), ("MemTotal:", None)],
)
def test_memory_is_told_in_whole_mebibytes(line: str, said: str | None) -> None:
    assert fact("memory", f"/proc/meminfo:{line}") == said


def test_clock_source_and_idle_driver_are_told_as_they_stand() -> None:
    lines = (
        "/sys/devices/system/clocksource/clocksource0/current_clocksource:arch_sys_counter",
        f"{CPUS}/cpuidle/current_driver:psci_idle",
    )
    assert (fact("clock source", *lines), fact("cpuidle driver", *lines)) == ("arch_sys_counter", "psci_idle")


@pytest.mark.parametrize(
    ("line", "turbo", "advised"),
    [
        (f"{CPUS}/intel_pstate/no_turbo:0", "on", "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo"),
        (f"{CPUS}/intel_pstate/no_turbo:1", "off", None),
        (f"{CPUS}/cpufreq/boost:1", "on", "echo 0 >/sys/devices/system/cpu/cpufreq/boost"),
        (f"{CPUS}/cpufreq/boost:0", "off", None),
        (f"{CPUS}/cpufreq/boost:?", None, None),
    ],
)
def test_turbo_has_one_switch_or_the_other_and_they_are_opposite(line: str, turbo: str | None, advised: str | None) -> None:
    assert fact("turbo", line) == turbo
    commands = [sentence.split("`")[1] for sentence in advice(told(line))]
    assert commands == ([advised] if advised else [])


def test_threads_that_share_cores_are_advised_against_only_where_they_do() -> None:
    assert fact("SMT", f"{CPUS}/smt/active:0") == "off" and advice(told(f"{CPUS}/smt/active:0")) == []
    (sentence,) = advice(told(f"{CPUS}/smt/active:1"))
    assert "threads share cores" in sentence


CLOCKS = [
    ((f"{CPUS}/cpu0/{FREQ}_min_freq:600000",), None),
    ((f"{CPUS}/cpu0/{FREQ}_min_freq:600000", f"{CPUS}/cpu0/{FREQ}_max_freq:1400000"), "600 to 1400 MHz"),
    ((f"{CPUS}/cpu0/{FREQ}_min_freq:600000", f"{CPUS}/cpu0/{FREQ}_max_freq:600000"), "600 MHz"),
    ((f"{CPUS}/cpu1/{FREQ}_governor:ondemand",), "governor ondemand"),
    ((f"{CPUS}/cpu1/{FREQ}_driver:cppc_cpufreq",), "driver cppc_cpufreq"),
    ((f"{CPUS}/cpu0/{FREQ}_cur_freq:1000000", f"{CPUS}/cpu1/{FREQ}_cur_freq:1000400"), "1000 MHz at the start"),
    ((f"{CPUS}/cpu0/{FREQ}_cur_freq:1200000", f"{CPUS}/cpu1/{FREQ}_cur_freq:900000"), "900 to 1200 MHz at the start"),
    (cpu_info("cpu MHz : 1995.2", "cpu MHz : 2400", "cpu MHz : unknown"), "1995 to 2400 MHz at the start"),
    ((*cpu_info("cpu MHz : 5"), f"{CPUS}/cpu0/{FREQ}_cur_freq:1000000"), "1000 MHz at the start"),
]


@pytest.mark.parametrize(("lines", "said"), CLOCKS)
def test_the_clock_is_told_by_what_there_is_of_it(lines: tuple[str, ...], said: str | None) -> None:
    assert fact("CPU clock", *lines) == said


def test_a_governor_that_follows_the_load_is_named_once_for_all_its_cpus() -> None:
    lines = [f"{CPUS}/cpu{cpu}/{FREQ}_governor:{name}" for cpu, name in enumerate(("schedutil", "performance", "ondemand", "schedutil"))]
    (sentence,) = advice(told(*lines))
    assert sentence.startswith("the clock of CPUs 0,2-3 follows the load (governor ondemand, schedutil);")


@pytest.mark.parametrize("online", ["0", ""])
def test_a_machine_with_one_cpu_has_none_to_isolate(online: str) -> None:
    assert advice(told(f"{CPUS}/online:{online}", f"{CPUS}/isolated:")) == []


@pytest.mark.parametrize(
    ("online", "spare", "others"), [("0-1", "1", "0"), ("0-2", "1-2", "0"), ("0-5", "3-5", "0-2"), ("0,2,4,6", "4,6", "0,2")]
)
def test_the_upper_half_of_the_cpus_is_what_is_proposed_to_isolate(online: str, spare: str, others: str) -> None:
    (sentence,) = advice(told(f"{CPUS}/online:{online}", f"{CPUS}/isolated:"))
    assert sentence.endswith(f"`isolcpus=managed_irq,domain,{spare} nohz_full={spare} irqaffinity={others}`")


def test_a_kernel_that_does_not_say_what_is_isolated_is_not_advised_to_isolate() -> None:
    assert fact("isolated CPUs", f"{CPUS}/online:0-3") is None and advice(told(f"{CPUS}/online:0-3")) == []


def test_where_every_cpu_is_isolated_interrupts_have_no_other_place_to_go() -> None:
    lines = (f"{CPUS}/online:0-1", f"{CPUS}/isolated:0-1", f"{CPUS}/nohz_full:0-1", "/proc/irq/7/smp_affinity_list:0")
    assert advice(told(*lines)) == []


@pytest.mark.parametrize(("count", "said"), [(1, "IRQ 10"), (2, "IRQs 10, 11"), (8, "IRQs 10, 11, 12, 13, 14, 15, 16, 17"), (9, "9 IRQs")])
def test_up_to_eight_interrupts_are_named_and_more_are_counted(count: int, said: str) -> None:
    lines = [f"/proc/irq/{10 + number}/smp_affinity_list:1" for number in reversed(range(count))]
    assert fact("IRQ affinity", *lines) == f"{said} on CPUs 1"
    (sentence,) = advice(told(*lines, f"{CPUS}/online:0-1", f"{CPUS}/isolated:1", f"{CPUS}/nohz_full:1"))
    numbers = " ".join(str(10 + number) for number in range(count))
    assert f"isolated CPUs: {said};" in sentence and f"for n in {numbers}; do echo 0 >" in sentence


@pytest.mark.parametrize(("mask", "said"), [("00000003,00000000", "32-33"), ("5", "0,2"), ("ff", "0-3"), ("100", "8")])
def test_the_mask_of_new_interrupts_is_told_as_those_of_its_cpus_that_are_on(mask: str, said: str) -> None:
    online = "0-3" if "," not in mask else "0-63"
    assert fact("IRQ affinity", f"{CPUS}/online:{online}", f"/proc/irq/default_smp_affinity:{mask}") == f"new ones on CPUs {said}"


@pytest.mark.parametrize("mask", ["", "x", "1,g"])
def test_a_mask_that_is_none_says_nothing(mask: str) -> None:
    assert fact("IRQ affinity", f"/proc/irq/default_smp_affinity:{mask}") is None


def test_vulnerabilities_are_sorted_into_open_closed_and_none() -> None:
    said = {"b": "Vulnerable: no microcode", "a": "Vulnerable", "d": "Mitigation: PTI", "c": "Mitigation: x", "e": "Not affected", "f": "?"}
    lines = [f"{CPUS}/vulnerabilities/{name}:{state}" for name, state in said.items()]
    assert fact("vulnerabilities", *lines) == "vulnerable: a, b; mitigated: c (x), d (PTI); not affected by 1 more"


def test_zones_are_told_in_their_order_and_one_without_a_name_by_its_number() -> None:
    zone = "/sys/class/thermal/thermal_zone"
    lines = (f"{zone}1/temp:-5400", f"{zone}0/temp:40600", f"{zone}0/type:soc", f"{zone}2/type:gpu", f"{zone}3/temp:hot")
    assert fact("temperature", *lines) == "soc 41 °C, zone 1 -5 °C"


def test_a_zone_that_is_gone_afterwards_is_told_as_it_was_before() -> None:
    before, after = MachineInventory(celsius={"soc": 40.0, "gpu": 50.0}), MachineInventory(celsius={"gpu": 61.0})
    assert heat_facts(before, after) == (("temperature", "soc 40 °C, gpu 50 to 61 °C"),)


@pytest.mark.parametrize(("kind", "times"), [("core", "5 times"), ("package", "4 times")])
def test_throttling_is_the_sum_of_cores_and_the_most_that_any_cpu_counts_of_its_package(kind: str, times: str) -> None:
    def counted(*counts: int) -> MachineInventory:
        return told(*(f"{CPUS}/cpu{cpu}/thermal_throttle/{kind}_throttle_count:{count}" for cpu, count in enumerate(counts)))

    assert heat_facts(counted(1, 2), counted(2, 6)) == (("throttled during the measurement", times),)
    assert heat_facts(counted(1, 2), told()) == () == heat_facts(told(), counted(1, 2))


@pytest.mark.parametrize("runtime", ["-1", "", "off"])
def test_only_a_limit_on_real_time_tasks_is_advised_against(runtime: str) -> None:
    assert advice(told(f"/proc/sys/kernel/sched_rt_runtime_us:{runtime}")) == []
    (sentence,) = advice(told("/proc/sys/kernel/sched_rt_runtime_us:0"))
    assert "together get 0 µs of each period" in sentence


@pytest.mark.parametrize(("cpus", "text"), [({3}, "3"), ({0, 1}, "0-1"), ({0, 2}, "0,2"), ({9, 10, 11, 13}, "9-11,13")])
def test_a_list_of_cpus_is_written_as_it_is_read(cpus: set[int], text: str) -> None:
    assert cpu_list(cpus) == text
    assert told(f"{CPUS}/isolated:{text}").isolated == frozenset(cpus) == told(f"{CPUS}/nohz_full:{text}").tickless


@pytest.mark.parametrize("text", ["-1", "1,", "a-b", "0-x"])
def test_what_is_no_list_of_cpus_is_not_taken_for_an_empty_one(text: str) -> None:
    assert told(f"{CPUS}/isolated:{text}").isolated is None


def test_lines_of_other_files_and_lines_without_a_file_say_nothing() -> None:
    assert told("/etc/x:1", "nonsense", "/sys/only-a-path", "proc/cmdline:quiet") == MachineInventory()
