# SPDX-License-Identifier: BSD-3-Clause
"""What differs between the guest of one processor architecture and another."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Arch(StrEnum):
    ARM64 = "arm64"
    X86 = "x86"


@dataclass(frozen=True, slots=True)
class GuestArch:
    """`debian`, `machine` and `kbuild` are its names for Debian, for `uname -m` and for the kernel's build. `module` is the folder of
    `guest` with the kernel module that the image gets, `module_use` what is missing without it. `console` is the kernel's."""

    debian: str
    machine: str
    kbuild: str
    compiler: str
    compiler_package: str
    module: str
    module_file: str
    module_use: str
    kernel_modules: tuple[str, ...]
    efi_package: str
    apt_folder: str
    qemu: str
    console: str
    platform: str


X86_CPU = "Skylake-Client,-hypervisor,-pcid,-tsc-deadline,-hle,-invpcid,-rtm,-xsavec,-rdrand,-rdseed"
"""A processor whose kernel has the event msr/smi/, without what QEMU's translator lacks. It is no virtual machine to its kernel: on the
instruction clock nothing preempts it. Without the instructions for random numbers, which are the host's, two boots are the same."""
ARCHES = {
    Arch.ARM64: GuestArch(
        "arm64",
        "aarch64",
        "arm64",
        "aarch64-linux-gnu-",
        "gcc-aarch64-linux-gnu",
        "smc",
        "latlab_el3.ko",
        "the firmware's own records are not read",
        (
            *(f"drivers/{name}.ko" for name in ("char/hw_random/arm_smccc_trng", "tee/tee", "tee/optee/optee", "char/hw_random/optee-rng")),
            "fs/efivarfs/efivarfs.ko",
        ),
        "qemu-efi-aarch64",
        "apt",
        "qemu-system-aarch64",
        "ttyAMA0",
        "QEMU virt, PREEMPT_RT guest",
    ),
    Arch.X86: GuestArch(
        "amd64",
        "x86_64",
        "x86_64",
        "x86_64-linux-gnu-",
        "gcc-x86-64-linux-gnu",
        "smi",
        "latlab_smi.ko",
        "no system management interrupts can be raised",
        ("arch/x86/kernel/msr.ko",),
        "",
        "apt-x86",
        "qemu-system-x86_64",
        "ttyS0",
        "QEMU q35, PREEMPT_RT guest",
    ),
}
