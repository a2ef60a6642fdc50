# SPDX-License-Identifier: BSD-3-Clause
"""A store with runs of the campaigns, as they were measured once: complete ones, partial ones and one imported."""

import gzip
from pathlib import Path

from latlab.core.store.store import Store, open_store
from support.places import TESTS

STORE = TESTS / "data" / "stores" / "campaigns.sqlite.gz"


def unpack_campaigns(place: Path) -> None:
    place.write_bytes(gzip.decompress(STORE.read_bytes()))


def open_campaigns(folder: Path) -> Store:
    """A copy of the store in `folder`."""
    place = folder / "store.sqlite"
    unpack_campaigns(place)
    return open_store(str(place))
