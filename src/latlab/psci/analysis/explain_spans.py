# SPDX-License-Identifier: BSD-3-Clause
"""What a run's spans consist of.

Findings from traces are exact. Findings from durations are inferred; if two explanations fit equally well, both are given.
"""

from __future__ import annotations

from latlab.core.comparison import findings as f
from latlab.core.comparison import queue_findings as q
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.summary import Mark, mark_of
from latlab.core.comparison.suspect_run import suspicions_of
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.psci.analysis.explain_ladder import explain_ladder, explain_lead
from latlab.psci.analysis.explain_platform import explain_platform
from latlab.psci.analysis.explain_trace import explain_code, explain_traces
from latlab.psci.analysis.overlap import overlap_suspicions
from latlab.psci.analysis.queue_fit import fit_ladders
from latlab.psci.analysis.roles import inferred_lead, is_parallel, roles_of
from latlab.psci.analysis.scatter import explain_scatter
from latlab.psci.analysis.span_invariants import check_spans


def explain_spans(run: Run) -> tuple[Explanation, ...]:
    """The findings on a run. Raises NotComparable if the run has nothing to explain."""
    columns = checked_columns(run)
    facts = facts_of(run.platform)
    roles = roles_of(columns, facts.managed_by)
    lead = run.lead or inferred_lead(run, columns, roles)
    unit = run.tick.unit
    exact = explain_traces(run) or explain_code(run)
    broken = [check for check in check_spans(run) if not check.holds]
    suspect = (*suspicions_of(run, columns), *overlap_suspicions(run))
    out = [Explanation("", f.Suspected(suspicion), Basis.INFERRED, unit) for suspicion in suspect]
    out += [Explanation(check.test, f.RuleBroken(check), Basis.INFERRED, unit) for check in broken]
    ladders = {
        test: ladder for test in columns.tests if is_parallel(test) and (ladder := fit_ladders(columns, roles, test)) and ladder.dof[0]
    }
    of_platform = explain_platform(run, columns, roles, lead, facts)
    for test in columns.tests:
        took_turns = mark_of(run, test) is Mark.TURNS
        if took_turns:
            out.append(Explanation(test, q.CoresTakeTurns(), Basis.EXACT, unit))
        if test in exact:
            out += [Explanation(test, finding, Basis.EXACT, unit) for finding in exact[test]]
        elif test in ladders and not took_turns:
            out += explain_ladder(test, ladders, columns, roles, unit)
        elif lead is not None and not is_parallel(test):
            out += explain_lead(test, columns, lead, unit)
        out += of_platform.get(test, [])
    turns = frozenset(test for test in columns.tests if mark_of(run, test) is Mark.TURNS)
    return (*out, *explain_scatter(columns, unit, turns))
