# SPDX-License-Identifier: BSD-3-Clause
"""The fit on models whose costs are known."""

from collections.abc import Mapping

import pytest

from latlab.virtual.analysis.fit import Undetermined, fit, undetermined

TRUE = {"base": 9_000, "step": 140_000, "flush": 77_000}


def ladder(costs: Mapping[str, int]) -> dict[str, float]:
    """Three cores in a queue, the last of which flushes while it waits."""
    base, step, flush = costs["base"], costs["step"], costs["flush"]
    return {
        "first": float(base),
        "second": float(base + step),
        "third": float(base + step + max(step, flush)),
        "alone": float(base + flush),
        "flush": float(flush),
    }


def test_costs_that_made_the_spans_are_found_again() -> None:
    found = fit(ladder, {"base": 5_000, "step": 90_000, "flush": 60_000}, ladder(TRUE))
    assert found.values_ns == pytest.approx(TRUE, rel=1e-3)
    assert all(abs(measured - modelled) < 50 for _, measured, modelled in found.spans)


def test_an_interval_holds_the_cost_where_the_spans_are_noisy() -> None:
    noisy = {key: value * factor for (key, value), factor in zip(ladder(TRUE).items(), (1.004, 0.997, 1.002, 0.996, 1.003), strict=True)}
    found = fit(ladder, {"base": 5_000, "step": 90_000, "flush": 60_000}, noisy)
    for cost in found.costs:
        assert abs(cost.value_ns - TRUE[cost.name]) <= cost.half_width_ns
        assert cost.half_width_ns < 0.2 * TRUE[cost.name]


def test_a_cost_that_no_span_shows_is_named() -> None:
    spans = {key: value for key, value in ladder(TRUE).items() if key in ("first", "second")}
    with pytest.raises(Undetermined) as error:
        fit(ladder, TRUE, spans)
    assert error.value.costs == ("flush",)
    assert "flush" in str(error.value)
    assert undetermined(ladder, TRUE, spans) == ("flush",)


def test_costs_that_show_only_in_their_sum_are_named_together_and_one_is_held() -> None:
    def model(costs: Mapping[str, int]) -> dict[str, float]:
        return {"span": float(costs["entry"] + costs["message"]), "other": float(costs["entry"] + costs["message"] + costs["flush"])}

    start = {"entry": 1_000, "message": 2_000, "flush": 3_000}
    with pytest.raises(Undetermined) as error:
        fit(model, start, model(start))
    assert set(error.value.costs) == {"entry", "message"}
    assert undetermined(model, start, model(start)) in (("entry",), ("message",))


def test_a_single_wild_span_does_not_carry_the_fit_away() -> None:
    spans = ladder(TRUE) | {"alone": 2.0 * ladder(TRUE)["alone"]}
    found = fit(ladder, {"base": 5_000, "step": 90_000, "flush": 60_000}, spans)
    assert found.values_ns["step"] == pytest.approx(TRUE["step"], rel=0.02)
    assert found.values_ns["flush"] == pytest.approx(TRUE["flush"], rel=0.05)
