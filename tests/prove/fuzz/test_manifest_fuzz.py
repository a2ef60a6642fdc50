# SPDX-License-Identifier: BSD-3-Clause
"""A quarter of a million manifests that chance has spoilt: each is a good one or gives one sentence with file and line."""

import random
import re

from support.manifests import GOOD, mutated, outcome

SPOILT = 250_000
SENTENCE = re.compile(r"[a-z_]+\.json:[1-9]\d*: .+")


def test_spoilt_manifests_give_a_sentence_each() -> None:
    chance = random.Random(20)
    names = list(GOOD)
    for number in range(SPOILT):
        name = names[number % len(names)]
        text = mutated(chance, GOOD[name])
        sentence = outcome(text, name, is_json=number % 50 != 0)
        assert sentence is None or SENTENCE.fullmatch(sentence), (sentence, text)
