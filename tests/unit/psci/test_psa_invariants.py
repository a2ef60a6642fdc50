# SPDX-License-Identifier: BSD-3-Clause
import xml.etree.ElementTree as ET

from latlab.core.comparison.by_kind import check_invariants
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Sample
from latlab.core.report.exports import junit
from support.runs import INSTRUCTIONS, ONE_CORE, run_with

MORE_DATA = "a call with more data costs no less"


def psa_run(calls):
    core = CoreId(0, 0)
    samples = [Sample(test, Metric.PSA_CALL, core, 1, i, value) for test, value in calls.items() for i in (1, 2, 3)]
    return run_with(campaign="psa", topology=ONE_CORE, tick=INSTRUCTIONS, samples=tuple(samples))


def broken(run):
    return [(check.test, check.name) for check in check_invariants(run) if not check.holds]


def test_calls_that_grow_with_their_data_keep_the_rules():
    run = psa_run({"ns_call_0": 157, "ns_call_16": 708, "ns_call_256": 736, "ns_version": 45})
    assert [(check.test, check.name) for check in check_invariants(run)] == [
        ("ns_call_16", MORE_DATA),
        ("ns_call_256", MORE_DATA),
    ]
    assert broken(run) == []


def test_a_call_that_is_cheaper_with_more_data_is_a_fault_of_the_figures():
    assert broken(psa_run({"s_call_256": 700, "s_call_16": 708, "s_call_4096": 1649})) == [("s_call_256", MORE_DATA)]


def test_the_rules_of_a_psa_run_are_cases_in_junit():
    suite = ET.fromstring(junit.render(psa_run({"ns_call_0": 9, "ns_call_16": 8}))).find("testsuite")
    assert suite is not None and (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None and "8 instructions" in failure.get("message", "")
