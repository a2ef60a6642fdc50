# SPDX-License-Identifier: BSD-3-Clause
"""Where the firmware and the payloads are: in a folder that the user names, the build folder of a checkout, or the package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from latlab.core.errors import DataError, UsageError
from latlab.core.model.events import EventTable
from latlab.core.model.run import Topology
from latlab.core.targets.tools import checkout, how_to_make, not_built, refuse_stale

PLATFORM = "qemu_virt"
FIRMWARE_BIN = "firmware.bin"
FIRMWARE_ELF = "firmware.elf"
NOTE_SECTION = ".note.latlab"
NOTE_OWNER = "latlab"
NOTE_TYPE = 1


@dataclass(frozen=True, slots=True)
class ImageSet:
    """The images in one folder, and the clusters that they are to see: one build runs on every machine."""

    folder: Path
    topology: Topology

    @property
    def firmware_bin(self) -> Path:
        return self.folder / FIRMWARE_BIN

    @property
    def firmware_elf(self) -> Path:
        return self.folder / FIRMWARE_ELF

    def payload(self, name: str) -> Path:
        """The release's, of which there are all: they are the same for every build of the firmware."""
        released = self.folder.with_name(PLATFORM) / f"{name}.elf"
        is_variant = self.folder.name.startswith(f"{PLATFORM}-")
        return released if is_variant and released.is_file() else self.folder / f"{name}.elf"


def search_folders() -> tuple[Path, ...]:
    """A checkout's build folder goes before the images that a wheel carries."""
    root, carried = checkout(), Path(str(resources.files("latlab"))) / "catalog" / "images"
    return (root / "build", carried) if root else (carried,)


def find_images(topology: Topology, payload: str, folder: Path | None = None, build: str = "") -> ImageSet:
    """The images for a topology. `folder` holds them itself or in a folder of the build's name; `build` is another than the release."""
    name = f"{PLATFORM}-{build}" if build else PLATFORM
    places = (folder / name,) if folder else tuple(base / name for base in search_folders())
    candidates = (*places, folder) if folder and not build else places
    for candidate in candidates:
        images = ImageSet(candidate, topology)
        if all(path.is_file() for path in (images.firmware_bin, images.firmware_elf, images.payload(payload))):
            refuse_stale(images.firmware_bin, name)
            return images
    missing = f"no {FIRMWARE_BIN}, {FIRMWARE_ELF} and {payload}.elf in {', '.join(map(str, candidates))}"
    if folder:
        raise UsageError(missing, f"{how_to_make(name)}, or name their folder with --firmware")
    raise not_built(missing, name, ", or name their folder with --firmware")


def list_images() -> Iterator[Path]:
    """Every folder with firmware images, the one that would be used first."""
    for base in search_folders():
        if (base / PLATFORM / FIRMWARE_BIN).is_file():
            yield base / PLATFORM


def elf_events_hash(elf: Path) -> str:
    """The hash of the event table that a firmware was built with, as sixteen hexadecimal digits."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import NoteSection

    try:
        with elf.open("rb") as stream:
            section = ELFFile(stream).get_section_by_name(NOTE_SECTION)
            notes = list(section.iter_notes()) if isinstance(section, NoteSection) else []
    except (ELFError, UnicodeDecodeError) as error:
        raise DataError(f"not an ELF file that can be read ({error})", "build it again", place=elf) from error
    for note in notes:
        description = note["n_descdata"]
        if note["n_name"] == NOTE_OWNER and note["n_type"] in (NOTE_TYPE, "NT_GNU_ABI_TAG") and len(description) == 8:
            return f"{int.from_bytes(description, 'little'):016x}"
    raise DataError(
        f"no note {NOTE_SECTION} of owner {NOTE_OWNER}, so its event table is unknown", "use a firmware with the instrument", place=elf
    )


def check_events(elf: Path, table: EventTable) -> None:
    """Refuse a firmware that was built with another event table."""
    elf_hash = elf_events_hash(elf)
    if elf_hash != table.hash:
        raise DataError(
            f"built with the event table {elf_hash}, this latlab has {table.hash}",
            "build the firmware again or use the latlab that belongs to it",
            place=elf,
        )
