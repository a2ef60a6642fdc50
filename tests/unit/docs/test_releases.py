# SPDX-License-Identifier: BSD-3-Clause
import re

import releases
from support.places import ROOT

PAGE = (ROOT / "docs" / "tf-a-releases.rst").read_text("utf-8")


def test_the_page_over_all_releases_is_what_its_script_writes():
    assert releases.page() == PAGE


def test_every_picture_of_the_page_is_there_and_every_release_has_its_step():
    pictures = re.findall(r"figure:: (img/\S+)", PAGE)
    assert len(pictures) == 10 and all((ROOT / "docs" / name).is_file() for name in pictures)
    assert len(re.findall(r"^v2\.\d+ to v2\.\d+: |^2017 to v2\.9: ", PAGE, re.MULTILINE)) == 13


def test_what_the_field_has_not_seen_stands_on_the_page():
    assert "v2.13 departs from what v2.12 keeps, no core but the last of a cluster pays the cluster flush" in PAGE
    assert "v2.15 mends what v2.14 departs from" in PAGE
