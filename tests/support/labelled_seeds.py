# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of labelled cases: one for each cause, and one with none."""

SEEDS = {
    0: "flush as last man",
    1: "slower cluster flush",
    2: "slower channel",
    3: "slower message",
    5: "slower core flush",
    6: "slower wake-up",
    7: "none",
}
