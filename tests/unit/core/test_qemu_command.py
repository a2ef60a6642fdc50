# SPDX-License-Identifier: BSD-3-Clause
"""What a QEMU command line says of the machine, and how an ELF file was built."""

from pathlib import Path

import pytest

from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.readers.elf_build import built_with, said_by, with_image
from latlab.core.readers.qemu_command import with_machine
from support.places import ROOT

OWN = [
    "/usr/bin/qemu-system-aarch64",
    "-M",
    "virt,secure=on,gic-version=3",
    "-cpu",
    "cortex-a57",
    "-smp",
    "6",
    "-m",
    "1024",
    "-bios",
    "/b/firmware.bin",
    "-device",
    "loader,file=/b/psci_bench.elf",
    "-fw_cfg",
    "name=opt/latlab/clusters,string=2,,4",
    "-semihosting-config",
    "enable=on,target=native",
    "-device",
    "loader,addr=0x5fff0000,data=0x4c41,data-len=8",
    "-nic",
    "none",
    "-display",
    "none",
    "-monitor",
    "none",
    "-serial",
    "stdio",
    "-serial",
    "file:/t/s.log",
    "-icount",
    "shift=4,sleep=off",
    "-no-reboot",
]


def test_the_machine_of_our_own_command_is_its_processor_controller_and_level() -> None:
    found = with_machine(NO_CONDITIONS, OWN)
    assert (found.processor, found.interrupt_controller, found.exception_level) == ("cortex-a57", "GICv3", 1)
    assert found.emulator_options == ("-m 1024", "secure=on")


@pytest.mark.parametrize(
    ("other", "field", "value"),
    [
        ("-M virt,secure=on,gic-version=2", "interrupt_controller", "GICv2"),
        ("-M virt,secure=on,virtualization=on,gic-version=3", "exception_level", 2),
        ("-machine type=virt,secure=on,gic-version=3,mte=on", "emulator_options", ("-m 1024", "mte=on", "secure=on")),
        ("--machine virt,gic-version=3", "emulator_options", ("-m 1024",)),
        ("-M raspi4b", "exception_level", None),
    ],
)
def test_another_machine_option_is_another_condition(other: str, field: str, value: object) -> None:
    command = [OWN[0], *other.split(), *OWN[3:]]
    assert getattr(with_machine(NO_CONDITIONS, command), field) == value


def test_a_machine_of_riscv_has_no_exception_levels() -> None:
    """Its virt is another machine than Arm's."""
    assert with_machine(NO_CONDITIONS, ("/usr/bin/qemu-system-riscv64", "-M", "virt")).exception_level is None


def test_features_of_the_processor_are_part_of_it_and_unknown_options_are_kept() -> None:
    command = [
        "qemu-system-aarch64",
        "-cpu",
        "cortex-a57,pmu=off",
        "-nographic",
        "-global",
        "x.y=1",
        "-no-hpet",
        "-kernel",
        "Image",
        "-append",
        "quiet",
    ]
    found = with_machine(NO_CONDITIONS, command)
    assert found.processor == "cortex-a57,pmu=off" and found.emulator_options == ("-global x.y=1", "-no-hpet")


def test_what_the_run_states_itself_stays_and_a_command_of_nothing_says_nothing() -> None:
    stated = Conditions(processor="cortex-m33", exception_level=2, interrupt_controller="GICv2", emulator_options=("x",))
    assert with_machine(stated, OWN) == stated
    assert with_machine(NO_CONDITIONS, ()) == NO_CONDITIONS


def test_files_of_the_host_are_no_condition() -> None:
    one, other = ([*OWN, "-device", f"ivshmem-plain,memdev={path}"] for path in ("/tmp/1", "/tmp/2"))
    assert with_machine(NO_CONDITIONS, one) == with_machine(NO_CONDITIONS, other)


def test_a_compiler_and_its_flags_are_read_from_what_it_wrote_into_each_file() -> None:
    gcc = "GNU C11 12.2.0 -mgeneral-regs-only -g -O2 -std=gnu11"
    assert said_by([gcc, gcc, "GNU AS 2.40"]) == ("GCC 12.2.0", ("-mgeneral-regs-only -g -O2 -std=gnu11",))
    assert said_by([gcc, "GNU C17 13.1.1 20230519 (prerelease) -Os"])[0] == "GCC 12.2.0 and GCC 13.1.1"
    for dated in (
        "GNU C17 12.2.1 20221205 -mthumb -Os",
        "GNU C11 10.3.1 20210824 (release) -mthumb -Os",
        "GNU C17 13.2.0 [revision 1] -mthumb -Os",
    ):
        assert said_by([dated])[1] == ("-mthumb -Os",)
    assert said_by(["Debian clang version 14.0.6"]) == ("clang 14.0.6", None)
    assert said_by(["GNU AS 2.40"]) == (None, None) and said_by([]) == (None, None)


def test_a_file_that_is_no_elf_file_says_nothing_of_its_compiler() -> None:
    assert built_with(ROOT / "README.md") == (None, None)
    assert built_with(ROOT / "missing.elf") == (None, None)


def test_an_image_is_known_by_its_bytes_and_one_that_is_not_there_by_nothing(tmp_path: Path) -> None:
    (one := tmp_path / "one.bin").write_bytes(b"code")
    (copy := tmp_path / "copy.bin").write_bytes(b"code")
    (other := tmp_path / "other.bin").write_bytes(b"more")
    digests = [with_image(NO_CONDITIONS, [path]).image for path in (one, copy, other)]
    assert digests[0] == digests[1] != digests[2] and with_image(NO_CONDITIONS, [one, other]).image not in digests
    assert with_image(NO_CONDITIONS, [tmp_path / "missing"]) == NO_CONDITIONS
