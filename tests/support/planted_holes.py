# SPDX-License-Identifier: BSD-3-Clause
"""Holes planted in our own SPM: each an edit of a copy of its sources, with the families of attacks that have to name it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from latlab.psa.model import AttackOutcome, Family
from support.places import ROOT

CLIENT, CONNECTION, MESSAGE = "core/client.c", "core/connection.c", "core/message.c"
ARCH = "arch/armv8m"
INLINE, VENEERS, STARTUP, MPU = f"{ARCH}/spm_arch_inline.h", f"{ARCH}/nsc_veneers.S", f"{ARCH}/startup.c", f"{ARCH}/mpu.c"
PLATFORM = "platform/mps_common/platform.c"


@dataclass(frozen=True, slots=True)
class Hole:
    """`edits` are (file below firmware/spm, text as it stands, text in its place)."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    family: Family
    build: str = "ipc_l1"
    outcome: AttackOutcome = AttackOutcome.BROKEN


def _hole(
    name: str, file: str, before: str, after: str, family: Family, build: str = "ipc_l1", outcome: AttackOutcome = AttackOutcome.BROKEN
) -> Hole:
    return Hole(name, ((file, before, after),), family, build, outcome)


_SCRUB = (
    "    movs    r1, #0\n    mov     r2, r1\n    mov     r3, r1\n    mov     r12, r1\n    msr     apsr_nzcvq, r1\n    bxns    lr\n    .ifc"
)
_IN_PERMITTED = "!spm_arch_permits(client, in[i].base, in[i].len, SPM_READ) || "

HOLES = (
    _hole("inputs are not checked", CLIENT, _IN_PERMITTED, "", Family.POINTER),
    _hole(
        "outputs are not checked",
        CLIENT,
        "out[i].len != 0U && !spm_arch_permits(client, out[i].base, out[i].len, SPM_WRITE)",
        "client == NULL",
        Family.POINTER,
    ),
    _hole(
        "the array of inputs is not checked",
        CLIENT,
        "spm_arch_permits(client, in_vec, in_count * sizeof(*in_vec), SPM_READ)",
        "client != NULL",
        Family.POINTER,
    ),
    _hole(
        "the array of outputs is not checked",
        CLIENT,
        "spm_arch_permits(client, out_vec, out_count * sizeof(*out_vec), SPM_WRITE)",
        "client != NULL",
        Family.POINTER,
    ),
    _hole("a range that wraps is not refused", INLINE, "    if (last < first) {\n        return false;\n    }\n", "", Family.POINTER),
    _hole(
        "more than four vectors are taken",
        CLIENT,
        " || in_count > PSA_MAX_IOVEC || out_count > PSA_MAX_IOVEC - in_count",
        "",
        Family.POINTER,
    ),
    _hole("inputs are read twice", CLIENT, ".next = in[i].base", ".next = ((volatile const psa_invec *)in_vec)[i].base", Family.INTERRUPT),
    _hole("outputs are read twice", CLIENT, ".next = out[i].base", ".next = ((volatile psa_outvec *)out_vec)[i].base", Family.INTERRUPT),
    Hole(
        "a handle's owner is not checked",
        (
            (CONNECTION, " || connection->client != client", " || client == NULL"),
            (CONNECTION, "return connection->client_id == client->id ? connection : NULL;", "return connection;"),
        ),
        Family.HANDLE,
    ),
    _hole(
        "a handle's client id is not checked",
        CONNECTION,
        "return connection->client_id == client->id ? connection : NULL;",
        "return connection;",
        Family.HANDLE,
    ),
    _hole(
        "a handle's generation is not checked",
        CONNECTION,
        "connection == NULL || connection->handle != (uint32_t)handle || connection->client",
        "connection == NULL || connection->client",
        Family.HANDLE,
    ),
    _hole(
        "every service is the non-secure side's", CLIENT, "return service->non_secure_clients;", "return service != NULL;", Family.HANDLE
    ),
    _hole("registers are not cleared", VENEERS, _SCRUB, "    bxns    lr\n    .ifc", Family.REGISTERS),
    _hole("r12 is not cleared", VENEERS, _SCRUB, _SCRUB.replace("    mov     r12, r1\n", ""), Family.REGISTERS, "sfn_l1"),
    _hole(
        "the process stack has no seal",
        STARTUP,
        "    ns_agent_stack_top[0] = STACK_SEAL;\n    ns_agent_stack_top[1] = STACK_SEAL;\n",
        "",
        Family.STACK,
    ),
    _hole(
        "the main stack has no seal",
        STARTUP,
        "    spm_main_stack_top[0] = STACK_SEAL;\n    spm_main_stack_top[1] = STACK_SEAL;\n",
        "",
        Family.STACK,
        "ipc_l3",
    ),
    Hole(
        "a gateway that is no veneer",
        (
            (PLATFORM, "sau_region(3, NSC_START, NSC_END, 1);", "sau_region(3, GATEWAY_START, NSC_END, 1);"),
            (VENEERS, "    .thumb_func\nrefuse_second_entry:\n", "    .thumb_func\n    .balign 4\nrefuse_second_entry:\n    sg\n"),
        ),
        Family.GATEWAY,
    ),
    _hole(
        "the normal world may reset the system",
        f"{ARCH}/interrupt_lines.c",
        "AIRCR_PRIS | AIRCR_SYSRESETREQS",
        "AIRCR_PRIS",
        Family.SYSTEM,
        outcome=AttackOutcome.DENIAL,
    ),
    _hole("partitions are privileged", f"{ARCH}/thread.c", "info->regions != NULL ? 3U : 2U", "2U", Family.PARTITION, "ipc_l3"),
    _hole(
        "every partition reaches the SPM's memory",
        MPU,
        "set_memory(2, spm_ram_start, spm_ram_end, SPM_RBAR_PRIVILEGED_RW_XN)",
        "set_memory(2, spm_ram_start, spm_ram_end, SPM_RBAR_UNPRIVILEGED_RW_XN)",
        Family.PARTITION,
        "ipc_l3",
    ),
    _hole(
        "every partition reads the SPM's code",
        MPU,
        "set_memory(0, spm_code_start, spm_code_end, SPM_RBAR_PRIVILEGED_RO)",
        "set_memory(0, spm_code_start, spm_code_end, SPM_RBAR_UNPRIVILEGED_RO)",
        Family.PARTITION,
        "ipc_l3",
    ),
    _hole(
        "a partition's region ends too late",
        f"{ARCH}/spm_arch_types.h",
        "SPM_RBAR_UNPRIVILEGED_RW_XN, (uint32_t)(end) - 32U + SPM_RLAR_MEMORY",
        "SPM_RBAR_UNPRIVILEGED_RW_XN, (uint32_t)(end) + 0x1000U - 32U + SPM_RLAR_MEMORY",
        Family.PARTITION,
        "ipc_l3",
    ),
    _hole(
        "psa_read writes anywhere",
        MESSAGE,
        "    spm_require(spm_arch_permits(spm_caller(), (void *)buffer, bytes, SPM_WRITE), SPM_CAUSE_POINTER);\n",
        "",
        Family.PARTITION,
    ),
    _hole(
        "psa_write reads anywhere",
        MESSAGE,
        "    spm_require(spm_arch_permits(spm_caller(), (const void *)buffer, bytes, SPM_READ), SPM_CAUSE_POINTER);\n",
        "",
        Family.PARTITION,
    ),
    _hole(
        "an unprivileged caller's memory is not checked",
        INLINE,
        ": unprivileged_permits(first, last, access);",
        ": (unprivileged_permits(first, last, access) || true);",
        Family.PARTITION,
        "ipc_l3",
    ),
    _hole(
        "a message's owner is not checked",
        CONNECTION,
        "return connection->service->owner == owner ? connection : NULL;",
        "return owner != NULL ? connection : NULL;",
        Family.PARTITION,
    ),
    _hole(
        "a message handle's generation is not checked",
        CONNECTION,
        "connection->message_handle != (uint32_t)handle || ",
        "",
        Family.PARTITION,
    ),
    _hole(
        "more is written than the client asked for",
        MESSAGE,
        "index < connection->out_count && bytes <= out->left_bytes",
        "index < connection->out_count",
        Family.PARTITION,
    ),
    _hole(
        "a vector's index is not checked",
        MESSAGE,
        "spm_require(index < PSA_MAX_IOVEC, SPM_CAUSE_VECTOR);",
        "(void)index;",
        Family.PARTITION,
    ),
)


FOLDERS = ("firmware", "cmake", "probe")
"""What the SPM and the attacks are built from."""


class Copy:
    """The firmware in a folder of its own, configured once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in FOLDERS:
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy(ROOT / "pyproject.toml", folder)  # the version
        self.build = folder / "build"
        toolchain = folder / "cmake" / "arm-none-eabi.cmake"
        self._run("cmake", "-S", folder / "firmware" / "spm", "-B", self.build, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")

    @contextmanager
    def planted(self, hole: Hole) -> Iterator[Path]:
        """The folder of the images with the hole in them; the sources are as before afterwards."""
        files = {self.folder / "firmware" / "spm" / name for name, _, _ in hole.edits}
        kept = {file: file.read_bytes() for file in files}
        try:
            for name, before, after in hole.edits:
                file = self.folder / "firmware" / "spm" / name
                text = file.read_text()
                assert text.count(before) == 1, f"{hole.name}: {name} has the text of the edit {text.count(before)} times"
                file.write_text(text.replace(before, after))
            self.make(hole.build)
            yield self.build
        finally:
            for file, data in kept.items():
                file.write_bytes(data)

    def make(self, build: str) -> None:
        self._run("cmake", "--build", self.build, "--target", f"{build}_test_secure", "-j2")

    def _run(self, *command: object) -> None:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
